// Package shadow keeps snapshots of a project as commits in a git repository of its own, as Gemini CLI does, so that each
// program can return to the snapshots of the other. The repository of the user, its index and its hooks are not touched.
package shadow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pollux/internal/durable"
	"pollux/internal/process"
)

// Options configures a [Repository].
type Options struct {
	Dir      string // history/<slug>, with the git directory
	Tree     string // the root of the project
	Home     string // the user's home directory, "" for none
	Launcher process.Launcher
	Environ  []string // of git
}

// Repository is the repository of a project. It may be used by one goroutine at a time.
type Repository struct {
	o      Options
	git    string // the program
	isMade bool
}

// Change is a path that differs from a snapshot.
type Change struct {
	Path    string // absolute
	Removes bool   // the snapshot does not have it
}

// The errors of this package.
var (
	// ErrNoGit is returned if git is not installed.
	ErrNoGit = errors.New("git is not installed")
	// ErrGone is returned for a commit that the repository does not have.
	ErrGone = errors.New("the commit is not in the repository")
	// ErrTooLarge is returned for a project in whose directory everything of the user is: to return to a snapshot would delete
	// all files that are not in it.
	ErrTooLarge = errors.New("the project is the home directory, or the root of the file system")
)

// Open returns the repository of a project. It makes nothing yet.
func Open(o Options) (*Repository, error) {
	if o.Tree == o.Home || filepath.Dir(o.Tree) == o.Tree {
		return nil, ErrTooLarge
	}
	r := &Repository{o: o}
	if r.git = (process.Finder{Path: process.Getenv(o.Environ, "PATH"), Outside: []string{o.Tree}}).Find("git"); r.git == "" {
		return nil, ErrNoGit
	}
	return r, nil
}

// Snapshot returns the commit of a snapshot of the project, a new one if files have changed since the last.
func (r *Repository) Snapshot(ctx context.Context, message string) (commit string, err error) {
	if err := r.make(ctx); err != nil {
		return "", err
	}
	if err := r.run(ctx, "add", "--ignore-errors", "."); err != nil && ctx.Err() != nil {
		return "", err
	}
	// Files that cannot be read are left out, as in a commit that a person makes.
	if _, err := r.ask(ctx, "diff", "--cached", "--quiet"); err != nil {
		if err := r.run(ctx, "commit", "--quiet", "--no-verify", "--message", message); err != nil {
			return "", err
		}
	}
	return r.ask(ctx, "rev-parse", "HEAD")
}

// Changes returns the paths that a return to a snapshot changes, sorted.
func (r *Repository) Changes(ctx context.Context, commit string) (list []Change, err error) {
	if err := r.find(ctx, commit); err != nil {
		return nil, err
	}
	tracked, err := r.list(ctx, "diff", "--name-status", "--no-renames", "-z", commit)
	if err != nil {
		return nil, err
	}
	for i := 0; i+1 < len(tracked); i += 2 {
		list = append(list, Change{Path: r.path(tracked[i+1]), Removes: tracked[i] == "A"})
	}
	others, err := r.list(ctx, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, err
	}
	for _, name := range others {
		if !strings.HasSuffix(name, "/") { // another repository, which stays
			list = append(list, Change{Path: r.path(name), Removes: true})
		}
	}
	slices.SortFunc(list, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(list, func(a, b Change) bool { return a.Path == b.Path }), nil
}

// Restore returns the project to a snapshot. Files that the snapshot does not have are deleted, but for those that git
// ignores.
func (r *Repository) Restore(ctx context.Context, commit string) error {
	if err := r.find(ctx, commit); err != nil {
		return err
	}
	// With the index of another snapshot, clean would delete the files again that only this one has.
	if err := r.run(ctx, "restore", "--source", commit, "--staged", "--worktree", "."); err != nil {
		return err
	}
	return r.run(ctx, "clean", "-f", "-d", "--quiet")
}

func (r *Repository) path(name string) string {
	return filepath.Join(r.o.Tree, filepath.FromSlash(name))
}

// find checks that the repository has a commit.
func (r *Repository) find(ctx context.Context, commit string) error {
	isHex := func(c rune) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }
	if len(commit) < 7 || strings.ContainsFunc(commit, func(c rune) bool { return !isHex(c) }) {
		return ErrGone
	}
	if _, err := os.Stat(r.dir()); errors.Is(err, fs.ErrNotExist) {
		return ErrGone
	}
	if _, err := r.ask(ctx, "cat-file", "-e", commit+"^{commit}"); err != nil {
		return errors.Join(ctx.Err(), ErrGone)
	}
	return nil
}

