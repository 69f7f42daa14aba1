package worktree

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/process"
)

// Changes is the work that would be lost with a worktree.
type Changes struct {
	// Files is the number of changed and new files and directories, Ignored that of those that Git
	// ignores.
	Files, Ignored int
	// Commits is the number of commits that are on no other branch.
	Commits int
	// Others are further reasons to keep the worktree, as phrases.
	Others []string
	// IsInUse is set if another session uses the worktree. Nothing else is then known.
	IsInUse bool
}

// IsEmpty reports whether nothing would be lost.
func (c Changes) IsEmpty() bool {
	return c.Files == 0 && c.Ignored == 0 && c.Commits == 0 && len(c.Others) == 0 && !c.IsInUse
}

// String returns a list of the changes: "2 changed or new files, 1 commit".
func (c Changes) String() string {
	var list []string
	add := func(n int, one, many string) {
		switch n {
		case 0:
		case 1:
			list = append(list, "1 "+one)
		default:
			list = append(list, fmt.Sprintf("%d %s", n, many))
		}
	}
	add(c.Files, "changed or new file", "changed or new files")
	add(c.Ignored, "ignored file or directory", "ignored files or directories")
	add(c.Commits, "commit that is on no other branch", "commits that are on no other branch")
	return strings.Join(append(list, c.Others...), ", ")
}

// Inspect returns the work that would be lost with the worktree. It changes nothing. With an error,
// the changes are not known.
func (w *Worktree) Inspect(ctx context.Context) (Changes, error) {
	var c Changes
	if err := w.git.check(ctx, w.Path); err != nil {
		return c, err
	}
	for _, step := range []func(context.Context, *Changes) error{w.countFiles, w.countCommits, w.findOthers} {
		if err := step(ctx, &c); err != nil {
			return c, err
		}
	}
	return c, nil
}

// countFiles counts the files that are not as in the last commit.
func (w *Worktree) countFiles(ctx context.Context, c *Changes) error {
	status := lines{visit: func(line []byte) {
		if bytes.HasPrefix(line, []byte("!!")) {
			c.Ignored++
		} else {
			c.Files++
		}
	}}
	err := w.git.stream(ctx, w.Path, &status, "--no-optional-locks", "status", "--porcelain", "--no-renames",
		"--untracked-files=normal", "--ignored=traditional", "--ignore-submodules=all")
	if err != nil {
		return err
	}
	var modules, unchecked bool
	files := lines{visit: func(line []byte) {
		modules = modules || bytes.HasPrefix(line[min(len(line), 2):], []byte("160000 ")) && !w.isEmptyModule(line)
		unchecked = unchecked || line[0] == 'S' || 'a' <= line[0] && line[0] <= 'z'
	}}
	if err := w.git.stream(ctx, w.Path, &files, "-c", "core.quotePath=false", "ls-files", "-v", "--stage"); err != nil {
		return err
	}
	if modules {
		c.Others = append(c.Others, "submodules")
	}
	if unchecked {
		c.Others = append(c.Others, "files that Git does not check for changes")
	}
	return nil
}

// isEmptyModule reports whether a submodule, in a line of git ls-files, is not initialized: its directory is
// empty, or is not there.
func (w *Worktree) isEmptyModule(line []byte) bool {
	_, path, ok := bytes.Cut(line, []byte("\t"))
	if !ok || bytes.HasPrefix(path, []byte{'"'}) { // a name that Git quotes
		return false
	}
	entries, err := os.ReadDir(filepath.Join(w.Path, string(path)))
	return err == nil && len(entries) == 0 || errors.Is(err, fs.ErrNotExist)
}

