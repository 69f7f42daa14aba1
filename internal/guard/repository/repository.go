// Package repository decides whether a git command that only reads could run programs that a
// repository names. Git takes programs from the configuration of a repository (external diffs,
// filters, monitors of the file system, ...), and a directory of the project may contain a
// repository of its own, with any configuration.
package repository

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pollux/internal/durable"
	"pollux/internal/process"
)

// Checker checks the repository of a workspace. Root and Git are required.
type Checker struct {
	// Root is the absolute path of the workspace's directory.
	Root string
	// Git returns the path of git, or "" if there is none.
	Git func() string
	// Environ is the environment in which commands run git, as "NAME=value".
	Environ  []string
	Launcher process.Launcher
	// Temp returns a directory for temporary files that only Pollux changes. Only Edit needs it.
	Temp func() string
}

const (
	// timeout limits the time of one check.
	timeout = 5 * time.Second
	// maxConfig limits the size of a configuration, in bytes.
	maxConfig = 1 << 20
)

// RunsNothing reports whether git commands that only read, in the absolute directory dir, run no
// programs except those of the user's own configuration. That is so if dir belongs to the
// repository whose git directory is .git in Root, or to a worktree of the user's in Root, and the
// configuration, the attributes, the hooks and the submodules of that repository name no programs.
// It is not so if anything is in doubt.
func (c *Checker) RunsNothing(dir string) bool { return c.check(dir, namesProgram) }

// RunsNothingEver is [Checker.RunsNothing] for all git commands, such as one that pushes.
func (c *Checker) RunsNothingEver(dir string) bool {
	_, common := c.gitDirs()
	return common != "" && !hasHooks(filepath.Join(common, "hooks")) && c.check(dir, func(key string) bool {
		return namesProgram(key) || namesOther(key)
	})
}

// hasHooks reports whether a directory of hooks has one besides the examples that git puts there.
func hasHooks(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err != nil && !os.IsNotExist(err) || slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !strings.HasSuffix(e.Name(), ".sample") })
}

// check is [Checker.RunsNothing] with a function that reports whether a setting of the repository, by its full name, names a program.
func (c *Checker) check(dir string, names func(key string) bool) bool {
	gitDir := c.ownGitDir(dir)
	if gitDir == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	used := process.Head{Max: maxConfig} // git skips a damaged repository and takes the next one above
	if !c.git(ctx, &used, "rev-parse", "--absolute-git-dir") || strings.TrimSpace(string(used.Bytes())) != gitDir {
		return false
	}
	drivers, ok := c.readConfig(ctx, names)
	return ok && !c.hasSubmodules(ctx) && !c.usesDrivers(ctx, drivers)
}

// ownGitDir returns the git directory of Root if git in dir should use it, else "".
func (c *Checker) ownGitDir(dir string) string {
	for _, name := range []string{"GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"} {
		if process.Getenv(c.Environ, name) != "" {
			return ""
		}
	}
	if rel, err := filepath.Rel(c.Root, dir); err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	for ; dir != c.Root; dir = filepath.Dir(dir) {
		if exists(filepath.Join(dir, ".git")) { // a repository in the repository
			return ""
		}
	}
	gitDir, common := c.gitDirs()
	if common == "" || exists(filepath.Join(common, "hooks", "post-index-change")) { // git status runs this hook
		return ""
	}
	return gitDir
}

// gitDirs returns the git directory of Root and the one that contains its configuration. They
// differ if Root is a worktree. It returns "" if there is none, or if it may not be the user's.
func (c *Checker) gitDirs() (gitDir, common string) {
	gitDir = filepath.Join(c.Root, ".git")
	info, err := os.Lstat(gitDir)
	switch {
	case err != nil:
		return "", ""
	case info.IsDir() && !exists(filepath.Join(gitDir, "commondir")):
		return gitDir, gitDir
	case !info.Mode().IsRegular():
		return "", ""
	}
	// A repository inside the workspace could be the model's.
	dir, common := WorktreeDirs(c.Root)
	if rel, err := filepath.Rel(c.Root, dir); dir == "" || err != nil || filepath.IsLocal(rel) {
		return "", ""
	}
	return dir, common
}

