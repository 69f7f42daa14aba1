package memory_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/memory"
	"pollux/internal/process/processtest"
	"pollux/internal/workspace"
)

// place is a home directory and a project, with its warnings.
type place struct {
	t    testing.TB
	dir  string // the home directory is home, the project p
	mu   sync.Mutex
	said []string
}

func newPlace(t testing.TB, files map[string]string) *place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, dir: dir}
	for name, text := range files {
		p.write(name, text)
	}
	return p
}

func (p *place) at(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

// write makes a file, or a directory of a name that ends in a slash.
func (p *place) write(name, text string) {
	p.t.Helper()
	dir := p.at(name)
	if !strings.HasSuffix(name, "/") {
		dir = filepath.Dir(dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.t.Fatal(err)
	}
	if strings.HasSuffix(name, "/") {
		return
	}
	if err := os.WriteFile(p.at(name), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) link(name, target string) {
	p.t.Helper()
	if err := os.Symlink(target, p.at(name)); err != nil {
		p.t.Skipf("no links here: %v", err)
	}
}

// options are those of a trusted project in p, and of further directories.
func (p *place) options(dirs ...string) memory.Options {
	for i := range dirs {
		dirs[i] = p.at(dirs[i])
	}
	if len(dirs) == 0 {
		dirs = []string{p.at("p")}
	}
	ws, _ := workspace.New(workspace.Options{Root: dirs[0], Include: dirs[1:], GitIgnore: true, GeminiIgnore: true})
	return memory.Options{
		Names: memory.NewNames(nil, false), Global: p.at("home/.gemini"), Private: p.at("home/.gemini/tmp/p/memory"),
		Workspace: ws, IsTrusted: func() bool { return true }, Markers: []string{".git"}, MaxDirs: 200,
		Warn: func(text string) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.said = append(p.said, strings.ReplaceAll(text, p.dir, ""))
		},
	}
}

func (p *place) names(m *memory.Memory) []string {
	var names []string
	for _, f := range m.Files() {
		names = append(names, string(f.Tier)+" "+strings.TrimPrefix(f.Path, p.dir+string(filepath.Separator)))
	}
	return names
}

func (p *place) wantFiles(m *memory.Memory, want ...string) {
	p.t.Helper()
	if diff := cmp.Diff(want, p.names(m)); diff != "" {
		p.t.Errorf("files (-want +got):\n%s", diff)
	}
}

func (p *place) wantSaid(want ...string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if diff := cmp.Diff(want, p.said); diff != "" {
		p.t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestTiers(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"home/.gemini/GEMINI.md":              "\ufeff\r\n  use tabs\r\nalways\r\n",
		"home/.gemini/tmp/p/memory/MEMORY.md": "my notes",
		"home/.gemini/tmp/p/memory/GEMINI.md": "older notes",
		"home/.gemini/extensions/e/GEMINI.md": "an extension",
		"p/.git/":                             "",
		"p/GEMINI.md":                         "the project",
		"p/a/GEMINI.md":                       "  \n",
		"p/a/b/GEMINI.md":                     "part b",
		"p/a/b/c/GEMINI.md":                   "below",
		"GEMINI.md":                           "above the project",
	})
	o := p.options("p/a/b")
	o.Extensions = []string{p.at("home/.gemini/extensions/e/GEMINI.md"), p.at("gone/GEMINI.md")}
	m := memory.New(o)
	context := func(name, text string) string {
		return fmt.Sprintf("--- Context from: %s ---\n%s\n--- End of Context from: %[1]s ---", p.at(name), text)
	}
	want := memory.Texts{
		Global:    context("home/.gemini/GEMINI.md", "use tabs\nalways"),
		Private:   context("home/.gemini/tmp/p/memory/MEMORY.md", "my notes"),
		Extension: context("home/.gemini/extensions/e/GEMINI.md", "an extension"),
		Project:   context("p/GEMINI.md", "the project") + "\n\n" + context("p/a/b/GEMINI.md", "part b"),
	}
	if diff := cmp.Diff(want, m.Texts()); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	p.wantSaid()
}

func TestNoMemory(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"p/": ""})
	m := memory.New(p.options())
	if got := m.Discover(p.at("p")); got != "" || m.Texts() != (memory.Texts{}) || m.Files() != nil {
		t.Errorf("%q, %v, %v", got, m.Texts(), m.Files())
	}
	p.wantSaid()
}

