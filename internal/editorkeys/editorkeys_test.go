package editorkeys

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFind(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("NOT TESTED: the paths are those of Unix")
	}
	const askpass = "VSCODE_GIT_ASKPASS_MAIN="
	for _, c := range []struct {
		name, goos, variables, want, file string
	}{
		{"another terminal", "linux", "TERM_PROGRAM=kitty HOME=/h", "", ""},
		{"tmux", "linux", "TERM_PROGRAM=tmux HOME=/h VSCODE_GIT_ASKPASS_NODE=/usr/share/cursor/cursor", "", ""},
		{"VS Code", "linux", "TERM_PROGRAM=vscode HOME=/h " + askpass + "/usr/share/code/resources/app/extensions/git/dist/askpass-main.js", "VS Code", "/h/.config/Code/User/keybindings.json"},
		{"its own directory", "linux", "TERM_PROGRAM=vscode HOME=/h XDG_CONFIG_HOME=/c", "VS Code", "/c/Code/User/keybindings.json"},
		{"a relative directory", "linux", "TERM_PROGRAM=vscode HOME=/h XDG_CONFIG_HOME=c", "VS Code", "/h/.config/Code/User/keybindings.json"},
		{"macOS", "darwin", "TERM_PROGRAM=vscode HOME=/Users/a __CFBundleIdentifier=com.microsoft.VSCode", "VS Code", "/Users/a/Library/Application Support/Code/User/keybindings.json"},
		{"Cursor", "linux", "TERM_PROGRAM=vscode HOME=/h VSCODE_GIT_ASKPASS_NODE=/usr/share/cursor/cursor", "Cursor", "/h/.config/Cursor/User/keybindings.json"},
		{"Cursor on macOS", "darwin", "TERM_PROGRAM=vscode HOME=/h VSCODE_GIT_ASKPASS_NODE=/Applications/Cursor.app/Contents/Frameworks/Cursor", "Cursor", "/h/Library/Application Support/Cursor/User/keybindings.json"},
		{"Windsurf", "darwin", "TERM_PROGRAM=vscode HOME=/h __CFBundleIdentifier=com.exafunction.windsurf", "Windsurf", "/h/Library/Application Support/Windsurf/User/keybindings.json"},
		{"Antigravity", "linux", "TERM_PROGRAM=vscode HOME=/h " + askpass + "/usr/share/antigravity/askpass-main.js", "Antigravity", "/h/.config/Antigravity/User/keybindings.json"},
		{"VSCodium", "linux", "TERM_PROGRAM=vscode HOME=/h " + askpass + "/usr/share/codium/askpass-main.js", "VSCodium", "/h/.config/VSCodium/User/keybindings.json"},
		{"Insiders", "linux", "TERM_PROGRAM=vscode HOME=/h " + askpass + "/usr/share/code-insiders/x.js", "VS Code Insiders", "/h/.config/Code - Insiders/User/keybindings.json"},
		{"SSH", "linux", "TERM_PROGRAM=vscode HOME=/h SSH_CONNECTION=x", "VS Code", ""},
		{"WSL", "linux", "TERM_PROGRAM=vscode HOME=/h WSL_DISTRO_NAME=x", "VS Code", ""},
		{"a server", "linux", "TERM_PROGRAM=vscode HOME=/h " + askpass + "/home/a/.vscode-server/bin/askpass-main.js", "VS Code", ""},
		{"a container", "linux", "TERM_PROGRAM=vscode HOME=/h " + askpass + "/vscode/vscode-server/bin/linux-x64/x/extensions/git/dist/askpass-main.js", "VS Code", ""},
		{"no home directory", "linux", "TERM_PROGRAM=vscode", "VS Code", ""},
		{"Windows without its directory", "windows", "TERM_PROGRAM=vscode HOME=/h", "VS Code", ""},
	} {
		variables := strings.Split(strings.ReplaceAll(c.variables, " ", "\n"), "\n")
		got, ok := Find(func(name string) string {
			for _, v := range variables {
				if key, value, _ := strings.Cut(v, "="); key == name {
					return value
				}
			}
			return ""
		}, c.goos)
		if got.Name != c.want || got.File != c.file || ok != (c.want != "") {
			t.Errorf("%s: %+v %t", c.name, got, ok)
		}
	}
}

