package acceptance

import (
	"net/http"

	"github.com/rogpeppe/go-internal/testscript"

	"pollux/internal/a2a/a2atest"
)

// remoteAgentWord starts a remote agent that wants a token, "" for none. CARD_URL is the address of its card. It
// repeats its input, with the name of the conversation. With -later it has no streams, and answers before it is
// done.
func remoteAgentWord(ts *testscript.TestScript, args []string) bool {
	isLater := len(args) > 0 && args[0] == "-later"
	if isLater {
		args = args[1:]
	}
	if len(args) > 1 {
		return false
	}
	o := a2atest.Options{New: true, Events: func(text string) []string {
		return []string{
			`{"kind":"status-update","taskId":"TASK","contextId":"CONTEXT","status":{"state":"working"}}`,
			`{"kind":"artifact-update","taskId":"TASK","contextId":"CONTEXT","artifact":{"artifactId":"a","name":"echo","parts":[{"kind":"text","text":"CONTEXT: ` + text + `"}]}}`,
			`{"kind":"status-update","taskId":"TASK","contextId":"CONTEXT","final":true,"status":{"state":"completed"}}`,
		}
	}}
	if isLater {
		o.NoStreams, o.Later = true, true
		o.Events = func(text string) []string {
			return []string{
				`{"kind":"task","id":"TASK","contextId":"CONTEXT","status":{"state":"submitted"}}`,
				`{"kind":"task","id":"TASK","contextId":"CONTEXT","status":{"state":"completed"},"artifacts":[{"artifactId":"a","name":"echo","parts":[{"kind":"text","text":"CONTEXT: ` + text + `"}]}]}`,
			}
		}
	}
	if len(args) > 0 {
		o.Allow = func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer "+args[0] }
	}
	a := a2atest.New(o)
	ts.Defer(a.Close)
	ts.Setenv("CARD_URL", a.CardURL)
	return true
}
