package gallery

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// undrawn are the packages that draw and have no scene, with the reason.
var undrawn = map[string]string{}

// TestEveryPart checks that each package below the terminal user interface that draws in a theme is used by the scenes, itself or by
// a package that they use.
func TestEveryPart(t *testing.T) {
	t.Parallel()
	const tree = "pollux/internal/face/tui/"
	used := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if used[name] {
			return
		}
		used[name] = true
		imports, _ := read(t, filepath.Join("..", name))
		for _, i := range imports {
			if below, ok := strings.CutPrefix(i, tree); ok {
				visit(below)
			}
		}
	}
	visit("gallery")
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || d.Name() == "testdata" || file == ".." {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(file, ".."+string(filepath.Separator)))
		_, draws := read(t, file)
		if draws && used[name] == (undrawn[name] != "") {
			t.Errorf("%s draws, scenes use it: %v, and the reason is %q: add a scene, or list it here", name, used[name], undrawn[name])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// read returns the imports of the package in a directory, and whether a function of it takes a theme.
func read(t *testing.T, dir string) (imports []string, draws bool) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if path.Ext(e.Name()) != ".go" || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range file.Imports {
			name, _ := strconv.Unquote(i.Path.Value)
			imports = append(imports, name)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			for _, p := range f.Type.Params.List {
				s, ok := p.Type.(*ast.SelectorExpr)
				if !ok || s.Sel.Name != "Theme" {
					continue
				}
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "theme" {
					draws = true
				}
			}
		}
	}
	return imports, draws
}