// TestOf checks the programs of editors, which have variables of their own or are named in the paths of others.
func TestOf(t *testing.T) {
	t.Parallel()
	for variable, want := range map[string]string{
		"": "code", "CURSOR_TRACE_ID=1": "cursor", "ANTIGRAVITY_CLI_ALIAS=agy": "antigravity", "VSCODE_GIT_ASKPASS_MAIN=/usr/share/codium/x.js": "codium",
		"VSCODE_GIT_ASKPASS_MAIN=/usr/share/code-insiders/x.js": "code-insiders", "VSCODE_GIT_ASKPASS_NODE=/opt/windsurf/windsurf": "windsurf",
	} {
		name, value, _ := strings.Cut(variable, "=")
		got := Of(func(asked string) string {
			if asked == name {
				return value
			}
			return ""
		}, "linux")
		if got.Command != want {
			t.Errorf("%s: %+v, want %s", variable, got, want)
		}
	}
}

// names returns the keys of bindings.
func names(list []Binding) (all []string) {
	for _, b := range list {
		all = append(all, b.Key)
	}
	return all
}

func TestRead(t *testing.T) {
	t.Parallel()
	const send = `"command": "workbench.action.terminal.sendSequence", "when": "terminalFocus", "args": {"text": `
	for _, c := range []struct {
		name, text string
		missing    string
		conflicts  string // commands
	}{
		{"empty", "", "shift+enter ctrl+enter alt+z shift+alt+z", ""},
		{"comments", "// Place your key bindings in this file\n/* all */", "shift+enter ctrl+enter alt+z shift+alt+z", ""},
		{"empty list", "[]", "shift+enter ctrl+enter alt+z shift+alt+z", ""},
		{"own", Text(Bindings("linux")), "", ""},
		{"those of Gemini CLI", `[{"key": "shift+enter", ` + send + `"\\\r\n"}}, {"key": "ctrl+enter", ` + send + `"\\\r\n"}}]`, "alt+z shift+alt+z", ""},
		{"another order and case", `[{"key": "Alt+Shift+Z", ` + send + `"\u001b[122;4u"}}]`, "shift+enter ctrl+enter alt+z", ""},
		{"another sequence", `[{"key": "shift+enter", ` + send + `"x"}}]`, "ctrl+enter alt+z shift+alt+z", "workbench.action.terminal.sendSequence"},
		{"another command", `[{"key": "alt+z", "command": "editor.action.toggleWordWrap"}]`, "shift+enter ctrl+enter shift+alt+z", "editor.action.toggleWordWrap"},
		{"in the editor alone", `[{"key": "alt+z", "command": "x", "when": "editorTextFocus"}, {"key": "ctrl+enter", "command": "x", "when": "!terminalFocus"}]`, "shift+enter ctrl+enter alt+z shift+alt+z", ""},
		{"in a terminal", `[{"key": "alt+z", "command": "x", "when": "terminalProcessSupported"}]`, "shift+enter ctrl+enter shift+alt+z", "x"},
		{"removed", `[{"key": "ctrl+enter", "command": "-workbench.action.x"}]`, "shift+enter ctrl+enter alt+z shift+alt+z", ""},
		{"the last one counts", `[{"key": "alt+z", "command": "x"}, {"key": "alt+z", ` + send + `"\u001b[122;3u"}}]`, "shift+enter ctrl+enter shift+alt+z", ""},
		{"other elements", `[5, "x", null, {"key": 5}, {"key": "alt+z", "args": [1]}, [], {}]`, "shift+enter ctrl+enter alt+z shift+alt+z", ""},
	} {
		path := filepath.Join(t.TempDir(), "keybindings.json")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Read(path, Bindings("linux"))
		var conflicts []string
		for _, conflict := range s.Conflicts {
			conflicts = append(conflicts, conflict.Command)
		}
		if err != nil || strings.Join(names(s.Missing), " ") != c.missing || strings.Join(conflicts, " ") != c.conflicts {
			t.Errorf("%s: missing %q, conflicts %q: %v", c.name, names(s.Missing), conflicts, err)
		}
	}
	for _, text := range []string{"{}", "[", "[1,,2]", `"x"`, "null", "[] []"} {
		path := filepath.Join(t.TempDir(), "keybindings.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path, Bindings("linux")); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: %v", text, err)
		}
		if _, _, err := Add(path, Bindings("linux"), time.Now()); err == nil {
			t.Errorf("%q was changed", text)
		}
		if data, _ := os.ReadFile(path); string(data) != text {
			t.Errorf("%q became %q", text, data)
		}
	}
}

func TestBindings(t *testing.T) {
	t.Parallel()
	if got := names(Bindings("darwin")); !slices.Contains(got, "cmd+z") || slices.Contains(names(Bindings("windows")), "cmd+z") {
		t.Error(got)
	}
}

