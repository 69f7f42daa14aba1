package nouns

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pollux/internal/manage"
)

// TestTable checks the rows of all nouns: the fields of a row that a door shows must be there, and once.
func TestTable(t *testing.T) {
	t.Parallel()
	checkNames(t, "pollux", All(), func(c *manage.Command) []string {
		if c.IsSessionOnly {
			return nil
		}
		return append([]string{c.Name}, c.Aliases...)
	})
	checkNames(t, "", All(), func(c *manage.Command) []string {
		if c = c.Slash(); c == nil {
			return nil
		}
		return append([]string{c.Name}, c.Aliases...)
	})
	for _, c := range All() {
		checkRow(t, c.Name, c)
	}
}

// checkNames checks that the names of rows beside each other differ.
func checkNames(t *testing.T, path string, rows []*manage.Command, namesOf func(*manage.Command) []string) {
	seen := map[string]bool{}
	for _, c := range rows {
		for _, name := range namesOf(c) {
			if seen[name] {
				t.Errorf("%s %s: several rows have this name", path, name)
			}
			seen[name] = true
		}
		checkNames(t, path+" "+c.Name, c.Subs, namesOf)
	}
}

// namesFile reports whether the syntax of arguments has a file or a directory of this machine.
func namesFile(args string) bool {
	return regexp.MustCompile(`(?i)[<\[](path|file|dir|directory|folder)\b`).MatchString(args)
}

// checkRow checks a row and those below it.
func checkRow(t *testing.T, path string, c *manage.Command) {
	switch {
	case c.Summary == "":
		t.Errorf("%s has no summary", path)
	case c.Run == nil && len(c.Subs) == 0:
		t.Errorf("%s does nothing", path)
	case c.IsSessionOnly && c.Session != nil:
		t.Errorf("%s describes its / command twice", path)
	case c.IsSessionOnly && slices.ContainsFunc(c.Subs, func(sub *manage.Command) bool { return !sub.IsSessionOnly }):
		t.Errorf("%s hides a subcommand", path)
	case c.IsSessionOnly && c.Flags != nil:
		t.Errorf("%s has flags for a shell that does not have it", path)
	case c.Values == nil && c.Names == nil && namesFile(c.Args):
		t.Errorf("%s takes a path and completes none", path)
	case c.Instead != "" && !c.NeedsPerson, c.NeedsPerson && c.Session != nil && c.Instead == "" && !strings.HasPrefix(path, "auth "):
		t.Errorf("%s: what is there instead of a person?", path)
	case c.ReadsFlags && c.TakesNumbers:
		t.Errorf("%s reads its flags in two ways", path)
	}
	flags := map[string]bool{}
	for _, f := range c.Flags {
		if flags[f.Name] || f.Usage == "" {
			t.Errorf("%s --%s: there twice, or without a description", path, f.Name)
		}
		flags[f.Name] = true
		switch f.Default.(type) {
		case bool, int, uint, string, []string, manage.List:
		default:
			t.Errorf("%s --%s has a default of type %T", path, f.Name, f.Default)
		}
		if _, isText := f.Default.(string); f.Choices != nil && !isText {
			t.Errorf("%s --%s has choices that are no texts", path, f.Name)
		}
	}
	for _, sub := range c.Subs {
		checkRow(t, path+" "+sub.Name, sub)
	}
}
