// Package ask puts questions to a model beside the conversation, and reads the
// answers, which are JSON. What a question is about, and what follows from the
// answer, is the caller's.
package ask

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

// Question is what is asked, and of whom.
type Question struct {
	Generator llm.Generator
	// Which says what model is asked and how, by Alias, the name under which
	// settings have the question (spec/agent.md §7.3).
	Which func(alias string) (model string, cfg llm.Config, err error)
	Alias string

	// System is the instruction; "" leaves that to Which.
	System   string
	Contents []*llm.Content
	Schema   string // of the answer, which is an object

	Use      llm.Use
	PromptID string

	// Patience is how long all of it may take.
	Patience time.Duration
	// Attempts is how often it is asked until there is an answer of use; 0 is
	// once. A failure that another attempt cannot mend is the last one.
	Attempts int
	// Hurry is for a question that somebody waits for: only an answer that is not
	// even JSON is worth another attempt, here and below.
	Hurry bool
}

// ErrUnusable is the error of an answer that is there, but not in the form that
// was asked for. All others are failures to get one.
var ErrUnusable = errors.New("its answer is not in the form that was asked for")

var errNotJSON = fmt.Errorf("%w: it is not JSON", ErrUnusable)

// JSON asks q and returns the answer. It must decode into a T and fit, which
// says whether what has to be in it is. What it says besides, and what is written
// around it, is passed over; slips are forgiven as [laxjson] does.
func JSON[T any](ctx context.Context, q Question, fit func(*T) bool) (answer T, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, q.Patience, fmt.Errorf("it took longer than %v", q.Patience))
	defer cancel()
	req, err := q.request()
	if err != nil {
		return answer, err
	}
	for attempt := 1; ; attempt++ {
		answer, err = once(ctx, q.Generator, req, fit)
		if err == nil || attempt >= q.Attempts || ctx.Err() != nil || !q.again(err) {
			return answer, err
		}
	}
}

func once[T any](ctx context.Context, g llm.Generator, req *llm.Request, fit func(*T) bool) (none T, err error) {
	r, err := g.Generate(ctx, req)
	if err != nil {
		return none, err
	}
	object, err := find(r.Text())
	if err != nil {
		return none, err
	}
	var answer T
	if json.Unmarshal(object, &answer) != nil || !fit(&answer) {
		return none, ErrUnusable
	}
	return answer, nil
}

// request is the question as a model gets it.
func (q *Question) request() (*llm.Request, error) {
	model, cfg, err := q.Which(q.Alias)
	if err != nil {
		return nil, fmt.Errorf("find a model for %s: %w", q.Alias, err)
	}
	if q.System != "" {
		cfg.SystemInstruction = llm.User(llm.Text(q.System))
	}
	cfg.ResponseMIMEType, cfg.ResponseJSONSchema = "application/json", json.RawMessage(q.Schema)
	cfg.MaxOutputTokens = limit(model, &cfg)
	req := &llm.Request{Model: model, Contents: q.Contents, Config: cfg, Use: q.Use, PromptID: q.PromptID}
	if q.Hurry {
		req.MaxAttempts = 1
	}
	return req, nil
}

// limit returns how long an answer may be, 0 for no limit. The settings of
// questions have the answer alone in mind, a few hundred tokens, but to vendors
// what a model thinks is part of what it puts out, and where that takes all there
// is, nothing is answered. So a model that thinks has no limit, but for Gemini
// where it is told how much that may be; patience ends it.
func limit(model string, cfg *llm.Config) int {
	if catalog.Lookup(model).Thinking != catalog.Yes {
		return cfg.MaxOutputTokens
	}
	if t := cfg.Thinking; catalog.IsGemini(model) && t != nil && t.Budget != nil && *t.Budget >= 0 && *t.Budget < cfg.MaxOutputTokens {
		return cfg.MaxOutputTokens // what is beyond the budget is the answer's
	}
	return 0
}

// again reports whether another attempt is worth it.
func (q *Question) again(err error) bool {
	if q.Hurry {
		return errors.Is(err, errNotJSON)
	}
	var failure *llm.Error
	return !errors.As(err, &failure) || failure.Retryable()
}

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 8 << 20

// find returns the first object in text.
func find(text string) ([]byte, error) {
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
		rest = rest[i+n:] // it was a brace among words
	}
	if json.Valid([]byte(text)) {
		return nil, ErrUnusable
	}
	return nil, errNotJSON
}