// countCommits counts the commits of the worktree, and of its earlier heads, that no other branch
// has.
func (w *Worktree) countCommits(ctx context.Context, c *Changes) error {
	if at, _ := w.git.ask(ctx, w.Path, "symbolic-ref", "--quiet", "HEAD"); at != "refs/heads/"+w.Branch() {
		c.Others = append(c.Others, "another branch than "+w.Branch()+" is checked out")
	}
	revisions, err := w.revisions(ctx)
	if err != nil {
		return err
	}
	count, err := w.listOwn(ctx, revisions, "--count")
	if err != nil {
		return err
	}
	if _, err := fmt.Sscan(count, &c.Commits); err != nil {
		return fmt.Errorf("git rev-list answered %q", count)
	}
	if c.Commits == 0 && len(revisions) > 1 {
		c.Others = append(c.Others, "commits that are on other branches too")
	}
	return nil
}

// lastCommit returns the newest commit that no other branch has, else the one that is checked out.
func (w *Worktree) lastCommit(ctx context.Context) (string, error) {
	revisions, err := w.revisions(ctx)
	if err != nil {
		return "", err
	}
	own, err := w.listOwn(ctx, revisions, "--max-count=1")
	if err != nil {
		return "", err
	}
	return w.git.ask(ctx, w.Path, "rev-parse", "--short", "--verify", cmp.Or(strings.TrimSpace(own), "HEAD"))
}

// revisions returns the commits that the worktree and its branch are and were at, each once.
func (w *Worktree) revisions(ctx context.Context) ([]string, error) {
	head, err := w.git.ask(ctx, w.Path, "rev-parse", "--verify", "HEAD")
	if err != nil {
		return nil, err
	}
	const most = "1000" // of a log, 41 bytes each
	revisions := []string{head}
	for _, ref := range []string{"HEAD", "refs/heads/" + w.Branch()} {
		if log, err := w.git.ask(ctx, w.Path, "log", "--walk-reflogs", "--format=%H", "-n", most, ref, "--"); err == nil {
			revisions = append(revisions, strings.Fields(log)...)
		}
	}
	slices.Sort(revisions)
	return slices.Compact(revisions), nil
}

// listOwn returns the output of git rev-list, with an option, about the commits of revisions that no other
// branch has, the newest first.
func (w *Worktree) listOwn(ctx context.Context, revisions []string, option string) (string, error) {
	command := w.git.command(
		w.Path, strings.NewReader(strings.Join(revisions, "\n")+"\n"),
		"rev-list", option, "--stdin", "--glob=refs/worktree/", "--not", "--exclude="+w.Branch(), "--branches", "--remotes", "--tags",
	)
	text := process.Head{Max: 100}
	command.Stdout = &text
	if status, err := w.git.launcher.Run(ctx, command); err != nil || status != (process.Status{}) || ctx.Err() != nil {
		return "", fmt.Errorf("git rev-list: %s", status)
	}
	return text.Text(), nil
}

// findOthers finds stashes of the branch, and processes.
func (w *Worktree) findOthers(ctx context.Context, c *Changes) error {
	stashes := 0
	of := []byte(" " + w.Branch() + ": ")
	list := lines{visit: func(line []byte) {
		if i := bytes.Index(line, of); i >= 0 && bytes.HasSuffix(bytes.ToLower(line[:i]), []byte("on")) {
			stashes++
		}
	}}
	if err := w.git.stream(ctx, w.Path, &list, "stash", "list", "--format=%gs"); err != nil {
		return err
	}
	if stashes > 0 {
		c.Others = append(c.Others, "stashed changes of its branch")
	}
	if pids := process.Inside(w.Path); len(pids) > 0 {
		c.Others = append(c.Others, fmt.Sprintf("a running process (PID %d)", pids[0]))
	}
	return nil
}

// lines is a writer that calls visit with each line that is not empty. It keeps at most 4 KB of a
// line.
type lines struct {
	visit func(line []byte)
	line  []byte
}

func (l *lines) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		part, next, ends := bytes.Cut(rest, []byte("\n"))
		const most = 4 << 10
		l.line = append(l.line, part[:min(len(part), most-len(l.line))]...)
		if ends && len(l.line) > 0 {
			l.visit(l.line)
		}
		if ends {
			l.line = l.line[:0]
		}
		rest = next
	}
	return len(p), nil
}
