package agent

import (
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"pollux/agent/thought"
	"pollux/llm"
)

// reply is a model's response while it arrives.
type reply struct {
	out      *consumer
	detector LoopDetector
	now      func() time.Time

	began    time.Time // of the request
	model    string    // that the request was for
	parts    []llm.Part
	text     strings.Builder // plain text not yet in parts
	thinking thought.Splitter
	thoughts []Thought // complete thoughts
	sources  []llm.Citation
	reason   llm.FinishReason
	usage    *llm.Usage
	blocked  string // the vendor's reason for blocking the prompt

	hasStarted bool // a chunk has arrived
	hasThought bool // a part with reasoning has arrived
	loop       Loop
	isHeld     bool    // its events are not emitted before it is complete
	held       []Event // these events

	// Counters of exceed: bytes of text, bytes of arguments, calls.
	size, argsSize, callCount int
	isFull                    bool
	refusal                   string // of the last call
}

// add adds a chunk. Adjacent plain text becomes one part.
func (rep *reply) add(chunk *llm.Response) {
	rep.hasStarted = true
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
		if rep.isFull || rep.exceed(&p) && p.FunctionCall == nil {
			return
		}
		switch {
		case p.Thought:
			rep.hasThought = rep.hasThought || p.Text != ""
			rep.flush()
			if p.ThoughtSignature != "" { // vendors accept only signed thoughts
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

// flush moves the collected text into parts.
func (rep *reply) flush() {
	if rep.text.Len() > 0 {
		rep.parts = append(rep.parts, llm.Text(rep.text.String()))
		rep.text.Reset()
	}
}

// visibleText returns the text that a reader sees.
func (rep *reply) visibleText() string { return llm.PartsText(rep.parts) }

// citations lists the sources that the response quotes, each once.
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

// canRetry reports whether the request may be sent again after its stream broke with err: after
// the same errors that a request is repeated for before its first chunk. The text that was
// shown becomes void; tool calls are not shown and do not run until a response is complete.
// Errors before the first chunk are not retried here, because the generator has done so.
func (rep *reply) canRetry(err error) bool {
	var e *llm.Error
	return rep.hasStarted && errors.As(err, &e) && (e.Retryable() || e.Kind == llm.KindCapacity)
}

// noFinishReason is the type of the problem of a response that may have been cut off.
const noFinishReason = "NO_FINISH_REASON"

// problem returns the defect of a complete reply, or nil if it is usable. A response to
// tool results may be empty, because the model has acted before. Text without a finish reason is
// never complete: the stream may have been cut off.
func (rep *reply) problem(toResult bool) *InvalidStream {
	if rep.hasCall() {
		return nil
	}
	if rep.blocked != "" && !rep.hasThought && len(rep.parts) == 0 {
		return &InvalidStream{"SAFETY_BLOCKED", "The model refused the prompt (" + rep.blocked + ")."}
	}
	empty := !hasVisibleText(rep.visibleText())
	switch {
	case rep.reason == "":
		return &InvalidStream{noFinishReason, "Model stream ended without a finish reason."}
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
	case rep.hasThought:
		return &InvalidStream{"THINKING_ONLY_RESPONSE", "Model stream ended with empty response text but contained reasoning thoughts."}
	case !toResult:
		return &InvalidStream{"NO_RESPONSE_TEXT", "Model stream ended with empty response text."}
	}
	return nil
}

func (rep *reply) hasCall() bool {
	return slices.ContainsFunc(rep.parts, func(p llm.Part) bool { return p.FunctionCall != nil })
}

// hasVisibleText reports whether s contains anything but white space, zero-width characters,
// direction marks and HTML comments.
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

// spend records the usage of a reply that does not join the history.
func (a *Agent) spend(rep *reply) {
	if j, ok := a.cfg.Journal.(Spender); ok {
		_ = j.SpendMain(rep.model, rep.usage, a.cfg.Now().Sub(rep.began)) // the journal itself warns the user
	}
}
