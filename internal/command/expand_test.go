package command

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/workspace"
	"pollux/llm"
)

// expand expands a template with a shell that prints each command in brackets. It returns the texts of the
// parts, media as their types, and the notes.
func expand(t *testing.T, files map[string]string, template, line string) (texts, notes []string, err error) {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		write(t, root, name, text)
	}
	w, warnings := workspace.New(workspace.Options{Root: root, GitIgnore: true, GeminiIgnore: true})
	if len(warnings) > 0 {
		t.Fatal(warnings)
	}
	c := Command{Prompt: template}
	_, args, _ := strings.Cut(line, " ")
	parts, err := c.Expand(t.Context(), Call{Line: line, Name: "c", Args: args}, Session{
		Workspace: w,
		Room:      func() int { return 0 },
		Run: func(_ context.Context, commands []string) ([]string, error) {
			var out []string
			for _, command := range commands {
				if command == "fail" {
					return nil, errors.New("refused")
				}
				out = append(out, "["+command+"]")
			}
			return out, nil
		},
		Note: func(text string) { notes = append(notes, text) },
	})
	for _, p := range parts {
		if p.InlineData != nil {
			texts = append(texts, p.InlineData.MIMEType)
			continue
		}
		texts = append(texts, p.Text)
	}
	return texts, notes, err
}

func TestExpand(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"a.txt": "ay", "dir/b.txt": "bee", "dir/sub/c.txt": "sea", "dir/.env": "KEY=1", "logo.png": "\x89PNG", "dir/x.bin": "x",
		"evil.txt": "!{rm -rf /} {{args}} @{a.txt}", "{odd}.txt": "odd",
	}
	const begin, end = "--- Start of content for directory: dir ---\n", "--- End of content for directory: dir ---"
	for name, c := range map[string]struct {
		template, line string
		want           []string
	}{
		"text":               {"do it", "/c", []string{"do it"}},
		"raw line":           {"do it", "/c  one   two ", []string{"do it\n\n/c  one   two"}},
		"args":               {"<{{args}}>{{args}}", "/c  one   two", []string{"<one two>one two"}},
		"no args":            {"<{{args}}>", "/c", []string{"<>"}},
		"args with braces":   {"<{{args}}>", "/c !{x} @{a.txt} {{args}}", []string{"<!{x} @{a.txt} {{args}}>"}},
		"shell":              {"a !{ ls -l } b", "/c", []string{"a [ls -l] b"}},
		"shell, twice":       {"!{date}!{date}", "/c", []string{"[date][date]"}},
		"shell, args":        {"!{git log -n {{args}}} of {{args}}", "/c 5", []string{"[git log -n 5] of 5"}},
		"shell, quoted":      {"!{grep {{args}} x}", "/c it's $(rm)", []string{`[grep 'it'\''s $(rm)' x]`}},
		"shell, in quotes":   {`!{grep "{{args}}" x}`, "/c $(rm) a", []string{`[grep "\$(rm) a" x]`}},
		"shell, empty":       {"a!{ }b!{{{args}}}c", "/c", []string{"abc"}},
		"shell, braces":      {"!{awk '{print $1}'}", "/c", []string{"[awk '{print $1}']"}},
		"shell, upstream":    {"!{git log @{u}..}", "/c", []string{"[git log @{u}..]"}},
		"shell, raw line":    {"!{ls}", "/c x", []string{"[ls]\n\n/c x"}},
		"file":               {"see @{ a.txt }, ok", "/c", []string{"see ", "ay", ", ok"}},
		"file, raw line":     {"@{a.txt}", "/c x", []string{"ay\n\n/c x"}},
		"file twice":         {"@{a.txt}@{a.txt}", "/c", []string{"ay", "ay"}},
		"file, braces":       {"@{{odd}.txt}", "/c", []string{"odd"}},
		"media":              {"see @{logo.png}", "/c", []string{"see ", "image/png"}},
		"media, raw line":    {"see @{logo.png}", "/c x", []string{"see ", "image/png", "\n\n/c x"}},
		"directory":          {"@{dir}", "/c", []string{begin, "--- b.txt ---\n", "bee", "\n", "--- sub/c.txt ---\n", "sea", "\n", end}},
		"hostile file":       {"@{evil.txt} !{ls} {{args}}", "/c x", []string{files["evil.txt"], " [ls] x"}},
		"hostile args, file": {"@{a.txt}{{args}}", "/c @{evil.txt}", []string{"ay", "@{evil.txt}"}},
		"single braces":      {"{ } {{x}} ! @ !x{} @ {", "/c", []string{"{ } {{x}} ! @ !x{} @ {"}},
		"empty":              {"", "/c", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, notes, err := expand(t, files, c.template, c.line)
			if err != nil || len(notes) > 0 {
				t.Fatal(err, notes)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q\nwant %q", got, c.want)
			}
		})
	}
}

