// Package demo shows Pollux at work without a key and without a network: a
// scripted model on loopback drives the real agent with the real tools in a
// small project, finds the bug in it, mends it and runs the tests.
package demo

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"pollux/agent"
	"pollux/internal/scriptmodel"
)

//go:embed project
var project embed.FS

//go:embed model.script
var modelScript string

// Prompt is what the demo asks the agent.
const Prompt = "One test of this project fails. Find the bug, fix it, and run the tests again."

// Options are how to run the demo.
type Options struct {
	Out io.Writer
	// Keep leaves the project where it is, and says where.
	Keep bool
	// Live is for a person's eyes: the model speaks at a pace that can be read.
	Live bool
	// Colour uses the terminal's colours.
	Colour bool
	// Start starts the real agent.
	Start func(ctx context.Context, setup Setup) (iter.Seq2[agent.Event, error], error)
}

// Setup is where the demo's agent is to run. It must approve every call, trust
// Dir, and read nothing of the user's.
type Setup struct {
	Dir     string // the project
	Home    string // an empty home directory
	BaseURL string // of a model that speaks Gemini's protocol
	APIKey  string // which it accepts
	Model   string // which it is
	Prompt  string
}

// Run runs the demo. It fails if the agent does, if the run does not go by the
// script, or if the project's tests do not pass afterwards. Unless it is to be
// kept, the project is removed, also when ctx is cancelled.
func Run(ctx context.Context, o Options) (err error) {
	root, err := os.MkdirTemp("", "pollux-demo-")
	if err != nil {
		return fmt.Errorf("make the demo's project: %w", err)
	}
	if !o.Keep {
		defer func() {
			if e := os.RemoveAll(root); err == nil && e != nil {
				err = fmt.Errorf("remove the demo's project: %w", e)
			}
		}()
	}
	setup := Setup{
		Dir: filepath.Join(root, "till"), Home: filepath.Join(root, "home"),
		APIKey: "demo", Model: "gemini-2.5-flash", Prompt: Prompt,
	}
	if err := lay(setup); err != nil {
		return fmt.Errorf("make the demo's project: %w", err)
	}
	model, err := serve(o.Live)
	if err != nil {
		return err
	}
	defer func() { _ = model.Close() }()
	setup.BaseURL = model.URL()

	s := newScreen(o.Out, o.Colour, setup.Dir)
	s.intro(setup)
	began := time.Now()
	if err := play(ctx, o, setup, s); err != nil {
		return err
	}
	if err := model.Check(); err != nil {
		return fmt.Errorf("the demo did not go by its script: %w", err)
	}
	if err := s.changes(setup.Dir); err != nil {
		return err
	}
	if err := test(ctx, setup.Dir, s); err != nil {
		return err
	}
	s.outro(len(model.Requests()), time.Since(began))
	if o.Keep {
		s.kept(setup.Dir)
	}
	return nil
}

// lay writes the project.
func lay(setup Setup) error {
	if err := os.MkdirAll(setup.Home, 0o700); err != nil {
		return err
	}
	files, err := fs.Sub(project, "project")
	if err != nil {
		return err
	}
	return os.CopyFS(setup.Dir, files)
}

// serve starts the model. It says its text in small chunks, as models do.
func serve(live bool) (*scriptmodel.Server, error) {
	script, err := scriptmodel.Parse(modelScript)
	if err != nil {
		return nil, fmt.Errorf("the demo's script: %w", err)
	}
	for i := range script.Turns {
		t := &script.Turns[i]
		var steps []scriptmodel.Step
		for _, s := range t.Steps {
			if text, ok := s.(scriptmodel.Text); ok {
				for _, word := range strings.SplitAfter(text.Text, " ") {
					steps = append(steps, scriptmodel.Text{Text: word})
				}
				continue
			}
			steps = append(steps, s)
		}
		t.Steps = steps
		if live {
			t.Pace = 35 * time.Millisecond
		}
	}
	return scriptmodel.Start(script, scriptmodel.Options{})
}

// play runs the agent and shows what happens.
func play(ctx context.Context, o Options, setup Setup, s *screen) error {
	events, err := o.Start(ctx, setup)
	if err != nil {
		return fmt.Errorf("start the demo's agent: %w", err)
	}
	for e, err := range events {
		if err != nil {
			return fmt.Errorf("the demo's agent: %w", err)
		}
		if err := s.show(e); err != nil {
			return err
		}
		if _, ok := e.(agent.Cancelled); ok {
			return cmp.Or(context.Cause(ctx), context.Canceled)
		}
	}
	return context.Cause(ctx)
}

// test runs the project's tests, as a person would to see for himself.
func test(ctx context.Context, dir string, s *screen) error {
	shell, err := exec.LookPath("sh")
	if err != nil {
		shell = "/bin/sh" // PATH is not what it should be
	}
	cmd := exec.CommandContext(ctx, shell, "tests/run.sh")
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	s.tests(out)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &exit):
		return fmt.Errorf("the project's tests still fail (%s)", exit)
	case err != nil:
		return fmt.Errorf("run the project's tests: %w", err)
	}
	return nil
}

// changes shows what the agent changed in the project.
func (s *screen) changes(dir string) error {
	files, err := fs.Sub(project, "project")
	if err != nil {
		return err
	}
	s.heading("What changed")
	return fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		before, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		after, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		s.diff(udiff.Unified("a/"+path, "b/"+path, string(before), string(after)))
		return nil
	})
}
