package sessions

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/llm"
)

// TestCheckpoints saves a checkpoint in the form of Gemini CLI, and loads it.
func TestCheckpoints(t *testing.T) {
	t.Parallel()
	c := Checkpoints{Dir: filepath.Join(t.TempDir(), "checkpoints")}
	if names, err := c.List(); err != nil || names != nil {
		t.Errorf("names %q, error %v", names, err)
	}
	at := time.Date(2026, 3, 4, 5, 6, 7, 89e6, time.UTC)
	name := NameCheckpoint(at, "src/a:b.txt", "replace")
	if want := "2026-03-04T05-06-07_089Z-a_b.txt-replace"; name != want {
		t.Errorf("name %q, want %q", name, want)
	}
	p := &Checkpoint{
		History: []*llm.Content{
			llm.User(llm.Text("Edit <it>.")),
			llm.Model(llm.Text("Yes."), llm.Part{FunctionCall: &llm.FunctionCall{ID: "1", Name: "replace", Args: json.RawMessage(`{"file_path":"a"}`)}}),
		},
		Tool: "replace", Args: json.RawMessage(`{"file_path":"a"}`), Commit: "0123456789abcdef", MessageID: "p########1",
	}
	if err := c.Save(name, p); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(c.Dir, name+".json"))
	const want = `{"history":[{"id":1,"type":"user","text":"Edit <it>."},{"id":2,"type":"gemini","text":"Yes."}],` +
		`"clientHistory":[{"role":"user","parts":[{"text":"Edit <it>."}]},{"role":"model","parts":[{"text":"Yes."},{"functionCall":{"id":"1","name":"replace","args":{"file_path":"a"}}}]}],` +
		`"toolCall":{"name":"replace","args":{"file_path":"a"}},"commitHash":"0123456789abcdef","messageId":"p########1"}` + "\n"
	if diff := cmp.Diff(want, string(data)); diff != "" || err != nil {
		t.Errorf("error %v, file (-want +got):\n%s", err, diff)
	}
	if names, err := c.List(); err != nil || strings.Join(names, " ") != name {
		t.Errorf("names %q, error %v", names, err)
	}
	got, err := c.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	loaded, _ := json.Marshal(got)
	saved, _ := json.Marshal(p)
	if diff := cmp.Diff(string(saved), string(loaded)); diff != "" {
		t.Errorf("loaded (-want +got):\n%s", diff)
	}
}

// TestBadCheckpoints names the reason for which a file is no checkpoint, and reads nothing outside of the directory.
func TestBadCheckpoints(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := Checkpoints{Dir: filepath.Join(dir, "checkpoints")}
	for _, d := range []string{c.Dir, filepath.Join(c.Dir, "directory.json")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const whole = `{"toolCall":{"name":"replace","args":{}}}`
	if err := os.WriteFile(filepath.Join(dir, "outside.json"), []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "outside.json"), filepath.Join(c.Dir, "link.json")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"none", "../outside", "link", "directory", ""} {
		if _, err := c.Load(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for text, want := range map[string]string{
		"":                                     "it is no JSON of this form",
		`[]`:                                   "it is no JSON of this form",
		`{"clientHistory": 1}`:                 "it is no JSON of this form",
		`{}`:                                   "toolCall has no name",
		`{"toolCall":{"name":""}}`:             "toolCall has no name",
		`{"toolCall":{"name":"x","args":[1]}}`: "the args of toolCall are no object",
		`{"toolCall":{"name":"x"},"commitHash":"--output=/x"}`: "commitHash is no commit",
		`{"toolCall":{"name":"x"},"commitHash":"abc"}`:         "commitHash is no commit",
		whole: "",
		`{"toolCall":{"name":"x"},"clientHistory":[null,{"role":"user"},{"role":"odd","parts":[{"text":"a"}]}],"history":"other"}`: "",
	} {
		if err := os.WriteFile(filepath.Join(c.Dir, "x.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := c.Load("x")
		if want == "" {
			if err != nil || len(p.History) > 1 || len(p.History) == 1 && p.History[0].Role != llm.RoleUser {
				t.Errorf("%s: %+v, error %v", text, p, err)
			}
			continue
		}
		if !errors.Is(err, ErrCheckpoint) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// FuzzCheckpoint reads any bytes.
func FuzzCheckpoint(f *testing.F) {
	f.Add([]byte(`{"history":[],"clientHistory":[{"role":"user","parts":[{"text":"a"}]}],"toolCall":{"name":"replace","args":{"a":1}},"commitHash":"0123456789","messageId":"m"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := parseCheckpoint(data)
		if err != nil {
			return
		}
		if p.Tool == "" || strings.HasPrefix(p.Commit, "-") {
			t.Errorf("%+v", p)
		}
		for _, m := range p.History {
			if m == nil || len(m.Parts) == 0 {
				t.Errorf("an empty message in %+v", p.History)
			}
		}
	})
}
