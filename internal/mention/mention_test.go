package mention

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pollux/internal/exit"
	"pollux/internal/workspace"
	"pollux/llm"
)

func newWorkspace(t testing.TB, files map[string]string) *workspace.Workspace {
	t.Helper()
	root, now := t.TempDir(), time.Now()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now); err != nil { // none is newer than the others
			t.Fatal(err)
		}
	}
	w, warnings := workspace.New(workspace.Options{Root: root, GitIgnore: true, GeminiIgnore: true})
	if len(warnings) > 0 {
		t.Fatal(warnings)
	}
	return w
}

// texts returns the parts as texts, media as their types.
func texts(parts []llm.Part) []string {
	var out []string
	for _, p := range parts {
		if p.InlineData != nil {
			out = append(out, p.InlineData.MIMEType)
			continue
		}
		out = append(out, p.Text)
	}
	return out
}

func TestExpand(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"a.txt": "ay\n", "dir/b.go": "package b\n", "dir/c.go": "\n\npackage c", "with space.txt": "space", "logo.png": "\x89PNG",
		"src/deep/handler.go": "package deep", "example.com": "not this", "报告（终版）.md": "r", "报告/x.md": "x", "a.txt and b": "longest", "notes.": "dot", "we[ird]/x.md": "x", "re\u0301s.md": "r", "at 3\u202fPM.md": "p",
	}
	const begin, end = "\n--- Content from referenced files ---", "\n--- End of content ---"
	content := func(pairs ...string) []string {
		out := []string{begin}
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, "\nContent from @"+pairs[i]+":\n", pairs[i+1])
		}
		return append(out, end)
	}
	for name, c := range map[string]struct {
		prompt string
		query  string // "" for the prompt
		rest   []string
	}{
		"none":             {prompt: "hello"},
		"file":             {prompt: "explain @a.txt please", rest: content("a.txt", "ay")},
		"at the end":       {prompt: "what is in @a.txt.", rest: content("a.txt", "ay")},
		"question":         {prompt: "is it @a.txt?", rest: content("a.txt", "ay")},
		"twice":            {prompt: "@a.txt and @a.txt", rest: content("a.txt", "ay")},
		"in parentheses":   {prompt: "see (@a.txt)", query: "see ( @a.txt)", rest: content("a.txt", "ay")},
		"on lines":         {prompt: "one\n@a.txt\ntwo", rest: content("a.txt", "ay")},
		"directory":        {prompt: "review @dir/ now", query: "review @dir/** now", rest: content("dir/b.go", "package b", "dir/c.go", "package c")},
		"bare directory":   {prompt: "review @dir", query: "review @dir/**", rest: content("dir/b.go", "package b", "dir/c.go", "package c")},
		"odd directory":    {prompt: `@"we[ird]"`, query: "@we[ird]/**", rest: content("we[ird]/x.md", "x")},
		"glob":             {prompt: "look at @dir/*.go", query: "look at @dir/b.go", rest: content("dir/b.go", "package b")},
		"piece of a path":  {prompt: "fix @handler", query: "fix @src/deep/handler.go", rest: content("src/deep/handler.go", "package deep")},
		"other case":       {prompt: "fix @HANDLER.go", query: "fix @src/deep/handler.go", rest: content("src/deep/handler.go", "package deep")},
		"glob, other case": {prompt: "see @DIR/*.GO", query: "see @dir/b.go", rest: content("dir/b.go", "package b")},
		"escaped space":    {prompt: `read @with\ space.txt, then`, query: "read @with space.txt, then", rest: content("with space.txt", "space")},
		"quoted":           {prompt: `read @"with space.txt" then`, query: "read @with space.txt then", rest: content("with space.txt", "space")},
		"composed":         {prompt: "read @r\u00e9s.md", rest: content("re\u0301s.md", "r")},
		"another space":    {prompt: `read @"at 3 PM.md"`, query: "read @at 3 PM.md", rest: content("at 3\u202fPM.md", "p")},
		"image":            {prompt: "what is @logo.png", rest: []string{begin, "image/png", end}},
		"dot slash":        {prompt: "@./a.txt", rest: content("a.txt", "ay")},
		"e-mail":           {prompt: "write to joe@example.com or a+b@a.txt"},
		"missing":          {prompt: "what is @no-such-thing.txt and @types/node?"},
		"lone at":          {prompt: "@ @@ a @ b @"},
		"escaped at":       {prompt: `\@a.txt`},
		"decorator":        {prompt: "add @Override (@Test) above"},
		"before Chinese":   {prompt: "看看@a.txt的代码", query: "看看 @a.txt的代码", rest: content("a.txt", "ay")},
		"wide punctuation": {prompt: "请看（@a.txt）。@dir/b.go，谢谢", query: "请看（ @a.txt）。 @dir/b.go，谢谢", rest: content("a.txt", "ay", "dir/b.go", "package b")},
		"Korean":           {prompt: "@a.txt를 보세요", rest: content("a.txt", "ay")},
		"after kana":       {prompt: "メーカー@a.txt", query: "メーカー @a.txt", rest: content("a.txt", "ay")},
		"in Chinese":       {prompt: "看@报告（终版）.md和@报告。", query: "看 @报告（终版）.md和 @报告/**。", rest: content("报告/x.md", "x", "报告（终版）.md", "r")},
		"spaces":           {prompt: "read @with space.txt, then", rest: content("with space.txt", "space")},
		"longest":          {prompt: "read @a.txt and b, then", query: "read @a.txt and b, then", rest: content("a.txt and b", "longest")},
		"longest missing":  {prompt: "read @a.txt and c", rest: content("a.txt", "ay")},
		"period":           {prompt: "read @notes. and @notes..", rest: content("notes.", "dot")},
		"ends in periods":  {prompt: "so @a.txt... or @a.txt:1", rest: content("a.txt", "ay")},
		"user at host":     {prompt: "ssh root@a.txt and git@dir:x"},
		"full address":     {prompt: "张三joe@a.txt，"},
		"mention behind":   {prompt: "@nope @a.txt", rest: content("a.txt", "ay")},
		"missing and file": {prompt: "@someone see @a.txt", rest: content("a.txt", "ay")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, files)
			e, err := Expand(t.Context(), w, c.prompt, unlimited, Known{})
			if err != nil {
				t.Fatal(err)
			}
			query := c.query
			if query == "" {
				query = c.prompt
			}
			if got, want := texts(e.Parts), append([]string{query}, c.rest...); !slices.Equal(got, want) {
				t.Errorf("parts = %q, want %q", got, want)
			}
			if e.Shown != c.prompt || len(e.Skipped) > 0 {
				t.Errorf("shown %q, skipped %v", e.Shown, e.Skipped)
			}
		})
	}
}

