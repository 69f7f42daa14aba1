package arch

import (
	"go/ast"
	"go/token"
	"path"
	"strings"
	"testing"
)

// passages lists the ways past the sanitizing writers of internal/terminal, with the only functions that may
// use each, and why. A name is that of a function, a method or a field, whatever it belongs to.
var passages = []struct {
	name string
	uses []use
}{
	{"Unsanitized", []use{
		{"internal/face/headless", "newFace", "--raw-output: the user wants the answer as it is"},
	}},
	{"Through", []use{{"internal/cli", "watch", "it observes errors of writes"}}},
	{"Styled", []use{
		{"internal/face/headless", "printFailure", "errors in red"},
		{"internal/cli", "line", "errors in red"},
		{"internal/manage/about", "examine", "verdicts in color"},
		{"internal/manage/about", "runDemo", "the demo in color"},
	}},
	{"OpenConsole", []use{{"internal/face/tui/display", "openConsole", "the face draws with frames of lines, which package styled cleans"}}},
	{"Lend", []use{
		{"internal/editor", "run", "the user's editor draws on the terminal itself"},
		{"internal/manage/confine", "run", "a command that the user runs in the sandbox has the terminal"},
		{"internal/face/container", "Follow", "the session in the container has the terminal, and cleans its output"},
	}},
	{"OutOrStdout", nil},
	{"OutOrStderr", nil},
	{"ErrOrStderr", []use{{"internal/cli", "requireSubcommand", "the standard error of the root command, a terminal.Writer"}}},
	{"SetOut", []use{
		{"internal/cli", "rootCommand", "it gets a terminal.Writer"},
		{"internal/cli", "requireSubcommand", "the standard error of the root command, a terminal.Writer"},
	}},
	{"SetErr", []use{{"internal/cli", "rootCommand", "it gets a terminal.Writer"}}},
	{"NewFile", []use{
		{"internal/process", "open", "a pipe to a program"},
		{"internal/process", "openPipe", "a pipe to a program"},
		{"internal/process", "repoll", "the pseudo-terminal of a program"},
		{"internal/undo/content", "openStraight", "a file of the workspace"},
		{"internal/workspace", "openAs", "a file of the workspace"},
		{"internal/durable", "", "files and directories that were opened by it"},
		{"internal/sandbox/landlock", "New", "rules of the kernel"},
		{"internal/sandbox", "create", "an end of a pair of sockets"},
		{"internal/sandbox/container", "leadToPorts", "the pipe on which it says that it listens"},
	}},
	{"PrintStack", nil},
	{"SetCrashOutput", nil},
}

// use is a function that may use a passage, "" for any of the package.
type use struct{ room, function, why string }

// loggers lists functions that print to standard error by themselves.
var loggers = map[string]string{
	"log":                    "Default New Output Print Printf Println Writer SetOutput",
	"log/slog":               "Default SetDefault Debug Info Warn Error Log LogAttrs DebugContext InfoContext WarnContext ErrorContext SetLogLoggerLevel With",
	"flag":                   "*",
	"syscall":                "Write Stdout Stderr",
	"runtime/debug":          "PrintStack SetCrashOutput",
	"testing":                "*",
	"golang.org/x/term":      "NewTerminal",
	"github.com/spf13/cobra": "CheckErr",
}

// loggersAllowed are the uses of loggers.
var loggersAllowed = map[string]string{
	"internal/cli log.SetOutput": "it turns the logger of net/http off",
}

// isHelper reports whether only tests use a package.
func isHelper(f *file) bool {
	return f.test || f.isUnder("acceptance", "bench", "examples", "internal/scriptmodel", "llm/llmtest", "internal/a2a/a2atest", "internal/mcp/mcptest", "internal/process/processtest", "internal/project/projecttest", "internal/manage/managetest", "internal/toolset/toolsettest", "internal/undo/undotest", "internal/face/tui/tuitest", "internal/face/tui/golden", "internal/face/tui/pane/panetest")
}

