package transfer

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/durable"
	"pollux/internal/exit"
)

func write(t testing.TB, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestReport checks the text for one part and for several, before and after they are written.
func TestReport(t *testing.T) {
	t.Parallel()
	var wrote []string
	part := func(kind, target string) *Part {
		p := &Part{Kind: kind, Files: []string{"/h/" + kind}, Target: target, Next: "Try it."}
		p.Write = func() error { wrote = append(wrote, kind); return nil }
		return p
	}
	servers := part("server", "/h/s.json")
	servers.Add(New("a")).Detail = "run \x1b[2Ja"
	servers.Add(New("b")).Change("without %s", "x")
	servers.Add(New("c")).Keep()
	left := servers.Add(New("d"))
	left.Restricts = true
	left.Leave("it is\nbroken")
	left.Change("never")
	display := func(path string) string { return strings.Replace(path, "/h", "~", 1) }
	r := Report{Parts: []*Part{servers}, HowToApply: "add --apply"}
	const list = "Servers in ~/server:\n\ncopied    a: run a\nchanged   b (without x)\npresent   c\nleft out  d (it is broken)\n\n"
	const lost = "\n\nNOT COPIED: 1 server that may have refused something, see above. Nothing checks in their place.\n"
	if got, want := r.Outcome(display).Plain(0), list+"Nothing is written yet. To write 2 servers to ~/s.json, add --apply."+lost; got != want {
		t.Errorf("one part:\n%s\nwant\n%s", got, want)
	}
	hooks, others := part("hook", "/h/s.json"), &Part{Kind: "setting"}
	hooks.Add(New("e")).Keep()
	hooks.Notes = []string{"A note."}
	others.Add(New("f")).Leave("no")
	r.Parts = append(r.Parts, hooks, others)
	if got, want := r.Outcome(display).Plain(0), list+"To write: 2 servers to ~/s.json.\n\nHooks in ~/hook:\n\npresent   e\nNote: A note.\n\nThere are no hooks to write.\n\nSettings:\n\nleft out  f (no)\n\n"+
		"Nothing is written yet. To write all of this, add --apply."+strings.TrimPrefix(lost, "\n"); got != want {
		t.Errorf("several parts:\n%s\nwant\n%s", got, want)
	}
	if err := r.Apply(); err != nil || !slices.Equal(wrote, []string{"server"}) {
		t.Error(err, wrote)
	}
	if got := r.Outcome(display).Plain(0); !strings.Contains(got, "Wrote 2 servers to ~/s.json. Try it.\n") || strings.Contains(got, "yet") {
		t.Errorf("after:\n%s", got)
	}
}

// TestApplyFails checks that the report after a failure names the parts that are not written.
func TestApplyFails(t *testing.T) {
	t.Parallel()
	failure := errors.New("full")
	r := Report{}
	for i, kind := range []string{"server", "hook", "command"} {
		write := func() error { return nil }
		if i == 1 {
			write = func() error { return failure }
		}
		r.Parts = append(r.Parts, &Part{Kind: kind, Target: "t", Items: []*Item{New("a")}, Write: write})
	}
	if err := r.Apply(); !errors.Is(err, failure) {
		t.Error(err)
	}
	got := r.Outcome(func(s string) string { return s }).Plain(0)
	if strings.Count(got, "Wrote ") != 1 || !strings.Contains(got, "Wrote 1 server to t.") || strings.Count(got, "Not all of this is written.") != 2 {
		t.Error(got)
	}
}

// TestApplyKeeps checks that each settings file is copied once before it changes, to a new file each time.
func TestApplyKeeps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	settings := write(t, dir, "settings.json", "one")
	apply := func(text string) *Report {
		r := &Report{}
		for range 2 {
			p := &Part{Kind: "hook", Settings: settings, Items: []*Item{New("a")}}
			p.Write = func() error { return os.WriteFile(settings, []byte(text), 0o600) }
			r.Parts = append(r.Parts, p)
		}
		made := filepath.Join(dir, text) // by the import itself
		for range 2 {
			r.Parts = append(r.Parts, &Part{Kind: "hook", Settings: made, Items: []*Item{New("a")}, Write: func() error { return os.WriteFile(made, nil, 0o600) }})
		}
		if err := r.Apply(); err != nil {
			t.Fatal(err)
		}
		return r
	}
	for i, name := range []string{"settings.json.before-import", "settings.json.before-import-2"} {
		r := apply([]string{"two", "three"}[i])
		text, err := os.ReadFile(filepath.Join(dir, name))
		if want := []string{"one", "two"}[i]; err != nil || string(text) != want || !slices.Equal(r.Backups, []string{filepath.Join(dir, name)}) {
			t.Errorf("%s: %q, %v, %q", name, text, err, r.Backups)
		}
	}
	if got := (&Report{Backups: []string{"/b"}}).Outcome(func(s string) string { return s }).Plain(0); got != "The settings from before are in /b.\n" {
		t.Errorf("%q", got)
	}
}

