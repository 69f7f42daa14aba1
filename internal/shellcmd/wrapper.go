package shellcmd

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// StripWrapper returns the command inside a wrapper. It removes one layer of
//
//	sh|bash|zsh (any path) -c '...'
//	cmd.exe /c ...
//	powershell[.exe]|pwsh[.exe] [-NoProfile] -Command ...
//
// and the quotes around the inner command, but only if the wrapper is the whole command and
// running the inner command has the same effect. Otherwise it returns command with surrounding
// space trimmed.
func StripWrapper(command string) string {
	command = strings.TrimSpace(command)
	if !strings.Contains(command, "-") && !strings.Contains(command, "/") {
		return command
	}
	file, err := read(command)
	if err != nil || !isPlain(file) {
		return command
	}
	c := collector{source: command}
	inner, isWhole := c.inner(file.Stmts[0].Cmd.(*syntax.CallExpr))
	if !isWhole {
		return command
	}
	return inner
}

// inner returns the script that a call passes to another shell. isWhole reports whether the
// call contains nothing else: no assignments before it and no arguments after the script.
func (c *collector) inner(call *syntax.CallExpr) (script string, isWhole bool) {
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
		args = args[1:]
		if rest := flag(args, "-noprofile"); rest != nil {
			args = rest
		}
		args = flag(args, "-command")
	default:
		return "", false
	}
	if len(args) == 0 {
		return "", false
	}
	isWhole = len(call.Assigns) == 0
	if len(args[0].Parts) == 1 {
		if q, ok := args[0].Parts[0].(*syntax.DblQuoted); ok && !q.Dollar {
			// Variables in it are expanded slightly later than in the original.
			return unquote(c.text(q), posix), isWhole && len(args) == 1
		}
	}
	if value, ok := static(args[0]); ok && (len(args) == 1 || hasQuotes(args[0])) {
		return value, isWhole && len(args) == 1
	}
	// Words without quotes: models that write sh -c ls -la mean all of them.
	at := int(args[0].Pos().Offset())
	_, end := span(call)
	return c.source[at:end], isWhole
}

// flag returns the words after the flag, nil if the first word is not the flag.
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
	return slices.ContainsFunc([]string{"powershell", "powershell.exe", "pwsh", "pwsh.exe"}, func(n string) bool { return strings.EqualFold(name, n) })
}

// hasQuotes reports whether a part of the word is quoted.
func hasQuotes(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch p.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return true
		}
	}
	return false
}

// unquote removes the double quotes around text.
func unquote(text string, posix bool) string {
	text = strings.TrimSuffix(strings.TrimPrefix(text, `"`), `"`)
	if !posix {
		return text
	}
	var b strings.Builder
	unescape(&b, text, "$`\"\\", "")
	return b.String()
}
