package external

import (
	"path/filepath"
	"strings"
)

// kind is a family of editors that are told things in the same way.
type kind int

const (
	other kind = iota // told nothing but the file
	waits             // --wait
	vscode
	zed
	vim
	emacs
	helix
)

// editor is an editor that settings can name.
type editor struct {
	id       string
	commands []string // that start it, the best first
	kind     kind
	gui      bool
}

var editors = [...]editor{
	{"vscode", []string{"code"}, vscode, true},
	{"vscodium", []string{"codium"}, vscode, true},
	{"windsurf", []string{"windsurf"}, vscode, true},
	{"cursor", []string{"cursor"}, vscode, true},
	{"zed", []string{"zed", "zeditor"}, zed, true},
	{"antigravity", []string{"agy", "antigravity"}, vscode, true},
	{"sublimetext", []string{"subl"}, waits, true},
	{"lapce", []string{"lapce"}, waits, true},
	{"nova", []string{"nova"}, waits, true},
	{"bbedit", []string{"bbedit"}, waits, true},
	{"vim", []string{"vim"}, vim, false},
	{"neovim", []string{"nvim"}, vim, false},
	{"emacs", []string{"emacs"}, emacs, false},
	{"emacsclient", []string{"emacsclient"}, emacs, false},
	{"hx", []string{"hx", "helix"}, helix, false},
	{"micro", []string{"micro"}, other, false},
}

func supported() string { return strings.Join(IDs(), ", ") }

// IDs returns the ids of the editors that settings can name.
func IDs() []string {
	ids := make([]string, len(editors))
	for i, e := range editors {
		ids[i] = e.id
	}
	return ids
}

// known returns what is known of a program by its name. A vi may be any of
// several: which one is seen where its links end.
func known(path string) editor {
	name := filepath.Base(path)
	for _, e := range editors {
		for _, command := range e.commands {
			if name == command {
				return e
			}
		}
	}
	if real, err := filepath.EvalSymlinks(path); err == nil && name == "vi" && strings.Contains(filepath.Base(real), "vim") {
		return editor{kind: vim}
	}
	return editor{}
}

// open returns the arguments that open a file and wait.
func (c *command) open(path string) []string { return append(c.ahead(), path) }

// ahead are the arguments before any file.
func (c *command) ahead() []string {
	args := append([]string(nil), c.args...)
	switch c.kind {
	case waits, vscode, zed:
		if !has(args, "--wait", "-w") {
			args = append(args, "--wait")
		}
	case vim:
		args = append(args, "-i", "NONE") // what is edited here is nobody's history
	case emacs:
		if !has(args, "-nw", "-t", "--tty", "-c", "--create-frame") {
			args = append(args, "-nw")
		}
	}
	if c.new {
		args = append(args, "--new-window")
	}
	return args
}

// diff returns the arguments that show two files, the second one to be changed.
// Not all editors can: the others open the second one.
func (c *command) diff(before, path string) []string {
	args := c.ahead()
	switch c.kind {
	case vscode, zed:
		return append(args, "--diff", before, path)
	case vim:
		return append(args, "-d", "-c", "wincmd h", "-c", "setlocal readonly nomodifiable", "-c", "wincmd l", before, path)
	case emacs:
		return append(args, "--eval", "(ediff-files "+lisp(before)+" "+lisp(path)+")")
	case helix:
		return append(args, "--vsplit", path, before)
	}
	return append(args, path)
}

func has(args []string, any ...string) bool {
	for _, a := range args {
		for _, x := range any {
			if a == x {
				return true
			}
		}
	}
	return false
}

// lisp spells a string for Emacs.
func lisp(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
