// Package jsonquery asks a model questions outside of the conversation: [Ask] decodes
// JSON answers, [AskText] returns an answer as text.
package jsonquery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/laxjson"
)

// Question is a question and the model that answers it.
type Question struct {
	Generator llm.Generator
	// ResolveModel returns the model to ask and its configuration. Its argument is
	// Alias, the name of the question in the settings.
	ResolveModel func(alias string) (model string, cfg llm.Config, err error)
	Alias        string

	// System is the instruction; "" keeps that of ResolveModel.
	System   string
	Contents []*llm.Content
	Schema   string // JSON schema of the answer, an object; AskText ignores it

	Use      llm.Use
	PromptID string

	// Timeout limits the time for all attempts together.
	Timeout time.Duration
	// Attempts is the maximum number of requests; 0 means 1. Ask retries only unusable
	// answers and failures that may pass.
	Attempts int
	// Interactive means that a user waits for the answer: Ask retries only an answer
	// that is not JSON, and never a failed request.
	Interactive bool
}

// ErrUnusable means that the model answered in the wrong form. Other errors of [Ask]
// mean that the model did not answer.
var ErrUnusable = errors.New("its answer is not in the form that was asked for")

var errNotJSON = fmt.Errorf("%w: it is not JSON", ErrUnusable)

// Ask sends q to its model and decodes the answer into a T. It returns ErrUnusable
// for an answer that is not JSON, that does not decode, or for which isValid returns
// false. Unknown members and text around the JSON object are ignored; small mistakes
// in the JSON are accepted, see package [laxjson].
func Ask[T any](ctx context.Context, q Question, isValid func(*T) bool) (T, error) {
	return ask(ctx, q, func(text string) (answer T, err error) {
		object, err := findObject(text)
		if err == nil && (json.Unmarshal(object, &answer) != nil || !isValid(&answer)) {
			err = ErrUnusable
		}
		return answer, err
	})
}

// AskText sends q to its model and returns the text of the answer without white space at
// both ends. It returns ErrUnusable for an answer without text.
func AskText(ctx context.Context, q Question) (string, error) {
	q.Schema = ""
	return ask(ctx, q, func(text string) (string, error) {
		if text = strings.TrimSpace(text); text == "" {
			return "", ErrUnusable
		}
		return text, nil
	})
}

// ask sends q, several times if necessary, and decodes the answer.
func ask[T any](ctx context.Context, q Question, decode func(text string) (T, error)) (zero T, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, q.Timeout, fmt.Errorf("it took longer than %v", q.Timeout))
	defer cancel()
	req, err := q.request()
	if err != nil {
		return zero, err
	}
	for attempt := 1; ; attempt++ {
		r, err := q.Generator.Generate(ctx, req)
		if err == nil {
			var answer T
			if answer, err = decode(r.Text()); err == nil {
				return answer, nil
			}
		}
		if attempt >= q.Attempts || ctx.Err() != nil || !q.shouldRetry(err) {
			return zero, err
		}
	}
}

func (q *Question) request() (*llm.Request, error) {
	model, cfg, err := q.ResolveModel(q.Alias)
	if err != nil {
		return nil, fmt.Errorf("find a model for %s: %w", q.Alias, err)
	}
	if q.System != "" {
		cfg.SystemInstruction = llm.User(llm.Text(q.System))
	}
	if q.Schema != "" {
		cfg.ResponseMIMEType, cfg.ResponseJSONSchema = "application/json", json.RawMessage(q.Schema)
	}
	cfg.MaxOutputTokens = maxOutput(model, &cfg)
	req := &llm.Request{Model: model, Contents: q.Contents, Config: cfg, Use: q.Use, PromptID: q.PromptID}
	if q.Interactive {
		req.MaxAttempts = 1
	}
	return req, nil
}

// maxOutput returns the limit on an answer in tokens, 0 for none. The limits in
// settings count the answer alone, a few hundred tokens, but vendors count thoughts
// as output too: a model that uses the limit up for thinking returns no answer. So a
// model that thinks gets no limit, except Gemini with a smaller thinking budget.
func maxOutput(model string, cfg *llm.Config) int {
	if catalog.Lookup(model).Thinking != catalog.Yes {
		return cfg.MaxOutputTokens
	}
	if t := cfg.Thinking; catalog.IsGemini(model) && t != nil && t.Budget != nil && *t.Budget >= 0 && *t.Budget < cfg.MaxOutputTokens {
		return cfg.MaxOutputTokens // which leaves the rest for the answer
	}
	return 0
}

// shouldRetry reports whether another attempt may succeed.
func (q *Question) shouldRetry(err error) bool {
	if q.Interactive {
		return errors.Is(err, errNotJSON)
	}
	var failure *llm.Error
	return !errors.As(err, &failure) || failure.Retryable()
}

// maxAnswer is the size of the longest answer that is read, in bytes.
const maxAnswer = 8 << 20

// findObject returns the first JSON object in text.
func findObject(text string) ([]byte, error) {
	if len(text) > maxAnswer {
		return nil, fmt.Errorf("%w: it has %d MB", ErrUnusable, len(text)>>20)
	}
	for rest := text; ; {
		i := strings.IndexByte(rest, '{')
		if i < 0 {
			break
		}
		var r laxjson.Reader
		n, status := r.Add(rest[i:])
		if status == laxjson.Done {
			return r.JSON(), nil
		}
		rest = rest[i+n:] // a brace in a sentence
	}
	if json.Valid([]byte(text)) {
		return nil, ErrUnusable
	}
	return nil, errNotJSON
}