// streamsAreClean checks that nothing is written to a terminal but through the sanitizing writers.
func streamsAreClean(f *file, report reporter) {
	if isHelper(f) {
		return
	}
	for _, decl := range f.Decls {
		function := ""
		if fn, ok := decl.(*ast.FuncDecl); ok {
			function = fn.Name.Name
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				checkPassage(f, function, n, report)
				checkLogger(f, n, report)
			case *ast.CallExpr:
				checkEncoder(f, n, report)
			case *ast.BasicLit:
				checkLiteral(f, n, report)
			}
			return true
		})
	}
}

func checkPassage(f *file, function string, n *ast.SelectorExpr, report reporter) {
	for _, p := range passages {
		if p.name != n.Sel.Name {
			continue
		}
		for _, u := range p.uses {
			if u.room == f.dir && (u.function == "" || u.function == function) {
				return
			}
		}
		report(n.Pos(), "%s in %s: it gets past the writers of internal/terminal, which clean what a terminal gets; print to Out or Err, or give the reason in internal/arch/streams_test.go", p.name, function)
	}
}

func checkLogger(f *file, n *ast.SelectorExpr, report reporter) {
	id, ok := n.X.(*ast.Ident)
	if !ok {
		return
	}
	pkg := f.packageOf(id)
	for _, name := range strings.Fields(loggers[pkg]) {
		if (name == n.Sel.Name || name == "*") && loggersAllowed[f.dir+" "+path.Base(pkg)+"."+n.Sel.Name] == "" {
			report(n.Pos(), "%s.%s prints to standard error by itself: take a writer or a *slog.Logger", path.Base(pkg), n.Sel.Name)
		}
	}
}

// checkEncoder reports JSON that is encoded to a writer which may be one for text. A [terminal.Writer] then
// removes characters from values. In the faces and the commands JSON goes to a buffer, or to Writer.JSON.
func checkEncoder(f *file, n *ast.CallExpr, report reporter) {
	sel, ok := n.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "NewEncoder" || len(n.Args) != 1 || !f.isUnder("internal/cli", "internal/face", "internal/slash", "internal/doctor") {
		return
	}
	switch arg := n.Args[0].(type) {
	case *ast.UnaryExpr: // the address of a buffer
		return
	case *ast.CallExpr:
		if to, ok := arg.Fun.(*ast.SelectorExpr); ok && to.Sel.Name == "JSON" {
			return
		}
	}
	report(n.Pos(), "NewEncoder: JSON for a terminal goes through terminal.Writer.JSON, which escapes what a terminal would not show")
}

// checkLiteral reports escape sequences and names of terminals.
func checkLiteral(f *file, n *ast.BasicLit, report reporter) {
	if n.Kind != token.STRING || f.isUnder("internal/terminal", "internal/face/tui/inline", "internal/face/tui/keys", "internal/face/tui/console", "internal/editorkeys") { // they draw, and read and write keys
		return
	}
	if strings.Contains(n.Value, `\x1b[`) || strings.Contains(n.Value, `\033[`) || strings.Contains(n.Value, `\u001b[`) {
		report(n.Pos(), "an escape sequence: styles are in internal/terminal")
	}
}

// TestPassagesAreUsed checks that each permission is needed.
func TestPassagesAreUsed(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, f := range parseModule(t) {
		if isHelper(f) {
			continue
		}
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok {
					used[sel.Sel.Name+" "+f.dir+" "+fn.Name.Name] = true
					used[sel.Sel.Name+" "+f.dir+" "] = true
					if id, ok := sel.X.(*ast.Ident); ok {
						used[f.dir+" "+path.Base(f.packageOf(id))+"."+sel.Sel.Name] = true
					}
				}
				return true
			})
		}
	}
	for _, p := range passages {
		for _, u := range p.uses {
			if !used[p.name+" "+u.room+" "+u.function] {
				t.Errorf("%s of %s does not use %s", u.function, u.room, p.name)
			}
		}
	}
	for name := range loggersAllowed {
		if !used[name] {
			t.Errorf("%s is not used", name)
		}
	}
}
