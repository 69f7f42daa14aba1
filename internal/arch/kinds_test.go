package arch

import (
	"go/ast"
	"reflect"
	"slices"
	"testing"

	"pollux/agent"
	"pollux/internal/process/processtest"
	"pollux/internal/records"
	"pollux/tool"
)

// TestKinds checks that the lists of kinds, which the tests of faces and sinks use, are complete:
// each type with the method of a closed interface must be in its list.
func TestKinds(t *testing.T) {
	t.Parallel()
	processtest.SkipIfRacing(t)
	listed := map[string][]string{}
	for _, e := range agent.Events() {
		listed["agent event"] = append(listed["agent event"], kind(e))
	}
	for _, d := range tool.Displays() {
		listed["tool display"] = append(listed["tool display"], kind(d))
	}
	for _, c := range tool.Confirmations() {
		listed["tool confirmation"] = append(listed["tool confirmation"], kind(c))
	}
	for _, r := range records.Kinds() {
		listed["internal/records record"] = append(listed["internal/records record"], kind(r))
	}
	declared := map[string][]string{}
	for _, f := range parseModule(t) {
		if f.test || f.dir != "agent" && f.dir != "tool" && f.dir != "internal/records" {
			continue
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil {
				continue
			}
			at := fn.Recv.List[0].Type
			if star, ok := at.(*ast.StarExpr); ok {
				at = star.X
			}
			key := f.dir + " " + fn.Name.Name
			if id, ok := at.(*ast.Ident); ok && listed[key] != nil {
				declared[key] = append(declared[key], id.Name)
			}
		}
	}
	for key, list := range listed {
		slices.Sort(list)
		slices.Sort(declared[key])
		if !slices.Equal(list, declared[key]) {
			t.Errorf("%s: the list has %v, the package declares %v", key, list, declared[key])
		}
	}
}

// TestRecordsAreEmitted checks that a part of the program makes each kind of record.
func TestRecordsAreEmitted(t *testing.T) {
	t.Parallel()
	processtest.SkipIfRacing(t)
	emitted := map[string]bool{}
	for _, f := range parseModule(t) {
		if f.test {
			continue
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && f.dir == "internal/records" && fn.Name.Name == "Kinds" {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				literal, ok := n.(*ast.CompositeLit)
				if !ok {
					return true
				}
				switch at := literal.Type.(type) {
				case *ast.Ident:
					emitted[at.Name] = emitted[at.Name] || f.dir == "internal/records"
				case *ast.SelectorExpr:
					id, ok := at.X.(*ast.Ident)
					emitted[at.Sel.Name] = emitted[at.Sel.Name] || ok && f.packageOf(id) == "pollux/internal/records"
				}
				return true
			})
		}
	}
	for _, r := range records.Kinds() {
		if !emitted[kind(r)] {
			t.Errorf("no part emits a records.%s", kind(r))
		}
	}
}

func kind(v any) string {
	at := reflect.TypeOf(v)
	if at.Kind() == reflect.Pointer {
		at = at.Elem()
	}
	return at.Name()
}
