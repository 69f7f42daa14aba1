package extension

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIsEnabled(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rules string
		dir   string
		want  bool
	}{
		{``, "/home/u", true},
		{`"!/home/u/*"`, "/home/u", false},
		{`"!/home/u/*"`, "/home/u/p/q", false},
		{`"!/home/u/*"`, "/home/user", true},
		{`"!/home/u/"`, "/home/u/p", true},
		{`"!/home/u/"`, "/home/u", false},
		{`"!/*", "/home/u/*"`, "/home/u/p", true},
		{`"!/*", "/home/u/*"`, "/srv", false},
		{`"/home/u/*", "!/*"`, "/home/u/p", false},
		{`"!/home/*/p/"`, "/home/u/p", false},
		{`"!/home/*/p/"`, "/home/p", false},
		{`"!/home/*/p/*"`, "/home/u/v/p/q", false},
		{`"!/home/*/p/"`, "/home/u/q", true},
		{`"!/ho*"`, "/home", false},
		{`"!/a.b/"`, "/axb", true},
		{`"!/C:/Users/*"`, `C:\Users\u`, false},
		{`"!"`, "/home", true},
	} {
		e := &Enablement{}
		if err := e.parse([]byte(`{"x": {"overrides": [` + test.rules + `]}}`)); err != nil {
			t.Fatal(err)
		}
		if got := e.IsEnabled("x", test.dir); got != test.want {
			t.Errorf("[%s] in %s: got %v", test.rules, test.dir, got)
		}
		if !e.IsEnabled("y", test.dir) {
			t.Error("an extension without rules is disabled")
		}
	}
}

// TestChangeEnablement checks the file against one of Gemini CLI 0.61.
func TestChangeEnablement(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "extensions")
	e, err := OpenEnablement(dir)
	if err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		do   func() error
		want string
	}{
		{func() error { return e.Enable("zed", "/home/u", true) }, `{
  "zed": {
    "overrides": [
      "/home/u/*"
    ]
  }
}`},
		{func() error { return e.Disable("a<b>", `C:\x & y`, true) }, `{
  "zed": {
    "overrides": [
      "/home/u/*"
    ]
  },
  "a<b>": {
    "overrides": [
      "!/C:/x & y/*"
    ]
  }
}`},
		{func() error { return e.Remove("a<b>") }, "zed: /home/u/*"},
		{func() error { return e.Disable("zed", "/home/u/p", true) }, "zed: /home/u/* !/home/u/p/*"},
		{func() error { return e.Disable("zed", "/srv", false) }, "zed: /home/u/* !/home/u/p/* !/srv/"},
		{func() error { return e.Enable("zed", "/home/u/p", false) }, "zed: /home/u/* !/srv/ /home/u/p/"},
		{func() error { return e.Disable("zed", "/home/u", true) }, "zed: !/srv/ !/home/u/*"},
		{func() error { return e.Rename("zed", "new") }, "new: !/srv/ !/home/u/*"},
		{func() error { return e.Remove("new") }, "{}"},
	}
	for i, step := range steps {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, enablementName))
		if err != nil {
			t.Fatal(err)
		}
		got := string(data)
		if !strings.Contains(step.want, "\n") && got != "{}" {
			read, err := OpenEnablement(dir)
			if err != nil {
				t.Fatal(err)
			}
			got = read.entries[0].name + ": " + strings.Join(read.entries[0].rules, " ")
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("step %d: %s", i, diff)
		}
	}
}

func TestChangeTogether(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var all sync.WaitGroup
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		e, err := OpenEnablement(dir)
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			if err := e.Disable(name, "/", true); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	e, err := OpenEnablement(dir)
	if err != nil || len(e.entries) != 6 {
		t.Errorf("%v, %v", e, err)
	}
}

func TestBrokenEnablement(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "x", "[]", "{", `{"a"}`, `{"a": 1}`, `{"a": {"overrides": [1]}}`, `{"a": {}`, "{} x"} {
		dir := write(t, t.TempDir(), map[string]string{"a/gemini-extension.json": manifest("a"), enablementName: text})
		list, warnings := load(t, dir, Options{})
		if len(list) != 1 || list[0].IsActive || len(warnings) != 1 {
			t.Errorf("%q: %v %q", text, list, warnings)
		}
		if err := (&Enablement{path: filepath.Join(dir, enablementName)}).Enable("a", "/", true); err == nil {
			t.Errorf("%q: Enable has overwritten it", text)
		}
	}
}

func FuzzEnablement(f *testing.F) {
	for _, text := range []string{`{"a": {"overrides": ["/home/u/*", "!/srv/*/p/"]}}`, `{"a": {"overrides": null}, "a": {}}`, `{"\u2028": {"overrides": ["**", "!", "*"]}}`} {
		f.Add(text, "/home/u")
	}
	f.Fuzz(func(t *testing.T, text, dir string) {
		e := &Enablement{}
		if e.parse([]byte(text)) != nil {
			return
		}
		again := &Enablement{}
		if err := again.parse(e.encode()); err != nil {
			t.Fatalf("%v:\n%s", err, e.encode())
		}
		for _, entry := range e.entries {
			if e.IsEnabled(entry.name, dir) != again.IsEnabled(entry.name, dir) {
				t.Errorf("%q differs after writing", entry.name)
			}
		}
	})
}

// A program that reads the file expects a list of every entry.
func TestEntryWithoutRules(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, enablementName), []byte(`{"a": {}, "b": {"overrides": ["/x/"]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := OpenEnablement(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Remove("b"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, enablementName))
	if want := "{\n  \"a\": {\n    \"overrides\": []\n  }\n}"; err != nil || string(data) != want {
		t.Errorf("%s, %v", data, err)
	}
}