// TestExpandGlobOrder checks that a glob brings the file that the tool glob lists first: the
// newest one, of old files the first by path, and no link.
func TestExpandGlobOrder(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{
		"a.txt": "", "b.txt": "", "c.txt": "", "deep/z.txt": "", "old/a.md": "", "old/b.md": "", "other/x.txt": "",
	})
	at := func(name string, age time.Duration) {
		when := time.Now().Add(-age)
		if err := os.Chtimes(filepath.Join(w.Root(), name), when, when); err != nil {
			t.Fatal(err)
		}
	}
	at("a.txt", 3*time.Hour)
	at("b.txt", time.Hour)
	at("c.txt", 48*time.Hour)
	at("deep/z.txt", time.Minute)
	at("old/a.md", 50*time.Hour)
	at("old/b.md", 49*time.Hour)
	at("other/x.txt", 2*time.Minute)
	if err := os.Symlink("a.txt", filepath.Join(w.Root(), "link.txt")); err != nil {
		t.Skipf("no links here: %v", err)
	}
	for prompt, want := range map[string]string{
		"@*.txt":    "b.txt", // in the directory itself
		"@**/*.txt": "deep/z.txt",
		"@*.TXT":    "b.txt",
		"@z*":       "deep/z.txt",
		"@x.*":      "other/x.txt",
		"@*.md":     "old/a.md",
		"@old/*.md": "old/a.md",
	} {
		e, err := Expand(t.Context(), w, prompt, unlimited, Known{})
		if err != nil || len(e.Files) != 1 || e.Files[0] != filepath.Join(w.Root(), want) {
			t.Errorf("%s brings %q, %v; want %s", prompt, e.Files, err, want)
		}
	}
}

func TestExpandSkips(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{".geminiignore": "secret.txt\nhidden/\n", "secret.txt": "s", "hidden/x": "x", ".env": "KEY=1", "dir/logo.png": "\x89"})
	out := filepath.Join(t.TempDir(), "out.txt")
	if err := os.WriteFile(out, []byte("o"), 0o644); err != nil {
		t.Fatal(err)
	}
	huge := filepath.Join(w.Root(), "huge.txt")
	if err := os.WriteFile(huge, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, 3<<30); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	const none = "No files matching the criteria were found or all were skipped."
	for mention, reason := range map[string]string{
		"secret.txt": "ignored", "hidden/": "ignored", ".env": "Path not allowed: ", out: "Path not in workspace: ",
		"huge.txt": "File size exceeds the 20MB limit", "dir": "asset file (image/pdf/audio) was not explicitly requested",
	} {
		e, err := Expand(t.Context(), w, "read @"+mention, unlimited, Known{})
		if err != nil {
			t.Fatal(err)
		}
		// The model gets a note about files of the workspace that cannot be read.
		want := []string{e.Parts[0].Text}
		if mention == "huge.txt" || mention == "dir" {
			want = append(want, "\n--- Content from referenced files ---", none)
		}
		if !slices.Equal(texts(e.Parts), want) || len(e.Files) != 0 || len(e.Skipped) != 1 || !strings.Contains(e.Skipped[0].Reason, reason) {
			t.Errorf("%s: %+v", mention, e)
		}
	}
}

