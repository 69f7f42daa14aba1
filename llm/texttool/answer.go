package texttool

import (
	"fmt"
	"slices"
	"strings"

	"pollux/llm"
)

// answer is the state of one answer, which may take several requests.
type answer struct {
	options *Options
	parser  *parser

	model         string
	corrections   int
	usage         *llm.Usage    // last reported usage
	finalChunk    *llm.Response // last chunk of the current request
	written       []byte        // output of the model, up to maxWritten bytes
	hasNativeCall bool          // the response contains a function call
	text          []byte        // visible text at the end, not yet yielded
}

func newAnswer(o *Options, req *llm.Request, tools toolSet) *answer {
	p := newParser(tools, false)
	p.given = &given{o.Given, req}
	return &answer{options: o, model: req.Model, parser: p}
}

// UnreadableCall is the code of the [llm.Error] for an answer with a call that stays
// unreadable after all corrections.
const UnreadableCall = "UNREADABLE_TOOL_CALL"

// maxWritten is the maximum size of the output that a correction request includes, in
// bytes.
const maxWritten = 64 << 10

// add parses a chunk. It returns the chunk with the visible parts only, nil if there
// are none.
func (a *answer) add(chunk *llm.Response) *llm.Response {
	if chunk.Usage != nil {
		a.usage = chunk.Usage
	}
	if len(chunk.Candidates) == 0 {
		return chunk
	}
	parts := chunk.Parts()
	visible := make([]llm.Part, 0, len(parts))
	same := a.corrections == 0
	for i := range parts {
		p := &parts[i]
		if p.FunctionCall != nil {
			a.hasNativeCall = true
		}
		if !p.IsText() || p.Thought {
			visible = append(visible, *p)
			continue
		}
		a.written = append(a.written, p.Text[:min(len(p.Text), maxWritten-len(a.written))]...)
		text := a.parser.add(p.Text)
		if text == p.Text {
			visible = append(visible, *p)
			continue
		}
		same = false
		if text != "" {
			visible = append(visible, llm.Part{Text: text, ThoughtSignature: p.ThoughtSignature})
		}
	}
	ends := chunk.FinishReason() != ""
	if same && !ends {
		return chunk
	}
	out := *chunk
	out.Candidates = slices.Clone(chunk.Candidates[:1])
	out.Candidates[0].Content = llm.Model(visible...)
	if ends {
		a.finalChunk = chunk
		out.Candidates[0] = llm.Candidate{Content: out.Candidates[0].Content, Index: out.Candidates[0].Index}
		out.Usage = nil
	}
	if len(visible) == 0 && out.Usage == nil && len(out.Candidates[0].Citations) == 0 {
		return nil
	}
	return &out
}

// finishAttempt parses the end of the current response and reports whether to retry.
func (a *answer) finishAttempt() bool {
	a.text = append(a.text, a.parser.end(a.finalChunk.FinishReason() == llm.FinishMaxTokens)...)
	if a.parser.problem == "" && len(a.parser.calls) == 0 && !a.hasNativeCall {
		switch a.finalChunk.FinishReason() {
		case llm.FinishMalformedFunctionCall, llm.FinishUnexpectedToolCall:
			// The vendor has removed a call of a tool that was not declared.
			a.parser.problem = "it was not written as text"
		}
	}
	if a.parser.isDone() {
		a.log("it goes on to write the result of its own call: that is left out")
	}
	if a.parser.problem == "" || a.hasNativeCall {
		return false
	}
	if a.corrections < a.options.Corrections {
		a.log("a tool call cannot be read (%s): asking again, %d of %d", a.parser.problem, a.corrections+1, a.options.Corrections)
		return true
	}
	return false
}

// err returns the error for an answer whose last attempt still contains a call that
// cannot be read, else nil. Without it the broken call would look like the final answer.
func (a *answer) err() error {
	if a.parser.problem == "" || a.hasNativeCall {
		return nil
	}
	a.log("a tool call cannot be read (%s): giving up", a.parser.problem)
	times := ""
	if a.corrections > 0 {
		times = fmt.Sprintf(", %d times in a row", a.corrections+1)
	}
	return &llm.Error{Kind: llm.KindOther, Code: UnreadableCall, Message: fmt.Sprintf(
		"The model wrote a tool call that cannot be read%s: %s. Try again, or use another model (--model).", times, a.parser.problem)}
}

func (a *answer) log(format string, args ...any) {
	if a.options.Log != nil {
		a.options.Log(a.model, fmt.Sprintf(format, args...))
	}
}

// retry starts another attempt and returns its request, which reports the problem to
// the model.
func (a *answer) retry(textReq *llm.Request) *llm.Request {
	next := *textReq
	next.Contents = slices.Clone(textReq.Contents)
	if text := strings.ToValidUTF8(string(a.written), ""); strings.TrimSpace(text) != "" {
		next.Contents = append(next.Contents, llm.Model(llm.Text(text)))
	}
	next.Contents = append(next.Contents, llm.User(llm.Text(a.parser.correction())))

	a.corrections++
	a.finalChunk, a.written = nil, a.written[:0]
	a.parser = a.parser.nextAttempt()
	return &next
}

// lastChunk returns the last chunk of the answer, nil if nothing is left.
func (a *answer) lastChunk() *llm.Response {
	text := string(a.text)
	if a.parser.problem != "" {
		text += a.parser.giveUp()
	}
	calls := a.parser.calls
	var parts []llm.Part
	if text != "" {
		parts = append(parts, llm.Text(text))
	}
	for i := range calls {
		calls[i].ID = newID(a.options, &calls[i])
		parts = append(parts, llm.Part{FunctionCall: &calls[i]})
	}
	out, candidate := llm.Response{}, llm.Candidate{}
	switch {
	case a.finalChunk != nil:
		out, candidate = *a.finalChunk, a.finalChunk.Candidates[0]
	case len(parts) == 0:
		return nil
	}
	candidate.Content = llm.Model(parts...)
	isWhole := a.finalChunk != nil || a.parser.isDone() // else the stream may have been cut off
	if len(calls) > 0 && isWhole && !candidate.FinishReason.IsRefusal() {
		candidate.FinishReason, candidate.FinishMessage = llm.FinishStop, ""
	}
	out.Candidates = []llm.Candidate{candidate}
	out.Usage = a.usage
	return &out
}
