package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pollux/internal/process/processtest"
)

// habits are expressions that comments, texts and pages do not use, with the words to write instead.
// They match whole words, whatever their case, and a space matches any white space.
var habits = []struct{ avoid, instead string }{
	{`whoever`, "name the role: the user, the provider, the caller"},
	{`nobody`, `"no one", or name the condition: "if no user can answer"`},
	{`somebody`, `"someone", or name the role: the user`},
	{`(is|are|was|were|be|been|gets?|got) told`, "who does it: the model gets, Pollux prints, the error says"},
	{`(is|are|be) of (no )?use`, "useful, useless"},
	{`what comes? of it|what came of (it|them)|(comes|came) of it`, "the result"},
	{`(none|one) of the answers`, "name the values: a number from 1 to 3"},
	{`for good`, "permanently, forever"},
	{`mends?|mended|mending`, "fix, repair, correct"},
	{`of (its|their|his) own accord`, "by itself, automatically"},
	{`do(es)? so no longer|no longer do(es)? so|no more does so`, "repeat the verb: no longer retries"},
	{`what (\w+ ){1,3}said at length`, "tool output"},
	{`heed(s|ed|ing)?`, "respect, apply, follow"},
	{`(brings?|brought|bringing) along`, "include, contain, come with"},
	{`(ask|asks|asked|read|reads|write|writes|written|tried|try|tries|sent|made|begin|begins|begun) anew`, "again"},
	{`anew`, "again"},
	{`(say|says|said) of (itself|themselves|himself)`, "name the data: version, help text"},
	{`makes? nothing of`, "ignores, does not affect"},
	{`all the same`, "still, anyway"},
	{`as good as (none|nothing|no)`, "counts as none"},
	{`stead`, "instead of"},
	{`kin`, "similar ones; name them"},
	{`(lest|thereof|therein|whence|thence|whereupon|henceforth|hitherto|thereby|wherein)`, "a plain conjunction: so that, in which"},
	{`slip of the pen`, "a typo"},
	{`at length`, "in full, long"},
	{`in vain`, "without success"},
	{`by and by`, "gradually"},
	{`what is (amiss|at fault)|amiss`, "wrong, missing"},
	{`long ago`, "old, earlier"},
	{`as ever`, "as before, as usual"},
	{`such as (it|they) (is|are)`, "unchanged"},
	{`knows? nothing of|knew nothing of`, "does not depend on, does not know"},
	{`(has|have|had) (taught|learned of)`, "name the fact: learned from errors"},
	{`the rooms? of the house|rooms? of (its|another|lower) floors?`, "packages, layers"},
}

// unchecked are paths, from the root of the module, that are not checked.
var unchecked = []string{
	"internal/arch/words_test.go",
	// Instructions for models.
	"agent/compress/prompts.go", "agent/route/judge.go", "internal/prompt",
}

// maxWhats is the limit on clauses such as "what compresses", which stand for a noun, in 1,000 lines of
// comments. Each area may have one more. "what to" is a question and does not count.
const maxWhats = 3

