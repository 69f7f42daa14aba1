package acp_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/anthropic"
	"pollux/internal/scriptmodel/scripttest"
)

const noServers = `{"tools": {"sandbox": false}, "pollux": {"localServers": false}}`

// TestSignIn signs in with a key that is only in memory: sessions open with it, and fail before and after.
func TestSignIn(t *testing.T) {
	t.Parallel()
	const key = "secret-key-of-the-client-4711"
	model := scripttest.Serve(t, "key "+key+"\nturn\n  text Hi.\n", scriptmodel.Options{Wires: []scriptmodel.Wire{anthropic.Wire{}}})
	e := newEditor(t, setup{settings: strings.Replace(noServers, "{", `{"modelProviders": {"anthropic": {"baseUrl": "`+model.URL()+`"}}, `, 1)})
	place := map[string]any{"cwd": e.dir, "mcpServers": []any{}}
	if f := e.fails(-32000, "session/new", place); !strings.Contains(string(f.Data), `"authMethods":[{"id":"gemini-api-key"`) || strings.Contains(f.Message, "\n") {
		t.Error(f)
	}
	e.ok("session/list", map[string]any{})
	e.fails(-32602, "authenticate", map[string]any{"methodId": "none"})
	e.fails(-32602, "authenticate", map[string]any{"methodId": "gateway", "_meta": map[string]any{"gateway": map[string]any{"baseUrl": "x"}}})
	e.fails(-32000, "authenticate", map[string]any{"methodId": "gemini-api-key"})
	if f := e.fails(-32000, "authenticate", map[string]any{"methodId": "oauth-personal"}); !strings.Contains(f.Message, "Google account") {
		t.Error(f)
	}
	e.ok("authenticate", map[string]any{"methodId": "pollux-anthropic", "_meta": map[string]any{"api-key": key}})
	id := e.open()
	if stop := e.ask(id, "Hi"); stop != "end_turn" || e.said() != "Hi." {
		t.Errorf("%s, %s", stop, e.said())
	}
	e.ok("logout", map[string]any{})
	e.fails(-32000, "session/new", place)
	e.fails(-32000, "session/prompt", prompt(id, "Again"))
	e.end()
	err := filepath.WalkDir(filepath.Dir(e.home), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), key) {
			t.Errorf("the key is in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestGateway signs in to a gateway, which gets the headers of the client.
func TestGateway(t *testing.T) {
	t.Parallel()
	model := scripttest.Serve(t, "key none\nturn\n  expect header X-Team herons\n  text Hi.\n", scriptmodel.Options{})
	e := newEditor(t, setup{settings: noServers})
	e.ok("authenticate", map[string]any{"methodId": "gateway", "_meta": map[string]any{"gateway": map[string]any{"baseUrl": model.URL(), "headers": map[string]any{"X-Team": "herons"}}}})
	if stop := e.ask(e.open(), "Hi"); stop != "end_turn" || e.said() != "Hi." {
		t.Errorf("%s, %s", stop, e.said())
	}
}

// TestSetUp checks that a key in the environment is enough, whatever the settings have chosen for Gemini CLI.
func TestSetUp(t *testing.T) {
	t.Parallel()
	e := newEditor(t, setup{script: "turn\n  text Hi.\n", settings: `{"tools": {"sandbox": false}, "security": {"auth": {"selectedType": "oauth-personal"}}}`})
	e.ok("authenticate", map[string]any{"methodId": "oauth-personal"})
	if stop := e.ask(e.open(), "Hi"); stop != "end_turn" {
		t.Error(stop)
	}
}

// TestTerminalSignIn checks that the sign-in in a terminal is offered to clients that can do that.
func TestTerminalSignIn(t *testing.T) {
	t.Parallel()
	e := newEditor(t, setup{isRaw: true})
	for can, want := range map[bool]bool{true: true, false: false} {
		result := e.ok("initialize", map[string]any{"protocolVersion": 1, "clientCapabilities": map[string]any{"auth": map[string]any{"terminal": can}}})
		has := false
		for _, m := range result["authMethods"].([]any) {
			has = has || m.(map[string]any)["type"] == "terminal"
		}
		if has != want {
			t.Errorf("terminal %v: %v", can, result["authMethods"])
		}
	}
}

// TestModelErrors checks the errors of requests to the model.
func TestModelErrors(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		script string
		code   int
		data   string
	}{
		"a wrong key":   {"key other\nturn\n  text Never.\n", -32000, `"httpStatus":400`},
		"a bad request": {"turn\n  fail 400 INVALID_ARGUMENT Too odd.\n", -32603, `"httpStatus":400`},
		"no model":      {"turn\n  fail 404 NOT_FOUND No.\n", -32603, `"httpStatus":404`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEditor(t, setup{script: tt.script, isUnchecked: true})
			f := e.fails(tt.code, "session/prompt", prompt(e.open(), "Hi"))
			if !strings.Contains(string(f.Data), tt.data) || strings.Contains(f.Message, "{") {
				t.Errorf("%v", f)
			}
		})
	}
}
