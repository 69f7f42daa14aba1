package files

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pollux/internal/face/tui/completion"
	"pollux/internal/face/tui/completion/fuzzy"
	"pollux/internal/workspace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// project makes a workspace of files and directories.
func project(t testing.TB, o workspace.Options, names ...string) *workspace.Workspace {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o.Root = filepath.Join(root, "root")
	for i := range o.Include {
		o.Include[i] = filepath.Join(root, o.Include[i])
	}
	write(t, o.Root, names...)
	w, _ := workspace.New(o)
	return w
}

// write makes files, or directories for names that end in a slash, with ":" before their content.
func write(t testing.TB, root string, names ...string) {
	t.Helper()
	for _, name := range append(names, "./") {
		name, content, _ := strings.Cut(name, ":")
		path := filepath.Join(root, filepath.FromSlash(name))
		dir := filepath.Dir(path)
		if strings.HasSuffix(name, "/") {
			dir = path
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if dir == path {
			continue
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// source returns a source that is closed at the end of the test. Its clock stands still, unless the options have
// another one.
func source(t testing.TB, o Options) *Source {
	t.Helper()
	if o.Now == nil {
		o.Now = func() time.Time { return time.Unix(0, 0) }
	}
	s := New(o)
	t.Cleanup(s.Close)
	return s
}

func complete(s *Source, text string) completion.Result {
	r, _ := s.Complete(context.Background(), completion.Request{Text: text, Cursor: len(text)})
	return r
}

// inserts returns the texts that are suggested behind a text, without the @.
func inserts(s *Source, text string) string {
	var list []string
	for _, s := range complete(s, text).Suggestions {
		list = append(list, strings.TrimPrefix(strings.TrimSuffix(s.Insert, " "), "@"))
	}
	return strings.Join(list, " ")
}

func TestComplete(t *testing.T) {
	t.Parallel()
	w := project(t, workspace.Options{GitIgnore: true, GeminiIgnore: true}, "main.go", "README.md", ".env", ".hidden", "cmd/app/main.go", "cmd/app/flags.go",
		"docs/guide.md", "out/x.o", "log.txt", ".gitignore:out/\n", ".geminiignore:log.txt\n", ".git/config", "node_modules/left/main.go",
		"has space.go", "empty/")
	s := source(t, Options{Workspace: w})
	for _, c := range []struct{ text, want string }{
		{"@main", "main.go cmd/app/main.go"},
		{"@./main", "main.go cmd/app/main.go"},
		{"@cam", "cmd/app/main.go"},
		{"@cmd/", "cmd/app/ cmd/app/main.go cmd/app/flags.go"},
		{"@hsp", `has\ space.go`},
		{"@*.md", "README.md docs/guide.md"},
		{"@env", ""},
		{"@log", ""},
		{"@config", ""},
		{"@left", ""},
		{"@node_modules/", ""},
		{"@../", ""},
		{"@/etc/", ""},
		{"@nothing/here", ""},
		{"@", `cmd/ docs/ empty/ has\ space.go main.go README.md .geminiignore .gitignore .hidden cmd/app/ docs/guide.md cmd/app/flags.go cmd/app/main.go`},
	} {
		if got := inserts(s, c.text); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.text, got, c.want)
		}
	}
	if got := inserts(s, "@d*s"); !strings.HasPrefix(got, "docs/ ") {
		t.Errorf("directories come first: %s", got)
	}
	r := complete(s, "see @main")
	if r.Range.Start != 4 || r.Range.End != 9 || r.Suggestions[0].Insert != "@main.go " || r.Note != "" {
		t.Errorf("%+v", r)
	}
	if got := r.Suggestions[0].MatchAt; !slices.Equal(got, []int{0, 1, 2, 3}) {
		t.Errorf("%d", got)
	}
	r, _ = s.Complete(context.Background(), completion.Request{Text: "(@main)", Cursor: 6})
	if r.Suggestions[0].Insert != "@main.go" {
		t.Errorf("before a bracket: %+v", r)
	}
	if r := complete(s, "@cm"); r.Suggestions[0].Insert != "@cmd/" {
		t.Errorf("a directory: %+v", r)
	}
	for _, text := range []string{"main", "@main ", "me@main"} {
		if _, ok := s.Complete(context.Background(), completion.Request{Text: text, Cursor: len(text)}); ok {
			t.Errorf("%q is completed", text)
		}
	}
	if _, ok := s.Complete(context.Background(), completion.Request{Text: "@main", Cursor: 5, IsShell: true}); ok {
		t.Error("a shell command is completed")
	}
}

func TestOtherSettings(t *testing.T) {
	t.Parallel()
	w := project(t, workspace.Options{Include: []string{"extra"}}, "main.go", "src/main.go", "src/deep/main.go", ".git/config", "v1.0说明/x", "../extra/lib/more.go")
	extra := filepath.ToSlash(w.Dirs()[1])
	s := source(t, Options{Workspace: w, IsLiteral: true})
	if got := inserts(s, "@mgo"); got != "" {
		t.Errorf("literal: %s", got)
	}
	if got := inserts(s, "@MAIN"); got != "main.go src/main.go src/deep/main.go" {
		t.Errorf("literal: %s", got)
	}
	if got, want := inserts(s, "@more"), extra+"/lib/more.go"; got != want {
		t.Errorf("another directory: %s", got)
	}
	if got, want := inserts(s, "@"+extra+"/li"), extra+"/lib/ "+extra+"/lib/more.go"; got != want {
		t.Errorf("by its path: %s", got)
	}
	if got := inserts(s, "@config"); got != "" {
		t.Errorf("git's own files: %s", got)
	}
	if r := complete(s, "@说明"); len(r.Suggestions) != 2 || r.Suggestions[0].Insert != `@"v1.0说明/"` || r.Suggestions[1].Insert != `@"v1.0说明/x" ` {
		t.Errorf("a directory in quotes: %+v", r)
	}
	s = source(t, Options{Workspace: w, IsFlat: true})
	for text, want := range map[string]string{"@main": "main.go", "@src/": "src/deep/ src/main.go", "@src/deep/m": "src/deep/main.go"} {
		if got := inserts(s, text); got != want {
			t.Errorf("flat, %s: %s", text, got)
		}
	}
}

func TestOthers(t *testing.T) {
	t.Parallel()
	w := project(t, workspace.Options{}, "reviewed.go", "b.go", "sub/c.go")
	agents := []Agent{{"reviewer", "Reviews changes"}, {"tester", ""}, {"bad\x1bname", ""}}
	resources := []Resource{{"docs:file:///review?x=1", "Guide", ""}, {"docs:x", "Revision", "The revision"}}
	s := source(t, Options{
		Workspace: w,
		Agents:    func() []Agent { return agents },
		Resources: func() []Resource { return resources },
		Recent: func() []string {
			return []string{filepath.Join(w.Root(), "sub", "c.go"), filepath.Join(w.Root(), "gone.go"), filepath.Join(w.Root(), "sub", "c.go"), "/etc/hosts"}
		},
	})
	r := complete(s, "@rev")
	var got []string
	for _, s := range r.Suggestions {
		got = append(got, s.Label+"|"+s.Detail+"|"+s.Suffix+"|"+s.Insert)
	}
	want := []string{
		"reviewer|Reviews changes|Agent|@reviewer ", "reviewed.go|||@reviewed.go ",
		"docs:x|The revision|MCP|@docs:x ", `docs:file:///review?x=1|Guide|MCP|@docs:file:///review\?x\=1 `,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := inserts(s, "@"); got != `reviewer tester sub/c.go sub/ b.go reviewed.go docs:file:///review\?x\=1 docs:x` {
		t.Errorf("recent files: %s", got)
	}
	agents = slices.Repeat(agents, 100)
	if n := len(complete(s, "@tester").Suggestions); n != maxOthers {
		t.Errorf("%d agents", n)
	}
}

// TestCache checks when the workspace is walked again.
func TestCache(t *testing.T) {
	t.Parallel()
	w := project(t, workspace.Options{}, "a.go")
	now := time.Unix(0, 0)
	s := source(t, Options{Workspace: w, Now: func() time.Time { return now }})
	s.Warm()
	if got := inserts(s, "@go"); got != "a.go" {
		t.Errorf("%s", got)
	}
	write(t, w.Root(), "b.go")
	if got := inserts(s, "@go"); got != "a.go" {
		t.Errorf("the cache is not used: %s", got)
	}
	now = now.Add(cacheAge - 1)
	if got := inserts(s, "@go"); got != "a.go" {
		t.Errorf("the cache is not used: %s", got)
	}
	now = now.Add(1)
	inserts(s, "@go")
	s.settle()
	if got := inserts(s, "@go"); got != "a.go b.go" {
		t.Errorf("the old cache is used: %s", got)
	}
	write(t, w.Root(), "c.go")
	s.Forget()
	inserts(s, "@go")
	s.settle()
	if got := inserts(s, "@go"); got != "a.go b.go c.go" {
		t.Errorf("the forgotten cache is used: %s", got)
	}
}

// settle waits for the walk that is running.
func (s *Source) settle() {
	s.cache.mu.Lock()
	running := s.cache.running
	s.cache.mu.Unlock()
	if running != nil {
		<-running
	}
}

// TestCanceled checks that a request that is dropped returns, and that the walk goes on for the next one.
func TestCanceled(t *testing.T) {
	t.Parallel()
	s := source(t, Options{Workspace: project(t, workspace.Options{}, "a.go")})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.Complete(ctx, completion.Request{Text: "@a", Cursor: 2})
	s.settle()
	if s.cache.index == nil || len(s.cache.index.texts) != 1 {
		t.Error("the walk has ended")
	}
	s.Close()
	s.Forget()
	if got := inserts(s, "@a"); got != "a.go" {
		t.Errorf("after Close: %s", got)
	}
	late := New(Options{Workspace: s.o.Workspace, Now: time.Now})
	late.Close()
	if got := inserts(late, "@a"); got != "" {
		t.Errorf("closed before the first request: %s", got)
	}
}

// TestLimits checks a workspace with more files than are searched.
func TestLimits(t *testing.T) {
	t.Parallel()
	names := []string{"top.go", "zzz/"}
	for i := range 300 {
		names = append(names, fmt.Sprintf("d%d/sub/file%d.go", i%10, i))
	}
	w := project(t, workspace.Options{}, names...)
	s := source(t, Options{Workspace: w, MaxFiles: 50})
	r := complete(s, "@top")
	if len(r.Suggestions) == 0 || r.Suggestions[0].Label != "top.go" || r.Note != "Only 50 files are searched. To see those of a directory, type its path." {
		t.Errorf("%+v", r)
	}
	for i := range 10 {
		text := fmt.Sprintf("@d%d/sub/file%d", i, 290+i)
		if got := inserts(s, text); !strings.HasPrefix(got, text[1:]+".go") || strings.Count(got+" ", text[1:]+".go ") != 1 {
			t.Errorf("%s: %s", text, got)
		}
	}
	if n := len(s.cache.index.texts); n != 50 {
		t.Errorf("%d paths", n)
	}
	if got := complete(source(t, Options{Workspace: w, MaxFiles: 5}), "@"); len(got.Suggestions) != 5 {
		t.Errorf("%+v", got)
	}
	whole := source(t, Options{Workspace: w, MaxFiles: len(names) + 20})
	if r := complete(whole, "@file"); r.Note != "" || len(r.Suggestions) != maxFiles {
		t.Errorf("%d suggestions, %q", len(r.Suggestions), r.Note)
	}
}

// TestLongNames checks that the memory for paths is bounded.
func TestLongNames(t *testing.T) {
	t.Parallel()
	c := &collector{maxFiles: 1 << 30, cancel: func() {}, seen: map[string]bool{}}
	c.add(strings.Repeat("x", maxPath+1))
	c.add("bad\x1b[2J")
	if len(c.seen) > 0 {
		t.Error("a path is too long")
	}
	for i := range 2 * maxIndex / maxPath {
		c.add(fmt.Sprintf("%0*d", maxPath, i))
	}
	if !c.isCut || c.size > maxIndex || len(c.seen) != maxIndex/maxPath {
		t.Errorf("%d bytes", c.size)
	}
}

// TestHostileNames checks names that would act on the terminal or look like others.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	w := project(t, workspace.Options{})
	for _, name := range []string{"ok", "a\x1b[2Jb", "a\nb", "a\xffb", "a\u202eb", "a\tb", "a\u2028b"} {
		if err := os.WriteFile(filepath.Join(w.Root(), name), nil, 0o600); err != nil {
			t.Skip("the disk has no such names: ", err)
		}
	}
	var labels []string
	for _, s := range complete(source(t, Options{Workspace: w}), "@").Suggestions {
		labels = append(labels, s.Label)
	}
	if !slices.Equal(labels, []string{`a\u202eb`, "ok"}) {
		t.Errorf("%q", labels)
	}
}

// indexOf returns an index of a large project.
func indexOf(n int) *index {
	seen := map[string]bool{}
	for i := range n {
		seen[fmt.Sprintf("internal/package%d/component%d/SomeHandler_%d_test.go", i%37, i%531, i)] = true
	}
	return newIndex(seen, false)
}

// TestBest checks that the best of many matches are found, wherever they are.
func TestBest(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{"m/handler": true}
	for i := range 500 {
		seen[fmt.Sprintf("%c/xhandler%d", 'a'+i%26, i)] = true
	}
	list := search(context.Background(), "handler", true, newIndex(seen, false))
	if len(list) != maxFiles || list[0].Label != "m/handler" {
		t.Errorf("%+v", list)
	}
}

func BenchmarkSearch(b *testing.B) {
	x := indexOf(20_000)
	for _, query := range []string{"e", "handler", "pkg12/some99test.go", "zzz", "*99*.go"} {
		b.Run(query, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				search(context.Background(), query, true, x)
			}
		})
	}
}

// TestAllocations checks that a search allocates nothing for each path.
func TestAllocations(t *testing.T) {
	x := indexOf(2000)
	q := fuzzy.New("handler99")
	g, _ := fuzzy.NewGlob("*99*.go")
	if n := testing.AllocsPerRun(5, func() {
		each(context.Background(), []*index{x}, "", func(t *fuzzy.Text) {
			q.Match(t)
			g.Match(t)
		})
	}); n > 5 {
		t.Errorf("%v allocations", n)
	}
}