func TestExpandFails(t *testing.T) {
	t.Parallel()
	for template, want := range map[string]string{
		"é !{ls":        "Invalid syntax in command 'c': Unclosed injection starting at index 2 ('!{')",
		"@{a {b}":       "Invalid syntax in command 'c': Unclosed injection starting at index 0 ('@{')",
		"!{ls @{x}":     "Unclosed injection starting at index 0 ('!{')",
		"!{ls} !{fail}": "refused",
	} {
		if got, _, err := expand(t, nil, template, "/c"); err == nil || !strings.Contains(err.Error(), want) || got != nil {
			t.Errorf("%s: %v, want %s", template, err, want)
		}
	}
}

// TestExpandKeeps checks the message and the note for an omitted file.
func TestExpandKeeps(t *testing.T) {
	t.Parallel()
	outside := write(t, t.TempDir(), "o.txt", "outside")
	files := map[string]string{".git/HEAD": "", ".gitignore": "*.log\n", "x.log": "log", ".env": "KEY=1", "big.txt": strings.Repeat("x", 21<<20)}
	for path, c := range map[string]struct {
		want []string
		note string
	}{
		"gone":    {[]string{"<", "@{gone}", ">"}, "Failed to inject content for '@{gone}': Path not found in workspace: gone"},
		"":        {[]string{"<", "@{}", ">"}, "Failed to inject content for '@{}': The path is empty"},
		outside:   {[]string{"<", "@{" + outside + "}", ">"}, "Path not in workspace"},
		"../x":    {[]string{"<", "@{../x}", ">"}, "Path not in workspace"},
		".env":    {[]string{"<", "@{.env}", ">"}, "Path not allowed"},
		"x.log":   {[]string{"<", ">"}, "was ignored by .gitignore or .geminiignore"},
		"big.txt": {[]string{"<", "@{big.txt}", ">"}, "File size exceeds the 20MB limit"},
	} {
		got, notes, err := expand(t, files, "<@{"+path+"}>", "/c")
		if err != nil || !slices.Equal(got, c.want) || len(notes) != 1 || !strings.Contains(notes[0], c.note) {
			t.Errorf("%s: %q, %q, %v", path, got, notes, err)
		}
	}
}

func TestExpandCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	root := t.TempDir()
	write(t, root, "a.txt", "ay")
	w, _ := workspace.New(workspace.Options{Root: root})
	c := Command{Prompt: "@{" + filepath.Join(root, "a.txt") + "}"}
	if parts, err := c.Expand(ctx, Call{}, Session{Workspace: w, Room: func() int { return 0 }}); err == nil {
		t.Error(parts)
	}
}

// FuzzParse checks that the segments of a template are the template, and that nothing in braces is lost.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"a @{b} !{c} {{args}}", "!{a {b} @{c}}", "@{", "!{}}", "!!{a}@@{b}", "@{!{x}}", "é!{é}", "{{args}}!{{{args}}}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, template string) {
		list, err := parse("c", template)
		if err != nil {
			if !strings.Contains(err.Error(), "Unclosed injection") {
				t.Error(err)
			}
			return
		}
		whole := ""
		for i, s := range list {
			whole += s.written
			switch {
			case s.kind == textSegment && (strings.Contains(s.text, "@{") || strings.Contains(s.text, "!{")):
				t.Errorf("%q: text %q", template, s.text)
			case s.kind == textSegment && i > 0 && list[i-1].kind == textSegment:
				t.Errorf("%q: two texts", template)
			case s.kind != textSegment && strings.Count(s.text, "{") != strings.Count(s.text, "}"):
				t.Errorf("%q: %q is not balanced", template, s.text)
			}
		}
		if whole != template {
			t.Errorf("%q became %q", template, whole)
		}
		c := Command{Prompt: template}
		parts, err := c.Expand(t.Context(), Call{Args: "!{x} @{y}"}, Session{
			Run: func(_ context.Context, commands []string) ([]string, error) {
				return make([]string, len(commands)), nil
			},
			Note: func(string) {}, Room: func() int { return 0 }, Workspace: emptyWorkspace(t),
		})
		if err != nil || len(llm.PartsText(parts)) > len(template)*20+100 {
			t.Errorf("%q: %v, %v", template, parts, err)
		}
	})
}

func emptyWorkspace(t *testing.T) *workspace.Workspace {
	w, _ := workspace.New(workspace.Options{Root: t.TempDir()})
	return w
}

// A path that a prompt names twice is read once, and its problem is reported once.
func TestExpandTwice(t *testing.T) {
	t.Parallel()
	got, notes, err := expand(t, map[string]string{"a": "ay"}, "@{a}@{gone}@{a}@{gone}", "/c")
	if err != nil || strings.Join(got, "|") != "ay|@{gone}|ay|@{gone}" || len(notes) != 1 {
		t.Errorf("%q, %q, %v", got, notes, err)
	}
}
