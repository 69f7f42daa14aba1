// Package mask puts what tools said long ago out of the model's sight
// (spec/agent.md §18, tools.md §4.3): the text goes to a file, and the history
// keeps its beginning, its end and the file's path, which the model can read.
//
// A masked output changes the history in the middle, and behind that the vendor's
// prompt cache is of no use. So it is done in batches: nothing happens until
// 30,000 tokens can go at once, and then nothing again for as long.
package mask

import (
	"context"
	"fmt"
	"slices"

	"pollux/agent"
	"pollux/llm"
)

// The defaults of [Options], in tokens (spec/agent.md §18). The seeds mask
// nothing: an agent without a masker does as they do.
const (
	DefaultProtect = 50_000
	DefaultBatch   = 30_000
)

// Options are what a [Masker] is made of. Save must be set; the zero value of
// each of the others is a default.
type Options struct {
	// Save writes what a call said to a file of its own, which the model can read,
	// and returns its path. Tool and call come from a model and may be anything.
	Save func(tool, call, text string) (path string, err error)

	Protect int // tokens of tools' outputs, the newest ones, that stay
	Batch   int // tokens of older ones there must be for any to go
	// Exempt are tools whose outputs stay; nil is what the spec says: those that
	// tell the model how to work, or what the user wants.
	Exempt []string
	// Warn is told, in a sentence, that an output could not be saved; nil drops it.
	Warn func(string)
}

// Masker is an [agent.Masker] for one conversation. It is used by one goroutine
// at a time.
type Masker struct {
	Options
	ledger ledger
}

var _ agent.Masker = (*Masker)(nil)

// New returns a masker. Settings that make no sense are the defaults.
func New(o Options) *Masker {
	if o.Protect <= 0 {
		o.Protect = DefaultProtect
	}
	if o.Batch <= 0 {
		o.Batch = DefaultBatch
	}
	if o.Exempt == nil {
		o.Exempt = []string{"activate_skill", "ask_user", "enter_plan_mode", "exit_plan_mode"}
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	return &Masker{Options: o}
}

// Mask implements [agent.Masker]. What it costs, as long as there is nothing to
// do, depends on what is new since the last call. The newest message is never
// touched. Images and other media of a result stay where they are, and so do
// the signatures of its parts: neither can be read from a file of text.
//
// An output whose file cannot be written stays, and is tried again with the
// next batch. When ctx ends, nothing is masked.
func (m *Masker) Mask(ctx context.Context, history []agent.Message) (masked []agent.Message, saved int) {
	m.ledger.follow(history, m.outputs)
	if m.ledger.advance(m.Protect) < m.Batch {
		return history, 0
	}
	replaced := map[*llm.FunctionResponse]*llm.FunctionResponse{}
	var failed []output
	for _, o := range m.ledger.old() {
		if ctx.Err() != nil {
			return history, 0
		}
		if replaced[o.response] != nil { // the same one twice
			continue
		}
		short, err := m.shorten(o)
		switch {
		case err != nil:
			failed = append(failed, o)
		case short != nil:
			replaced[o.response] = short
		}
	}
	if len(failed) > 0 {
		m.Warn(fmt.Sprintf("%d old outputs of tools stay in the conversation: the file for one of %s cannot be written",
			len(failed), failed[0].response.Name))
	}
	masked = slices.Clone(history)
	for i := range masked[:m.ledger.end()] {
		if c := with(masked[i].Content, replaced); c != masked[i].Content {
			saved += masked[i].Content.Tokens() - c.Tokens()
			masked[i].Content = c
		}
	}
	if len(replaced) == 0 {
		masked = history
	}
	m.ledger.settle(masked, failed)
	return masked, saved
}

// with returns c with some function responses replaced: c itself if it has none
// of them.
func with(c *llm.Content, replaced map[*llm.FunctionResponse]*llm.FunctionResponse) *llm.Content {
	var parts []llm.Part
	for i := range c.Parts {
		short := replaced[c.Parts[i].FunctionResponse]
		if short == nil {
			continue
		}
		if parts == nil {
			parts = slices.Clone(c.Parts)
		}
		parts[i].FunctionResponse = short
	}
	if parts == nil {
		return c
	}
	return &llm.Content{Role: c.Role, Parts: parts}
}

// outputs returns what of a message may be masked some day.
func (m *Masker) outputs(c *llm.Content) []output {
	var found []output
	for i := range c.Parts {
		r := c.Parts[i].FunctionResponse
		if r == nil || slices.Contains(m.Exempt, r.Name) || isMasked(r.Response) {
			continue
		}
		tokens := 0
		if len(c.Parts) == 1 && len(r.Parts) == 0 {
			tokens = c.Tokens() // which the agent has asked for already
		} else {
			tokens = textTokens(r)
		}
		found = append(found, output{r, tokens})
	}
	return found
}

// textTokens is what r costs without its media.
func textTokens(r *llm.FunctionResponse) int {
	bare := *r
	bare.Parts = nil
	return llm.EstimateTokens([]llm.Part{{FunctionResponse: &bare}})
}

// shorten saves an output and returns what the model sees of it from now on, nil
// if that is no less.
func (m *Masker) shorten(o output) (*llm.FunctionResponse, error) {
	// Whether it is worth a file is told before there is one, by a path of usual length.
	const aPath = "/home/somebody/.gemini/tmp/a-project-of-theirs/tool-outputs/session-00000000-0000-0000-0000-000000000000/read_file_1.txt"
	text := textOf(o.response.Response)
	look := preview(text)
	short := *o.response
	short.Response = llm.Output("", "", masked(look, aPath)).Response
	if textTokens(&short) >= o.tokens {
		return nil, nil
	}
	path, err := m.Save(o.response.Name, o.response.ID, text)
	if err != nil {
		return nil, err
	}
	short.Response = llm.Output("", "", masked(look, path)).Response
	if textTokens(&short) >= o.tokens {
		return nil, nil
	}
	return &short, nil
}
