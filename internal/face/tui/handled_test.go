package tui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/face/tui/keys"
)

// unhandled are the commands of keys that no part handles, with the reason.
var unhandled = map[keys.Command]string{
	"app.dumpFrame": "frames are not recorded", "app.startRecording": "frames are not recorded", "app.stopRecording": "frames are not recorded",
	"app.voiceModePTT": "there is no dictation", "app.restart": "settings take effect without a restart",
	"app.showShellUnfocusWarning": "the key that gives a command the keyboard shows it", "background.unfocusWarning": "the list has no focus of its own",
	"background.toggleList": "Ctrl+B opens the list, and Ctrl+L clears the screen",
	"background.escape":     "Esc closes every dialog", "background.unfocusList": "the list has no focus of its own",
	"extension.update": "there is no catalog of extensions yet", "extension.link": "there is no catalog of extensions yet",
	"input.stash": "it has no key, and Ctrl+C keeps the draft for undo",
}

// TestCommandsAreHandled checks that a part of the screen handles each command that keys can be bound to, so that none of them has
// no effect. Packages that only print the names of keys do not count.
func TestCommandsAreHandled(t *testing.T) {
	t.Parallel()
	names := constants(t)
	handled := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			switch d.Name() {
			case "gallery", "toast", "shortcuts", "modeline", "keys":
				return filepath.SkipDir
			}
			return err
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "keys" {
					handled[s.Sel.Name] = true
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range keys.Commands() {
		switch reason, isKnown := unhandled[c.Command]; {
		case names[string(c.Command)] == "":
			t.Errorf("%s has no constant", c.Command)
		case handled[names[string(c.Command)]] == isKnown:
			t.Errorf("%s: it is handled: %v, and the reason why it is not: %q", c.Command, isKnown, reason)
		}
	}
}

// constants returns the names of the constants of package keys by their values.
func constants(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("keys", "command.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.ValueSpec); ok && len(s.Values) == 1 {
			if value, ok := s.Values[0].(*ast.BasicLit); ok {
				names[strings.Trim(value.Value, `"`)] = s.Names[0].Name
			}
		}
		return true
	})
	return names
}
