package gitbase

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/process"
)

// store is a git directory of our own, empty but for the names of the directories that have the objects.
type store struct{ dir string }

// newStore makes a git directory in temp for hashes of a size.
func newStore(temp string, objectDirs []string, hash uint8) (store, error) {
	if temp != "" {
		if err := os.MkdirAll(temp, 0o700); err != nil {
			return store{}, err
		}
	}
	dir, err := os.MkdirTemp(temp, "pollux-git-")
	if err != nil {
		return store{}, err
	}
	var alternates strings.Builder
	for _, d := range objectDirs {
		alternates.WriteString(quote(filepath.ToSlash(d)) + "\n")
	}
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
	if hash == sha256.Size {
		config = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n"
	}
	err = errors.Join(
		os.MkdirAll(filepath.Join(dir, "objects", "info"), 0o700), os.Mkdir(filepath.Join(dir, "refs"), 0o700),
		os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/none\n"), 0o600),
		os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600),
		os.WriteFile(store{dir}.alternates(), []byte(alternates.String()), 0o600),
	)
	if err != nil {
		_ = os.RemoveAll(dir) // the first error is the one that matters
		return store{}, err
	}
	return store{dir}, nil
}

// alternates returns the path of the file with the directories that have the objects.
func (s store) alternates() string { return filepath.Join(s.dir, "objects", "info", "alternates") }

func (s store) isThere() bool {
	_, err := os.Stat(s.alternates())
	return err == nil
}

// quote returns a path in quotes, as in C, so that each byte may be in it.
func quote(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		switch c := path[i]; {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(rune(c)))
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}

// command returns a command that runs git in the store. Nothing of the user's configuration has an effect, and of the
// variables only those that programs need to start.
func (g *Git) command(s store, args ...string) *process.Command {
	environ := slices.DeleteFunc(slices.Clone(g.environ), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "GIT_") || name == "HOME" || name == "XDG_CONFIG_HOME" || name == "LC_ALL" || name == "LANGUAGE"
	})
	environ = append(environ, "HOME="+s.dir, "XDG_CONFIG_HOME="+s.dir, "LC_ALL=C", "GIT_DIR="+s.dir,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_ATTR_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_TERMINAL_PROMPT=0")
	settings := []string{"core.hooksPath=" + os.DevNull, "core.fsmonitor=false", "protocol.allow=never", "gc.auto=0", "maintenance.auto=false"}
	var all []string
	for _, s := range settings {
		all = append(all, "-c", s)
	}
	return &process.Command{
		For:  process.Purpose{Kind: process.KindGit, Origin: process.OriginPollux},
		Name: "git", Path: g.path, Args: append(all, args...), Dir: s.dir, Env: environ,
	}
}

// batch is a git that prints one blob after the other.
type batch struct {
	in      *os.File
	pipe    io.Closer
	out     *bufio.Reader
	errors  process.Head
	process *process.Process
}

const errorSize = 4 << 10 // bytes of git's errors to keep

// startBatch starts git, which runs until stop or the end of Pollux.
func (g *Git) startBatch(ctx context.Context, s store) (*batch, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	b := &batch{in: write, errors: process.Head{Max: errorSize}}
	c := g.command(s, "cat-file", "--batch")
	c.Stdin, c.Stderr = read, &b.errors
	out, err := c.StdoutPipe()
	if err != nil {
		_ = write.Close()
		return nil, err
	}
	b.pipe, b.out = out, bufio.NewReaderSize(out, 64<<10)
	if b.process, err = g.launcher.Start(context.WithoutCancel(ctx), c); err != nil {
		_, _ = write.Close(), out.Close()
		return nil, fmt.Errorf("start git: %w", err)
	}
	return b, nil
}

// stop ends the git and returns its first complaint, "" for none.
func (b *batch) stop() string {
	b.process.Kill()
	_, _ = b.in.Close(), b.pipe.Close()
	_, _ = b.process.Wait() // it was killed
	line, _, _ := strings.Cut(b.errors.Text(), "\n")
	return strings.TrimPrefix(strings.TrimPrefix(line, "fatal: "), "error: ")
}