// WorktreeDirs returns the git directory of the worktree whose top directory is the absolute path
// root, and the git directory of its repository. It returns "" if root is not the top directory of a
// worktree, or if git has not noted in both places where the other one is.
func WorktreeDirs(root string) (gitDir, common string) {
	file := filepath.Join(root, ".git")
	dir, ok := strings.CutPrefix(firstLine(file), "gitdir: ")
	if !ok || !filepath.IsAbs(dir) || filepath.Base(filepath.Dir(dir)) != "worktrees" || firstLine(filepath.Join(dir, "gitdir")) != file {
		return "", ""
	}
	return dir, filepath.Dir(filepath.Dir(dir))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !os.IsNotExist(err)
}

// firstLine returns the first line of a small file, "" if it cannot be read.
func firstLine(path string) string {
	text, err := durable.ReadFile(path, 64<<10)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSuffix(line, "\r")
}

// readConfig reads the configuration. ok reports whether the repository's own part names no
// programs, by names, and no part has git compare submodules file by file: that runs git in their own repositories, also in those of
// submodules that only older commits have. drivers are the attributes for which the user's part names some, as "filter=NAME",
// "diff=NAME" and "merge=NAME".
func (c *Checker) readConfig(ctx context.Context, names func(key string) bool) (drivers []string, ok bool) {
	out := process.Head{Max: maxConfig}
	if !c.git(ctx, &out, "config", "--list", "--includes", "--show-scope", "-z") || out.IsCut() {
		return nil, false
	}
	fields := strings.Split(strings.TrimSuffix(string(out.Bytes()), "\x00"), "\x00")
	if len(fields)%2 != 0 {
		return nil, false
	}
	for i := 0; i < len(fields); i += 2 {
		key, value, _ := strings.Cut(fields[i+1], "\n")
		if key == "diff.submodule" && value == "diff" {
			return nil, false
		}
		switch fields[i] {
		case "system", "global", "command": // the user's
			if d := driver(key); d != "" {
				drivers = append(drivers, d)
			}
		default:
			if names(key) {
				return nil, false
			}
		}
	}
	return drivers, true
}

// Programs returns the settings in the text of a configuration that can make git run a program, or that include others, with their
// values. ok is false if git cannot read the text.
func (c *Checker) Programs(ctx context.Context, config []byte) (settings map[string][]string, ok bool) {
	out := process.Head{Max: maxConfig}
	if !c.gitWith(ctx, bytes.NewReader(config), &out, "config", "--file", "-", "--no-includes", "--list", "-z") || out.IsCut() {
		return nil, false
	}
	settings = map[string][]string{}
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(out.Bytes()), "\x00"), "\x00") {
		key, value, _ := strings.Cut(entry, "\n")
		if (namesProgram(key) || namesOther(key)) && !describes(key) {
			settings[key] = append(settings[key], value)
		}
	}
	return settings, true
}

// Edit returns the text of a configuration in which a setting has these values; nil removes it. Git edits a copy in Temp.
func (c *Checker) Edit(ctx context.Context, config []byte, key string, values []string) ([]byte, error) {
	dir := c.Temp()
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		dir, err = os.MkdirTemp(dir, "config-")
	}
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "config")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		return nil, err
	}
	none := process.Head{Max: maxConfig}
	ok := c.git(ctx, &none, "config", "--file", file, "--unset-all", key) || len(values) > 0 // it may not be there
	for _, v := range values {
		ok = ok && c.git(ctx, &none, "config", "--file", file, "--add", key, v)
	}
	if !ok {
		return nil, errors.New("git config failed")
	}
	return durable.ReadFile(file, 2*maxConfig)
}

// Committed returns those of these files in Root that the last commit has, relative to Root. It returns none if git could run programs of the
// repository, or fetch objects that are missing.
func (c *Checker) Committed(ctx context.Context, files []string) []string {
	if !c.RunsNothing(c.Root) {
		return nil
	}
	args := []string{"-c", "core.fsmonitor=false", "ls-tree", "-r", "-z", "--name-only", "HEAD", "--"}
	for _, file := range files {
		if rel, err := filepath.Rel(c.Root, file); err == nil && filepath.IsLocal(rel) {
			args = append(args, rel)
		}
	}
	out := process.Head{Max: maxConfig}
	if args[len(args)-1] == "--" || !c.git(ctx, &out, args...) || len(out.Bytes()) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out.Bytes()), "\x00"), "\x00")
}

