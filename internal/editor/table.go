package editor

import (
	"path/filepath"
	"slices"
	"strings"
)

// family is a group of editors that take the same arguments.
type family int

const (
	otherFamily family = iota // takes only the file
	waitFamily                // takes --wait
	vscodeFamily
	zedFamily
	vimFamily
	emacsFamily
	helixFamily
)

// editor is a row of the table of known editors.
type editor struct {
	id        string
	commands  []string // names of the program, the preferred one first
	family    family
	hasWindow bool
}

var editors = [...]editor{
	{"vscode", []string{"code"}, vscodeFamily, true},
	{"vscodium", []string{"codium"}, vscodeFamily, true},
	{"windsurf", []string{"windsurf"}, vscodeFamily, true},
	{"cursor", []string{"cursor"}, vscodeFamily, true},
	{"zed", []string{"zed", "zeditor"}, zedFamily, true},
	{"antigravity", []string{"agy", "antigravity"}, vscodeFamily, true},
	{"sublimetext", []string{"subl"}, waitFamily, true},
	{"lapce", []string{"lapce"}, waitFamily, true},
	{"nova", []string{"nova"}, waitFamily, true},
	{"bbedit", []string{"bbedit"}, waitFamily, true},
	{"vim", []string{"vim"}, vimFamily, false},
	{"neovim", []string{"nvim"}, vimFamily, false},
	{"emacs", []string{"emacs"}, emacsFamily, false},
	{"emacsclient", []string{"emacsclient"}, emacsFamily, false},
	{"hx", []string{"hx", "helix"}, helixFamily, false},
	{"micro", []string{"micro"}, otherFamily, false},
}

// IDs returns the ids of all editors that the setting general.preferredEditor can name.
func IDs() []string {
	ids := make([]string, len(editors))
	for i, e := range editors {
		ids[i] = e.id
	}
	return ids
}

// lookup returns the row of the table for a program. For vi it follows symbolic links
// to find out whether the program is Vim. An unknown program is in otherFamily.
func lookup(path string) editor {
	name := filepath.Base(path)
	for _, e := range editors {
		if slices.Contains(e.commands, name) {
			return e
		}
	}
	if real, err := filepath.EvalSymlinks(path); err == nil && name == "vi" && strings.Contains(filepath.Base(real), "vim") {
		return editor{family: vimFamily}
	}
	return editor{}
}

// leadingArgs returns the arguments in front of the file names, which make the editor wait.
func (c *command) leadingArgs() []string {
	args := append([]string(nil), c.args...)
	switch c.family {
	case waitFamily, vscodeFamily, zedFamily:
		if !containsAny(args, "--wait", "-w") {
			args = append(args, "--wait")
		}
	case vimFamily:
		args = append(args, "-i", "NONE") // keep temporary files out of the user's history
	case emacsFamily:
		if !containsAny(args, "-nw", "-t", "--tty", "-c", "--create-frame") {
			args = append(args, "-nw")
		}
	}
	if c.newWindow {
		args = append(args, "--new-window")
	}
	return args
}

// diffArgs returns the arguments that show the file before beside path, for editing
// path. Editors that cannot compare files open path alone.
func (c *command) diffArgs(before, path string) []string {
	args := c.leadingArgs()
	switch c.family {
	case vscodeFamily, zedFamily:
		return append(args, "--diff", before, path)
	case vimFamily:
		return append(args, "-d", "-c", "wincmd h", "-c", "setlocal readonly nomodifiable", "-c", "wincmd l", before, path)
	case emacsFamily:
		return append(args, "--eval", "(ediff-files "+lispString(before)+" "+lispString(path)+")")
	case helixFamily:
		return append(args, "--vsplit", path, before)
	}
	return append(args, path)
}

func containsAny(args []string, any ...string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return slices.Contains(any, a) })
}

// lispString quotes a string as an Emacs Lisp literal.
func lispString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