// TestWords checks the comments, names and strings of all Go files, and the Markdown pages.
func TestWords(t *testing.T) {
	t.Parallel()
	processtest.SkipIfRacing(t)
	root := filepath.Join("..", "..")
	check := newWordCheck()
	areas := map[string]*wording{}
	err := walkSource(root, func(name string) error {
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if slices.ContainsFunc(unchecked, func(p string) bool { return rel == p || strings.HasPrefix(rel, p+"/") }) {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var w wording
		switch filepath.Ext(name) {
		case ".go":
			w, err = check.source(rel, text)
		case ".md":
			w.habits = check.text(rel, 1, string(text))
		}
		for _, f := range w.habits {
			t.Error(f)
		}
		area, _, _ := strings.Cut(rel, "/")
		if areas[area] == nil {
			areas[area] = &wording{}
		}
		areas[area].add(w)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for area, w := range areas {
		if f := w.problem(area); f != "" {
			t.Error(f)
		}
	}
}

// TestWordCheck checks the reports of the test of the words, and their lines.
func TestWordCheck(t *testing.T) {
	t.Parallel()
	check := newWordCheck()
	const src = "// Package a is of\n// use all the same.\npackage a\n\nvar kin = \"Nobody\" // a skin\n"
	comments := []string{`a.go:1: "is of\n// use"; instead: useful, useless`, `a.go:2: "all the same"; instead: still, anyway`}
	code := []string{`a.go:5: "kin"; instead: similar ones; name them`, `a.go:5: "Nobody"`}
	got, err := check.source("a.go", []byte(src))
	if err != nil || got.lines != 3 || !slices.EqualFunc(got.habits, append(comments, code...), strings.HasPrefix) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestWhatLimit checks which clauses count, and how many an area may have.
func TestWhatLimit(t *testing.T) {
	t.Parallel()
	check := newWordCheck()
	const src = "package a\n\n// b is what compresses.\nvar b = \"what\" // decides what to do\n\n// What\n// to do, what it does; somewhat.\nvar c int\n"
	got, err := check.source("a.go", []byte(src))
	if want := []string{"a.go:3", "a.go:7"}; err != nil || got.lines != 4 || !slices.Equal(got.whats, want) {
		t.Fatal(got, err)
	}
	for _, tt := range []struct {
		lines, whats int
		isTooMuch    bool
	}{{1000, 4, false}, {1000, 5, true}, {10, 1, false}, {10, 2, true}} {
		w := wording{lines: tt.lines, whats: make([]string, tt.whats)}
		if got := w.problem("llm"); (got != "") != tt.isTooMuch {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

// wording counts the words of files.
type wording struct {
	lines  int      // of comments
	habits []string // failures
	whats  []string // the places of clauses with "what"
}

func (w *wording) add(other wording) {
	w.lines += other.lines
	w.whats = append(w.whats, other.whats...)
}

// problem returns the failure of an area, a directory of the root; "" for none.
func (w *wording) problem(area string) string {
	most := 1 + w.lines*maxWhats/1000
	if len(w.whats) <= most {
		return ""
	}
	return fmt.Sprintf("%s: %d clauses with \"what\" in %d lines of comments, more than %d; instead: name the thing: "+
		"\"the compressor\", not \"what compresses\"\n\t%s", area, len(w.whats), w.lines, most, strings.Join(w.whats, "\n\t"))
}

// wordCheck finds habits, and clauses with "what".
type wordCheck struct {
	any   *regexp.Regexp // matches if one of each matches
	each  []*regexp.Regexp
	names map[string]bool // identifiers that match none
	what  *regexp.Regexp  // its group matches in "what to", as in "decides what to retry"
}

func newWordCheck() *wordCheck {
	c := &wordCheck{names: map[string]bool{"NoBody": true /* of net/http */}, what: regexp.MustCompile(`(?i)\bwhat\b([\s/*]+to\b)?`)}
	var all []string
	for _, h := range habits {
		expression := `(?:` + strings.ReplaceAll(h.avoid, " ", `[\s/*]+`) + `)`
		all = append(all, expression)
		c.each = append(c.each, regexp.MustCompile(`(?i)\b`+expression+`\b`))
	}
	c.any = regexp.MustCompile(`(?i)\b(?:` + strings.Join(all, "|") + `)\b`)
	return c
}

// text returns a failure for each habit in a text that begins in this line of a file.
func (c *wordCheck) text(name string, line int, text string) []string {
	if !c.any.MatchString(text) {
		return nil
	}
	var found []string
	for i, e := range c.each {
		for _, at := range e.FindAllStringIndex(text, -1) {
			found = append(found, fmt.Sprintf("%s:%d: %q; instead: %s",
				name, line+strings.Count(text[:at[0]], "\n"), text[at[0]:at[1]], habits[i].instead))
		}
	}
	return found
}

// isPlain reports whether an identifier matches no habit.
func (c *wordCheck) isPlain(name string) bool {
	if !c.names[name] {
		c.names[name] = !c.any.MatchString(name)
	}
	return c.names[name]
}

// source checks the comments, names and strings of a Go file.
func (c *wordCheck) source(name string, src []byte) (w wording, err error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments)
	if err != nil {
		return w, err
	}
	for _, group := range f.Comments {
		from, to := fset.Position(group.Pos()), fset.Position(group.End())
		text := string(src[from.Offset:to.Offset])
		w.lines += to.Line - from.Line + 1
		w.habits = append(w.habits, c.text(name, from.Line, text)...)
		for _, at := range c.what.FindAllStringSubmatchIndex(text, -1) {
			if isQuestion := at[2] >= 0; !isQuestion {
				w.whats = append(w.whats, fmt.Sprintf("%s:%d", name, from.Line+strings.Count(text[:at[0]], "\n")))
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if !c.isPlain(n.Name) {
				w.habits = append(w.habits, c.text(name, fset.Position(n.Pos()).Line, n.Name)...)
			}
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil {
				w.habits = append(w.habits, c.text(name, fset.Position(n.Pos()).Line, text)...)
			}
		}
		return true
	})
	return w, nil
}
