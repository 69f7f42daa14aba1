package savememory

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/tool"
)

func build(t *testing.T, file, fact string) (tool.Invocation, error) {
	t.Helper()
	args, err := json.Marshal(map[string]string{"fact": fact})
	if err != nil {
		t.Fatal(err)
	}
	return tool.Build(New(file), args)
}

func TestSave(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), ".gemini", "GEMINI.md")
	for i, c := range []struct{ fact, answer string }{
		{"Prefers tabs.\n# Not a heading", "Saved in " + file + ": - Prefers tabs. # Not a heading"},
		{"Prefers tabs. # Not a heading", "It is already in " + file + ": - Prefers tabs. # Not a heading"},
		{"Drinks tea.", "Saved in " + file + ": - Drinks tea."},
	} {
		inv, err := build(t, file, c.fact)
		if err != nil {
			t.Fatal(err)
		}
		asked, err := inv.Confirmation(context.Background())
		edit, ok := asked.(*tool.EditConfirmation)
		if err != nil || !ok || (edit.Before == nil) != (i == 0) || i != 1 && !strings.Contains(edit.Diff, "\n+- ") {
			t.Errorf("confirmation = %+v, %v", asked, err)
		}
		r := inv.Run(context.Background(), tool.Host{})
		if got := llm.PartsText(r.Content); r.Error != nil || got != c.answer {
			t.Errorf("got %q, %v; want %q", got, r.Error, c.answer)
		}
		if i == 2 {
			if got, _ := os.ReadFile(file); string(got) != edit.After {
				t.Errorf("the file is %q, shown was %q", got, edit.After)
			}
		}
	}
	if got, _ := os.ReadFile(file); string(got) != "## Gemini Added Memories\n- Prefers tabs. # Not a heading\n- Drinks tea.\n" {
		t.Errorf("the file is %q", got)
	}
}

func TestSaveRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for fact, want := range map[string]string{
		"":                        `Parameter "fact" must be a non-empty string.`,
		" \n":                     `Parameter "fact" must be a non-empty string.`,
		"## -":                    "the fact cannot be saved: the text is empty",
		strings.Repeat("x", 5000): "the fact cannot be saved: it is longer than 4096 bytes",
	} {
		if _, err := build(t, filepath.Join(dir, "GEMINI.md"), fact); err == nil || err.Error() != want {
			t.Errorf("%.20q: %v, want %q", fact, err, want)
		}
	}
	if _, err := tool.Build(New("x"), json.RawMessage(`{}`)); err == nil || err.Error() != "params must have required property 'fact'" {
		t.Errorf("no fact: %v", err)
	}
	inv, err := build(t, dir, "a fact") // a directory is no file
	if err != nil {
		t.Fatal(err)
	}
	if asked, err := inv.Confirmation(context.Background()); asked != nil || err != nil {
		t.Errorf("confirmation = %v, %v", asked, err)
	}
	if r := inv.Run(context.Background(), tool.Host{}); r.Error == nil || !strings.HasPrefix(r.Error.Message, "Error saving memory: ") {
		t.Errorf("result = %+v", r)
	}
}
