package policy

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/shellcmd"
)

// readsOperands are commands whose operands are files to read, however many there are.
var readsOperands = []string{"cat", "cut", "grep", "head", "ls", "nl", "paste", "rev", "sort", "stat", "tac", "tail", "wc"}

// isGlob reports whether a word is a pattern for names below a directory that it names: without quotes and other
// expansions, and with a beginning that keeps its matches from being flags.
func isGlob(w shellcmd.Word) bool {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
	first, rest, ok := strings.Cut(w.Text, "/")
	return ok && !w.Static && first != "" && first[0] != '-' && first[0] != '.' && strings.Trim(first, plain) == "" &&
		strings.Trim(rest, plain+"/*?") == "" && path.Clean(w.Text) == w.Text && !strings.Contains(rest, "**") && strings.Count(rest, "*") <= maxStars
}

// Limits of a pattern: its stars, each of which may read many directories, and the files that it names.
const maxStars, maxMatches = 2, 1000

// expandGlobs returns a command that runs in dir with the files that its patterns name in their place, and its arguments.
// Names of hidden files, which the shell leaves out, are among them. Words that it does not understand stay; the list is
// empty if there are too many files.
func expandGlobs(dir string, c shellcmd.Command) (expanded shellcmd.Command, args []string) {
	if !slices.Contains(readsOperands, c.Name) || !slices.ContainsFunc(c.Words, isGlob) {
		return c, c.Args()
	}
	words := make([]shellcmd.Word, 0, len(c.Words))
	for _, w := range c.Words {
		if !isGlob(w) {
			words = append(words, w)
			continue
		}
		names, ok := matches(dir, w.Text, maxMatches-len(words))
		if !ok {
			return c, nil
		}
		if len(names) == 0 {
			names = []string{w.Text} // the shell passes it on
		}
		for _, name := range names {
			words = append(words, shellcmd.Word{Text: name, Value: name, Static: true})
		}
	}
	c.Words = words
	return c, c.Args()
}

// matches returns the files below a directory that a pattern of [isGlob] may name. ok is false if there are more than most. The
// length of a character depends on the locale, so that names with more characters than a pattern are among them.
func matches(dir, pattern string, most int) (names []string, ok bool) {
	names = []string{""}
	for part := range strings.SplitSeq(strings.ReplaceAll(pattern, "?", "?*"), "/") {
		var next []string
		for _, above := range names {
			if !strings.ContainsAny(part, "*?") {
				next = append(next, path.Join(above, part))
				continue
			}
			entries, _ := os.ReadDir(filepath.Join(dir, above)) // which may be no directory
			for _, entry := range entries {
				if isMatch, _ := path.Match(part, eachByte(entry.Name())); isMatch {
					next = append(next, path.Join(above, entry.Name()))
				}
			}
			if len(next) > most {
				return nil, false
			}
		}
		names = next
	}
	return names, true
}

// eachByte returns a text with a character for each byte of a name.
func eachByte(name string) string {
	characters := make([]rune, len(name))
	for i := range len(name) {
		characters[i] = rune(name[i])
	}
	return string(characters)
}
