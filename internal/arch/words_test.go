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

// habits are expressions that comments, texts and pages do not use, with what to write instead.
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

// TestWords checks the comments of all Go files, the texts of those that are not tests, and the
// Markdown pages.
func TestWords(t *testing.T) {
	t.Parallel()
	processtest.SkipIfRacing(t)
	root := filepath.Join("..", "..")
	check := newWordCheck()
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
		var found []string
		switch filepath.Ext(name) {
		case ".go":
			found, err = check.source(rel, text)
		case ".md":
			found = check.text(rel, 1, string(text))
		}
		for _, f := range found {
			t.Error(f)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWordCheck checks what the test of the words reports, and where.
func TestWordCheck(t *testing.T) {
	t.Parallel()
	check := newWordCheck()
	const src = "// Package a is of\n// use all the same.\npackage a\n\nvar kind = \"Nobody\" // a skin\n"
	for name, want := range map[string][]string{
		"a.go":      {`a.go:1: "is of\n// use"; instead: useful, useless`, `a.go:2: "all the same"; instead: still, anyway`, `a.go:5: "Nobody"`},
		"a_test.go": {`a_test.go:1: "is of\n// use"`, `a_test.go:2: "all the same"`},
	} {
		got, err := check.source(name, []byte(src))
		if err != nil || len(got) != len(want) {
			t.Fatal(got, err)
		}
		for i, w := range want {
			if !strings.HasPrefix(got[i], w) {
				t.Errorf("got %s, want %s", got[i], w)
			}
		}
	}
}

// wordCheck finds habits.
type wordCheck struct {
	any  *regexp.Regexp // matches if one of each matches
	each []*regexp.Regexp
}

func newWordCheck() *wordCheck {
	c := &wordCheck{}
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

// source checks the comments of a Go file, and its strings if it is not a test.
func (c *wordCheck) source(name string, src []byte) ([]string, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, group := range f.Comments {
		from, to := fset.Position(group.Pos()), fset.Position(group.End())
		found = append(found, c.text(name, from.Line, string(src[from.Offset:to.Offset]))...)
	}
	if strings.HasSuffix(name, "_test.go") {
		return found, nil
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING {
			if text, err := strconv.Unquote(s.Value); err == nil {
				found = append(found, c.text(name, fset.Position(s.Pos()).Line, text)...)
			}
		}
		return true
	})
	return found, nil
}
