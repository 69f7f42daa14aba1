package keys

import (
	"context"
	"testing"

	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/manage/managetest"
	"pollux/internal/terminal"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`, "OPENAI_API_KEY=sk-from-env", "GEMINI_FORCE_ENCRYPTED_FILE_STORAGE=true")
	p.Check(Command(), []managetest.Case{
		{Line: "list", Want: "No key is stored.", JSON: `{"keys":[]}`},
		{Line: "/list", Want: "No key is stored."},
		{Line: "/status", Want: "Not signed in: responses are replayed or come from a custom provider."},
		{Line: "status", Want: "OPENAI_API_KEY"},
		{Line: "remove openai", Want: "No key for OpenAI is stored.", Code: exit.General},
		{Line: "remove missing", Want: "missing", Code: exit.General},
		{Line: "/signout openai", Want: "No key for OpenAI is stored.", Code: exit.General},
	})
	o, err := p.Shell(Command(), "status")
	if s, ok := o.Value.(Status); err != nil || !ok || s.Provider != "openai" || s.Key == "" || s.Problem != "" {
		t.Errorf("%+v, %v", o.Value, err)
	}
}

// A key is stored without being shown, and without a test if the person wants none.
func TestSet(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`, "GEMINI_FORCE_ENCRYPTED_FILE_STORAGE=true")
	secret := func(_ context.Context, label, name string) (string, error) {
		if label != "OpenAI" || name != "openai" {
			t.Errorf("asked for the key of %q, %q", label, name)
		}
		return "sk-1234567890", nil
	}
	c := &manage.Call{Options: p.Options, Flags: map[string]any{"no-test": true}, Words: []string{"openai"}, Secret: secret, Terminal: new(terminal.Terminal)}
	if o, err := Command().Subs[0].Run(t.Context(), c); err != nil || o.Parts == nil {
		t.Errorf("%+v, %v", o, err)
	}
	p.Check(Command(), []managetest.Case{{Line: "list", Want: "openai in "}, {Line: "remove openai", Want: "OpenAI"}, {Line: "list", Want: "No key is stored."}})
}
