package pollux_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/internal/mcp/mcptest"
	"pollux/internal/scriptmodel/scripttest"

	"pollux"
)

// serveVariable makes this program an MCP server on standard input and output.
const serveVariable = "POLLUX_TEST_SERVER"

func TestMain(m *testing.M) {
	if kind := os.Getenv(serveVariable); kind != "" {
		mcptest.Serve(kind, mcptest.Process{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Environ: os.Environ(), Exit: os.Exit})
		return
	}
	os.Exit(m.Run())
}

// TestServers checks that servers of the program are used in a directory that is not trusted, a program and a service, each
// with its own environment or headers, and that the trust in a server and the list of its tools count.
func TestServers(t *testing.T) {
	t.Parallel()
	server := mcptest.New("plain", mcptest.Process{})
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "secret" {
			http.Error(w, "no key", http.StatusForbidden)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(service.Close)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	a := open(t, pollux.Options{
		Dir: t.TempDir(), Home: t.TempDir(), Model: "gemini-2.5-flash",
		Generator: scripttest.Gemini(t, `
turn
  expect tool mcp_program_env mcp_service_echo
  expect not tool mcp_program_fail
  expect not tool mcp_doubted_echo
  call mcp_program_env {}
  call mcp_service_echo {"text": "over HTTP"}
turn
  expect result mcp_program_env_1 COLOR=blue
  expect result mcp_service_echo_1 over HTTP
  text Done.
`),
		Servers: []pollux.Server{
			{Name: "program", Command: self, Env: map[string]string{serveVariable: "plain", "COLOR": "blue"}, Tools: []string{"env"}, Trusted: true},
			{Name: "service", URL: service.URL, Headers: map[string]string{"X-Key": "secret"}, Trusted: true},
			{Name: "doubted", Command: self, Env: map[string]string{serveVariable: "plain"}},
		},
	})
	if got := say(t, a, "Go."); got != "Done." {
		t.Errorf("got %q", got)
	}
}

// TestServerReplaces checks that a server of the program replaces that of the user's settings, with its trust.
func TestServerReplaces(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	write(t, home+"/.gemini/settings.json", `{"mcpServers": {"x": {"command": "/does/not/exist", "trust": true}}}`)
	for _, trusted := range []bool{false, true} {
		script := "turn\n  expect not tool mcp_x_echo\n  text Done.\n"
		if trusted {
			script = "turn\n  expect tool mcp_x_echo\n  text Done.\n"
		}
		a := open(t, pollux.Options{
			Dir: t.TempDir(), Home: home, TrustDir: true, Model: "gemini-2.5-flash", Generator: scripttest.Gemini(t, script),
			Servers: []pollux.Server{{Name: "x", Command: self, Env: map[string]string{serveVariable: "plain"}, Trusted: trusted}},
		})
		say(t, a, "Go.")
	}
}

// TestAttachments checks that media go with a prompt: with a text that names a file, without a text, and with a literal text,
// which names no files.
func TestAttachments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir+"/notes.txt", "The code word is heron.")
	a := open(t, pollux.Options{Dir: dir, Home: t.TempDir(), Model: "gemini-2.5-flash", Generator: scripttest.Gemini(t, `
turn
  expect prompt heron
  expect media image/png
  text Seen.
turn
  expect media application/pdf
  expect not media image/png
  text Seen.
turn
  expect prompt + @notes.txt
  expect not prompt heron
  expect media image/png
  text Seen.
`)})
	image := pollux.Attachment{MIMEType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}
	for _, p := range []pollux.Prompt{
		{Text: "Compare it with @notes.txt", Attachments: []pollux.Attachment{image}},
		{Attachments: []pollux.Attachment{{MIMEType: "application/pdf", Data: []byte("%PDF-1.7")}}},
		{Text: "+ @notes.txt", IsLiteral: true, Attachments: []pollux.Attachment{image}},
	} {
		for _, err := range a.Run(t.Context(), p) {
			if err != nil {
				t.Error(err)
			}
		}
	}
	for _, p := range []pollux.Prompt{{}, {Attachments: []pollux.Attachment{{MIMEType: "image/png"}}}, {Text: "a", Attachments: []pollux.Attachment{{Data: []byte("a")}}}} {
		for _, err := range a.Run(t.Context(), p) {
			if err == nil {
				t.Errorf("%v is sent", p)
			}
		}
		if err := a.Steer(t.Context(), p); err == nil {
			t.Errorf("%v waits", p)
		}
	}
}

// TestInvalidOptions checks the errors of options.
func TestInvalidOptions(t *testing.T) {
	t.Parallel()
	nothing := func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil }
	for want, o := range map[string]pollux.Options{
		"server 0 has no name":                      {Servers: []pollux.Server{{Command: "x"}}},
		`two servers have the name "x"`:             {Servers: []pollux.Server{{Name: "x", Command: "x"}, {Name: "x", URL: "http://x"}}},
		`server "x" needs either`:                   {Servers: []pollux.Server{{Name: "x"}}},
		`server "y" needs either`:                   {Servers: []pollux.Server{{Name: "y", Command: "x", URL: "http://x"}}},
		`hook 0: there is no event "beforeTool"`:    {Hooks: []pollux.Hook{{Event: "beforeTool", Run: nothing}}},
		"hook 1 needs either":                       {Hooks: []pollux.Hook{{Event: "BeforeTool", Run: nothing}, {Event: "AfterTool"}}},
		"hook 0 needs either":                       {Hooks: []pollux.Hook{{Event: "BeforeTool", Run: nothing, Command: "true"}}},
		`SessionID "a/b"`:                           {SessionID: "a/b"},
		`SessionID "` + strings.Repeat("a", 129):    {SessionID: strings.Repeat("a", 129)},
		`SessionID "a" and Resume "b" exclude each`: {SessionID: "a", Resume: "b"},
	} {
		o.Dir, o.Home, o.Generator, o.Model = t.TempDir(), t.TempDir(), clerk{}, "clerk-1"
		a, err := pollux.New(t.Context(), o)
		if err == nil {
			a.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
