package memory_test

import (
	"os"
	"strings"
	"testing"

	"pollux/internal/memory"
)

// TestForeign checks which files of other agents apply in a directory, and that each content is
// loaded once.
func TestForeign(t *testing.T) {
	t.Parallel()
	const rule = "Use tabs."
	for name, c := range map[string]struct {
		files map[string]string // in p; a text after "->" is the target of a link
		want  string
		same  string
	}{
		"AGENTS.md alone":           {map[string]string{"AGENTS.md": rule}, "AGENTS.md", ""},
		"before GEMINI.md":          {map[string]string{"AGENTS.md": rule, "GEMINI.md": "Be brief."}, "AGENTS.md GEMINI.md", ""},
		"not CLAUDE.md":             {map[string]string{"AGENTS.md": rule, "CLAUDE.md": "c", "CLAUDE.local.md": "l"}, "AGENTS.md", ""},
		"GEMINI.md, not CLAUDE.md":  {map[string]string{"GEMINI.md": rule, "CLAUDE.md": "c"}, "GEMINI.md", ""},
		"CLAUDE.md alone":           {map[string]string{"CLAUDE.md": rule, "CLAUDE.local.md": "l"}, "CLAUDE.md CLAUDE.local.md", ""},
		"CLAUDE.md with imports":    {map[string]string{"CLAUDE.md": "@docs/x.md", "docs/x.md": rule}, "CLAUDE.md", ""},
		"an empty AGENTS.md":        {map[string]string{"AGENTS.md": "", "CLAUDE.md": rule}, "CLAUDE.md", ""},
		"override":                  {map[string]string{"AGENTS.md": "a", "AGENTS.override.md": rule, "GEMINI.md": "g", "CLAUDE.md": "c"}, "AGENTS.override.md GEMINI.md", ""},
		"a link":                    {map[string]string{"AGENTS.md": rule, "GEMINI.md": "->AGENTS.md"}, "AGENTS.md", "GEMINI.md"},
		"the other link":            {map[string]string{"AGENTS.md": "->GEMINI.md", "GEMINI.md": rule}, "AGENTS.md", "GEMINI.md"},
		"a link as text":            {map[string]string{"AGENTS.md": rule, "GEMINI.md": "AGENTS.md"}, "AGENTS.md", "GEMINI.md"},
		"the other link as text":    {map[string]string{"AGENTS.md": "GEMINI.md\n", "GEMINI.md": rule}, "AGENTS.md", "GEMINI.md"},
		"a link as text elsewhere":  {map[string]string{"AGENTS.md": "docs/rules.md", "docs/rules.md": rule}, "AGENTS.md", ""},
		"only an import":            {map[string]string{"AGENTS.md": rule, "GEMINI.md": " @AGENTS.md\n"}, "AGENTS.md", "GEMINI.md"},
		"only an import, with ./":   {map[string]string{"AGENTS.md": rule, "GEMINI.md": "@./AGENTS.md"}, "AGENTS.md", "GEMINI.md"},
		"the other import":          {map[string]string{"AGENTS.md": "See @GEMINI.md too.", "GEMINI.md": rule}, "AGENTS.md", "GEMINI.md"},
		"import and more":           {map[string]string{"AGENTS.md": rule, "GEMINI.md": "@AGENTS.md\nBe brief."}, "AGENTS.md GEMINI.md", ""},
		"import of an import":       {map[string]string{"AGENTS.md": rule, "GEMINI.md": "@x.md", "x.md": "x @AGENTS.md"}, "AGENTS.md GEMINI.md", ""},
		"a copy":                    {map[string]string{"AGENTS.md": rule, "GEMINI.md": "\n" + rule + "\n"}, "AGENTS.md", "GEMINI.md"},
		"a copy below":              {map[string]string{"AGENTS.md": rule, "w/GEMINI.md": rule}, "AGENTS.md", "w/GEMINI.md"},
		"CLAUDE.md links up":        {map[string]string{"AGENTS.md": rule, "w/CLAUDE.md": "->../AGENTS.md"}, "AGENTS.md", "w/CLAUDE.md"},
		"CLAUDE.md, its own":        {map[string]string{"AGENTS.md": rule, "w/CLAUDE.md": "c"}, "AGENTS.md w/CLAUDE.md", ""},
		"a name that is no file":    {map[string]string{"AGENTS.md": "other.md " + rule}, "AGENTS.md", ""},
		"a secret, linked as text":  {map[string]string{"AGENTS.md": ".env", ".env": "KEY=hidden"}, "AGENTS.md", ""},
		"outside, linked as text":   {map[string]string{"AGENTS.md": "../out.md"}, "AGENTS.md", ""},
		"AGENTS.md is a directory":  {map[string]string{"AGENTS.md/x": rule, "CLAUDE.md": "c"}, "CLAUDE.md", ""},
		"a copy of the user's file": {map[string]string{"AGENTS.md": "mine"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, map[string]string{"p/.git/": "", "p/w/": "", "out.md": "hidden", "home/.gemini/GEMINI.md": "mine"})
			for name, text := range c.files {
				if _, ok := strings.CutPrefix(text, "->"); !ok {
					p.write("p/"+name, text)
				}
			}
			for name, text := range c.files {
				if target, ok := strings.CutPrefix(text, "->"); ok {
					p.link("p/"+name, target)
				}
			}
			o := p.options("p/w")
			o.Names = memory.NewNames(nil, true)
			m := memory.New(o)
			var got, same []string
			for _, f := range m.Files()[1:] {
				got = append(got, strings.TrimPrefix(f.Path, p.at("p")+string(os.PathSeparator)))
				for _, path := range f.Same {
					same = append(same, strings.TrimPrefix(path, p.at("p")+string(os.PathSeparator)))
				}
			}
			if strings.Join(got, " ") != c.want || strings.Join(same, " ") != c.same {
				t.Errorf("files %q and their copies %q", got, same)
			}
			text := m.Texts().Project
			if n := strings.Count(text, rule); n > 1 || n == 0 && strings.Contains(strings.Join(values(c.files), "\n"), rule) && !strings.Contains(name, "directory") {
				t.Errorf("the rule is there %d times: %s", n, text)
			}
			if strings.Contains(text, "hidden") {
				t.Error(text)
			}
			p.wantSaid()
		})
	}
}

