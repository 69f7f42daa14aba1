package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"pollux/internal/scriptmodel/protocol"
)

// Text is Chat Completions on a server whose model does not support tools. The client describes
// the tools in the system message, and the model writes calls into its text, in the form of
// package llm/texttool. A server uses Text only if its options list it.
type Text struct{ Chat }

// Name implements [protocol.Wire].
func (Text) Name() string { return protocol.TextWire }

// Route implements [protocol.Wire].
func (Text) Route(r *http.Request) (protocol.Query, bool) {
	a, ok := Chat{}.Route(r)
	return a, ok && a.Verb == protocol.Generate
}

// Read implements [protocol.Wire].
func (w Text) Read(a *protocol.Query, r *http.Request, body []byte) *protocol.Error {
	f := w.Chat.Read(a, r, body)
	if f != nil || len(a.Tools) > 0 { // native tools are refused later
		return f
	}
	for _, m := range textToolPattern().FindAllStringSubmatch(a.System, -1) {
		a.Tools = append(a.Tools, m[1])
	}
	for i := range a.Messages {
		m := &a.Messages[i]
		text := strings.Join(m.Texts, "")
		if m.FromModel {
			m.Calls = callsIn(text)
		} else {
			m.Results = resultsIn(text)
		}
	}
	return nil
}

var (
	textToolPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\*\*([\w.-]+)\*\*: `) })
	textCallPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("(?m)^(```+)json\n(\\{)\"tool_call\": \\{\"name\": \"([\\w.-]+)\", \"arguments\": |^<function=([\\w.-]+)>\n(?:<parameter=|</function>)")
	})
	textResultPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("(?m)^(Result of|Error from) ([\\w.-]+):\n(```+)(?:json)?\n")
	})
)

// callsIn returns the calls in a text of the model, without IDs. It ignores calls that are not
// valid JSON, and those in a value of a call that is written as elements.
func callsIn(text string) []protocol.Call {
	var calls []protocol.Call
	for {
		m := textCallPattern().FindStringSubmatchIndex(text)
		if m == nil {
			return calls
		}
		if m[8] >= 0 {
			calls = append(calls, protocol.Call{Name: text[m[8]:m[9]]})
			_, text, _ = strings.Cut(text[m[8]:], "\n</function>")
			continue
		}
		fence, name := text[m[2]:m[3]], text[m[6]:m[7]]
		object, rest, _ := strings.Cut(text[m[4]:], "\n"+fence)
		if json.Valid([]byte(object)) {
			calls = append(calls, protocol.Call{Name: name})
			text = rest
		} else {
			text = text[m[1]:]
		}
	}
}

// resultsIn returns the results in a text of the user.
func resultsIn(text string) []protocol.Result {
	var results []protocol.Result
	for {
		m := textResultPattern().FindStringSubmatchIndex(text)
		if m == nil {
			return results
		}
		r := protocol.Result{Name: text[m[4]:m[5]], Failed: text[m[2]] == 'E'}
		fence := "\n" + text[m[6]:m[7]]
		text = text[m[1]:]
		// The closing fence is longer than any fence in the result.
		r.Text, text, _ = strings.Cut(text, fence)
		results = append(results, r)
	}
}

// CheckMemory sets the script's IDs of calls and results, and checks that each call has its
// result.
func (Text) CheckMemory(a *protocol.Query, m *protocol.Memory) *protocol.Error {
	if a.Body["tools"] != nil {
		return nil
	}
	said := slices.Clone(m.SentCalls)
	for _, msg := range slices.Backward(a.Messages) {
		for i := range slices.Backward(msg.Calls) {
			c := &msg.Calls[i]
			at := len(said) - 1
			for at >= 0 && said[at].Name != c.Name {
				at--
			}
			if at < 0 {
				c.ID = fmt.Sprintf("%s-%d", c.Name, i) // a call of another server
				continue
			}
			c.ID, said = said[at].ID, said[:at]
		}
	}
	var calls []protocol.Call
	for i, msg := range a.Messages {
		for j := range msg.Results {
			if j >= len(calls) || msg.Results[j].Name != calls[j].Name {
				return protocol.BadParameter(fmt.Sprintf("messages[%d]", i), "", "script: there is a result of %s that was not called, or not in this place.", msg.Results[j].Name)
			}
			msg.Results[j].ID = calls[j].ID
		}
		if len(msg.Results) < len(calls) {
			return protocol.BadParameter(fmt.Sprintf("messages[%d]", i), "", "script: %s was called and has no result.", calls[len(msg.Results)].Name)
		}
		calls = msg.Calls
	}
	return nil
}

// textEncoder writes calls into the text.
type textEncoder struct{ *chatEncoder }

// NewEncoder implements [protocol.Wire].
func (Text) NewEncoder(a *protocol.Query, _ *protocol.Tokens) protocol.Encoder {
	return &textEncoder{newChatEncoder(a)}
}

func (v *textEncoder) Frames(p protocol.Piece) []protocol.Frame {
	calls := p.Calls
	p.Calls = nil
	if len(calls) == 0 {
		return v.chatEncoder.Frames(p)
	}
	last := protocol.Piece{Last: p.Last, FinishReason: p.FinishReason, Usage: p.Usage}
	p.Last, p.FinishReason, p.Usage = false, "", nil
	out := v.chatEncoder.Frames(p)
	for i := range calls {
		c := &calls[i]
		args := c.Text()
		if c.Form == protocol.ArgsEmpty {
			args = `""`
		}
		text := "```json\n{\"tool_call\": {\"name\": \"" + c.Name + "\", \"arguments\": " + args
		if c.Form != protocol.ArgsBroken {
			text += "}}"
		}
		if v.text != "" {
			text = "\n" + text
		}
		for _, delta := range protocol.Cut(text+"\n```\n", 16) {
			out = append(out, v.chatEncoder.Frames(protocol.Piece{Text: delta})...)
		}
	}
	if last.Last {
		out = append(out, v.chatEncoder.Frames(last)...)
	}
	return out
}
