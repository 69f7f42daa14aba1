package memory_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/memory"
)

// TestMaxStart checks which files are cut if all are too large together: not those of the user, and
// not the nearest one.
func TestMaxStart(t *testing.T) {
	t.Parallel()
	text := func(kilobytes int) string { // in lines of 64 bytes
		return strings.Repeat(strings.Repeat("rules", 12)+"é.\n", kilobytes*16)
	}
	p := newPlace(t, map[string]string{
		"home/.gemini/GEMINI.md": text(10), "ext/GEMINI.md": "ext\n" + text(10), "p/.git/": "",
		"p/AGENTS.md": "p\n" + text(20), "p/a/AGENTS.md": "a\n" + text(20), "p/a/b/AGENTS.md": "b\n" + text(20), "p/a/b/c/AGENTS.md": "c\n" + text(20),
		"q/.git/": "", "q/AGENTS.md": "q\n" + text(20),
	})
	for _, c := range []struct {
		limit int    // in KB
		want  string // the directories of the files, and the complete KB that are left
		said  string
	}{
		{0, ".gemini 10, ext 10, p 20, a 20, b 20, c 20, q 20", ""},
		{121, ".gemini 10, ext 10, p 20, a 20, b 20, c 20, q 20", ""},
		{119, ".gemini 10, ext 10, p 20, a 20, b 20, c 20, q 18 cut", "/q/AGENTS.md is cut to 18.9 KB"},
		{90, ".gemini 10, ext 10, p 9 cut, a 20, b 20, c 20, q 0 cut", "/p/AGENTS.md is cut to 9.8 KB, /q/AGENTS.md is left out"},
		{
			45, ".gemini 10, ext 10, p 0 cut, a 0 cut, b 4 cut, c 20, q 0 cut",
			"/p/AGENTS.md is left out, /p/a/AGENTS.md is left out, /p/a/b/AGENTS.md is cut to 4.6 KB, /q/AGENTS.md is left out",
		},
		{
			35, ".gemini 10, ext 4 cut, p 0 cut, a 0 cut, b 0 cut, c 20, q 0 cut",
			"/ext/GEMINI.md is cut to 4.5 KB, /p/AGENTS.md is left out, /p/a/AGENTS.md is left out, /p/a/b/AGENTS.md is left out, /q/AGENTS.md is left out",
		},
		{
			1, ".gemini 10, ext 0 cut, p 0 cut, a 0 cut, b 0 cut, c 20, q 0 cut",
			"/ext/GEMINI.md is left out, /p/AGENTS.md is left out, /p/a/AGENTS.md is left out, /p/a/b/AGENTS.md is left out, /q/AGENTS.md is left out",
		},
	} {
		t.Run(fmt.Sprint(c.limit), func(t *testing.T) {
			p := &place{t: t, dir: p.dir}
			o := p.options("p/a/b/c", "q")
			o.Names, o.MaxStart = memory.NewNames(nil, true), c.limit<<10
			o.Extensions = []string{p.at("ext/GEMINI.md")}
			var got []string
			total := 0
			for _, f := range memory.New(o).Files() {
				kept, _, noted := strings.Cut(f.Text, "<!-- ")
				if kept = strings.TrimSpace(kept); kept != "" && !strings.HasSuffix(kept, "é.") {
					t.Errorf("%s ends in %q", f.Path, kept[max(0, len(kept)-10):])
				}
				item := fmt.Sprintf("%s %d", filepath.Base(filepath.Dir(f.Path)), (len(kept)+1)>>10)
				if noted {
					item += " cut"
				}
				if f.Cut != noted {
					t.Errorf("%s: cut %v", f.Path, f.Cut)
				}
				got = append(got, item)
				total += len(f.Text)
			}
			if got := strings.Join(got, ", "); got != c.want {
				t.Errorf("files %s\nwant  %s", got, c.want)
			}
			if c.limit > 35 && total > c.limit<<10 {
				t.Errorf("%d bytes, more than %d KB", total, c.limit)
			}
			if c.said == "" {
				p.wantSaid()
				return
			}
			p.wantSaid(fmt.Sprintf("Warning: The context files have 120.0 KB, more than pollux.memory.maxKilobytes allows (%d): %s.", c.limit, c.said))
		})
	}
}

// TestMaxStartOfHugeFiles checks that the nearest file is read even if those above it are more than a
// session can have.
func TestMaxStartOfHugeFiles(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"p/.git/": "", "p/1/2/3/4/5/6/7/8/AGENTS.md": "nearest"})
	for dir := "p"; len(dir) < len("p/1/2/3/4/5/6/7/8"); dir += "/" + fmt.Sprint(len(dir)/2+1) {
		p.write(dir+"/AGENTS.md", dir+strings.Repeat("0123456789abcde\n", 15<<10))
	}
	o := p.options("p/1/2/3/4/5/6/7/8")
	o.Names, o.MaxStart = memory.NewNames(nil, true), 100<<10
	m := memory.New(o)
	files := m.Files()
	if last := files[len(files)-1]; len(files) != 9 || last.Text != "nearest" || last.Cut {
		t.Errorf("%d files, the last is %+v", len(files), last)
	}
	if n := len(m.Texts().Project); n > 105<<10 || n < 95<<10 {
		t.Errorf("%d bytes", n)
	}
	if len(p.said) != 1 || !strings.Contains(p.said[0], "/p/AGENTS.md is left out") {
		t.Errorf("said %q", p.said)
	}
}