// TestObjects checks which files are read: JSON with comments and TOML, and in a project no links that lead out of it.
func TestObjects(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	write(t, dir, "a.json", "{\"x\": 1 /* c */}")
	write(t, dir, "b.toml", "[t]\nx = [1, 2.5, true]\nd = 2020-01-02\n")
	for _, isProject := range []bool{false, true} {
		files, err := Place{dir, isProject}.Objects("a.json", "none.json", "none/x.toml", "b.toml")
		if err != nil || len(files) != 2 || files[0].Object["x"] != 1.0 || files[1].Name != "b.toml" {
			t.Errorf("%+v, %v", files, err)
		}
		table, _ := files[1].Object["t"].(map[string]any)
		if list, _ := table["x"].([]any); len(list) != 3 || list[1] != 2.5 || table["d"] != "2020-01-02" {
			t.Errorf("%v", table)
		}
	}
	for text, want := range map[string]string{"x = ": "line 1, column ", "x = nan": "a number that JSON", strings.Repeat("a.", 200) + "a=1": "too many tables", "x=1\nx=2": "line 2"} {
		write(t, dir, "c.toml", text)
		if _, err := (Place{dir, true}).Objects("c.toml"); exit.CodeOf(err) != exit.Config || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	if err := os.Symlink(write(t, outside, "s.json", "{}"), filepath.Join(dir, "link.json")); err != nil {
		t.Skip("NOT TESTED: no links", err)
	}
	if _, err := (Place{dir, true}).Objects("link.json"); err == nil || !strings.Contains(err.Error(), "leads out of the project") {
		t.Error(err)
	}
	if files, err := (Place{dir, false}).Objects("link.json"); err != nil || len(files) != 1 {
		t.Error(files, err)
	}
}

// TestFind checks the files that it finds, and its bounds.
func TestFind(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	for _, name := range []string{"c/b.md", "c/a/x.md", "c/a/y.txt", "c/z.toml", "c/1/2/3/4/5/6/7/deep.md"} {
		write(t, dir, name, "")
	}
	write(t, outside, "out.md", "")
	if err := errors.Join(os.Symlink(outside, filepath.Join(dir, "c", "linked")), os.Symlink(outside, filepath.Join(dir, "all")), os.Symlink(".", filepath.Join(dir, "c", "self"))); err != nil {
		t.Skip("NOT TESTED: no links", err)
	}
	for _, isProject := range []bool{false, true} {
		p := Place{dir, isProject}
		if names, isWhole := p.Find("c", ".md", ".toml"); !slices.Equal(names, []string{"1/2/3/4/5/6/7/deep.md", "a/x.md", "b.md", "z.toml"}) || !isWhole {
			t.Errorf("%q, %v", names, isWhole)
		}
		if names, isWhole := p.Find("none", ".md"); names != nil || !isWhole {
			t.Errorf("%q, %v", names, isWhole)
		}
		if names, _ := p.Find("all", ".md"); (len(names) == 0) != isProject {
			t.Errorf("a project %v has %q behind a link", isProject, names)
		}
		if names, _ := p.Find("c/b.md", ".md"); names != nil {
			t.Errorf("a file has %q", names)
		}
	}
	write(t, dir, "c/1/2/3/4/5/6/7/8/deeper.md", "")
	if names, isWhole := (Place{dir, true}).Find("c", ".md"); len(names) != 3 || isWhole {
		t.Errorf("%q, %v", names, isWhole)
	}
}

// TestWrite checks that no link of a project leads a new file out of it.
func TestWrite(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	if err := Write(filepath.Join(dir, "a", "b", "c.md"), []byte("x"), true, dir); err != nil {
		t.Error(err)
	}
	if err := errors.Join(os.Symlink(outside, filepath.Join(dir, "out")), os.Symlink(filepath.Join(outside, "new"), filepath.Join(dir, "dangling"))); err != nil {
		t.Skip("NOT TESTED: no links", err)
	}
	for _, name := range []string{"out/c.md", "out/d/c.md", "dangling/c.md", "dangling/d/c.md"} {
		if err := Write(filepath.Join(dir, filepath.FromSlash(name)), []byte("x"), true, dir); err == nil || name[:3] == "out" && !errors.Is(err, durable.ErrOutside) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if entries, _ := os.ReadDir(outside); len(entries) > 0 {
		t.Errorf("outside there are %v", entries)
	}
	if err := Write(filepath.Join(dir, "out", "c.md"), []byte("x"), false, ""); err != nil {
		t.Error(err)
	}
}

// FuzzParseTOML checks that no file makes it panic, and that it returns values of JSON.
func FuzzParseTOML(f *testing.F) {
	for _, s := range []string{"a = 1", "[a.b]\nc = [{d = 'x'}]", "[[a]]\n[[a]]", "a = 1979-05-27T07:32:00Z\nb = inf", "a.b = 1\na.c = '''\nx'''"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if object, err := ParseTOML(data); err == nil && object == nil {
			t.Error("no object and no error")
		}
	})
}
