package shellcmd

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// StripWrapper returns the command that is inside a wrapper: one layer of
//
//	sh|bash|zsh (any path) -c '...'
//	cmd.exe /c ...
//	powershell[.exe]|pwsh[.exe] [-NoProfile] -Command ...
//
// with the quotes around it. It does so only where the wrapper is the whole
// command and running what is inside is the same as running all of it; else it
// returns command, space around it trimmed.
func StripWrapper(command string) string {
	command = strings.TrimSpace(command)
	if !strings.Contains(command, "-") && !strings.Contains(command, "/") {
		return command
	}
	file, err := read(command)
	if err != nil || !plain(file) {
		return command
	}
	c := collector{source: command}
	inner, whole := c.inner(file.Stmts[0].Cmd.(*syntax.CallExpr))
	if !whole {
		return command
	}
	return inner
}

// inner returns the script that a call hands to another shell. whole says
// that the script is all there is to the call: nothing precedes it, and no
// arguments follow it.
func (c *collector) inner(call *syntax.CallExpr) (script string, whole bool) {
	args := call.Args
	if len(args) < 3 {
		return "", false
	}
	name, ok := static(args[0])
	if !ok {
		return "", false
	}
	posix := false
	switch base := path.Base(name); {
	case base == "sh" || base == "bash" || base == "zsh":
		posix = true
		args = flag(args[1:], "-c")
	case strings.EqualFold(name, "cmd.exe"):
		args = flag(args[1:], "/c")
	case isPowerShell(name):
		if rest := flag(args[1:], "-noprofile"); rest != nil {
			args = rest
			args = flag(args, "-command")
		} else {
			args = flag(args[1:], "-command")
		}
	default:
		return "", false
	}
	if len(args) == 0 {
		return "", false
	}
	whole = len(call.Assigns) == 0
	if len(args[0].Parts) == 1 {
		if q, ok := args[0].Parts[0].(*syntax.DblQuoted); ok && !q.Dollar {
			// Variables in it are expanded a moment later than they were.
			return unquote(c.text(q), posix), whole && len(args) == 1
		}
	}
	if value, ok := static(args[0]); ok && (len(args) == 1 || quoted(args[0])) {
		return value, whole && len(args) == 1
	}
	// Words without quotes: models that write sh -c ls -la mean all of it.
	at := int(args[0].Pos().Offset())
	_, end := span(call)
	return c.source[at:end], whole
}

// flag returns the words behind the flag, nil if the first is not the flag.
func flag(args []*syntax.Word, name string) []*syntax.Word {
	if len(args) == 0 {
		return nil
	}
	value, ok := static(args[0])
	if !ok || (value != name && (name == "-c" || !strings.EqualFold(value, name))) {
		return nil
	}
	return args[1:]
}

func isPowerShell(name string) bool {
	for _, n := range []string{"powershell", "powershell.exe", "pwsh", "pwsh.exe"} {
		if strings.EqualFold(name, n) {
			return true
		}
	}
	return false
}

// quoted reports whether some of the word is in quotes.
func quoted(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch p.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return true
		}
	}
	return false
}

// unquote takes the double quotes off text.
func unquote(text string, posix bool) string {
	text = strings.TrimSuffix(strings.TrimPrefix(text, `"`), `"`)
	if !posix {
		return text
	}
	var b strings.Builder
	unescape(&b, text, "$`\"\\", "")
	return b.String()
}
