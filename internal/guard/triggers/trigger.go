package triggers

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/gitstate"
	"pollux/internal/terminal"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
	"pollux/internal/workspace"
)

// trigger is a file or a setting that a command has added or changed, and that makes programs run later.
type trigger struct {
	path string // of the file
	name string // of the file, as people read it
	// setting is the setting of git's in the file that was changed, with its values before and after; "" if it is the file itself.
	setting       string
	before, after []string
	text          string // the beginning of the file, for a person; "" for none
	sum           string // of the file
}

// key identifies the trigger, for all its values.
func (f *trigger) key() string { return f.path + "\x00" + f.setting }

// value identifies the trigger with its value.
func (f *trigger) value() string { return f.key() + "\x00" + f.sum + strings.Join(f.after, "\x00") }

// shown returns lines about the trigger for a person: its value, or the beginning of the file.
func (f *trigger) shown() string {
	if f.setting != "" {
		return terminal.Cut(terminal.Line(displayed(f.setting)+" = "+strings.Join(f.after, ", ")), mostWide) + " in " + f.name + "\n"
	}
	return f.name + "\n" + f.text
}

// documented are names of settings that git documents with capital letters.
var documented = []string{
	"core.alternateRefsCommand", "core.askPass", "core.gitProxy", "core.hooksPath", "core.sshCommand", "gc.recentObjectsHook", "gpg.defaultKeyCommand",
	"includeIf.path", "interactive.diffFilter", "sendemail.ccCmd", "sendemail.headerCmd", "sendemail.sendmailCmd", "sendemail.smtpServer", "sendemail.toCmd",
	"uploadpack.packObjectsHook",
}

// displayed returns the name of a setting, which is in lower case, as git documents it.
func displayed(setting string) string {
	section, rest, _ := strings.Cut(setting, ".")
	i := strings.LastIndexByte(rest, '.') + 1
	for _, name := range documented {
		if first, last, _ := strings.Cut(name, "."); strings.EqualFold(first, section) && strings.EqualFold(last, rest[i:]) {
			return first + "." + rest[:i] + last
		}
	}
	return setting
}

// isNamed reports whether the words of a call name the trigger, so that the user who has approved the call knows.
func (f *trigger) isNamed(words string) bool {
	words = strings.ToLower(words)
	if f.setting != "" {
		return strings.Contains(words, f.setting)
	}
	return strings.Contains(words, strings.ToLower(filepath.Base(f.path)))
}

// look is a search for the triggers of an operation.
type look struct {
	*Guard
	o     *store.Operation
	roots []string
}

// find returns the triggers of an operation: files, then settings, each sorted.
func (g *Guard) find(ctx context.Context, o *store.Operation) (found []trigger) {
	l := &look{g, o, g.options.Roots()}
	cloned := newRepositories(o)
	for i := range o.Changes {
		c := &o.Changes[i]
		if !isNews(c) || slices.ContainsFunc(cloned, func(dir string) bool {
			return workspace.IsWithin(c.Path, dir) && !workspace.IsWithin(c.Path, filepath.Join(dir, ".git"))
		}) {
			continue
		}
		switch l.kindOf(c) {
		case runs:
			found = append(found, trigger{path: c.Path, name: g.options.Name(c.Path), text: l.beginning(&c.After), sum: fmt.Sprintf("%x%o", c.After.Sum, c.After.State.Mode)})
		case configures:
			found = append(found, l.settings(ctx, c)...)
		}
	}
	slices.SortFunc(found, func(a, b trigger) int {
		return cmp.Or(cmp.Compare(min(len(a.setting), 1), min(len(b.setting), 1)), strings.Compare(a.key(), b.key()))
	})
	return found
}

// mostShown is the number of lines of a file, or of a command, that a question shows, and mostWide their length in bytes.
const mostShown, mostWide = 6, 100

// quoted returns the first lines of a text of others, indented so that none can pass for one of Pollux.
func quoted(text string) string {
	var b strings.Builder
	lines := strings.SplitN(strings.TrimRight(text, "\n"), "\n", mostShown+1)
	if len(lines) > mostShown {
		lines[mostShown] = "…"
	}
	for _, line := range lines {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		b.WriteString("  " + terminal.Cut(strings.Repeat(" ", indent)+terminal.Line(line), mostWide) + "\n")
	}
	return b.String()
}

// beginning returns the first lines of a version of a text file, quoted.
func (l *look) beginning(v *store.Version) string {
	const most = 2000 // bytes
	text, ok := l.text(v, most)
	if !ok || bytes.ContainsRune(text, 0) {
		return ""
	}
	return quoted(string(text))
}

// text returns the beginning of a version of a file, as the log has it.
func (l *look) text(v *store.Version, most int64) (text []byte, ok bool) {
	content, err := l.o.Place(v.Content).Open()
	if err != nil {
		return nil, false
	}
	defer content.Close()
	text, err = io.ReadAll(io.LimitReader(content, most))
	return text, err == nil
}

