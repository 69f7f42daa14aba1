package arch

import (
	"bytes"
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/process/processtest"
)

// limits bounds packages that grow easily, because much meets in them. A limit only goes down.
var limits = []struct {
	dir     string
	lines   int    // of source without tests
	owner   string // the type that faces and parts know
	methods int    // of owner
}{
	{"internal/session", 1450, "Session", 48},
	{"internal/project", 2650, "Project", 126},
}

// TestSizes checks the limits of packages, and that no type embeds a session or a project: a part gets the things
// that it uses, by name.
func TestSizes(t *testing.T) {
	t.Parallel()
	processtest.SkipIfRacing(t)
	root := filepath.Join("..", "..")
	lines, methods := map[string]int{}, map[string]int{}
	for _, f := range parseModule(t) {
		if f.test {
			continue
		}
		for _, l := range limits {
			if f.dir != l.dir {
				continue
			}
			src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.path)))
			if err != nil {
				t.Fatal(err)
			}
			lines[f.dir] += bytes.Count(src, []byte("\n"))
			methods[f.dir] += countMethods(f.File, l.owner)
		}
		for _, name := range embedded(f.File) {
			if name == "Session" && f.dir == "internal/session" || name == "session.Session" || name == "project.Project" {
				t.Errorf("%s: a type embeds %s: give it the parts that it uses", f.path, name)
			}
		}
	}
	for _, l := range limits {
		if n := lines[l.dir]; n > l.lines || n == 0 {
			t.Errorf("%s has %d lines, more than %d: a part of it belongs in a package of its own", l.dir, n, l.lines)
		}
		if n := methods[l.dir]; n > l.methods || n == 0 {
			t.Errorf("%s: %s has %d methods, more than %d: a part of it belongs in a type of its own", l.dir, l.owner, n, l.methods)
		}
	}
}

// countMethods returns the number of methods of a type in a file.
func countMethods(f *ast.File, owner string) (n int) {
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if ok && fn.Recv != nil && typeName(fn.Recv.List[0].Type) == owner {
			n++
		}
	}
	return n
}

// embedded returns the names of the types that structs of a file embed.
func embedded(f *ast.File) (names []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.StructType); ok {
			for _, field := range s.Fields.List {
				if len(field.Names) == 0 {
					names = append(names, typeName(field.Type))
				}
			}
		}
		return true
	})
	return names
}

// typeName returns the name of a type expression, such as "session.Session" for "*session.Session"; "" if it has none.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return strings.TrimPrefix(typeName(e.X)+"."+e.Sel.Name, ".")
	}
	return ""
}
