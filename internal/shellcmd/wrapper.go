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
// call contains nothing else: no assignments before it, no other flags, and no arguments after the script.
func (c *collector) inner(call *syntax.CallExpr) (script string, isWhole bool) {
	args := call.Args
	if len(args) < 3 {
		return "", false
	}
	name, ok := static(args[0])
	if !ok {
		return "", false
	}
	posix, isAlone := false, true
	switch base := path.Base(name); {
	case base == "sh" || base == "bash" || base == "zsh":
		posix = true
		args, isAlone = behindScriptFlag(args[1:])
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
	isWhole = isAlone && len(call.Assigns) == 0
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

// behindScriptFlag returns the words behind the flags of a shell that takes its script from the first of them, nil if it takes none: -c
// may be among other letters, as in -lc, or other flags. isAlone reports whether there is no other flag.
func behindScriptFlag(args []*syntax.Word) (rest []*syntax.Word, isAlone bool) {
	hasScript := false
	isAlone = true
	for i := 0; i < len(args); i++ {
		value, ok := static(args[i])
		switch {
		case ok && (value == "-" || value == "--"):
			i++
			fallthrough
		case !ok, value == "", value[0] != '-' && value[0] != '+':
			if !hasScript {
				return nil, false
			}
			return args[i:], isAlone
		case value == "--rcfile", value == "--init-file":
			i++
		case strings.HasPrefix(value, "--"):
		default:
			hasScript = hasScript || value[0] == '-' && strings.Contains(value, "c")
			i += strings.Count(strings.ToLower(value), "o") // each takes the name of an option
		}
		isAlone = isAlone && i == 0 && value == "-c"
	}
	return nil, false
}

// flag returns the words after the flag, nil if the first word is not the flag.
func flag(args []*syntax.Word, name string) []*syntax.Word {
	if len(args) == 0 {
		return nil
	}
	value, ok := static(args[0])
	if !ok || !strings.EqualFold(value, name) {
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
