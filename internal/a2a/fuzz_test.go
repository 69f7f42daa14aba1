package a2a

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pollux/internal/a2a/a2atest"
)

// Whatever an agent sends, the result is text without control characters, and the conversation stays small.
func FuzzEvent(f *testing.F) {
	for _, text := range []string{
		status("working", "x"), said("x"), `{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"history":[{"role":"ROLE_AGENT","content":[{"text":"h"}]}]}}`,
		`{"kind":"artifact-update","append":true,"artifact":{"artifactId":"a","parts":[{"kind":"data","data":{"a":[1]}},{"kind":"file","file":{"uri":"u"}}]}}`,
		`{"artifactUpdate":{"artifact":{"parts":[{"data":{"data":{}}},{"raw":"AA=="},{"url":"u"},{"file":{"fileWithUri":"u"}}]}}}`,
		`{"jsonrpc":"2.0","id":1,"result":null}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"\u001b]0;x\u0007"}}`,
		`{"code":5,"message":"no"}`, `{"kind":"task","artifacts":[null,{}],"history":[null]}`, "null", "[]", `{"status":7}`,
	} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		for _, e := range []*endpoint{{isREST: true}, {}} {
			r, c := newResult(), conversation{}
			for _, text := range []string{first, second, first} {
				if !e.isREST {
					text = `{"jsonrpc":"2.0","id":1,"result":` + text + `}`
				}
				one, err := e.decode([]byte(text))
				if err != nil {
					if strings.ContainsAny(err.Error(), "\x1b\n") {
						t.Errorf("error %q", err)
					}
					continue
				}
				r.add(one)
				c = c.follow(one)
			}
			if text := r.String(); strings.ContainsRune(text, 0x1b) || !utf8.ValidString(text) {
				t.Errorf("result %q", text)
			}
			if len(c.context)+len(c.task) > 2*maxID || r.left < 0 || r.left > maxResult {
				t.Errorf("conversation %v, %d bytes left", c, r.left)
			}
		}
	})
}

// A card of any content is read or refused.
func FuzzCard(f *testing.F) {
	s := a2atest.New(a2atest.Options{New: true})
	f.Add(s.CardJSON())
	s.Close()
	f.Add(`{"url":"http://x","securitySchemes":{"a":null,"b":{"oauth2SecurityScheme":{"flows":{"authorizationCode":{"scopes":{"s":""}}}}}},"skills":[{}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseCard([]byte(text))
		if err != nil {
			return
		}
		c.missingAuth(&Auth{Type: "http"})
		c.signInFlow()
		if d := c.describe(""); strings.ContainsRune(d, 0x1b) || len(d) > 2*maxDescription {
			t.Errorf("description %q", d)
		}
		if way, err := c.choose(); err == nil {
			if _, err := way.address(nil); err != nil && strings.Contains(err.Error(), "\x1b") {
				t.Error(err)
			}
		}
	})
}
