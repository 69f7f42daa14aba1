package headless

import (
	"bytes"
	"errors"
	"strings"
	"syscall"
	"testing"

	"pollux/internal/terminal"
)

// RenderAnswer has the output of a run with the same answer.
func TestSay(t *testing.T) {
	t.Parallel()
	for format, parts := range map[Format][]string{
		Text:       {"All\n  well.\n"},
		JSON:       {`"session_id": "` + sessionID + `"`, `"response": "All\n  well."`, `"stats": {`},
		StreamJSON: {`{"type":"init",`, `"role":"user","content":"/x"`, `"role":"assistant","content":"All\n  well.","delta":true}`, `"type":"result",`, `"status":"success"`},
	} {
		var out, errs bytes.Buffer
		err := RenderAnswer(Options{Format: format, Out: terminal.NewWriter(&out), Err: terminal.NewNoteWriter(&errs), SessionID: sessionID, Prompt: "/x"}, "All\n\x1b[1m  well.")
		if err != nil || errs.Len() > 0 {
			t.Errorf("%s: %v, %s", format, err, errs.String())
		}
		for _, part := range parts {
			if !strings.Contains(out.String(), part) {
				t.Errorf("%s: there is no %s in\n%s", format, part, out.String())
			}
		}
	}
	var errs bytes.Buffer
	if err := RenderAnswer(Options{Out: terminal.NewWriter(&failing{err: syscall.EPIPE}), Err: terminal.NewNoteWriter(&errs)}, "x"); !errors.Is(err, ErrClosed) {
		t.Errorf("no one reads: %v", err)
	}
}
