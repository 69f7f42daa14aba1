package origin

import (
	"iter"
	"strings"

	"pollux/internal/shellcmd"
	"pollux/internal/urltext"
)

// maxInner is the maximum nesting depth of shells.
const maxInner = 4

// riskyWords returns the words of a command that can change its meaning, without shell
// quoting: flags and the word after each, assignments, addresses.
func riskyWords(command string, depth int) []string {
	script, err := shellcmd.Parse(command)
	if err != nil {
		return riskyArgs(strings.Fields(command))
	}
	var list []string
	for _, c := range script.Commands {
		if c.Assigns {
			list = append(list, assignments(c.Text)...)
		}
		list = append(list, riskyArgs(c.Args())...)
		if c.Inner != "" && depth < maxInner {
			list = append(list, riskyWords(c.Inner, depth+1)...)
		}
	}
	return list
}

// riskyArgs returns flags, their values and addresses.
func riskyArgs(args []string) []string {
	var list []string
	for i, arg := range args {
		switch {
		case strings.HasPrefix(arg, "-"):
			list = append(list, arg)
		case isAddress(arg):
			list = append(list, arg)
		case i > 0 && strings.HasPrefix(args[i-1], "-"):
			list = append(list, riskyValue(arg)...)
		}
	}
	return list
}

// riskyValue returns the relevant words of a flag's value. If the value is a text, such as a
// commit message, these are the assignments and addresses in it.
func riskyValue(text string) []string {
	fields := strings.Fields(text)
	if len(fields) < 2 {
		return fields
	}
	var list []string
	for _, f := range fields {
		if strings.Contains(f, "=") || isAddress(f) {
			list = append(list, f)
		}
	}
	return list
}

// assignments returns the assignments before a command.
func assignments(text string) []string {
	var list []string
	for _, f := range strings.Fields(text) {
		if !strings.Contains(f, "=") {
			break
		}
		list = append(list, f)
	}
	return list
}

// isAddress reports whether a word is an address on another machine.
func isAddress(word string) bool {
	if strings.Contains(word, "://") {
		return true
	}
	user, rest, ok := strings.Cut(word, "@") // as in git@host:path
	return ok && user != "" && !strings.Contains(user, "/") && strings.Contains(rest, ":")
}

// words yields the words of a text. For flags and assignments it also yields the part before
// and after "=".
func words(text string) iter.Seq[string] {
	const between = " \t\r\n\f\v,`\"';()|&[]{}<>\\"
	const longest = 500
	return func(yield func(string) bool) {
		for _, at := range urltext.Find(text) { // which may have no space around them
			if at.End-at.Start <= longest && !yield(text[at.Start:at.End]) {
				return
			}
		}
		for text != "" {
			n := strings.IndexAny(text, between)
			word, rest := text, ""
			if n >= 0 {
				word, rest = text[:n], text[n+1:]
			}
			text = rest
			if word = strings.TrimRight(strings.Trim(word, "*_"), ".:!?"); word == "" || len(word) > longest {
				continue
			}
			if !yield(word) {
				return
			}
			if before, after, ok := strings.Cut(word, "="); ok && !(yield(before) && yield(after)) {
				return
			}
		}
	}
}

// isRelevant reports whether a word is worth recording: other words occur in every text.
func isRelevant(word string) bool {
	return isFlag(word) || len(word) > 1 && strings.ContainsAny(word, "/.:=@")
}

// isFlag reports whether a word is a flag with a meaning of its own. Single-letter flags occur
// in every text; only their values matter.
func isFlag(word string) bool {
	name := strings.TrimLeft(word, "-")
	return len(word) > 2 && len(name) < len(word) && name != "" && (name[0] < '0' || name[0] > '9')
}