func (r *Repository) dir() string { return filepath.Join(r.o.Dir, ".git") }

// make makes the repository, unless it is there.
func (r *Repository) make(ctx context.Context) error {
	if r.isMade {
		return nil
	}
	if err := durable.MkdirAll(r.o.Dir, 0o700); err != nil {
		return err
	}
	const config = "[user]\n  name = Gemini CLI\n  email = gemini-cli@google.com\n[commit]\n  gpgsign = false\n"
	if err := durable.WriteFile(r.config(), []byte(config), 0o600); err != nil {
		return err
	}
	if _, err := os.Stat(r.dir()); errors.Is(err, fs.ErrNotExist) {
		if err := r.run(ctx, "init", "--quiet", "--initial-branch", "main"); err != nil {
			return err
		}
	}
	if _, err := r.ask(ctx, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		if err := r.run(ctx, "commit", "--quiet", "--no-verify", "--allow-empty", "--message", "Initial commit"); err != nil {
			return err
		}
	}
	r.isMade = true
	return nil
}

// config is the path of git's configuration, in which no program of the user is named.
func (r *Repository) config() string { return filepath.Join(r.o.Dir, ".gitconfig") }

func (r *Repository) run(ctx context.Context, args ...string) error {
	_, err := r.ask(ctx, args...)
	return err
}

// ask runs git, and returns its output without surrounding white space.
func (r *Repository) ask(ctx context.Context, args ...string) (string, error) {
	text, err := r.o.Launcher.Ask(ctx, r.command(args...))
	if err != nil {
		return "", errors.New(strings.TrimPrefix(strings.TrimPrefix(err.Error(), "fatal: "), "error: "))
	}
	return text, nil
}

// maxList is the length of a list of paths, in bytes.
const maxList = 64 << 20

// list runs git, and returns its output, which ends each text with a zero byte.
func (r *Repository) list(ctx context.Context, args ...string) ([]string, error) {
	var errs process.Head
	errs.Max = 4 << 10
	var out bytes.Buffer
	c := r.command(args...)
	c.Stdout, c.Stderr = &limited{&out, maxList}, &errs
	status, err := r.o.Launcher.Run(ctx, c)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	case status != process.Status{}:
		return nil, fmt.Errorf("git %s: %s: %s", args[0], status, errs.Text())
	}
	text := strings.TrimSuffix(out.String(), "\x00")
	if text == "" {
		return nil, nil
	}
	return strings.Split(text, "\x00"), nil
}

// limited writes at most left bytes.
type limited struct {
	*bytes.Buffer
	left int
}

func (l *limited) Write(data []byte) (int, error) {
	if l.left -= len(data); l.left < 0 {
		return 0, errors.New("too many files have changed")
	}
	return l.Buffer.Write(data)
}

// command returns a command that runs git with the repository and the files of the project. Nothing of the user's
// configuration has an effect.
func (r *Repository) command(args ...string) *process.Command {
	environ := slices.DeleteFunc(slices.Clone(r.o.Environ), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "GIT_") || name == "LC_ALL" || name == "LANGUAGE"
	})
	const name, address = "Gemini CLI", "gemini-cli@google.com"
	environ = append(environ, "LC_ALL=C", "GIT_DIR="+r.dir(), "GIT_WORK_TREE="+r.o.Tree, "GIT_CONFIG_GLOBAL="+r.config(), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_AUTHOR_NAME="+name, "GIT_AUTHOR_EMAIL="+address,
		"GIT_COMMITTER_NAME="+name, "GIT_COMMITTER_EMAIL="+address)
	settings := []string{"core.hooksPath=" + os.DevNull, "core.fsmonitor=false", "core.autocrlf=false", "submodule.recurse=false", "advice.addEmbeddedRepo=false", "commit.gpgsign=false"}
	var all []string
	for _, s := range settings {
		all = append(all, "-c", s)
	}
	return &process.Command{
		For:  process.Purpose{Kind: process.KindGit, Origin: process.OriginPollux},
		Name: "git", Path: r.git, Args: append(all, args...), Dir: r.o.Tree, Env: environ, Grace: 2 * time.Second, // to remove its locks
	}
}
