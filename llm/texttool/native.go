package texttool

import (
	"fmt"
	"iter"
	"slices"

	"pollux/llm"
)

// nativeAnswer is the state of an answer of a model whose tools were declared to its
// server. Servers pass calls on as text if they do not know the form in which the model
// was trained to write them.
type nativeAnswer struct {
	options *Options
	parser  *parser
	hasCall bool // the server has returned a call
	isEnded bool // a chunk had a finish reason
}

func newNativeAnswer(o *Options, req *llm.Request, tools toolSet) *nativeAnswer {
	p := newParser(tools, true)
	p.given = &given{o.Given, req}
	return &nativeAnswer{options: o, parser: p}
}

// declaredTools returns the tools that a model may call.
func declaredTools(config *llm.Config) toolSet {
	if config.CallMode() == "NONE" {
		return nil
	}
	return newToolSet(declarations(config.OfferedTools()))
}

// stream yields the chunks of an answer and reports whether it has ended without an error.
func (n *nativeAnswer) stream(chunks iter.Seq2[*llm.Response, error], yield func(*llm.Response, error) bool) bool {
	hasStarted, hasYielded := false, false
	for chunk, err := range chunks {
		if err != nil {
			// Callers retry differently after the first chunk.
			if !hasStarted || hasYielded || yield(&llm.Response{}, nil) {
				yield(nil, err)
			}
			return false
		}
		hasStarted = true
		if chunk = n.add(chunk); chunk != nil {
			hasYielded = true
			if !yield(chunk, nil) {
				return false
			}
		}
	}
	rest := n.rest()
	return rest == nil || yield(rest, nil)
}

// whole returns an answer that is not streamed.
func (n *nativeAnswer) whole(r *llm.Response) *llm.Response {
	out := n.add(r)
	if !n.isEnded { // the answer may be incomplete
		n.parser.calls = nil
		return r
	}
	return out
}

// add returns chunk without the text that may be part of a call, or with the calls if it
// is the last one. It returns nil if nothing is left of chunk.
func (n *nativeAnswer) add(chunk *llm.Response) *llm.Response {
	if n.isEnded || len(n.parser.tools) == 0 || len(chunk.Candidates) == 0 {
		return chunk
	}
	parts := chunk.Parts()
	reason := chunk.FinishReason()
	n.isEnded = reason != ""
	visible := parts // these themselves as long as nothing is held back
	same := true
	differ := func(n int) {
		if same {
			visible, same = append(make([]llm.Part, 0, len(parts)+1), parts[:n]...), false
		}
	}
	for i := range parts {
		p := &parts[i]
		n.hasCall = n.hasCall || p.FunctionCall != nil
		text := p.Text
		if p.IsText() && !p.Thought {
			if text = n.parser.add(text); text != p.Text {
				differ(i)
			}
		}
		switch {
		case same:
		case !p.IsText() || p.Thought:
			visible = append(visible, *p)
		case text != "" || p.ThoughtSignature != "":
			visible = append(visible, llm.Part{Text: text, ThoughtSignature: p.ThoughtSignature})
		}
	}
	var calls []llm.Part
	if n.isEnded {
		var text string
		text, calls = n.end(reason == llm.FinishMaxTokens || reason.IsRefusal() || n.hasCall)
		if text != "" || len(calls) > 0 {
			differ(len(parts))
		}
		if text != "" {
			visible = append(visible, llm.Text(text))
		}
	}
	if same {
		return chunk
	}
	out := *chunk
	out.Candidates = slices.Clone(chunk.Candidates[:1])
	c := &out.Candidates[0]
	c.Content = llm.Model(join(append(visible, calls...))...)
	if len(calls) > 0 {
		c.FinishReason, c.FinishMessage = llm.FinishStop, ""
	}
	if len(c.Content.Parts) == 0 && !n.isEnded && out.Usage == nil && len(c.Citations) == 0 {
		return nil
	}
	return &out
}

// end returns the rest of the text and the calls at its end. cut means that the answer is
// incomplete, or that the server understands the model's calls.
func (n *nativeAnswer) end(cut bool) (text string, calls []llm.Part) {
	text = n.parser.end(cut)
	for i := range n.parser.calls {
		c := &n.parser.calls[i]
		c.ID = newID(n.options, c)
		calls = append(calls, llm.Part{FunctionCall: c})
	}
	return text, calls
}

// rest returns a chunk with the text that is held back when the answer breaks off, nil if
// there is none.
func (n *nativeAnswer) rest() *llm.Response {
	if n.isEnded || len(n.parser.tools) == 0 {
		return nil
	}
	n.isEnded = true
	text, _ := n.end(true)
	if text == "" {
		return nil
	}
	return &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(llm.Text(text))}}}
}

// newID returns the id of a call that the parser has read. It shows the form in which the
// call was written, see [isRaw].
func newID(o *Options, c *llm.FunctionCall) string {
	return fmt.Sprintf(llm.TextCallID+"%s%d-%x", c.ID, o.Now().UnixMilli(), o.Rand())
}
