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

// The words that a result begins with, before the tool's name and a colon.
const (
	resultOf  = "Result of "
	errorFrom = "Error from "
)

// messages keeps the rendered form of each message as long as the message
// lives, so that a request costs what is new in it, here and in the adapter.
type messages struct {
	mu   sync.Mutex
	kept map[weak.Pointer[llm.Content]]*llm.Content
}

// render returns a history without calls and results.
func (m *messages) render(history []*llm.Content) []*llm.Content {
	first := slices.IndexFunc(history, calls)
	if first < 0 {
		return history
	}
	out := slices.Clone(history)
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := first; i < len(out); i++ {
		if calls(out[i]) {
			out[i] = m.of(out[i])
		}
	}
	return out
}

// calls reports whether a message holds a call or a result.
func calls(c *llm.Content) bool {
	for i := range c.Parts {
		if c.Parts[i].FunctionCall != nil || c.Parts[i].FunctionResponse != nil {
			return true
		}
	}
	return false
}

func (m *messages) of(c *llm.Content) *llm.Content {
	key := weak.Make(c)
	if r := m.kept[key]; r != nil {
		return r
	}
	if m.kept == nil {
		m.kept = map[weak.Pointer[llm.Content]]*llm.Content{}
	}
	r := rendered(c)
	m.kept[key] = r
	runtime.AddCleanup(c, m.forget, key)
	return r
}

func (m *messages) forget(key weak.Pointer[llm.Content]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.kept, key)
}

// rendered returns c with its calls and results written as text. Media that
// belong to a result stand behind it.
func rendered(c *llm.Content) *llm.Content {
	out := &llm.Content{Role: c.Role}
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			out.Parts = append(out.Parts, llm.Text(text.String()))
			text.Reset()
		}
	}
	say := func(s string) {
		if text.Len() > 0 {
			text.WriteString("\n\n")
		}
		text.WriteString(s)
	}
	for i := range c.Parts {
		switch p := &c.Parts[i]; {
		case p.FunctionCall != nil:
			say(callText(p.FunctionCall))
		case p.FunctionResponse != nil:
			say(resultText(p.FunctionResponse))
			if len(p.FunctionResponse.Parts) > 0 {
				flush()
				out.Parts = append(out.Parts, p.FunctionResponse.Parts...)
			}
		case plain(p):
			say(p.Text)
		default:
			flush()
			out.Parts = append(out.Parts, *p)
		}
	}
	flush()
	return out
}

// callText is a call as the model is asked to write it.
func callText(c *llm.FunctionCall) string {
	args := c.Args
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	b := append(make([]byte, 0, len(args)+len(c.Name)+64), "{\"tool_call\": {\"name\": "...)
	b = append(llm.AppendString(b, c.Name), ", \"arguments\": "...)
	b = append(append(b, args...), "}}"...)
	return fenced("json", string(b))
}

// resultText names the tool and what came of its call.
func resultText(r *llm.FunctionResponse) string {
	var known struct{ Output, Error *string }
	var all map[string]json.RawMessage
	_ = json.Unmarshal(r.Response, &known) // what is no such object is shown as it is
	_ = json.Unmarshal(r.Response, &all)
	switch {
	case len(all) == 1 && known.Error != nil:
		return errorFrom + r.Name + ":\n" + fenced("", *known.Error)
	case len(all) == 1 && known.Output != nil:
		return resultOf + r.Name + ":\n" + fenced("", *known.Output)
	}
	return resultOf + r.Name + ":\n" + fenced("json", string(r.Response))
}

// fenced puts text into a fence that nothing in it can end.
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
