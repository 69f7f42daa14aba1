package schema

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzRequest checks that the server reads or refuses any request, and that its errors are one line.
func FuzzRequest(f *testing.F) {
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"message/stream","params":{"message":{"kind":"message","role":"user","messageId":"m","taskId":"t","contextId":"c","parts":[{"kind":"text","text":"x"},{"kind":"data","data":{"callId":"c1","outcome":"proceed_once","newContent":"y"}}],"metadata":{"coderAgent":{"kind":"agent-settings","workspacePath":"/w","autoExecute":true,"isTrusted":true}}},"configuration":{"blocking":false,"historyLength":3}}}`,
		`{"jsonrpc":"2.0","id":"a","method":"SendMessage","params":{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"text":"x"},{"data":[1]},{"raw":"AA=="}]},"configuration":{"returnImmediately":true}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"t","historyLength":2}}`,
		`{"id":"t","contextId":"c","agentSettings":{"kind":"agent-settings","workspacePath":"/w"}}`,
		`[]`, `null`, ` {"id":"\u001b[2J\n"}`, `{"jsonrpc":"2.0","id":1,"method":"\u001b]0;x\u0007"}`, strings.Repeat("[", 10000),
	} {
		f.Add(body)
	}
	check := func(t *testing.T, err *Error) {
		if err != nil && (err.Code == 0 || err.Message == "" || strings.ContainsAny(err.Message, "\x1b\n\x00") || !utf8.ValidString(err.Message) || len(err.Message) > maxMessage+8) {
			t.Errorf("%+v", err)
		}
	}
	f.Fuzz(func(t *testing.T, body string) {
		r, err := ParseRequest([]byte(body))
		check(t, err)
		if err == nil && (r.Method == "" || !isID(r.ID)) {
			t.Errorf("%+v", r)
		}
		for _, params := range []string{body, string(r.Params)} {
			p, err := ParseSend([]byte(params))
			check(t, err)
			if err == nil {
				m := p.Message
				if m.MessageID == "" || len(m.MessageID) > maxID || len(m.TaskID) > maxID || len(m.ContextID) > maxID || len(m.Parts) == 0 || len(m.Parts) > maxParts || p.HistoryLength != nil && *p.HistoryLength < 0 {
					t.Errorf("%+v", p)
				}
				for _, part := range m.Parts {
					if part.Answer != nil && (part.Answer.CallID == "" || part.Answer.Outcome == "") {
						t.Errorf("%+v", part)
					}
				}
			}
			_, err = ParseTask([]byte(params))
			check(t, err)
			_, _, err = ParseNewTask([]byte(params))
			check(t, err)
		}
	})
}
