package texttool

import (
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"sync"
	"weak"

	"pollux/llm"
)

// The prefixes of results, before the tool's name and a colon.
const (
	resultOf  = "Result of "
	errorFrom = "Error from "
)

// messageCache keeps the rendered form of each message for the lifetime of the
// message, so that a request costs time only for new messages, here and in the
// adapter.
type messageCache struct {
	mu       sync.Mutex
	writers  toolSet // tools with whole texts that any request has declared
	rendered map[weak.Pointer[llm.Content]]*llm.Content
}

// render returns a history with calls and results as text.
func (m *messageCache) render(history []*llm.Content, tools toolSet) []*llm.Content {
	first := slices.IndexFunc(history, hasCallOrResult)
	if first < 0 {
		return history
	}
	out := slices.Clone(history)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.learn(tools)
	for i := first; i < len(out); i++ {
		if hasCallOrResult(out[i]) {
			out[i] = m.get(out[i])
		}
	}
	return out
}

// learn adds tools to the known ones with whole texts. Messages that were rendered without
// them, for example those of a resumed session in its summary, are rendered again.
func (m *messageCache) learn(tools toolSet) {
	for name, t := range tools {
		if len(t.wholeTexts) == 0 || m.writers.has(name) {
			continue
		}
		if m.writers == nil {
			m.writers = toolSet{}
		}
		m.writers[name] = t
		clear(m.rendered)
	}
}

func hasCallOrResult(c *llm.Content) bool {
	return slices.ContainsFunc(c.Parts, func(p llm.Part) bool { return p.FunctionCall != nil || p.FunctionResponse != nil })
}

func (m *messageCache) get(c *llm.Content) *llm.Content {
	key := weak.Make(c)
	if r := m.rendered[key]; r != nil {
		return r
	}
	if m.rendered == nil {
		m.rendered = map[weak.Pointer[llm.Content]]*llm.Content{}
	}
	r := renderMessage(c, m.writers)
	m.rendered[key] = r
	runtime.AddCleanup(c, m.remove, key)
	return r
}

func (m *messageCache) remove(key weak.Pointer[llm.Content]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.rendered, key)
}

// renderMessage returns c with its calls and results as text. Media in a result
// follow its text.
func renderMessage(c *llm.Content, tools toolSet) *llm.Content {
	out := &llm.Content{Role: c.Role}
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			out.Parts = append(out.Parts, llm.Text(text.String()))
			text.Reset()
		}
	}
	addParagraph := func(s string) {
		if text.Len() > 0 {
			text.WriteString("\n\n")
		}
		text.WriteString(s)
	}
	for i := range c.Parts {
		switch p := &c.Parts[i]; {
		case p.FunctionCall != nil:
			addParagraph(callText(p.FunctionCall, tools))
		case p.FunctionResponse != nil:
			addParagraph(resultText(p.FunctionResponse))
			if len(p.FunctionResponse.Parts) > 0 {
				flush()
				out.Parts = append(out.Parts, p.FunctionResponse.Parts...)
			}
		case isPlainText(p):
			addParagraph(p.Text)
		default:
			flush()
			out.Parts = append(out.Parts, *p)
		}
	}
	flush()
	return out
}

// resultText returns the result of a call as text.
func resultText(r *llm.FunctionResponse) string {
	var known struct{ Output, Error *string }
	var all map[string]json.RawMessage
	_ = json.Unmarshal(r.Response, &known) // other values are shown as JSON
	_ = json.Unmarshal(r.Response, &all)
	switch {
	case len(all) == 1 && known.Error != nil:
		return errorFrom + r.Name + ":\n" + fenced("", *known.Error)
	case len(all) == 1 && known.Output != nil:
		return resultOf + r.Name + ":\n" + fenced("", *known.Output)
	}
	return resultOf + r.Name + ":\n" + fenced("json", string(r.Response))
}

// fenced returns text in a fence that is longer than all fences in text.
func fenced(info, text string) string {
	longest, n := 2, 0
	for i := range len(text) {
		if text[i] != '`' {
			n = 0
			continue
		}
		n++
		longest = max(longest, n)
	}
	fence := strings.Repeat("`", longest+1)
	var b strings.Builder
	b.Grow(2*len(fence) + len(info) + len(text) + 2)
	b.WriteString(fence + info + "\n")
	b.WriteString(text)
	if !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
	b.WriteString(fence)
	return b.String()
}
