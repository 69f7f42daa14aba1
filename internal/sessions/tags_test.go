package sessions

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/llm"
)

func TestTags(t *testing.T) {
	t.Parallel()
	tags := Tags{Dir: filepath.Join(t.TempDir(), "tmp", "project")}
	if list, err := tags.List(); list != nil || err != nil {
		t.Errorf("%v, %v", list, err)
	}
	for tag, name := range map[string]string{
		"plain":        "checkpoint-plain.json",
		"../../evil/x": "checkpoint-..%2F..%2Fevil%2Fx.json",
		"a b+c&é!'()*": "checkpoint-a%20b%2Bc%26%C3%A9!'()*.json",
		"100%":         "checkpoint-100%25.json",
	} {
		want := Conversation{History: []*llm.Content{llm.User(llm.Text("<hi>")), llm.Model(llm.Text("ho"))}, AuthType: "gemini-api-key"}
		if err := tags.Save(tag, want); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(tags.Dir, name)); err != nil || !tags.Has(tag) {
			t.Errorf("%s: %v", tag, err)
		}
		got, err := tags.Load(tag)
		if err != nil || got.AuthType != want.AuthType || len(got.History) != 2 || got.History[0].Text() != "<hi>" {
			t.Errorf("%s: %+v, %v", tag, got, err)
		}
	}
	if list, err := tags.List(); len(list) != 4 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
	if err := tags.Delete("plain"); err != nil || tags.Has("plain") {
		t.Error(err)
	}
	for _, missing := range []string{"plain", strings.Repeat("x", 300)} {
		if err := tags.Delete(missing); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%.10s: %v", missing, err)
		}
	}
	for text, isValid := range map[string]bool{
		`[{"role":"user","parts":[{"text":"old"}]}]`: true, `{"history":[null,{"role":"x","parts":[{"text":"a"}]},{"role":"user"}]}`: true,
		`{"history":`: false, `[1]`: false, "": false,
	} {
		if err := os.WriteFile(filepath.Join(tags.Dir, "checkpoint-odd.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if c, err := tags.Load("odd"); (err == nil) != isValid || isValid && len(c.History) != 1 {
			t.Errorf("%s: %+v, %v", text, c, err)
		}
	}
}