// TestAdd checks that bindings are added once, that all else in a file stays, and that the file before is kept.
func TestAdd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, before, want string }{
		{"no file", "", "[\nNEW\n]\n"},
		{"comments alone", "// mine\n\n", "// mine\n[\nNEW\n]\n"},
		{"empty list", "// mine\n[\n]\n", "// mine\n[\nNEW\n]\n"},
		{"empty list in a line", "[]", "[\nNEW\n]"},
		{"comment in the list", "[ // none\n]", "[ // none\nNEW\n]"},
		{"one", "[{\"key\": \"f1\"}]\n", "[{\"key\": \"f1\"},\nNEW\n]\n"},
		{"comma behind the last one", "[\n\t{\"key\": \"f1\"}, // first\n\t// last\n] // end", "[\n\t{\"key\": \"f1\"}, // first\n\t// last\nNEW\n] // end"},
		{"comment behind the last one", "[\n\t/* a */ {\"key\": \"f1\"} // first\n]", "[\n\t/* a */ {\"key\": \"f1\"}, // first\nNEW\n]"},
		{"line ends of Windows", "[\r\n  {\"key\": \"f1\"}\r\n]\r\n", "[\r\n  {\"key\": \"f1\"},\nNEW\n]\r\n"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "keybindings.json")
		if c.before != "" {
			if err := os.WriteFile(path, []byte(c.before), 0o640); err != nil {
				t.Fatal(err)
			}
		}
		s, backup, err := Add(path, Bindings("linux"), time.Unix(0, 0).UTC())
		if err != nil || len(s.Missing) != 4 {
			t.Errorf("%s: %+v: %v", c.name, s, err)
			continue
		}
		data, _ := os.ReadFile(path)
		elements := strings.TrimSuffix(strings.TrimPrefix(Text(Bindings("linux")), "[\n"), "\n]\n")
		if want := strings.Replace(c.want, "NEW", elements, 1); string(data) != want {
			t.Errorf("%s: %s\nnot\n%s", c.name, data, want)
		}
		kept, err := os.ReadFile(backup)
		if c.before == "" && backup != "" || c.before != "" && (err != nil || string(kept) != c.before || backup != path+".backup-19700101-000000.000") {
			t.Errorf("%s: the file before is %q in %s: %v", c.name, kept, backup, err)
		}
		again, backup, err := Add(path, Bindings("linux"), time.Now())
		if after, _ := os.ReadFile(path); err != nil || !again.IsComplete() || backup != "" || string(after) != string(data) {
			t.Errorf("%s, again: %+v, backup %q: %v", c.name, again, backup, err)
		}
		if info, err := os.Stat(path); c.before != "" && runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o640) {
			t.Errorf("%s: the mode is %v: %v", c.name, info.Mode(), err)
		}
	}
}

// TestAddThroughLink checks that a link to the file, as managers of settings make them, stays one.
func TestAddThroughLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, path := filepath.Join(dir, "kept.json"), filepath.Join(dir, "keybindings.json")
	if err := os.WriteFile(target, []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Skip("NOT TESTED: no links", err)
	}
	if _, _, err := Add(path, Bindings("linux"), time.Now()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(path)
	data, _ := os.ReadFile(target)
	if err != nil || info.Mode()&os.ModeSymlink == 0 || !strings.Contains(string(data), "shift+enter") {
		t.Errorf("%v, %s: %v", info.Mode(), data, err)
	}
}

func TestAddNowhere(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "none")
	if _, _, err := Add(filepath.Join(dir, "keybindings.json"), Bindings("linux"), time.Now()); err == nil {
		t.Error("added without a directory")
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the directory was made")
	}
}

// FuzzInsert checks that inserted bindings leave the elements and comments of any file, and that the file can be read after it.
func FuzzInsert(f *testing.F) {
	for _, text := range []string{"", "[]", "[1,]", "// a\n", "[{\"key\": \"f1\"} /* b */ , // c\n]", "[[[]]]", "\xff", "[1]//", "/*", "[\"//\"]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > maxFile {
			return
		}
		edited, err := insert(text, Bindings("linux"))
		if err != nil {
			return
		}
		_, before, _ := parse(text)
		_, after, err := parse(edited)
		if err != nil || len(after) != len(before)+4 {
			t.Fatalf("%q became %q: %v", text, edited, err)
		}
		for i := range before {
			if string(before[i]) != string(after[i]) {
				t.Fatalf("element %d of %q is %q", i, text, after[i])
			}
		}
		rest := string(edited)
		for _, b := range Bindings("linux") {
			element, _ := json.Marshal(b.entry())
			rest = strings.Replace(rest, string(element), "", 1)
		}
		bare := func(s string) string {
			return strings.NewReplacer(" ", "", "\n", "", "\t", "", "\r", "", ",", "", "[", "", "]", "").Replace(s)
		}
		if bare(rest) != bare(string(text)) {
			t.Fatalf("%q became %q", text, edited)
		}
	})
}
