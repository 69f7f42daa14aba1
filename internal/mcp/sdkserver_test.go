package mcp

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/tool"
)

// The example server of the Go SDK works with all that it offers.
func TestGoServer(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "everything")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/modelcontextprotocol/go-sdk/examples/server/everything").CombinedOutput(); err != nil {
		t.Skipf("the example server cannot be built: %v\n%s", err, out)
	}
	s, r, warned := run(t, Options{
		Configs: []Config{{Name: "go", Command: program}}, HasPerson: true, Roots: func() []string { return []string{"/work place"} },
		Sample: func(context.Context, string, []*llm.Content, int) (string, string, error) {
			return "a sample", "m", nil
		},
	})
	p := &person{answers: []tool.Answer{say("Answer"), say("words"), say("Open the page")}}
	for _, c := range []struct{ name, want string }{
		{"greet", "Hi Ann"},
		{"greet__structured_", `{"message":"Hi Ann"}`},
		{"greet__with_Icons_", `{"message":"Hi Ann"}`},
		{"greet__content_with_ResourceLink_", "Resource Link: A friendly greeting at data:text/plain,Hi%20Ann"},
		{"ping", ""},
		{"log", ""},
		{"roots", "work place:file:///work%20place"},
		{"elicit__form_", "words"},
		{"elicit__url_", "(elicitation pending)"},
		{"sample", "there are no messages"},
	} {
		args := `{}`
		if strings.HasPrefix(c.name, "greet") {
			args = `{"name":"Ann"}`
		}
		got := callTool(t.Context(), t, r, "mcp_go_"+c.name, args, tool.Host{Ask: p.ask})
		text := unfence(got)
		if got.Error != nil {
			text = got.Error.Message
		}
		if text != c.want && (got.Error == nil || !strings.Contains(text, c.want)) {
			t.Errorf("%s: %q, want %q", c.name, text, c.want)
		}
	}
	list := s.Prompts()
	if len(list) != 2 || list[0].Name != "greet" {
		t.Errorf("prompts: %+v", list)
	}
	one, ok := s.Resource("go:embedded:info")
	if !ok {
		t.Fatalf("resources: %v", s.Status()[0].Resources)
	}
	if got, err := s.Read(t.Context(), one); err != nil || !strings.Contains(Untrusted(got, 0, nil), "This is the hello example server.") {
		t.Errorf("%+v, %v", got, err)
	}
	if w := warned(); len(w) != 1 || !strings.Contains(w[0], "Open the page yourself: http://localhost:6062") {
		t.Errorf("warnings: %q", w)
	}
}
