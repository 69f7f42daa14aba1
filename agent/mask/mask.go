// Package mask removes old tool output from a history. It writes the text to a file. The history
// keeps the first and last characters of it and the path of the file, which the model can read.
//
// To mask an output changes the history in the middle, and the vendor's prompt cache is useless
// for the messages after it. So outputs are masked in batches of at least 30,000 tokens, or
// three tenths of a smaller window.
package mask

import (
	"context"
	"fmt"
	"slices"

	"pollux/agent"
	"pollux/llm"
)

// The defaults of [Options], in tokens.
const (
	DefaultProtect = 50_000
	DefaultBatch   = 30_000
)

// Options configures a [Masker]. Save must be set. All other fields may be zero.
type Options struct {
	// Save writes the output of a call to a file of its own, which the model can read, and
	// returns its path. tool and call come from a model and may be any string.
	Save func(tool, call, text string) (path string, err error)

	// Protect is the number of tokens of the newest outputs, which are never masked, at most
	// half of the window. Batch is the number of tokens of older outputs from which on they are
	// masked, at most three tenths of the window.
	Protect, Batch int
	// Warn is called with a sentence if an output cannot be saved; nil discards it.
	Warn func(string)
}

// Masker is an [agent.Masker] for one conversation. It must not be used by several goroutines
// at once.
type Masker struct {
	Options
	ledger ledger
}

var _ agent.Masker = (*Masker)(nil)

// New returns a masker. Invalid values in o are replaced by defaults.
func New(o Options) *Masker {
	if o.Protect <= 0 {
		o.Protect = DefaultProtect
	}
	if o.Batch <= 0 {
		o.Batch = DefaultBatch
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	return &Masker{Options: o}
}

// Mask implements [agent.Masker]. If nothing is masked, its cost depends on the number of new
// messages only. The newest message is never changed. Images and other media of a result, and
// signatures, stay in the history, because they cannot be read from a text file.
//
// An output whose file cannot be written stays, and Mask tries again with the next batch. If
// ctx ends, nothing is masked.
func (m *Masker) Mask(ctx context.Context, history []agent.Message, window int) (masked []agent.Message, saved int) {
	protect, batch := m.Protect, m.Batch
	if window > 0 {
		protect, batch = min(protect, max(window/2, 1)), min(batch, max(window*3/10, 1))
	}
	m.ledger.update(history, m.outputs)
	if m.ledger.advance(protect) < batch {
		return history, 0
	}
	replaced := map[*llm.FunctionResponse]*llm.FunctionResponse{}
	var failed []output
	for _, o := range m.ledger.old() {
		if ctx.Err() != nil {
			return history, 0
		}
		if replaced[o.response] != nil { // the history contains it twice
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
		if c := withReplaced(masked[i].Content, replaced); c != masked[i].Content {
			saved += masked[i].Content.Tokens() - c.Tokens()
			masked[i].Content = c
		}
	}
	if len(replaced) == 0 {
		masked = history
	}
	m.ledger.replaceOld(masked, failed)
	return masked, saved
}

// withReplaced returns c with some function responses replaced, or c itself if it contains
// none of them.
func withReplaced(c *llm.Content, replaced map[*llm.FunctionResponse]*llm.FunctionResponse) *llm.Content {
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

// exempt are tools whose output instructs the model or contains the user's answers. It is never masked.
var exempt = []string{"activate_skill", "ask_user", "enter_plan_mode", "exit_plan_mode"}

// outputs returns the outputs of a message that may be masked later.
func (m *Masker) outputs(c *llm.Content) []output {
	var found []output
	for i := range c.Parts {
		r := c.Parts[i].FunctionResponse
		if r == nil || slices.Contains(exempt, r.Name) || isMasked(r.Response) {
			continue
		}
		tokens := 0
		if len(c.Parts) == 1 && len(r.Parts) == 0 {
			tokens = c.Tokens() // which the content has stored
		} else {
			tokens = textTokens(r)
		}
		found = append(found, output{r, tokens})
	}
	return found
}

// textTokens estimates the tokens of r without its media.
func textTokens(r *llm.FunctionResponse) int {
	bare := *r
	bare.Parts = nil
	return llm.EstimateTokens([]llm.Part{{FunctionResponse: &bare}})
}

// shorten saves an output and returns its masked form, or nil if that is not smaller.
func (m *Masker) shorten(o output) (*llm.FunctionResponse, error) {
	// Before it writes a file, shorten compares the sizes with a path of typical length.
	const aPath = "/home/username/.gemini/tmp/a-project-of-theirs/tool-outputs/session-00000000-0000-0000-0000-000000000000/read_file_1.txt"
	text := fileText(o.response.Response)
	shown := preview(text)
	short := *o.response
	short.Response = llm.Output("", "", maskedText(shown, aPath)).Response
	if textTokens(&short) >= o.tokens {
		return nil, nil
	}
	path, err := m.Save(o.response.Name, o.response.ID, text)
	if err != nil {
		return nil, err
	}
	short.Response = llm.Output("", "", maskedText(shown, path)).Response
	if textTokens(&short) >= o.tokens {
		return nil, nil
	}
	return &short, nil
}
