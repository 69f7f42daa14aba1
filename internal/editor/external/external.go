// Package external lets a person write in their own editor (spec/tui.md §2.6): a
// prompt, a plan, or their version of a change that the model proposes
// (spec/tools.md §5.5).
//
// Which editor that is, and how it is told to wait or to show two files side by
// side, is table.go. It gets the terminal for as long as it runs. Nothing that a
// model wrote reaches its command line, apart from the end of a file's name, and no
// shell is between.
package external

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"mvdan.cc/sh/v3/shell"

	"pollux/internal/terminal"
)

// Options say which editor a person wants.
type Options struct {
	// Preferred is general.preferredEditor, the id of an editor; "" is for what
	// the environment names.
	Preferred string
	// NewWindow is general.openEditorInNewWindow.
	NewWindow bool
	// Visual and Editor are $VISUAL and $EDITOR, as the person's shell has them: a
	// project must not choose what is run.
	Visual, Editor string
	// Environ is the editor's environment. Its PATH is where editors are looked for.
	Environ []string
	// Terminal is what the editor gets.
	Terminal *terminal.Terminal
	// Temp is where temporary files go; "" is the system's place.
	Temp string
}

// Editor opens files in the person's editor and waits until they are through. Its
// methods return errors that a person can read.
type Editor struct{ o Options }

// New returns an Editor. It looks for nothing before it is used.
func New(o Options) *Editor { return &Editor{o} }

// ErrNone says that there is no editor at all.
//
//lint:ignore ST1005 people know the text
var ErrNone = errors.New("No external editor is available. Please run /editor to configure one.")

// ErrUnsaved says that an editor was left without anything being saved.
//
//lint:ignore ST1005 said to a person as it is
var ErrUnsaved = errors.New("Nothing was saved in the editor, so nothing comes of it.")

// Open opens a file. Its error is [ErrUnsaved] if the file was not written.
func (e *Editor) Open(ctx context.Context, path string) error {
	c, err := e.choose()
	if err != nil {
		return err
	}
	return e.change(path, func() error { return e.run(ctx, c, c.open(path)) })
}

// Check says what keeps the person's editor from being opened, nil if nothing does.
func (e *Editor) Check() error {
	_, err := e.choose()
	return err
}

// Diff opens a file to be changed, beside another one where the editor can show
// two. before may be the same file as it was, and is not to be changed. Its error is
// [ErrUnsaved] if the file was not written.
func (e *Editor) Diff(ctx context.Context, before, path string) error {
	c, err := e.choose()
	if err != nil {
		return err
	}
	return e.change(path, func() error { return e.run(ctx, c, c.diff(before, path)) })
}

// change does something that should write a file.
func (e *Editor) change(path string, f func() error) error {
	before, _ := os.Stat(path) // nil for none
	if err := f(); err != nil {
		return err
	}
	after, err := os.Stat(path)
	if err == nil && before != nil && os.SameFile(before, after) && before.ModTime().Equal(after.ModTime()) && before.Size() == after.Size() {
		return ErrUnsaved
	}
	return nil
}

// command is an editor that was found.
type command struct {
	path string
	args []string // that the person has given it
	kind kind
	gui  bool // it has no part in the terminal
	new  bool // in a window of its own
}

// choose finds the editor: the preferred one, $VISUAL, $EDITOR, vi.
func (e *Editor) choose() (*command, error) {
	if id := e.o.Preferred; id != "" {
		i := slices.IndexFunc(editors[:], func(x editor) bool { return x.id == id })
		if i < 0 {
			return nil, fmt.Errorf("Editor '%s' is not a recognized editor identifier. Supported editors: %s", id, supported())
		}
		return e.first(editors[i].commands, nil)
	}
	for _, line := range []string{e.o.Visual, e.o.Editor} {
		if strings.TrimSpace(line) == "" {
			continue
		}
		words, err := shell.Fields(line, e.getenv)
		if err != nil || len(words) == 0 {
			//lint:ignore ST1005 said to a person as it is
			return nil, fmt.Errorf("The editor command %q cannot be read. Set VISUAL or EDITOR to a program and its arguments.", line)
		}
		return e.first(words[:1], words[1:])
	}
	c, err := e.first([]string{"vi"}, nil)
	if err != nil {
		return nil, ErrNone
	}
	return c, nil
}

// first returns the first of these programs that there is.
func (e *Editor) first(names, args []string) (*command, error) {
	for _, name := range names {
		path := e.look(name)
		if path == "" {
			continue
		}
		c := &command{path: path, args: args}
		x := known(path)
		c.kind, c.gui = x.kind, x.gui
		c.new = e.o.NewWindow && c.kind == vscode
		return c, nil
	}
	//lint:ignore ST1005 people know the text
	return nil, fmt.Errorf("Editor command '%s' was not found in PATH. Install it or use /editor to choose another editor.", names[0])
}

// look returns the path of a program, "" if there is none. What PATH names must
// be absolute: the project's own vi is not what is meant.
func (e *Editor) look(name string) string {
	if strings.ContainsRune(name, filepath.Separator) {
		if filepath.IsAbs(name) && runs(name) {
			return name
		}
		return ""
	}
	for _, dir := range filepath.SplitList(e.getenv("PATH")) {
		if path := filepath.Join(dir, name); filepath.IsAbs(dir) && runs(path) {
			return path
		}
	}
	return ""
}

func runs(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular() && fi.Mode()&0o111 != 0
}

func (e *Editor) getenv(name string) string {
	for _, pair := range e.o.Environ {
		if n, value, ok := strings.Cut(pair, "="); ok && n == name {
			return value
		}
	}
	return ""
}

// run runs an editor until it ends.
func (e *Editor) run(ctx context.Context, c *command, args []string) error {
	p := exec.CommandContext(ctx, c.path, args...)
	p.Env = e.o.Environ
	p.Cancel = func() error { return p.Process.Signal(syscall.SIGTERM) }
	p.WaitDelay = time.Second
	restore := e.o.Terminal.Lend(p)
	defer restore()
	err := p.Run()
	var status *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case !errors.As(err, &status):
		if err != nil {
			return fmt.Errorf("run the editor %s: %w", c.path, err)
		}
		return nil
	case status.ExitCode() < 0:
		//lint:ignore ST1005 like the one below
		return fmt.Errorf("External editor was ended by a signal (%s)", status)
	}
	//lint:ignore ST1005 people know the text
	return fmt.Errorf("External editor exited with status %d", status.ExitCode())
}
