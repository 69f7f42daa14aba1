package arch

import (
	"go/ast"
	"go/token"
	"path"
	"strings"
	"testing"

	"pollux/internal/process/processtest"
)

// unsetFields are those that only tests set, with the reason.
var unsetFields = map[string]string{
	"Palette.Strong":   "no theme has a color for it, but tests tell the elements of a text apart by colors",
	"Palette.Emphasis": "as Strong",
}

// TestFieldsAreSet checks that some code besides tests and the gallery sets each exported field of the terminal's structs: a part that reads
// a field which nothing sets is a feature that no user has. It goes by names, so that a field is found if it shares its name with none that
// is set.
func TestFieldsAreSet(t *testing.T) {
	t.Parallel()
	processtest.SkipIfRacing(t)
	set := map[string]bool{}
	type field struct {
		file *file
		at   token.Pos
		name string
	}
	var fields []field
	unkeyed := map[string]bool{} // types of literals without keys
	for _, f := range parseModule(t) {
		if f.test || f.isUnder("internal/face/tui/gallery") || strings.HasSuffix(f.dir, "test") {
			continue
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				for _, e := range n.Elts {
					if kv, ok := e.(*ast.KeyValueExpr); !ok {
						unkeyed[path.Ext("."+typeName(n.Type))] = true
					} else if key, ok := kv.Key.(*ast.Ident); ok {
						set[key.Name] = true
					}
				}
			case *ast.AssignStmt:
				for _, left := range n.Lhs {
					setBy(left, set)
				}
			case *ast.IncDecStmt:
				setBy(n.X, set)
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					setBy(n.X, set)
				}
			case *ast.TypeSpec:
				s, ok := n.Type.(*ast.StructType)
				if !ok || !f.isUnder("internal/face") {
					return true
				}
				for _, list := range s.Fields.List {
					for _, name := range list.Names {
						if name.IsExported() && list.Tag == nil {
							fields = append(fields, field{f, name.Pos(), n.Name.Name + "." + name.Name})
						}
					}
				}
			}
			return true
		})
	}
	if len(fields) < 300 {
		t.Fatalf("%d fields were found", len(fields))
	}
	for _, f := range fields {
		of, name, _ := strings.Cut(f.name, ".")
		if !set[name] && !unkeyed["."+of] && unsetFields[f.name] == "" {
			t.Errorf("%s:%d: nothing sets %s", f.file.path, f.file.fset.Position(f.at).Line, f.name)
		}
	}
}

// setBy notes the field that an assignment to an expression sets, or fills.
func setBy(e ast.Expr, set map[string]bool) {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		set[e.Sel.Name] = true
		setBy(e.X, set)
	case *ast.IndexExpr:
		setBy(e.X, set)
	case *ast.StarExpr:
		setBy(e.X, set)
	case *ast.ParenExpr:
		setBy(e.X, set)
	}
}
