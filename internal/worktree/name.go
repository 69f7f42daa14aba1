package worktree

import (
	"crypto/rand"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// newName returns a name for a new worktree: the time in UTC and four random characters.
func newName() string {
	stamp := time.Now().UTC().Format("2006-01-02-15-04-05.000")
	return strings.Replace(stamp, ".", "-", 1) + "-" + strings.ToLower(rand.Text()[:4])
}

// maxName is the maximum length of a name in bytes. The files of Git's references have it in their
// names, with a prefix and a suffix.
const maxName = 200

// checkName returns an error unless a name can be both a path below the directory of the worktrees
// and a part of the name of a branch. Its parts between slashes are no hidden files and no options.
func checkName(name string) error {
	why := ""
	switch {
	case len(name) > maxName:
		why = fmt.Sprintf("it is longer than %d bytes", maxName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, isForbidden):
		why = "it contains a space or one of the characters ~^:?*[]{}\\\"'`$&|;<>()!"
	case strings.Contains(name, ".."):
		why = `it contains ".."`
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case why != "":
		case part == "":
			why = "a part between slashes is empty"
		case part[0] == '.' || part[0] == '-':
			why = `a part begins with "` + part[:1] + `"`
		case strings.HasSuffix(part, ".") || strings.HasSuffix(strings.ToLower(part), ".lock"):
			why = `a part ends in "." or ".lock"`
		}
	}
	if why == "" {
		return nil
	}
	return fmt.Errorf("the name %q is not valid: %s", name, why)
}

// isForbidden reports whether a character may not be in a name, because of Git, shells or Windows.
func isForbidden(r rune) bool {
	return !unicode.IsPrint(r) || unicode.IsSpace(r) || strings.ContainsRune("~^:?*[]{}\\\"'`$&|;<>()!", r)
}
