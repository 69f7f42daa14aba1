package config

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/process/processtest"
)

// TestKeys compares the table with the list of all keys that users' files have,
// their defaults and merge rules.
func TestKeys(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/keys.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(data)), "\n")[1:]
	var got []string
	for _, key := range Keys() {
		standard, err := json.Marshal(key.Default)
		if err != nil {
			t.Fatal(err)
		}
		row := key.Path + " " + string(standard)
		for _, flag := range []struct {
			flag Flag
			name string
		}{{Restart, "R"}, {Union, "U"}, {Concat, "C"}, {Shallow, "S"}} {
			if key.Flags&flag.flag != 0 {
				row += " " + flag.name
			}
		}
		got = append(got, row)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the table differs from testdata/keys.txt (-want +got):\n%s", diff)
	}
}

func TestTableIsSound(t *testing.T) {
	t.Parallel()
	if !slices.IsSortedFunc(Keys(), func(a, b Key) int { return strings.Compare(a.Path, b.Path) }) {
		t.Error("the table is not sorted by path, which the search relies on")
	}
	var c checker
	for i := range table {
		key := &table[i]
		if found, ok := KeyOf(key.Path); !ok || found != key {
			t.Errorf("%s is not found, or is there twice", key.Path)
		}
		if IsGroup(key.Path) {
			t.Errorf("%s is a key and a group", key.Path)
		}
		if !strings.HasSuffix(key.Doc, ".") {
			t.Errorf("%s: the doc %q is not a sentence", key.Path, key.Doc)
		}
		if key.Default == nil {
			continue
		}
		if _, ok := c.value(key, key.Path, key.Default); !ok {
			t.Errorf("%s: the default %v is not a %s", key.Path, key.Default, key.Type)
		}
		if key.needsSupport(key.Default) {
			t.Errorf("%s: the default asks for something", key.Path)
		}
	}
	if len(c.issues) > 0 {
		t.Errorf("defaults have issues: %v", c.issues)
	}
	for _, group := range []string{"ui", "general", "security.auth", "experimental.gemmaModelRouter.classifier"} {
		if !IsGroup(group) {
			t.Errorf("%s is not found as a group", group)
		}
	}
	for _, path := range []string{"", "uix", "ui.", "zzz", "general.nothing"} {
		if _, ok := KeyOf(path); ok || IsGroup(path) {
			t.Errorf("%q is found", path)
		}
	}
}

// handles returns the typed handles in handles.go, by path: their names and types.
func handles(t *testing.T) map[string][2]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "handles.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][2]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		call, ok := spec.Values[0].(*ast.CallExpr)
		if !ok {
			return true
		}
		path, err := strconv.Unquote(call.Args[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		found[path] = [2]string{spec.Names[0].Name, call.Fun.(*ast.Ident).Name}
		return true
	})
	return found
}

func TestHandles(t *testing.T) {
	t.Parallel()
	types := map[string][]string{
		"Bool": {"bool"}, "Int": {"number"}, "Float": {"number"}, "String": {"string", "enum"},
		"Strings": {"strings", "string|strings"}, "Object": {"object", "record", "map", "array"}, "Any": {"any"}, "Servers": {"map"},
	}
	for path, handle := range handles(t) {
		key, ok := KeyOf(path)
		if !ok {
			t.Errorf("%s: there is no key %q", handle[0], path)
			continue
		}
		if kind, _, _ := strings.Cut(key.Type, " "); !slices.Contains(types[handle[1]], kind) {
			t.Errorf("%s is a %s, but %s is a %s", handle[0], handle[1], path, kind)
		}
		if key.Support != Live {
			t.Errorf("%s has a handle but is not called live", path)
		}
	}
}

// TestLiveKeysAreRead keeps the table honest: a key that is called live is read
// by some package of the program.
func TestLiveKeysAreRead(t *testing.T) {
	t.Parallel()
	processtest.SkipIfRacing(t)
	read := map[string]bool{}
	use := regexp.MustCompile(`\bconfig\.(\w+)|\b(\w+)\.In\(`)
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		for _, m := range use.FindAllSubmatch(source, -1) {
			read[string(m[1])+string(m[2])] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	found := handles(t)
	for _, key := range Keys() {
		if name := found[key.Path][0]; key.Support == Live && !read[name] {
			t.Errorf("%s is called live, but nothing reads it (handle %q)", key.Path, name)
		}
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	s, warnings := newPlace(t).mustLoad(t)
	if len(warnings) > 0 {
		t.Errorf("warnings without any file: %q", warnings)
	}
	if got := MaxSessionTurns.In(s); got != -1 {
		t.Errorf("maxSessionTurns = %d", got)
	}
	if got := TruncateToolOutput.In(s); got != 40000 {
		t.Errorf("truncateToolOutputThreshold = %d", got)
	}
	if !FolderTrust.In(s) || IgnoreLocalEnv.In(s) {
		t.Error("wrong defaults of bools")
	}
	if got := OutputFormat.In(s); got != "text" {
		t.Errorf("output.format = %q", got)
	}
	if got := ToolsCore.In(s); got != nil {
		t.Errorf("tools.core = %v, want nil: it is unset", got)
	}
	if got := ExcludedEnvVars.In(s); !slices.Equal(got, []string{"DEBUG", "DEBUG_MODE"}) {
		t.Errorf("excludedEnvVars = %v", got)
	}
}

func BenchmarkIn(b *testing.B) {
	s := &Settings{tree: map[string]any{"model": map[string]any{"maxSessionTurns": 5.0}}}
	b.ReportAllocs()
	for b.Loop() {
		if MaxSessionTurns.In(s) != 5 || !FolderTrust.In(s) {
			b.Fatal("wrong value")
		}
	}
}
