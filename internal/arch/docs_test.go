package arch

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"

	"pollux/internal/process/processtest"
)

// TestDocs checks that each package has a comment, and that each exported name has one that begins with it.
func TestDocs(t *testing.T) {
	t.Parallel()
	processtest.SkipIfRacing(t)
	hasComment := map[string]bool{}
	for _, f := range parseModule(t) {
		if f.test {
			continue
		}
		hasComment[f.dir] = hasComment[f.dir] || f.Doc != nil
		exportedNamesHaveDocs(f, func(at token.Pos, name string) {
			t.Errorf("%s:%d: %s: begin its comment with its name: \"// %[3]s returns ...\"", f.path, f.fset.Position(at).Line, name)
		})
	}
	for dir, has := range hasComment {
		if !has {
			t.Errorf("%s: one of its files needs a comment above the package clause", dir)
		}
	}
}

// wellKnown are methods that everyone knows.
var wellKnown = []string{"Error", "String", "Unwrap"}

// exportedNamesHaveDocs reports the exported functions, methods, types, constants and variables of a file without a comment
// that begins with their names. A comment of a group is for all of its constants and variables.
func exportedNamesHaveDocs(f *file, report func(at token.Pos, name string)) {
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil && (slices.Contains(wellKnown, d.Name.Name) || !ast.IsExported(receiverName(d.Recv.List[0].Type))) {
				continue
			}
			if d.Name.IsExported() && !beginsWith(d.Doc, d.Name.Name) {
				report(d.Pos(), d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				doc := d.Doc
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if d.Lparen.IsValid() {
						doc = s.Doc
					}
					if s.Name.IsExported() && !beginsWith(doc, s.Name.Name) {
						report(s.Pos(), s.Name.Name)
					}
				case *ast.ValueSpec:
					if s.Names[0].IsExported() && !hasValueDoc(d, s) {
						report(s.Pos(), s.Names[0].Name)
					}
				}
			}
		}
	}
}

// hasValueDoc reports whether a constant or variable has a comment: one of its own, or that of its group.
func hasValueDoc(d *ast.GenDecl, s *ast.ValueSpec) bool {
	if d.Lparen.IsValid() {
		return d.Doc != nil || s.Comment != nil || s.Doc != nil
	}
	return beginsWith(d.Doc, s.Names[0].Name)
}

// beginsWith reports whether a comment begins with a name, maybe after an article.
func beginsWith(doc *ast.CommentGroup, name string) bool {
	words := strings.Fields(doc.Text())
	if len(words) > 1 && (words[0] == "A" || words[0] == "An" || words[0] == "The") {
		words = words[1:]
	}
	return len(words) > 0 && strings.TrimRight(words[0], ".,:;") == name
}

// receiverName returns the name of the type of a receiver.
func receiverName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiverName(e.X)
	case *ast.IndexExpr:
		return receiverName(e.X)
	case *ast.IndexListExpr:
		return receiverName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// TestDocRule checks which names need a comment.
func TestDocRule(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"// F returns.\nfunc F() {}":                             "",
		"func F() {}":                                            "F",
		"// Returns.\nfunc F() {}":                               "F",
		"// For returns.\nfunc F() {}":                           "F",
		"func f() {}":                                            "",
		"type t int\nfunc (t) M() {}":                            "",
		"// T is.\ntype T int\nfunc (*T) M() {}":                 "M",
		"// T is.\ntype T int\nfunc (T) Error() string":          "",
		"func Error() {}":                                        "Error",
		"// T is.\ntype T[A any] int\nfunc (T[A]) M() {}":        "M",
		"// T is.\ntype T[A, B any] int\nfunc (*T[A, B]) M() {}": "M",
		"// A T is.\ntype T int":                                 "",
		"// A tool is.\ntype T int":                              "T",
		"type (\n\t// T is.\n\tT int\n\tU int\n)":                "U",
		"// These are numbers.\nconst (\n\tC = 1\n)":             "",
		"const (\n\tC = 1 // a number\n\tD = 2\n)":               "D",
		"const (\n\t// C is.\n\tC = 1\n)":                        "",
		"// These are.\nconst C = 1":                             "C",
		"// V: a value.\nvar V int":                              "",
		"//lint:ignore ST1005 why\nvar V int":                    "V",
	} {
		f, err := parse("a/a.go", []byte("package a\n\n"+src))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		exportedNamesHaveDocs(f, func(_ token.Pos, name string) { got = append(got, name) })
		if strings.Join(got, " ") != want {
			t.Errorf("%s\ngot %v, want %s", src, got, want)
		}
	}
}
