package worktree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pollux/internal/process"
)

// git runs git in one repository.
type git struct {
	path     string
	dir      string // in the repository
	common   string // the git directory of the repository
	environ  []string
	launcher process.Launcher
}

// Variables are the variables that set the location of a repository for git, as hooks of Git get
// them. They must not reach programs in a worktree.
var Variables = []string{
	"GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE",
	"GIT_REPLACE_REF_BASE", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_INTERNAL_SUPER_PREFIX",
	"GIT_CONFIG", "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
}

func newGit(o Options) (*git, error) {
	environ := slices.DeleteFunc(slices.Clone(o.Environ), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(Variables, name)
	})
	g := &git{dir: o.Dir, launcher: o.Launcher, environ: append(environ, "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1")}
	if g.path = (process.Finder{Path: process.Getenv(environ, "PATH"), Outside: []string{o.Dir}}).Find("git"); g.path == "" {
		return nil, errors.New("git is not installed")
	}
	return g, nil
}

// root returns the root of the repository, where the directory of the worktrees is.
func (g *git) root(ctx context.Context) (string, error) {
	answer, err := g.ask(ctx, g.dir, "rev-parse", "--is-bare-repository", "--is-inside-work-tree", "--git-common-dir")
	if err != nil {
		return "", err
	}
	lines := strings.Split(answer, "\n")
	switch {
	case len(lines) != 3:
		return "", fmt.Errorf("git rev-parse answered %q", answer)
	case lines[0] == "true":
		return "", fmt.Errorf("%s is a bare repository. Run it in a working tree", g.dir)
	case lines[1] != "true":
		return "", fmt.Errorf("%s is in the git directory of a repository. Run it in a working tree", g.dir)
	}
	g.common = lines[2]
	if !filepath.IsAbs(g.common) {
		g.common = filepath.Join(g.dir, g.common)
	}
	if g.common, err = filepath.EvalSymlinks(g.common); err != nil {
		return "", err
	}
	root := filepath.Dir(g.common)
	if bare, err := g.ask(ctx, g.common, "rev-parse", "--is-bare-repository"); filepath.Base(g.common) != ".git" && (err != nil || bare != "true") {
		return "", fmt.Errorf("the git directory of %s is elsewhere (%s), as that of a submodule", g.dir, g.common)
	}
	return root, nil
}

// check returns an error in a worktree whose files are elsewhere, and if the repository's own configuration names programs that could run when
// git writes or compares files: filters, and whatever fetches the missing objects of a partial clone.
func (g *git) check(ctx context.Context, dir string) error {
	names := process.Head{Max: 1 << 20}
	if err := g.stream(ctx, dir, &names, "config", "--list", "--includes", "--show-scope", "--name-only"); err != nil {
		return err
	}
	text := names.Text()
	if len(text) >= names.Max {
		return errors.New("the repository's configuration is larger than 1 MB")
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); line == "worktree\tcore.worktree" {
			return errors.New("the configuration of the worktree names another directory (core.worktree)")
		}
		scope, key, _ := strings.Cut(line, "\t")
		section, _, _ := strings.Cut(key, ".")
		isPartial := section == "remote" && strings.HasSuffix(key, ".promisor") || key == "extensions.partialclone"
		if own := scope == "local" || scope == "worktree"; own && (section == "filter" || section == "hook" || isPartial) {
			return fmt.Errorf("the repository's configuration can start programs (%s)", key)
		}
	}
	return nil
}

// ask runs git in a directory and returns its output, without surrounding white space. See
// [process.Launcher.Ask].
func (g *git) ask(ctx context.Context, dir string, args ...string) (string, error) {
	text, err := g.launcher.Ask(ctx, g.command(dir, nil, args...))
	if err != nil {
		return text, errors.New(strings.TrimPrefix(strings.TrimPrefix(err.Error(), "fatal: "), "error: "))
	}
	return text, nil
}

// stream runs git in a directory, and writes its output to out.
func (g *git) stream(ctx context.Context, dir string, out io.Writer, args ...string) error {
	c := g.command(dir, nil, args...)
	c.Stdout = out
	status, err := g.launcher.Run(ctx, c)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return err
	case status != process.Status{}:
		return fmt.Errorf("git %s: %s", args[0], status)
	}
	return nil
}

// command returns a command that runs git without programs of the repository.
func (g *git) command(dir string, stdin io.Reader, args ...string) *process.Command {
	settings := []string{
		"core.hooksPath=" + os.DevNull, "core.fsmonitor=false", "log.showSignature=false", "submodule.recurse=false",
		"gc.auto=0", "maintenance.auto=false",
	}
	var all []string
	for _, s := range settings {
		all = append(all, "-c", s)
	}
	return &process.Command{
		For:  process.Purpose{Kind: process.KindGit, Origin: process.OriginPollux},
		Name: "git", Path: g.path, Args: append(all, args...), Dir: dir, Env: g.environ, Stdin: stdin,
		Grace: 2 * time.Second, // git removes a worktree that it has not finished
	}
}