func TestUntrusted(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"home/.gemini/GEMINI.md": "mine", "p/GEMINI.md": "theirs", "p/sub/GEMINI.md": "theirs, too", "p/sub/x": "",
	})
	for _, eager := range []bool{false, true} {
		o := p.options()
		o.IsTrusted, o.Eager = nil, eager
		m := memory.New(o)
		p.wantFiles(m, "global home/.gemini/GEMINI.md")
		if got := m.Discover(p.at("p/sub/x")); got != "" {
			t.Errorf("discovered %q", got)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ setting, want []string }{
		{nil, []string{"AGENTS.override.md", "AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md"}},
		{[]string{"GEMINI.md"}, []string{"GEMINI.md"}},
		{[]string{"AGENTS.md", "CLAUDE.md"}, []string{"AGENTS.md", "CLAUDE.md", "GEMINI.md"}},
		{[]string{"GEMINI.md", " AGENTS.md ", "AGENTS.md", ""}, []string{"GEMINI.md", "AGENTS.md"}},
		{[]string{".github/instructions.md", "/etc/passwd", "../x", "..", ".", "a/../../b"}, []string{".github/instructions.md", "GEMINI.md"}},
	} {
		if got := memory.NewNames(c.setting, true).All(); !slices.Equal(got, c.want) {
			t.Errorf("NewNames(%q) = %q, want %q", c.setting, got, c.want)
		}
	}
}

func TestBoundary(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"p/GEMINI.md": "1", "p/a/GEMINI.md": "2", "p/a/b/GEMINI.md": "3", "p/a/b/c/GEMINI.md": "4",
		"p/.git": "gitdir: elsewhere", "p/a/.top/marker": "",
	}
	for name, c := range map[string]struct {
		markers []string
		want    []string
	}{
		"a file is a marker":           {[]string{".git"}, []string{"p", "p/a", "p/a/b", "p/a/b/c"}},
		"the nearest of several":       {[]string{".git", ".top"}, []string{"p/a", "p/a/b", "p/a/b/c"}},
		"deeper":                       {[]string{".top/marker"}, []string{"p/a", "p/a/b", "p/a/b/c"}},
		"not found":                    {[]string{".no-such-marker"}, []string{"p/a/b/c"}},
		"none":                         {nil, []string{"p/a/b/c"}},
		"absolute and upward, ignored": {[]string{"/", "..", "../.git", "", "."}, []string{"p/a/b/c"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, files)
			o := p.options("p/a/b/c")
			o.Markers = c.markers
			var want []string
			for _, dir := range c.want {
				want = append(want, "project "+dir+"/GEMINI.md")
			}
			p.wantFiles(memory.New(o), want...)
		})
	}
}

// Every name counts in every directory, and a file only once, whatever its names.
func TestOrderAndDuplicates(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"home/.gemini/AGENTS.md": "ga", "home/.gemini/GEMINI.md": "gg",
		"p/.git/": "", "p/AGENTS.md": "pa", "p/s/CLAUDE.md": "sc", "q/GEMINI.md": "q",
	})
	p.link("p/CLAUDE.md", "AGENTS.md")
	p.link("p/s/GEMINI.md", "../AGENTS.md")
	if err := os.Link(p.at("p/s/CLAUDE.md"), p.at("p/s/AGENTS.md")); err != nil {
		t.Skipf("NOT TESTED: no hard links here: %v", err)
	}
	o := p.options("p/s", "p", "q")
	o.Names = memory.NewNames([]string{"AGENTS.md", "CLAUDE.md"}, true)
	p.wantFiles(memory.New(o), "global home/.gemini/AGENTS.md", "global home/.gemini/GEMINI.md",
		"project p/AGENTS.md", "project p/s/AGENTS.md", "project q/GEMINI.md")
	p.wantSaid()
}

