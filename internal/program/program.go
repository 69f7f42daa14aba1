// Package program finds programs of the user's, and asks them short questions:
// which version they are, whether their daemon answers.
package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"pollux/internal/durable"
)

// Finder finds programs by their names.
type Finder struct {
	// Path is the value of PATH. Directories that are not absolute do not count:
	// they mean whatever lies in the working directory.
	Path string
	// Outside are directories whose programs do not count: what a repository
	// brings along must not run because it has a known name.
	Outside []string
}

// Find returns the path of a program, links followed, "" if there is none.
func (f Finder) Find(name string) string {
	if name == "" || name != filepath.Base(name) {
		return f.usable(name)
	}
	for _, dir := range filepath.SplitList(f.Path) {
		if path := f.usable(filepath.Join(dir, name)); path != "" {
			return path
		}
	}
	return ""
}

// usable returns the path of the program that is at this one, "" if there is none.
func (f Finder) usable(path string) string {
	if !filepath.IsAbs(path) {
		return ""
	}
	if runtime.GOOS == "windows" && filepath.Ext(path) == "" {
		path += ".exe"
	}
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
		return ""
	}
	for _, dir := range f.Outside {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return ""
		}
	}
	return path
}

// maxOutput bounds what is kept of each of a program's streams, in bytes.
const maxOutput = 64 << 10

// Ask runs a program, with this environment and no other, and returns what it
// says, without the white space around it. The error has the line in which it
// says what is wrong. When ctx ends the program is killed, with all that it started,
// and the error is the cause of that. Nothing of it is left behind.
func Ask(ctx context.Context, env []string, path string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append([]string{}, env...) // nil would be ours
	cmd.Dir = filepath.Dir(path)         // not one that a repository fills
	return Run(ctx, cmd)
}

// Run is [Ask] for a command that the caller has made, with ctx.
func Run(ctx context.Context, cmd *exec.Cmd) (string, error) {
	out, errs := &head{}, &head{}
	cmd.Stdout, cmd.Stderr = out, errs
	cmd.WaitDelay = time.Second // for a child that holds the streams
	OwnGroup(cmd)
	err := cmd.Run()
	if cmd.Process != nil {
		_ = cmd.Cancel() // what it has left running; mostly there is nothing
	}
	text := out.text()
	switch {
	case ctx.Err() != nil:
		return text, context.Cause(ctx)
	case errors.Is(err, exec.ErrWaitDelay):
		return text, nil // it has said what it had to say
	case err == nil:
		return text, nil
	}
	var ended *exec.ExitError
	if why := complaint(errs.text()); errors.As(err, &ended) && why != "" {
		return text, errors.New(why)
	}
	return text, fmt.Errorf("run %s: %w", filepath.Base(cmd.Path), durable.Cause(err))
}

// complaint returns the line of an error output that says why: the first that is
// no mere warning.
func complaint(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(strings.ToLower(line), "warning") {
			return line
		}
	}
	return text
}

// head keeps the beginning of what is written to it.
type head struct{ kept []byte } // a buffer would also read by itself, without a bound

func (h *head) Write(p []byte) (int, error) {
	h.kept = append(h.kept, p[:min(maxOutput-len(h.kept), len(p))]...)
	return len(p), nil
}

// text returns it as text, without the white space around it.
func (h *head) text() string {
	return strings.TrimSpace(strings.ToValidUTF8(string(h.kept), "\uFFFD"))
}
