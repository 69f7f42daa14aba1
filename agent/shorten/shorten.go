// Package shorten makes the tool results of a message fit a number of tokens. It cuts the
// longest results first and keeps the beginning and the end of each. The whole text goes into a
// file that the shortened result names, so that the model can read it by lines.
package shorten

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// least is the number of tokens that a shortened result keeps, about 10 lines: with less, the
// model could not recognize the file's content.
const least = 100

// Options configures a [Shortener]. All fields may be zero.
type Options struct {
	// Save writes the result of a call to a file of its own, which the model can read, and
	// returns its path. tool and call come from a model and may be any string. With a nil Save,
	// a shortened result names no file.
	Save func(tool, call, text string) (path string, err error)
	// Warn is called with a sentence if a result cannot be saved; nil discards it.
	Warn func(string)
}

// Shortener is an [agent.Shortener].
type Shortener struct{ Options }

var _ agent.Shortener = (*Shortener)(nil)

// New returns a shortener.
func New(o Options) *Shortener {
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	return &Shortener{o}
}

// Shorten implements [agent.Shortener].
func (s *Shortener) Shorten(ctx context.Context, message *llm.Content, size int) *llm.Content {
	if message.Tokens() <= size {
		return message
	}
	return s.ShortenAll(ctx, []*llm.Content{message}, size)[0]
}

// ShortenAll is [Shortener.Shorten] for several messages, which get at most about size tokens
// together. It returns messages itself if nothing changes; unchanged messages stay the same
// pointers.
func (s *Shortener) ShortenAll(ctx context.Context, messages []*llm.Content, size int) []*llm.Content {
	var results []result
	total, shortenable := 0, 0
	for i, m := range messages {
		total += m.Tokens()
		for k := range m.Parts {
			if r := m.Parts[k].FunctionResponse; r != nil {
				found := result{message: i, part: k}
				found.text, found.isError = Split(r.Response)
				found.tokens = llm.EstimateTokens([]llm.Part{{Text: found.text}})
				shortenable += found.tokens
				results = append(results, found)
			}
		}
	}
	if total <= size {
		return messages
	}
	sizes := make([]int, len(results))
	for i, r := range results {
		sizes[i] = r.tokens
	}
	limit := max(llm.ShareTokens(sizes, size-(total-shortenable)-len(results)), least)
	changed := slices.Clone(messages)
	isChanged := false
	for _, r := range results {
		if r.tokens <= limit || ctx.Err() != nil {
			continue
		}
		response := messages[r.message].Parts[r.part].FunctionResponse
		short, ok := s.cut(response, r, limit)
		if !ok {
			continue
		}
		if changed[r.message] == messages[r.message] {
			changed[r.message] = &llm.Content{Role: messages[r.message].Role, Parts: slices.Clone(messages[r.message].Parts)}
		}
		changed[r.message].Parts[r.part].FunctionResponse = short
		isChanged = true
	}
	if !isChanged {
		return messages
	}
	return changed
}

// result is the text of a tool result.
type result struct {
	message, part int // where it is
	text          string
	isError       bool
	tokens        int // of text
}

// cut returns a response with about the given number of tokens. It returns false if that is not
// shorter than it is.
func (s *Shortener) cut(r *llm.FunctionResponse, of result, size int) (*llm.FunctionResponse, bool) {
	var where string
	isSaved := false
	text := Within(of.text, size, func() string {
		if !isSaved {
			isSaved, where = true, s.save(r, of.text)
		}
		return where
	})
	if len(text) >= len(of.text) {
		return nil, false
	}
	cut := *r
	cut.Response = response(text, of.isError)
	return &cut, true
}

// Within shortens text as [tool.Shorten] does, to about the given number of tokens. It may call
// keep more than once.
func Within(text string, size int, keep func() string) string {
	units, tokens := tool.Units(text), llm.EstimateTokens([]llm.Part{{Text: text}})
	if tokens <= size {
		return text
	}
	short, want := text, size
	for range 4 { // characters differ in their tokens
		short = tool.Shorten(text, int(int64(units)*int64(want)/int64(tokens)), keep)
		got := llm.EstimateTokens([]llm.Part{{Text: short}})
		if got <= size {
			break
		}
		want = min(want-(got-size), int(int64(want)*int64(size)/int64(got)))
	}
	return short
}

// save writes the whole text to a file and returns the end of the notice.
func (s *Shortener) save(r *llm.FunctionResponse, text string) string {
	if s.Save == nil {
		return ""
	}
	path, err := s.Save(cmp.Or(r.Name, "unknown_tool"), r.ID, text)
	if err != nil {
		var onDisk *os.PathError
		if errors.As(err, &onDisk) {
			err = onDisk.Err // the model need not know where
		}
		s.Warn(fmt.Sprintf("A long result of %s could not be saved: %v", r.Name, err))
		return fmt.Sprintf("The full output could not be saved: %v", err)
	}
	return "For full output see: " + path
}