// newRepositories returns the directories that an operation has made with a repository in them: their files run nothing until the user works
// there.
func newRepositories(o *store.Operation) (dirs []string) {
	isNew := map[string]bool{}
	for i := range o.Changes {
		if c := &o.Changes[i]; c.Before.State.Kind == state.Absent && c.After.State.Kind == state.Directory {
			isNew[c.Path] = true
		}
	}
	for path := range isNew {
		if dir := filepath.Dir(path); filepath.Base(path) == ".git" && isNew[dir] {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// isNews reports whether the path has another content than before, or other permissions.
func isNews(c *store.Change) bool {
	before, after := c.Before.State, c.After.State
	if after.Kind != state.Regular && after.Kind != state.Link {
		return false
	}
	isSame := before.Kind == after.Kind && before.Mode == after.Mode && before.Size == after.Size && c.Before.Target == c.After.Target
	return !isSame || after.Kind == state.Regular && (c.Before.Sum != c.After.Sum || c.After.Sum == [len(c.After.Sum)]byte{})
}

// kind is the kind of a file.
type kind int

const (
	nothing    kind = iota
	runs            // a trigger
	configures      // a configuration of git's, which may have some
)

// descriptive are files of git's in a work tree that are no triggers.
var descriptive = []string{".gitignore", ".gitattributes", ".gitmodules", ".gitkeep", ".git-blame-ignore-revs", ".gitmessage", ".gitempty"}

// made are directories with files that tools fetch or make. Their files are code that a project uses, as its own files are.
var made = []string{
	"node_modules", "bower_components", "site-packages", "dist-packages", ".venv", "venv", "vendor", "target", "dist", "build", "out", "coverage",
	".tox", ".nox", ".gradle", ".terraform", ".next", ".nuxt", ".cache", "__pycache__", "Pods", "deps", "_build", ".dart_tool", ".build",
}

// kindOf returns the kind of a file that was changed. It looks at the disk only for names that git has.
func (l *look) kindOf(c *store.Change) kind {
	names := strings.Split(filepath.ToSlash(c.Path), "/")
	base, dir := names[len(names)-1], filepath.Dir(c.Path)
	isGit := func(name string) bool { return strings.EqualFold(name, ".git") }
	switch {
	case slices.ContainsFunc(names[:len(names)-1], isGit),
		(base == "config" || base == "config.worktree" || base == "hooks") && gitstate.IsRepository(dir), // a bare one
		filepath.Base(dir) == "hooks" && gitstate.IsRepository(filepath.Dir(dir)):
		return inRepository(c, names)
	case isGit(base):
		if l.isElsewhere(c) {
			return runs
		}
		return nothing
	case slices.Contains(descriptive, base), slices.ContainsFunc(l.below(names), func(n string) bool { return slices.Contains(made, n) }):
		return nothing
	case l.options.RunsLater(c.Path):
		return runs
	}
	return nothing
}

// below returns the names of the directories of a path that are in a root.
func (l *look) below(names []string) []string {
	path := strings.Join(names[:len(names)-1], "/")
	for _, root := range l.roots {
		if rest, ok := strings.CutPrefix(path+"/", filepath.ToSlash(root)+"/"); ok {
			return strings.Split(rest, "/")
		}
	}
	return names
}

// inRepository returns the kind of a file in a directory of git's.
func inRepository(c *store.Change, names []string) kind {
	base := names[len(names)-1]
	switch {
	case base == "config", base == "config.worktree":
		return configures
	case base == "hooks" && c.After.State.Kind == state.Link:
		return runs
	case names[len(names)-2] == "hooks" && !strings.HasSuffix(base, ".sample") && c.After.State.Mode&0o111 != 0:
		return runs
	}
	return nothing
}

// isElsewhere reports whether the file .git of a work tree names a repository that is in no root, so that its changes are not recorded.
func (l *look) isElsewhere(c *store.Change) bool {
	text, ok := l.text(&c.After, maxConfig)
	if !ok || c.After.State.Kind == state.Link {
		return true
	}
	dir := strings.TrimSpace(strings.TrimPrefix(string(text), "gitdir:"))
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(filepath.Dir(c.Path), dir)
	}
	dir = workspace.RealPath(dir)
	return !slices.ContainsFunc(l.roots, func(root string) bool { return workspace.IsWithin(dir, root) })
}

// settings returns the settings of a configuration that were changed and that name programs. If git cannot read it, that is the file itself.
func (l *look) settings(ctx context.Context, c *store.Change) (found []trigger) {
	before, wasRead := l.programs(ctx, &c.Before)
	after, isRead := l.programs(ctx, &c.After)
	if !wasRead || !isRead {
		return []trigger{{path: c.Path, name: l.options.Name(c.Path)}}
	}
	for _, key := range slices.Sorted(maps.Keys(after)) {
		if !slices.Equal(before[key], after[key]) {
			found = append(found, trigger{path: c.Path, name: l.options.Name(c.Path), setting: key, before: before[key], after: after[key]})
		}
	}
	return found
}

// maxConfig limits the size of a configuration, in bytes.
const maxConfig = 1 << 20

// programs returns the settings of a version of a configuration that name programs.
func (l *look) programs(ctx context.Context, v *store.Version) (settings map[string][]string, ok bool) {
	switch {
	case v.State.Kind == state.Absent, v.State.Kind == state.Regular && v.State.Size == 0:
		return nil, true
	case v.State.Kind != state.Regular, v.IsLost(), v.State.Size > maxConfig:
		return nil, false
	}
	text, ok := l.text(v, maxConfig)
	if !ok {
		return nil, false
	}
	return l.options.Git.Programs(ctx, text)
}
