package arch

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
)

// owners says who alone may use what reaches the process as a whole.
var owners = []struct {
	pkg    string
	names  []string
	rooms  []string
	belong string
}{
	{
		"os",
		[]string{"Getenv", "LookupEnv", "Environ", "ExpandEnv", "Setenv", "Unsetenv", "Clearenv"},
		[]string{"internal/config", "internal/scriptmodel", "acceptance", "bench", "examples"},
		"the environment is read in internal/config, everyone else is given values",
	},
	{
		"syscall",
		[]string{"Getenv", "Environ", "Setenv", "Unsetenv", "Clearenv"},
		[]string{"internal/config"},
		"the environment is read in internal/config, everyone else is given values",
	},
	{
		"os",
		[]string{"Exit"},
		[]string{"internal/cli", "cmd", "acceptance", "bench", "examples"},
		"internal/cli ends the process; return an error, with a code from internal/exit if it needs one",
	},
	{
		"log",
		[]string{"Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "Panicln"},
		[]string{"bench", "examples"},
		"internal/cli ends the process; return an error, with a code from internal/exit if it needs one",
	},
	{
		"os",
		[]string{"Stdin", "Stdout", "Stderr"},
		[]string{"internal/terminal", "internal/cli", "cmd", "acceptance", "bench", "examples"},
		"only internal/terminal and internal/cli touch the process's streams; take a reader or writer",
	},
	{
		"fmt",
		[]string{"Print", "Printf", "Println"},
		[]string{"internal/terminal", "internal/cli", "cmd", "acceptance", "bench", "examples"},
		"only internal/terminal and internal/cli touch the process's streams; take a writer and use fmt.Fprint",
	},
	{
		"log",
		[]string{"Print", "Printf", "Println"},
		[]string{"bench", "examples"},
		"only internal/terminal and internal/cli touch the process's streams; take a *slog.Logger",
	},
	{
		"",
		[]string{"print", "println"},
		nil,
		"only internal/terminal and internal/cli touch the process's streams",
	},
}

func processIsCLI(f *file, report reporter) {
	if f.test {
		return
	}
	for _, spec := range f.Imports {
		if spec.Name != nil && spec.Name.Name == "." {
			report(spec.Pos(), "dot import: it hides where names come from, from readers and from this test")
		}
	}
	check := func(at token.Pos, pkg, name string) {
		for _, o := range owners {
			if o.pkg == pkg && slices.Contains(o.names, name) && !f.under(o.rooms...) {
				report(at, "%s: %s", strings.TrimPrefix(pkg+"."+name, "."), o.belong)
			}
		}
	}
	ast.Inspect(f.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok {
				if pkg := f.name(id); pkg != "" {
					check(n.Pos(), pkg, n.Sel.Name)
				}
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Obj == nil {
				check(n.Pos(), "", id.Name)
			}
		}
		return true
	})
}

// early are packages whose functions cost too much to be called for a package
// variable: every start would pay, whether it needs the value or not.
var early = []string{"regexp", "github.com/dlclark/regexp2", "text/template", "html/template", "os", "os/exec", "os/user", "net"}

func nothingBeforeMain(f *file, report reporter) {
	if f.test {
		return
	}
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.Name == "init" && d.Recv == nil {
				report(d.Pos(), "init runs before main, in every start: make it a function that internal/app calls")
			}
		case *ast.GenDecl:
			if d.Tok == token.VAR {
				ast.Inspect(d, func(n ast.Node) bool { return noEarlyCall(f, n, report) })
			}
		}
	}
}

// noEarlyCall reports a call that happens when the package is loaded; it
// returns whether to look further inside n.
func noEarlyCall(f *file, n ast.Node, report reporter) bool {
	if _, ok := n.(*ast.FuncLit); ok {
		return false // runs later
	}
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return true
	}
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
		if id, ok := sel.X.(*ast.Ident); ok && slices.Contains(early, f.name(id)) {
			report(call.Pos(), "%s.%s is called in every start: use sync.OnceValue, or call it where it is needed", id.Name, sel.Sel.Name)
		}
	}
	return true
}

// drawers are names that say nothing of what a package holds.
var drawers = []string{"util", "utils", "common", "helper", "helpers", "types", "manager", "managers", "misc", "shared"}

func packagesHaveAName(f *file, report reporter) {
	name := strings.TrimSuffix(f.Name.Name, "_test")
	if slices.Contains(drawers, name) || slices.Contains(drawers, path.Base(f.dir)) {
		report(f.Package, "package %s in %s is a drawer: name it for what it holds, or put its content where it is used", name, f.dir)
	}
}
