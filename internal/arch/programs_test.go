package arch

import (
	"go/ast"
	"maps"
	"slices"
	"testing"

	"pollux/internal/process/processtest"
)

const startMessage = "programs are started in internal/process, so that they end with Pollux and a sandbox sees them; use a process.Launcher"

// starters lists the packages that may start programs without a process.Launcher.
var starters = []struct{ room, why string }{
	{"internal/process", "it is the way that all others use"},
	{"llm/anthropic", "a library imports nothing of internal; it runs the program that the user's AWS profile names, or aws itself, " +
		"which may ask a person at the terminal, and which no sandbox for the model's commands concerns"},
	{"internal/face/tui/tuitest", "it starts tmux for tests"},
	{"bench/floor", "a program for measurements, which no user runs"},
	{"bench/seat", "it measures Pollux"},
}

// programsStartInOnePlace checks that only starters import os/exec. Tests may import it.
func programsStartInOnePlace(f *file, report reporter) {
	if f.test {
		return
	}
	for _, spec := range f.Imports {
		if spec.Path.Value != `"os/exec"` {
			continue
		}
		if !slices.ContainsFunc(starters, func(s struct{ room, why string }) bool { return f.isUnder(s.room) }) {
			report(spec.Pos(), "imports os/exec: %s", startMessage)
		}
	}
}

const processPackage = module + "/internal/process"

// launcherMakers lists the files that make launchers. All others get one, so that the middleware of the
// session sees their programs.
var launcherMakers = []struct{ file, why string }{
	{"internal/project/project.go", "the launcher of a session and of the commands without one"},
	{"internal/sandbox/confine_darwin.go", "a first program in the sandbox of macOS, before the sandbox of a session is open"},
	{"internal/sandbox/container/enter_linux.go", "the relay of a container, in which no session runs yet"},
	{"internal/manage/about/about.go", "the tests of the demo's project run outside of its session"},
}

// programsHaveAPurpose checks that each command has a purpose, and that only the files in
// launcherMakers make launchers.
func programsHaveAPurpose(f *file, report reporter) {
	if isHelper(f) || f.isUnder("internal/process") {
		return
	}
	ast.Inspect(f.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			switch {
			case f.isOf(n.Type, processPackage, "Command") && !setsField(n, "For"):
				report(n.Pos(), "the command has no purpose, by which middleware decides: set For")
			case f.isOf(n.Type, processPackage, "Purpose") && len(n.Elts) > 0 && !(setsField(n, "Kind") && setsField(n, "Origin")):
				report(n.Pos(), "the purpose has no Kind or no Origin")
			case f.isOf(n.Type, processPackage, "Launcher"):
				report(n.Pos(), launcherMessage)
			}
		case *ast.ValueSpec:
			if f.isOf(n.Type, processPackage, "Launcher") {
				report(n.Pos(), launcherMessage)
			}
		case *ast.SelectorExpr:
			isMaker := slices.ContainsFunc(launcherMakers, func(m struct{ file, why string }) bool { return m.file == f.path })
			if f.isOf(n, processPackage, "NewLauncher") && !isMaker {
				report(n.Pos(), launcherMessage)
			}
		}
		return true
	})
}

const launcherMessage = "the middleware of the session does not see what this launcher starts: take the launcher of the session, or give the reason in internal/arch/programs_test.go"

// setsField reports whether a composite literal with keys sets a field.
func setsField(lit *ast.CompositeLit, field string) bool {
	return slices.ContainsFunc(lit.Elts, func(e ast.Expr) bool {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return false
		}
		key, ok := pair.Key.(*ast.Ident)
		return ok && key.Name == field
	})
}

// isOf reports whether an expression is a name of a package, as used from f.
func (f *file) isOf(e ast.Expr, pkg, name string) bool {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		id, ok := e.X.(*ast.Ident)
		return ok && e.Sel.Name == name && f.packageOf(id) == pkg
	case *ast.Ident:
		return e.Name == name && module+"/"+f.dir == pkg
	}
	return false
}

// launcherType is a struct type with a field for a launcher.
type launcherType struct{ pkg, name, field string }

// TestLaunchersArePassedOn checks that a value of a type with a launcher is made with one: a zero launcher starts
// programs without middleware.
func TestLaunchersArePassedOn(t *testing.T) {
	t.Parallel()
	processtest.SkipIfRacing(t)
	files := slices.DeleteFunc(parseModule(t), isHelper)
	var types []launcherType
	for _, f := range files {
		types = append(types, launcherTypes(f)...)
	}
	if len(types) < 10 {
		t.Errorf("only %d types have a launcher: %v", len(types), types)
	}
	used := map[string]bool{}
	for _, f := range files {
		for _, d := range f.Decls {
			for lit, l := range launcherless(f, d, types) {
				if reason := withoutLauncher[f.path]; reason != "" {
					used[f.path] = true
					continue
				}
				t.Errorf("%s:%d: %s.%s is not set: its programs start without the middleware of the session",
					f.path, f.fset.Position(lit.Pos()).Line, l.name, l.field)
			}
		}
	}
	for path := range withoutLauncher {
		if !used[path] {
			t.Errorf("%s leaves no launcher out", path)
		}
	}
}

// withoutLauncher lists files that make values without a launcher, with the reason.
var withoutLauncher = map[string]string{
	"internal/auth/auth.go":               "only the table of providers is used",
	"internal/manage/hooks/hooks.go":      "Setup.HookSet sets it",
	"internal/hooks/hooks.go":             "Project.HookSet sets it",
	"internal/guard/hook/lint.go":         "the hooks do not run",
	"internal/guard/hook/codexmigrate.go": "the hooks do not run",
	"internal/guard/hook/migrate.go":      "the hooks do not run",
}

// launcherless returns the literals of types with a launcher that do not set it, unless the declaration assigns
// the field elsewhere.
func launcherless(f *file, d ast.Decl, types []launcherType) map[*ast.CompositeLit]launcherType {
	assigned, found := map[string]bool{}, map[*ast.CompositeLit]launcherType{}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, to := range n.Lhs {
				if sel, ok := to.(*ast.SelectorExpr); ok {
					assigned[sel.Sel.Name] = true
				}
			}
		case *ast.CompositeLit:
			for _, l := range types {
				if f.isOf(n.Type, l.pkg, l.name) && !setsField(n, l.field) && !isPositional(n) {
					found[n] = l
				}
			}
		}
		return true
	})
	maps.DeleteFunc(found, func(_ *ast.CompositeLit, l launcherType) bool { return assigned[l.field] })
	return found
}

// isPositional reports whether a literal has values without keys, which the compiler counts.
func isPositional(lit *ast.CompositeLit) bool {
	if len(lit.Elts) == 0 {
		return false
	}
	_, hasKeys := lit.Elts[0].(*ast.KeyValueExpr)
	return !hasKeys
}

// launcherTypes returns the struct types of a file that have a launcher.
func launcherTypes(f *file) (types []launcherType) {
	for _, d := range f.Decls {
		ast.Inspect(d, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range s.Fields.List {
					if f.isOf(field.Type, processPackage, "Launcher") {
						for _, name := range field.Names {
							types = append(types, launcherType{module + "/" + f.dir, spec.Name.Name, name.Name})
						}
					}
				}
			}
			return true
		})
	}
	return types
}
