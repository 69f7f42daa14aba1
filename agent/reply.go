package agent

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"pollux/llm"
)

// reply is a model's answer while it is coming in.
type reply struct {
	parts    []llm.Part
	text     strings.Builder // plain text that is not yet in parts
	mind     mind
	thoughts []Thought // that were shown
	sources  []llm.Citation
	reason   llm.FinishReason
	usage    *llm.Usage
	blocked  string // why the vendor refused the prompt

	started bool // anything has come
	thought bool // some reasoning has
	shown   bool // the consumer has seen text
	calls   []*ToolCall
	loop    Loop
}

// add takes in a chunk. Adjacent plain text becomes one part.
func (rep *reply) add(chunk *llm.Response) {
	rep.started = true
	if chunk.Usage != nil {
		rep.usage = chunk.Usage
	}
	if f := chunk.PromptFeedback; f != nil && f.BlockReason != "" {
		rep.blocked = f.BlockReason
	}
	if len(chunk.Candidates) == 0 {
		return
	}
	c := &chunk.Candidates[0]
	if c.FinishReason != "" {
		rep.reason = c.FinishReason
	}
	rep.sources = append(rep.sources, c.Citations...)
	for _, p := range chunk.Parts() {
		switch {
		case p.Thought:
			rep.thought = rep.thought || p.Text != ""
			rep.flush()
			if p.ThoughtSignature != "" { // without it no vendor wants a thought back
				rep.parts = append(rep.parts, p)
			}
		case p.IsText() && p.ThoughtSignature == "":
			rep.text.WriteString(p.Text)
		default:
			rep.flush()
			rep.parts = append(rep.parts, p)
		}
	}
}

// flush makes a part of the text that has gathered.
func (rep *reply) flush() {
	if rep.text.Len() > 0 {
		rep.parts = append(rep.parts, llm.Text(rep.text.String()))
		rep.text.Reset()
	}
}

// visible returns the text that a reader sees.
func (rep *reply) visible() string { return llm.PartsText(rep.parts) }

// citations lists the sources that the answer quotes, each once.
func (rep *reply) citations() string {
	var lines []string
	for _, s := range rep.sources {
		switch {
		case s.URI == "":
		case s.Title != "":
			lines = append(lines, "("+s.Title+") "+s.URI)
		default:
			lines = append(lines, s.URI)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	slices.Sort(lines)
	return "Citations:\n" + strings.Join(slices.Compact(lines), "\n")
}

// resumable reports whether a stream that broke with err may be asked for
// again: its connection, or the vendor's server, failed before anyone saw words
// of it. Calls have not been shown by then. A stream that ended within a frame
// is asked for again in any case (spec/agent.md §11.4).
func (rep *reply) resumable(err error) bool {
	var e *llm.Error
	if !rep.started || !errors.As(err, &e) {
		return false
	}
	switch e.Kind {
	case llm.KindIncomplete:
		return true
	case llm.KindNetwork, llm.KindServer, llm.KindCapacity, llm.KindRateLimit:
		return !rep.shown
	}
	return false
}

// invalid says what makes a whole reply unusable (spec/agent.md §11.3); nil if
// nothing does. An answer to tool results may be empty: the model has acted.
func (rep *reply) invalid(toResult bool) *InvalidStream {
	for i := range rep.parts {
		if rep.parts[i].FunctionCall != nil {
			return nil
		}
	}
	if rep.blocked != "" && !rep.thought && len(rep.parts) == 0 {
		return &InvalidStream{"SAFETY_BLOCKED", "The model refused the prompt (" + rep.blocked + ")."}
	}
	empty := !hasVisibleText(rep.visible())
	switch {
	case rep.reason == "" && !toResult:
		return &InvalidStream{"NO_FINISH_REASON", "Model stream ended without a finish reason."}
	case rep.reason == llm.FinishMalformedFunctionCall:
		return &InvalidStream{"MALFORMED_FUNCTION_CALL", "Model stream ended with malformed function call."}
	case rep.reason == llm.FinishUnexpectedToolCall:
		return &InvalidStream{"UNEXPECTED_TOOL_CALL", "Model stream ended with unexpected tool call."}
	case !empty:
		return nil
	}
	switch rep.reason {
	case llm.FinishMaxTokens:
		return &InvalidStream{"MAX_TOKENS_EXCEEDED", "Model stream ended due to token limit exhaustion (MAX_TOKENS) with empty response text."}
	case llm.FinishSafety, llm.FinishRecitation, llm.FinishOther:
		name := string(rep.reason)
		return &InvalidStream{name + "_BLOCKED", "Model stream ended due to " + strings.ToLower(name) + " settings (" + name + ") with empty response text."}
	}
	switch {
	case rep.thought:
		return &InvalidStream{"THINKING_ONLY_RESPONSE", "Model stream ended with empty response text but contained reasoning thoughts."}
	case !toResult:
		return &InvalidStream{"NO_RESPONSE_TEXT", "Model stream ended with empty response text."}
	}
	return nil
}

// hasVisibleText reports whether anything of s can be seen: not white space,
// not zero-width or direction marks, not HTML comments.
func hasVisibleText(s string) bool {
	for {
		i := strings.IndexFunc(s, func(r rune) bool {
			return !unicode.IsSpace(r) && r != 0xFEFF && (r < 0x200B || r > 0x200F)
		})
		if i < 0 {
			return false
		}
		s = s[i:]
		if !strings.HasPrefix(s, "<!--") {
			return true
		}
		_, rest, closed := strings.Cut(s, "-->")
		if !closed {
			return true
		}
		s = rest
	}
}
