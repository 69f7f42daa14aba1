package scriptmodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// words is Chat Completions as a server has it whose model takes no tools: who
// asks must tell of them in the system's text, and the model writes its calls
// into the answer, in the form that llm/texttool asks for. It is spoken only
// where [Options] say so.
type words struct{ chat }

// inWords is its name.
const inWords = "text"

func (words) name() string { return inWords }

func (words) route(r *http.Request) (asked, bool) {
	a, ok := chat{}.route(r)
	return a, ok && a.verb == generate
}

func (w words) read(a *asked, r *http.Request, body []byte) *refusal {
	f := w.chat.read(a, r, body)
	if f != nil || len(a.tools) > 0 { // which is refused later
		return f
	}
	for _, m := range wordsTool().FindAllStringSubmatch(a.system, -1) {
		a.tools = append(a.tools, m[1])
	}
	for i := range a.messages {
		m := &a.messages[i]
		text := strings.Join(m.texts, "")
		if m.model {
			m.calls = callsIn(text)
		} else {
			m.results = resultsIn(text)
		}
	}
	return nil
}

var (
	wordsTool = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\*\*([\w.-]+)\*\*: `) })
	wordsCall = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("(?m)^(```+)json\n(\\{)\"tool_call\": \\{\"name\": \"([\\w.-]+)\", \"arguments\": ")
	})
	wordsResult = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("(?m)^(Result of|Error from) ([\\w.-]+):\n(```+)(?:json)?\n")
	})
)

// callsIn returns the calls that a text of the model's holds, without their ids.
// What is no JSON is none.
func callsIn(text string) []call {
	var calls []call
	for _, m := range wordsCall().FindAllStringSubmatchIndex(text, -1) {
		fence, object := text[m[2]:m[3]], text[m[4]:]
		object, _, _ = strings.Cut(object, "\n"+fence)
		if json.Valid([]byte(object)) {
			calls = append(calls, call{name: text[m[6]:m[7]]})
		}
	}
	return calls
}

// resultsIn returns the results that a text of the user's holds.
func resultsIn(text string) []result {
	var results []result
	for {
		m := wordsResult().FindStringSubmatchIndex(text)
		if m == nil {
			return results
		}
		r := result{name: text[m[4]:m[5]], failed: text[m[2]] == 'E'}
		fence := "\n" + text[m[6]:m[7]]
		text = text[m[1]:]
		// Nothing in a fence is as long as what ends it.
		r.text, text, _ = strings.Cut(text, fence)
		results = append(results, r)
	}
}

// faithful gives calls and results the ids under which the script knows them,
// and checks that each call has its result.
func (words) faithful(a *asked, m *memory) *refusal {
	if a.root["tools"] != nil {
		return nil
	}
	said := slices.Clone(m.said)
	for _, msg := range slices.Backward(a.messages) {
		for i := range slices.Backward(msg.calls) {
			c := &msg.calls[i]
			at := lastIndex(said, func(s saidCall) bool { return s.name == c.name })
			if at < 0 {
				c.id = fmt.Sprintf("%s-%d", c.name, i) // another server's
				continue
			}
			c.id, said = said[at].id, said[:at]
		}
	}
	var calls []call
	for i, msg := range a.messages {
		for j := range msg.results {
			if j >= len(calls) || msg.results[j].name != calls[j].name {
				return wrong(fmt.Sprintf("messages[%d]", i), "", "script: there is a result of %s that was not called, or not in this place.", msg.results[j].name)
			}
			msg.results[j].id = calls[j].id
		}
		if len(msg.results) < len(calls) {
			return wrong(fmt.Sprintf("messages[%d]", i), "", "script: %s was called and has no result.", calls[len(msg.results)].name)
		}
		calls = msg.calls
	}
	return nil
}

func lastIndex[T any](s []T, f func(T) bool) int {
	for i := range slices.Backward(s) {
		if f(s[i]) {
			return i
		}
	}
	return -1
}

// wordsVoice writes calls into the text.
type wordsVoice struct{ chatVoice }

func (words) voice(a *asked, _ *tokens) voice { return &wordsVoice{chatVoice{asked: a}} }

func (v *wordsVoice) frames(p piece) []frame {
	calls := p.calls
	p.calls = nil
	if len(calls) == 0 {
		return v.chatVoice.frames(p)
	}
	last := piece{last: p.last, finish: p.finish, usage: p.usage}
	p.last, p.finish, p.usage = false, "", nil
	out := v.chatVoice.frames(p)
	for i := range calls {
		c := &calls[i]
		args := c.text()
		if c.form == argsEmpty {
			args = `""`
		}
		text := "```json\n{\"tool_call\": {\"name\": \"" + c.name + "\", \"arguments\": " + args
		if c.form != argsBroken {
			text += "}}"
		}
		if v.text != "" {
			text = "\n" + text
		}
		for _, delta := range cut(text+"\n```\n", 16) {
			out = append(out, v.chatVoice.frames(piece{text: delta})...)
		}
	}
	if last.last {
		out = append(out, v.chatVoice.frames(last)...)
	}
	return out
}