// namesProgram reports whether a setting, by its full name, can make a command that reads run a
// program, or includes other settings. A partial clone fetches missing objects, which runs further
// programs.
func namesProgram(key string) bool {
	section, rest, _ := strings.Cut(key, ".")
	name := rest[strings.LastIndexByte(rest, '.')+1:]
	switch section {
	case "filter", "hook", "include", "includeif", "pager":
		return true
	case "diff":
		return name == "command" || name == "textconv" || name == "external"
	case "merge": // for --remerge-diff
		return name == "driver"
	case "gpg":
		return strings.HasSuffix(name, "program")
	case "remote":
		return name == "promisor"
	case "extensions":
		return name == "partialclone"
	case "core":
		switch name {
		case "worktree", "fsmonitor", "hookspath", "sshcommand", "pager", "alternaterefscommand":
			return true
		}
	}
	return false
}

// namesOther reports whether a setting, by its full name, can make a command run a program that one which only reads does not run.
func namesOther(key string) bool {
	section, rest, _ := strings.Cut(key, ".")
	switch name := rest[strings.LastIndexByte(rest, '.')+1:]; section {
	case "alias", "browser", "credential", "difftool", "guitool", "imap", "man", "mergetool", "protocol", "sendemail", "tar", "trailer", "uploadpack", "web":
		return true
	case "gc":
		return strings.HasSuffix(name, "hook")
	case "gpg":
		return strings.HasSuffix(name, "command")
	case "lfs":
		return strings.HasPrefix(rest, "customtransfer.") || strings.HasPrefix(rest, "extension.")
	case "remote":
		return name == "receivepack" || name == "uploadpack" || name == "vcs"
	case "core":
		return name == "askpass" || name == "editor" || name == "gitproxy"
	case "sequence":
		return name == "editor"
	case "submodule":
		return name == "update"
	case "interactive":
		return name == "difffilter"
	}
	return false
}

// describes reports whether a setting of [namesProgram] names no program itself: those of submodules and partial clones.
func describes(key string) bool {
	return key == "core.worktree" || key == "extensions.partialclone" || strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, ".promisor")
}

// driver returns the attribute that makes git run the program of a setting, "" if there is none.
func driver(key string) string {
	section, rest, _ := strings.Cut(key, ".")
	i := strings.LastIndexByte(rest, '.')
	if i < 0 {
		return ""
	}
	switch name := rest[i+1:]; {
	case section == "filter" && (name == "clean" || name == "smudge" || name == "process"),
		section == "diff" && (name == "command" || name == "textconv"), section == "merge" && name == "driver":
		return section + "=" + rest[:i]
	}
	return ""
}

// usesDrivers reports whether an attribute of the repository makes git run one of the drivers.
func (c *Checker) usesDrivers(ctx context.Context, drivers []string) bool {
	if len(drivers) == 0 {
		return false
	}
	args := []string{"-c", "core.fsmonitor=false", "ls-files", "-z", "--"}
	for _, d := range drivers {
		args = append(args, ":(attr:"+d+")")
	}
	out := process.Head{Max: maxConfig}
	return !c.git(ctx, &out, args...) || len(out.Bytes()) > 0
}

// hasSubmodules reports whether the repository has submodules. Git reads them with their own
// configuration.
func (c *Checker) hasSubmodules(ctx context.Context) bool {
	var modes links
	return !c.git(ctx, &modes, "-c", "core.fsmonitor=false", "ls-files", "--stage", "-z") || modes.found
}

// git runs git in the workspace's directory and reports whether it succeeded.
func (c *Checker) git(ctx context.Context, stdout io.Writer, args ...string) bool {
	return c.gitWith(ctx, nil, stdout, args...)
}

// gitWith is git with an input.
func (c *Checker) gitWith(ctx context.Context, stdin io.Reader, stdout io.Writer, args ...string) bool {
	path := c.Git()
	if path == "" {
		return false
	}
	status, err := c.Launcher.Run(ctx, &process.Command{
		For:  process.Purpose{Kind: process.KindGit, Origin: process.OriginPollux},
		Path: path, Args: args, Dir: c.Root, Env: c.Environ, Stdin: stdin, Stdout: stdout,
	})
	return err == nil && status == process.Status{} && ctx.Err() == nil
}

// links looks for submodules in the output of ls-files --stage -z: their entries begin with the
// mode 160000.
type links struct {
	entry []byte // the beginning of the current entry
	found bool
}

func (l *links) Write(p []byte) (int, error) {
	const mode = "160000 "
	for rest := p; len(rest) > 0; {
		entry, next, ends := bytes.Cut(rest, []byte{0})
		l.entry = append(l.entry, entry[:min(len(entry), len(mode)-len(l.entry))]...)
		l.found = l.found || string(l.entry) == mode
		if ends {
			l.entry = l.entry[:0]
		}
		rest = next
	}
	return len(p), nil
}
