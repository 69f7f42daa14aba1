package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pollux/internal/exit"
	"pollux/llm"
)

func failing(err error) runner {
	return func(context.Context, request) error { return err }
}

func TestErrors(t *testing.T) {
	t.Parallel()
	auth := exit.Errorf(exit.Auth, "no <key>")
	api := &llm.Error{Kind: llm.KindRateLimit, Status: 429, Message: "too many"}
	const object = `{
  "session_id": "s1",
  "error": {
    "type": "%s",
    "message": "%s",
    "code": %d
  }
}
`
	const event = `{"type":"init","timestamp":"T","session_id":"s1","model":""}` + "\n" + `{"type":"result","timestamp":"T","status":"error","error":{"type":"%s","message":"%s"},"stats":` +
		`{"total_tokens":0,"input_tokens":0,"output_tokens":0,"cached":0,"input":0,"duration_ms":0,"tool_calls":0,"models":{},"cost":0}}` + "\n"
	for _, tt := range []struct {
		name     string
		format   string
		err      error
		code     exit.Code
		out, msg string
	}{
		{"none", "json", nil, 0, "", ""},
		{"auth", "text", auth, 41, "", "no <key>\n"},
		{"auth", "json", auth, 41, fmt.Sprintf(object, "Error", "no <key>", 41), fmt.Sprintf(object, "Error", "no <key>", 41)},
		{"auth", "stream-json", auth, 41, fmt.Sprintf(event, "Error", "no <key>"), "no <key>\n"},
		{"wrapped", "text", fmt.Errorf("while starting: %w", auth), 41, "", "no <key>\n"},
		{"config", "json", exit.Errorf(exit.Config, "bad file"), 52, fmt.Sprintf(object, "FatalConfigError", "bad file", 52), "bad file\n"},
		{"untrusted", "json", exit.Errorf(exit.Untrusted, "not trusted"), 55, fmt.Sprintf(object, "FatalUntrustedWorkspaceError", "not trusted", 55), "not trusted\n"},
		{"turns", "json", exit.Errorf(exit.TurnLimit, "enough"), 53, fmt.Sprintf(object, "FatalTurnLimitedError", "enough", 53), fmt.Sprintf(object, "FatalTurnLimitedError", "enough", 53)},
		{"tool", "text", &exit.Error{Code: exit.Tool, Type: "no_space_left", Message: "disk full"}, 54, "", "disk full\n"},
		{"tool", "json", &exit.Error{Code: exit.Tool, Type: "no_space_left", Message: "disk full"}, 54, fmt.Sprintf(object, "no_space_left", "disk full", 54), fmt.Sprintf(object, "no_space_left", "disk full", 54)},
		{"ordinary", "text", errOrdinary, 1, "", "something went wrong\n"},
		{"api", "text", api, 1, "", "too many (status 429). Wait a minute and try again, or choose another model with --model.\n"},
		{"api", "json", api, 1, fmt.Sprintf(object, "Error", "too many", 429), fmt.Sprintf(object, "Error", "too many", 429)},
		{"api", "stream-json", api, 1, fmt.Sprintf(event, "Error", "too many (status 429). Wait a minute and try again, or choose another model with --model."), "too many (status 429). Wait a minute and try again, or choose another model with --model.\n"},
		{"shown", "text", &exit.Shown{Err: api}, 1, "", ""},
		{"shown", "json", fmt.Errorf("x: %w", &exit.Shown{Err: exit.Errorf(exit.TurnLimit, "enough")}), 53, "", ""},
		{"cancelled", "text", context.Canceled, 130, "", "context canceled\n"},
		{"escapes", "text", exit.Errorf(exit.Input, "a\x1b[2J\u009bb\r\x07\nc\td"), 42, "", "a\nc\td\n"},
	} {
		s := (&start{args: []string{"-o", tt.format, "--session-id", "s1", "-p", "x"}, run: failing(tt.err)}).do()
		out := regexp.MustCompile(`"timestamp":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"`).ReplaceAllString(s.out.String(), `"timestamp":"T"`)
		if s.code != tt.code || out != tt.out || s.err.String() != tt.msg {
			t.Errorf("%s, %s: code %d\nstdout %s\nwant   %s\nstderr %s\nwant   %s", tt.name, tt.format, s.code, out, tt.out, s.err, tt.msg)
		}
	}
}

func TestErrorColour(t *testing.T) {
	t.Parallel()
	s := (&start{args: []string{"-p", "x"}, tty: true, run: failing(errOrdinary)}).do()
	if s.err.String() != "something went wrong\n" {
		t.Errorf("stderr %q: the test terminal wants no colours", s.err)
	}
}

// TestFormatFromSettings checks that errors use the format passed to SetFormat.
func TestFormatFromSettings(t *testing.T) {
	t.Parallel()
	s := (&start{args: []string{"-p", "x"}, run: func(_ context.Context, req request) error {
		req.SetFormat("json")
		return errOrdinary
	}}).do()
	var object struct {
		SessionID string `json:"session_id"`
		Error     struct{ Message string }
	}
	if err := json.Unmarshal(s.out.Bytes(), &object); err != nil || object.Error.Message != "something went wrong" ||
		object.SessionID != s.request.Session.SessionID {
		t.Errorf("%v: %s", err, s.out)
	}
	if !strings.HasPrefix(s.err.String(), "{\n") {
		t.Errorf("stderr: %s", s.err)
	}
}

// TestInvalidID checks that an id that the program rejects is not in the report of the error.
func TestInvalidID(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"-o", "json", "--session-id", strings.Repeat("x", 1000), "-p", "hi"},
		{"-o", "json", "--session-id", "in valid", "-p", "hi"},
		{"-o", "json", "--session-id", strings.Repeat("x", 1000), "--approval-mode", "wrong", "-p", "hi"},
	} {
		s := pollux(args...)
		if s.code == 0 || strings.Contains(s.out.String()+s.err.String(), `"session_id": "`+args[3]) {
			t.Errorf("%.60q: code %d\n%.300s\n%.300s", args, s.code, s.out, s.err)
		}
	}
}
