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

	model       string
	corrections int
	usage       *llm.Usage    // of the last request that told
	finish      *llm.Response // the chunk that ended this one
	written     []byte        // what the model wrote, up to maxWritten
	native      bool          // it called a tool in its own way
	text        []byte        // seen, and not yet shown
	flood       bool          // CallsOnly is given up: there is too much text
}

// maxWritten bounds how much of a broken answer the model is shown again.
const maxWritten = 64 << 10

// add returns what may be shown of a chunk, nil if nothing.
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
			a.native = true
		}
		if !p.IsText() || p.Thought {
			visible = append(visible, *p)
			continue
		}
		a.written = append(a.written, p.Text[:min(len(p.Text), maxWritten-len(a.written))]...)
		text := a.hold(a.parser.add(p.Text))
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
		a.finish = chunk
		out.Candidates[0] = llm.Candidate{Content: out.Candidates[0].Content, Index: out.Candidates[0].Index}
		out.Usage = nil
	}
	if len(visible) == 0 && out.Usage == nil && len(out.Candidates[0].Citations) == 0 {
		return nil
	}
	return &out
}

// hold returns the text that may be shown of what has been seen so far.
func (a *answer) hold(text string) string {
	if a.options.CallsOnly && !a.flood {
		a.text = append(a.text, text...)
		if len(a.text) <= maxHeld {
			return ""
		}
		a.flood, text = true, ""
	}
	if len(a.text) > 0 {
		text, a.text = string(a.text)+text, nil
	}
	return text
}

// end takes the end of what the model wrote and reports whether it has to be
// asked again.
func (a *answer) end() bool {
	a.text = append(a.text, a.parser.end(a.finish.FinishReason() == llm.FinishMaxTokens)...)
	if a.parser.wrong == "" && len(a.parser.calls) == 0 && !a.native {
		switch a.finish.FinishReason() {
		case llm.FinishMalformedFunctionCall, llm.FinishUnexpectedToolCall:
			// The vendor saw a call where none was offered, and kept it.
			a.parser.wrong = "it was not written as text"
		}
	}
	if a.parser.over() {
		a.log("it goes on to write the result of its own call: that is left out")
	}
	if a.parser.wrong == "" || a.native {
		return false
	}
	if a.corrections < a.options.Corrections {
		a.log("a tool call cannot be read (%s): asking again, %d of %d", a.parser.wrong, a.corrections+1, a.options.Corrections)
		return true
	}
	a.log("a tool call cannot be read (%s): it is shown as text", a.parser.wrong)
	return false
}

func (a *answer) log(format string, args ...any) {
	if a.options.Log != nil {
		a.options.Log(a.model, fmt.Sprintf(format, args...))
	}
}

// again returns the request that asks for a call that can be read.
func (a *answer) again(asked *llm.Request) *llm.Request {
	next := *asked
	next.Contents = slices.Clone(asked.Contents)
	if text := strings.ToValidUTF8(string(a.written), ""); strings.TrimSpace(text) != "" {
		next.Contents = append(next.Contents, llm.Model(llm.Text(text)))
	}
	next.Contents = append(next.Contents, llm.User(llm.Text(correction(a.parser.wrong))))

	a.corrections++
	a.finish, a.written = nil, a.written[:0]
	a.parser = a.parser.next()
	return &next
}

// last returns the chunk that ends the answer, nil if there is nothing left to say.
func (a *answer) last() *llm.Response {
	text := string(a.text)
	if a.parser.wrong != "" {
		text += a.parser.giveUp()
	}
	calls := a.parser.calls
	if len(calls) > 0 && a.options.CallsOnly {
		text = ""
	}
	var parts []llm.Part
	if text != "" {
		parts = append(parts, llm.Text(text))
	}
	for i := range calls {
		calls[i].ID = fmt.Sprintf("text-hijack-%d-%x", a.options.Now().UnixMilli(), a.options.Rand())
		parts = append(parts, llm.Part{FunctionCall: &calls[i]})
	}
	out, candidate := llm.Response{}, llm.Candidate{}
	switch {
	case a.finish != nil:
		out, candidate = *a.finish, a.finish.Candidates[0]
	case len(parts) == 0:
		return nil
	}
	candidate.Content = llm.Model(parts...)
	if len(calls) > 0 && !refused(candidate.FinishReason) {
		candidate.FinishReason, candidate.FinishMessage = llm.FinishStop, ""
	}
	out.Candidates = []llm.Candidate{candidate}
	out.Usage = a.usage
	return &out
}

// refused reports whether the vendor broke off an answer for what it said.
func refused(r llm.FinishReason) bool {
	switch r {
	case llm.FinishSafety, llm.FinishRecitation, llm.FinishBlocklist, llm.FinishProhibitedContent, llm.FinishSPII:
		return true
	}
	return false
}