// In the home directory, ~/.gemini is below the working directory, and it stays global.
// TestReusedNumber checks that a new memory file counts as new even if it has the device and
// inode number of a deleted one, and that a moved file does not.
func TestReusedNumber(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"p/.git/": "", "p/a/GEMINI.md": "A.", "p/b/": "", "p/c/": "", "p/d/": "",
	})
	m := memory.New(p.options())
	if got := m.Discover(p.at("p/a/x")); !strings.Contains(got, "A.") {
		t.Fatalf("a has %q", got)
	}
	// A hard link whose first name is removed has the number of the deleted file.
	if err := os.Link(p.at("p/a/GEMINI.md"), p.at("p/b/GEMINI.md")); err != nil {
		t.Skipf("no hard links here: %v", err)
	}
	if got := m.Discover(p.at("p/b/x")); got != "" {
		t.Errorf("b, a link to a, has %q", got)
	}
	if err := os.Rename(p.at("p/b/GEMINI.md"), p.at("p/c/GEMINI.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(p.at("p/a/GEMINI.md")); err != nil {
		t.Fatal(err)
	}
	if got := m.Discover(p.at("p/c/x")); got != "" {
		t.Errorf("c, which a was moved to, has %q", got)
	}
	if err := os.Rename(p.at("p/c/GEMINI.md"), p.at("p/d/GEMINI.md")); err != nil {
		t.Fatal(err)
	}
	p.write("p/d/GEMINI.md", "D.") // of the same size
	at := time.Now().Add(time.Hour)
	if err := os.Chtimes(p.at("p/d/GEMINI.md"), at, at); err != nil {
		t.Fatal(err)
	}
	if got := m.Discover(p.at("p/d/x")); !strings.Contains(got, "D.") {
		t.Errorf("d, a new file with the number of a, has %q", got)
	}
}

func TestGlobalIsNoProject(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"home/.git/": "", "home/GEMINI.md": "h", "home/.gemini/GEMINI.md": "g", "home/.gemini/x": ""})
	m := memory.New(p.options("home/.gemini"))
	p.wantFiles(m, "global home/.gemini/GEMINI.md", "project home/GEMINI.md")
	if got := m.Discover(p.at("home/.gemini/x")); got != "" {
		t.Errorf("discovered %q", got)
	}
}

func TestEager(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"home/.gemini/GEMINI.md": "g", "p/GEMINI.md": "p", "p/b/GEMINI.md": "b", "p/a/z/GEMINI.md": "az", "p/a/x": "",
		"p/node_modules/m/GEMINI.md": "no", "p/.geminiignore": "hidden/\n", "p/hidden/GEMINI.md": "no",
	})
	o := p.options()
	o.Eager = true
	o.Names = memory.NewNames([]string{"AGENTS.md"}, true)
	m := memory.New(o)
	p.wantFiles(m, "global home/.gemini/GEMINI.md", "project p/GEMINI.md", "discovered p/b/GEMINI.md", "discovered p/a/z/GEMINI.md")
	texts := m.Texts()
	if texts != (memory.Texts{All: texts.All}) || strings.Count(texts.All, "--- Context from: ") != 4 {
		t.Errorf("texts = %q", texts)
	}
	if got := m.Discover(p.at("p/a/z")); got != "" {
		t.Errorf("discovered %q", got)
	}
	if got := m.Discover(p.at("p/hidden")); !strings.Contains(got, "\nno\n") {
		t.Errorf("not discovered: %q", got)
	}
	p.wantSaid()
}

// A search ends with a warning; without a search such a tree costs nothing. There are 900 directories, or 10,000 if
// POLLUX_LONG is 1.
func TestManyDirectories(t *testing.T) {
	t.Parallel()
	each := 30
	if processtest.IsLong() {
		each = 100
	}
	p := newPlace(t, map[string]string{"p/.git/": "", "p/GEMINI.md": "top"})
	for i := range each {
		for j := range each {
			if err := os.MkdirAll(p.at(fmt.Sprintf("p/d%02d/e%02d", i, j)), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		p.write(fmt.Sprintf("p/d%02d/GEMINI.md", i), "here")
	}
	o := p.options()
	p.wantFiles(memory.New(o), "project p/GEMINI.md")
	p.wantSaid()
	o.Eager = true
	m := memory.New(o)
	if n := len(m.Files()); n != each+1 {
		t.Errorf("%d files, want those of the top and of the first level", n)
	}
	p.wantSaid("Warning: Searched only 200 directories for context files. To search more, increase context.discoveryMaxDirs.")
	o.MaxDirs = 3
	p.wantFiles(memory.New(o), "project p/GEMINI.md", "discovered p/d00/GEMINI.md", "discovered p/d01/GEMINI.md")
	o.MaxDirs = 0
	p.wantFiles(memory.New(o), "project p/GEMINI.md")
}

// As many directories as are searched are not too many.
func TestEagerExactly(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"p/a/GEMINI.md": "a", "p/b/GEMINI.md": "b"})
	o := p.options()
	o.Eager, o.MaxDirs = true, 3
	p.wantFiles(memory.New(o), "discovered p/a/GEMINI.md", "discovered p/b/GEMINI.md")
	p.wantSaid()
	o.MaxDirs = 2
	p.wantFiles(memory.New(o), "discovered p/a/GEMINI.md")
	p.wantSaid("Warning: Searched only 2 directories for context files. To search more, increase context.discoveryMaxDirs.")
}