// TestExpandInOddDirectory checks that no character in the path of the workspace or of a directory means anything in a pattern.
func TestExpandInOddDirectory(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"[a]", "{x}", "b*c", "q?", `back\slash`, "@(a)", "!(a)"} {
		root := filepath.Join(t.TempDir(), name)
		for _, path := range []string{"src/one.go", "[d]/two.go", "p!(q)/three.go", "d/no.go"} {
			path = filepath.Join(root, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		w, _ := workspace.New(workspace.Options{Root: root})
		for mention, want := range map[string]string{"src": "src/one.go", "src/": "src/one.go", "src/*.go": "src/one.go", "one.go": "src/one.go", `"[d]"`: "[d]/two.go", `\[d]/`: "[d]/two.go", `"[d]/two.go"`: "[d]/two.go", "p!(q)/": "p!(q)/three.go"} {
			e, err := Expand(t.Context(), w, "read @"+mention, unlimited, Known{})
			if err != nil || len(e.Files) != 1 || w.Rel(e.Files[0]) != want {
				t.Errorf("in %s: @%s: %q, %v", name, mention, e.Files, err)
			}
		}
	}
}

func TestExpandReadError(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	path := filepath.Join(root, "a.txt")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	w, _ := workspace.New(workspace.Options{Root: root, Disk: workspace.Disk{
		Open: func(path string) (fs.File, error) {
			return nil, &os.PathError{Op: "open", Path: path, Err: os.ErrPermission}
		},
	}})
	_, err := Expand(t.Context(), w, "read @a.txt", unlimited, Known{})
	if exit.CodeOf(err) != exit.Input || !strings.HasPrefix(err.Error(), "Exiting due to an error processing the @ command: Error reading file "+path) {
		t.Errorf("error = %v, code %d", err, exit.CodeOf(err))
	}
}

func TestExpandCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Expand(ctx, newWorkspace(t, map[string]string{"a": "a"}), "@a", unlimited, Known{}); err == nil {
		t.Error("no error")
	}
}

// A prompt may be a pipe full of signs.
func TestExpandIsBounded(t *testing.T) {
	t.Parallel()
	var prompt strings.Builder
	for i := range 20_000 {
		prompt.WriteString(" @x" + strings.Repeat("y", i%200) + strings.Repeat("z", i/200))
	}
	e, err := Expand(t.Context(), newWorkspace(t, map[string]string{"a": "a"}), prompt.String(), unlimited, Known{})
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Skipped) != 1 || !strings.Contains(e.Skipped[0].Reason, "only the first 1000") {
		t.Errorf("skipped %v", e.Skipped)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a @b.c d", `@"q r" s`, `@a\ b.`, "@..", "x@y", "@a@b", "@\xff", `@"`, `@\`, "(@a)."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		at := 0
		for _, m := range parse(prompt) {
			if m.start < at || m.end <= m.start || m.end > len(prompt) || prompt[m.start] != '@' {
				t.Fatalf("%q: %+v", prompt, m)
			}
			if m.path == "" || len(m.path) > m.end-m.start {
				t.Errorf("%q: %+v", prompt, m)
			}
			if utf8.ValidString(prompt) && !utf8.ValidString(m.path) {
				t.Errorf("%q: a path cut in two: %q", prompt, m.path)
			}
			at = m.end
		}
		// Prompts without mentions are left alone.
		r := resolver{known: map[string]target{}}
		if got := r.rewrite(prompt, parse(prompt)); got != prompt {
			t.Errorf("%q became %q", prompt, got)
		}
	})
}

func BenchmarkExpandNothing(b *testing.B) {
	w := newWorkspace(b, nil)
	prompt := strings.Repeat("a prompt without any mention ", 100)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Expand(context.Background(), w, prompt, unlimited, Known{}); err != nil {
			b.Fatal(err)
		}
	}
}

func unlimited() int { return 0 }

// TestAgentBeforeText checks that text may follow the name of a subagent without a space.
func TestAgentBeforeText(t *testing.T) {
	t.Parallel()
	isAgent := func(name string) bool { return name == "reviewer" }
	for prompt, want := range map[string]string{"让@reviewer看看": "reviewer", "@reviewer: go": "reviewer", "@reviewers": ""} {
		e, err := Expand(t.Context(), newWorkspace(t, nil), prompt, unlimited, Known{IsAgent: isAgent})
		if got := strings.Join(e.Agents, " "); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", prompt, got, err, want)
		}
	}
}
