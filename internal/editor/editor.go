// Package editor opens files in the user's own editor: a prompt, a plan, or a change
// that the model proposes.
//
// The table of known editors, with the arguments that make each one wait or show two
// files side by side, is in table.go. An editor owns the terminal while it runs. No
// shell starts it, and its command line contains no text of the model except part of a
// file name, in safe characters.
package editor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mvdan.cc/sh/v3/shell"

	"pollux/internal/process"
	"pollux/internal/terminal"
)

// Options configures an [Editor].
type Options struct {
	// Preferred is the id of an editor, from the setting general.preferredEditor; "" means the
	// editor that the environment names.
	Preferred string
	// NewWindow is the setting general.openEditorInNewWindow.
	NewWindow bool
	// Visual and Editor are $VISUAL and $EDITOR of the user's shell, never of a
	// project's .env file: a project must not choose which program runs.
	Visual, Editor string
	// Environ is the environment of the editor. Editors are found in its PATH.
	Environ []string
	// Launcher starts the editor.
	Launcher process.Launcher
	// Terminal is lent to the editor.
	Terminal *terminal.Terminal
	// Temp is the directory for the files that the user edits; "" is the system's directory for temporary files. Commands in the sandbox write to that one: a link
	// in place of a file would have the editor write elsewhere, or Pollux read a secret.
	Temp string
}

// Editor opens files in the user's editor and waits until the editor ends. Its methods
// return errors that can be shown to the user.
type Editor struct{ options Options }

// New returns an Editor. It searches for the program on first use.
func New(o Options) *Editor { return &Editor{o} }

// ErrNoEditor is returned if no editor is configured and vi is not installed.
//
//lint:ignore ST1005 the text of Gemini CLI
var ErrNoEditor = errors.New("No external editor is available. Please run /editor to configure one.")

// ErrUnsaved is returned if the editor ended without saving the file.
//
//lint:ignore ST1005 shown to the user without a prefix
var ErrUnsaved = errors.New("The file was not saved in the editor. Nothing changed.")

// Open opens a file in the editor. It returns [ErrUnsaved] if the editor did not save
// the file.
func (e *Editor) Open(ctx context.Context, path string) error {
	c, err := e.find()
	if err != nil {
		return err
	}
	return e.requireSave(path, func() error { return e.run(ctx, c, append(c.leadingArgs(), path)) })
}

// Check returns an error if the user's editor cannot be found. It does not open the
// editor.
func (e *Editor) Check() error {
	_, err := e.find()
	return err
}

// Diff opens the file path for editing, beside the file before if the editor can show
// two files. It returns [ErrUnsaved] if the editor did not save path.
func (e *Editor) Diff(ctx context.Context, before, path string) error {
	c, err := e.find()
	if err != nil {
		return err
	}
	return e.requireSave(path, func() error { return e.run(ctx, c, c.diffArgs(before, path)) })
}

// Leaving describes how to end [Editor.Diff] in the user's editor: how to keep the changes, and
// how to discard them.
func (e *Editor) Leaving() string {
	c, err := e.find()
	if err != nil {
		return "" // Diff returns the error
	}
	name := filepath.Base(c.path)
	switch c.family {
	case vimFamily, helixFamily:
		return name + " shows the current text beside the new one. Type :wqa to save and continue, :qa! to discard your changes."
	case emacsFamily:
		return name + " compares the current text and the new one. Press Ctrl+X Ctrl+S to save, Ctrl+X Ctrl+C to close."
	}
	return "Save the file and close the editor to continue."
}

// requireSave calls f, and returns [ErrUnsaved] if the file is the same afterwards.
func (e *Editor) requireSave(path string, f func() error) error {
	before, _ := os.Stat(path) // nil if the file does not exist
	if err := f(); err != nil {
		return err
	}
	if !isSaved(path, before) {
		return ErrUnsaved
	}
	return nil
}

// isSaved reports whether a file is another one than before, which is nil if it did not exist.
func isSaved(path string, before os.FileInfo) bool {
	after, err := os.Stat(path)
	return err != nil || before == nil || !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) || before.Size() != after.Size()
}

// command is the command line of an installed editor.
type command struct {
	path      string
	args      []string // from $VISUAL or $EDITOR
	family    family
	hasWindow bool // a window of its own, not the terminal
	newWindow bool // add --new-window
}

// find returns the preferred editor, else the first one of $VISUAL, $EDITOR and vi that
// is set.
func (e *Editor) find() (*command, error) {
	if id := e.options.Preferred; id != "" {
		i := slices.IndexFunc(editors[:], func(known editor) bool { return known.id == id })
		if i < 0 {
			return nil, fmt.Errorf("Editor '%s' is not a recognized editor identifier. Supported editors: %s", id, strings.Join(IDs(), ", "))
		}
		return e.findFirst(editors[i].commands, nil)
	}
	for _, line := range []string{e.options.Visual, e.options.Editor} {
		if strings.TrimSpace(line) == "" {
			continue
		}
		words, err := shell.Fields(line, e.getenv)
		if err != nil || len(words) == 0 {
			//lint:ignore ST1005 shown to the user without a prefix
			return nil, fmt.Errorf("Invalid editor command %q. Set VISUAL or EDITOR to a program and its arguments.", line)
		}
		return e.findFirst(words[:1], words[1:])
	}
	c, err := e.findFirst([]string{"vi"}, nil)
	if err != nil {
		return nil, ErrNoEditor
	}
	return c, nil
}

// findFirst returns the first installed program of names, with the arguments args.
func (e *Editor) findFirst(names, args []string) (*command, error) {
	for _, name := range names {
		path, err := process.LookPath(e.getenv("PATH"), name) // never a program of the project
		if err != nil {
			continue
		}
		x := lookup(path)
		return &command{path, args, x.family, x.hasWindow, e.options.NewWindow && x.family == vscodeFamily}, nil
	}
	//lint:ignore ST1005 the text of Gemini CLI
	return nil, fmt.Errorf("Editor command '%s' was not found in PATH. Install it or use /editor to choose another editor.", names[0])
}

func (e *Editor) getenv(name string) string { return process.Getenv(e.options.Environ, name) }

// run starts an editor with the terminal and waits until it ends.
func (e *Editor) run(ctx context.Context, c *command, args []string) error {
	streams, restore := e.options.Terminal.Lend()
	defer restore()
	status, err := e.options.Launcher.Run(ctx, &process.Command{
		For:  process.Purpose{Kind: process.KindEditor, Origin: process.OriginUser},
		Path: c.path, Args: args, Env: e.options.Environ,
		Stdin: streams.In, Stdout: streams.Out, Stderr: streams.Err, TTY: true, Grace: time.Second,
	})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("run the editor %s: %w", c.path, err)
	case status.Signal != 0:
		//lint:ignore ST1005 matches the text below
		return fmt.Errorf("External editor was ended by a signal (%s)", status)
	case status.Code != 0:
		//lint:ignore ST1005 the text of Gemini CLI
		return fmt.Errorf("External editor exited with status %d", status.Code)
	}
	return nil
}