// The search ends when the model cannot get more.
func TestEagerUntilFull(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	for i := range 1200 {
		p.write(fmt.Sprintf("p/d%04d/GEMINI.md", i), "here")
	}
	o := p.options()
	o.Eager, o.MaxDirs = true, 1100
	if n := len(memory.New(o).Files()); n != 1000 {
		t.Errorf("%d files", n)
	}
	p.wantSaid("Warning: Too many context files; /p/d1000/GEMINI.md and the following ones are not loaded. Run pollux memory show to see what is loaded.")
}

func TestReload(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"home/.gemini/GEMINI.md": "global", "p/.git/": "", "p/GEMINI.md": "one", "p/s/GEMINI.md": "sub"})
	m := memory.New(p.options())
	before := m.Texts()
	found := m.Discover(p.at("p/s"))
	m.Reload()
	if now := m.Texts(); now != before || unsafe.StringData(now.Global) != unsafe.StringData(before.Global) {
		t.Errorf("other strings: %q", now)
	}
	p.write("p/GEMINI.md", "two")
	if m.Texts() != before {
		t.Error("a change counts before a reload")
	}
	m.Reload()
	before.Project = strings.ReplaceAll(before.Project, "one", "two")
	if now := m.Texts(); now != before {
		t.Errorf("texts = %q", now)
	}
	if again := m.Discover(p.at("p/s")); again != found || found == "" {
		t.Errorf("found %q, then %q", found, again)
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	files := []memory.File{{Path: "/p/GEMINI.md", Text: "one 😀"}, {Path: "/p/AGENTS.md", Text: "two", Size: 3, Why: "by default", Same: []string{"/p/CLAUDE.md"}, Imports: []string{"x"}, Cut: true}}
	for want, got := range map[string]string{
		"Memory is currently empty.":                            memory.Show(nil),
		"No GEMINI.md files in use.":                            memory.List(nil),
		"Memory reloaded successfully. No memory content found": memory.FormatReloaded(nil),
		"There are 2 GEMINI.md file(s) in use:\n\n/p/GEMINI.md\n/p/AGENTS.md (3 bytes, by default, 1 imported, also CLAUDE.md, cut)": memory.List(files),
		"Memory reloaded successfully. Loaded 165 characters from 2 file(s)":                                                         memory.FormatReloaded(files),
		"Current memory content from 2 file(s):\n\n---\n--- Context from: /p/GEMINI.md ---\none 😀\n--- End of Context from: /p/GEMINI.md ---\n\n" +
			"--- Context from: /p/AGENTS.md ---\ntwo\n--- End of Context from: /p/AGENTS.md ---\n---": memory.Show(files),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if n := files[0].Tokens(); n < 15 || n > 30 {
		t.Errorf("tokens = %d", n)
	}
}

// Most starts find little or nothing.
func BenchmarkStart(b *testing.B) {
	for _, files := range []int{0, 10} {
		b.Run(fmt.Sprintf("%d_files_10_directories_deep", files), func(b *testing.B) {
			tree := map[string]string{"p/.git/": "", "p/1/2/3/4/5/6/7/8/9/": ""}
			dir := "p/"
			for i := range files {
				tree[dir+"GEMINI.md"] = strings.Repeat("A rule of the project, as long as they are.\n", 20)
				dir += fmt.Sprint(i+1) + "/"
			}
			p := newPlace(b, tree)
			o := p.options("p/1/2/3/4/5/6/7/8/9")
			b.ReportAllocs()
			for b.Loop() {
				m := memory.New(o)
				if texts := m.Texts(); (texts.Project != "") != (files > 0) {
					b.Fatal(texts)
				}
			}
		})
	}
}

// BenchmarkDiscover measures the cost per tool call when there is nothing new, as nearly always.
func BenchmarkDiscover(b *testing.B) {
	p := newPlace(b, map[string]string{"p/.git/": "", "p/GEMINI.md": "p", "p/1/2/3/4/5/6/7/8/9/f": ""})
	m := memory.New(p.options())
	b.ReportAllocs()
	for b.Loop() {
		if got := m.Discover(p.at("p/1/2/3/4/5/6/7/8/9/f")); got != "" {
			b.Fatal(got)
		}
	}
}