func values(files map[string]string) (list []string) {
	for _, text := range files {
		list = append(list, text)
	}
	return list
}

// TestForeignOff checks that names of the user, and pollux.foreignContext, replace the default.
func TestForeignOff(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"p/.git/": "", "p/AGENTS.md": "a", "p/CLAUDE.md": "c", "p/GEMINI.md": "g", "home/.gemini/AGENTS.md": "ga", "home/.gemini/GEMINI.md": "gg"})
	for _, c := range []struct {
		names  memory.Names
		global memory.Names
		want   []string
	}{
		{memory.NewNames(nil, true), memory.Names{}, []string{"global home/.gemini/AGENTS.md", "global home/.gemini/GEMINI.md", "project p/AGENTS.md", "project p/GEMINI.md"}},
		{memory.NewNames(nil, false), memory.Names{}, []string{"global home/.gemini/GEMINI.md", "project p/GEMINI.md"}},
		{memory.NewNames([]string{"CLAUDE.md"}, true), memory.NewNames(nil, false), []string{"global home/.gemini/GEMINI.md", "project p/CLAUDE.md", "project p/GEMINI.md"}},
	} {
		o := p.options()
		o.Names, o.GlobalNames = c.names, c.global
		p.wantFiles(memory.New(o), c.want...)
	}
}

// TestForNew checks which file new entries go into.
func TestForNew(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		names memory.Names
		there string
		want  string
	}{
		{memory.NewNames(nil, true), "", "GEMINI.md"},
		{memory.NewNames(nil, true), "AGENTS.md", "AGENTS.md"},
		{memory.NewNames(nil, true), "CLAUDE.md", "GEMINI.md"},
		{memory.NewNames(nil, false), "AGENTS.md", "GEMINI.md"},
		{memory.NewNames([]string{"X.md"}, true), "AGENTS.md", "X.md"},
	} {
		p := newPlace(t, map[string]string{"p/": ""})
		if c.there != "" {
			p.write("p/"+c.there, "")
		}
		o := p.options()
		o.Names = c.names
		if got := memory.New(o).ProjectFile(); got != p.at("p/"+c.want) {
			t.Errorf("%q with %q: %s, want %s", c.names.All(), c.there, got, c.want)
		}
	}
}

// TestDiscoverForeign checks the files of subdirectories: their rules, and what is loaded already.
func TestDiscoverForeign(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"p/.git/": "", "p/GEMINI.md": "top @./imported/AGENTS.md", "p/imported/AGENTS.md": "imported",
		"p/a/AGENTS.md": "in a", "p/a/CLAUDE.md": "no", "p/b/CLAUDE.md": "in b", "p/c/AGENTS.md": "top @./imported/AGENTS.md", "p/d/AGENTS.md": "@../a/AGENTS.md", "p/e/AGENTS.md": "in a",
	})
	o := p.options()
	o.Names = memory.NewNames(nil, true)
	m := memory.New(o)
	for _, c := range []struct{ path, want string }{
		{"p/imported/x", ""}, {"p/a/x", "\nin a\n"}, {"p/b/x", "\nin b\n"}, {"p/c/x", ""}, {"p/d/x", ""}, {"p/e/x", "\nin a\n"},
	} {
		got := m.Discover(p.at(c.path))
		if !strings.Contains(got, c.want) || c.want == "" && got != "" || strings.Contains(got, "\nno\n") {
			t.Errorf("%s: %q, want %q", c.path, got, c.want)
		}
	}
	m.Wrote(p.at("p/new/GEMINI.md"))
	p.write("p/new/GEMINI.md", "not there when the call began")
	p.write("p/own/AGENTS.md", "written")
	p.link("p/own/GEMINI.md", "AGENTS.md")
	m.Wrote(p.at("p/own/AGENTS.md"), "own/x", p.at("p/gone"))
	if got := m.Discover(p.at("p/own/x")); got != "" {
		t.Errorf("a file of the model: %q", got)
	}
	if got := m.Discover(p.at("p/new/x")); !strings.Contains(got, "not there") {
		t.Errorf("a file that was not written: %q", got)
	}
}
