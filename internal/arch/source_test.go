package arch

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
)

// owners lists the packages that may use functions which affect the whole process.
var owners = []struct {
	pkg    string
	names  []string
	rooms  []string
	advice string
}{
	{
		"os",
		[]string{"Getenv", "LookupEnv", "Environ", "ExpandEnv", "Setenv", "Unsetenv", "Clearenv"},
		[]string{"internal/config", "internal/process/processtest", "internal/scriptmodel", "acceptance", "bench", "examples"},
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
		[]string{"StartProcess"},
		[]string{"internal/process"},
		startMessage,
	},
	{
		"syscall",
		[]string{"StartProcess", "ForkExec", "Exec"},
		[]string{"internal/process"},
		startMessage,
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
		"golang.org/x/sys/unix",
		[]string{"Flock", "FcntlFlock"},
		[]string{"internal/durable/flock"},
		lockMessage,
	},
	{
		"syscall",
		[]string{"Flock", "FcntlFlock"},
		[]string{"internal/durable/flock"},
		lockMessage,
	},
	{
		"os",
		[]string{"Stdin", "Stdout", "Stderr"},
		[]string{"internal/terminal", "cmd", "acceptance", "bench", "examples"},
		"only cmd hands the process's streams to internal/terminal; take a *terminal.Terminal, a reader or a writer",
	},
	{
		"fmt",
		[]string{"Print", "Printf", "Println"},
		[]string{"internal/terminal", "acceptance", "bench", "examples"},
		"only internal/terminal touches the process's streams; take a writer and use fmt.Fprint",
	},
	{
		"",
		[]string{"print", "println"},
		nil,
		"only internal/terminal touches the process's streams",
	},
}

const lockMessage = "files are locked with internal/durable/flock, whose Release ends a lock even while a program is being started"

// processIsCLI checks that only owners use functions which affect the whole process.
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
			if o.pkg == pkg && slices.Contains(o.names, name) && !f.isUnder(o.rooms...) {
				report(at, "%s: %s", strings.TrimPrefix(pkg+"."+name, "."), o.advice)
			}
		}
	}
	ast.Inspect(f.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok {
				if pkg := f.packageOf(id); pkg != "" {
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

// expensivePackages lists packages whose functions are too expensive for package variables: every start
// would pay for them, even if it does not need the value.
var expensivePackages = []string{"regexp", "github.com/dlclark/regexp2", "text/template", "html/template", "os", "os/exec", "os/user", "net"}

// nothingBeforeMain checks that there are no init functions and no expensive package variables.
func nothingBeforeMain(f *file, report reporter) {
	if f.test {
		return
	}
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.Name == "init" && d.Recv == nil {
				report(d.Pos(), "init runs before main, in every start: make it a function that internal/session calls")
			}
		case *ast.GenDecl:
			if d.Tok == token.VAR {
				ast.Inspect(d, func(n ast.Node) bool { return noEarlyCall(f, n, report) })
			}
		}
	}
}

// noEarlyCall reports a call that runs when the package is loaded. It returns whether to
// inspect the children of n.
func noEarlyCall(f *file, n ast.Node, report reporter) bool {
	if _, ok := n.(*ast.FuncLit); ok {
		return false // the body runs later
	}
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return true
	}
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
		if id, ok := sel.X.(*ast.Ident); ok && slices.Contains(expensivePackages, f.packageOf(id)) {
			report(call.Pos(), "%s.%s is called in every start: use sync.OnceValue, or call it where it is needed", id.Name, sel.Sel.Name)
		}
	}
	return true
}

// drawers lists package names that do not describe the content of the package.
var drawers = []string{"util", "utils", "common", "helper", "helpers", "types", "manager", "managers", "misc", "shared"}

// packagesHaveAName checks that no package has one of the names in drawers.
func packagesHaveAName(f *file, report reporter) {
	name := strings.TrimSuffix(f.Name.Name, "_test")
	if slices.Contains(drawers, name) || slices.Contains(drawers, path.Base(f.dir)) {
		report(f.Package, "package %s in %s is a drawer: name it for what it holds, or put its content where it is used", name, f.dir)
	}
}

// goroutinesReportPanics checks that the goroutines of the program report a panic, which would otherwise
// end it with the stacks of goroutines on the screen. Libraries leave panics to their callers.
func goroutinesReportPanics(f *file, report reporter) {
	if f.test || !f.isUnder("internal") || f.isUnder("internal/scriptmodel", "internal/process/processtest") {
		return
	}
	check := func(call *ast.CallExpr, body ast.Expr) {
		if literal, ok := body.(*ast.FuncLit); ok && !recovers(literal.Body) {
			report(call.Pos(), "a panic of this goroutine is not reported: defer crash.Recover() after its other deferred calls")
		}
	}
	ast.Inspect(f.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			check(n.Call, n.Call.Fun)
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Go" && len(n.Args) == 1 {
				check(n, n.Args[0])
			}
		}
		return true
	})
}

// recovers reports whether a function defers crash.Recover, or handles panics itself.
func recovers(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			switch fun := call.Fun.(type) {
			case *ast.Ident:
				found = found || fun.Name == "recover"
			case *ast.SelectorExpr:
				found = found || fun.Sel.Name == "Recover"
			}
		}
		return !found
	})
	return found
}
