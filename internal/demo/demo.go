// Package demo shows Pollux at work without an API key or network: a scripted model on
// loopback drives the real agent with the real tools in a small project. It finds a bug, fixes
// it and runs the tests.
package demo

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/guard/trust"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/gemini"
	"pollux/internal/session"
)

//go:embed project
var sample embed.FS

//go:embed model.script
var modelScript string

// Prompt is the prompt of the demo.
const Prompt = "One test of this project fails. Find the bug, fix it, and run the tests again."

// Options configure the demo.
type Options struct {
	Out io.Writer
	// Keep keeps the project and prints its path.
	Keep bool
	// Live slows the model down to a pace that a person can read.
	Live bool
	// Colour enables terminal colors.
	Colour bool
	// Launcher starts the tests of the project.
	Launcher process.Launcher
	// Env and Version are those of the program.
	Env     *config.Env
	Version string
	// Start starts another agent, nil for the real one.
	Start func(ctx context.Context, setup Setup) (iter.Seq2[agent.Event, error], error)
}

// Setup is the environment of the demo's agent. The agent must approve every call, trust Dir,
// and not read any of the user's files.
type Setup struct {
	Dir     string // the project
	Home    string // an empty home directory
	BaseURL string // of a model with Gemini's protocol
	APIKey  string // a key that the model accepts
	Model   string // the name of the model
	Prompt  string // the first prompt
}

// Run runs the demo. It returns an error if the agent fails, if the run deviates from the
// script, or if the project's tests fail afterwards. Unless Options.Keep is set, it removes the
// project, even if ctx is cancelled.
func Run(ctx context.Context, o Options) (err error) {
	root, err := os.MkdirTemp("", "pollux-demo-")
	if err != nil {
		return fmt.Errorf("create the demo project: %w", err)
	}
	if !o.Keep {
		defer func() {
			if e := os.RemoveAll(root); err == nil && e != nil {
				err = fmt.Errorf("remove the demo project: %w", e)
			}
		}()
	}
	setup := Setup{
		Dir: filepath.Join(root, "till"), Home: filepath.Join(root, "home"),
		APIKey: "demo", Model: "gemini-2.5-flash", Prompt: Prompt,
	}
	if err := writeProject(setup); err != nil {
		return fmt.Errorf("create the demo project: %w", err)
	}
	model, err := serve(o.Live)
	if err != nil {
		return err
	}
	defer func() { _ = model.Close() }()
	setup.BaseURL = model.URL()

	s := &screen{out: o.Out, colour: o.Colour, dir: setup.Dir, summaries: map[string]string{}}
	s.intro(setup)
	began := time.Now()
	if err := play(ctx, o, setup, s); err != nil {
		return err
	}
	if err := model.Check(); err != nil {
		return fmt.Errorf("the demo differed from its script: %w", err)
	}
	if err := s.changes(setup.Dir); err != nil {
		return err
	}
	if err := test(ctx, o.Launcher, setup.Dir, s); err != nil {
		return err
	}
	s.outro(len(model.Requests()), time.Since(began))
	if o.Keep {
		s.printf("The project is in %s\n", setup.Dir)
	}
	return nil
}

func writeProject(setup Setup) error {
	if err := os.MkdirAll(setup.Home, 0o700); err != nil {
		return err
	}
	files, err := fs.Sub(sample, "project")
	if err != nil {
		return err
	}
	return os.CopyFS(setup.Dir, files)
}

// serve starts the model. It sends text in small chunks, as real models do.
func serve(live bool) (*scriptmodel.Server, error) {
	script, err := scriptmodel.Parse(modelScript)
	if err != nil {
		return nil, fmt.Errorf("load the demo script: %w", err)
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
	return scriptmodel.Start(script, scriptmodel.Options{Wires: []scriptmodel.Wire{gemini.Wire{}}})
}

// play runs the agent and shows its events.
func play(ctx context.Context, o Options, setup Setup, s *screen) error {
	if o.Start == nil {
		o.Start = func(ctx context.Context, s Setup) (iter.Seq2[agent.Event, error], error) {
			return startSession(ctx, o.Env, o.Version, s)
		}
	}
	events, err := o.Start(ctx, setup)
	if err != nil {
		return fmt.Errorf("start the demo agent: %w", err)
	}
	for e, err := range events {
		if err != nil {
			return fmt.Errorf("run the demo agent: %w", err)
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

// test runs the project's tests to verify the fix.
func test(ctx context.Context, launcher process.Launcher, dir string, s *screen) error {
	var out bytes.Buffer
	status, err := launcher.Run(ctx, &process.Command{ // needs no environment variables or other programs
		For:  process.Purpose{Kind: process.KindDemo, Origin: process.OriginPollux},
		Path: "/bin/sh", Args: []string{"tests/run.sh"}, Dir: dir, Stdout: &out, Stderr: &out,
	})
	s.heading("The tests of the project, run once more by the demo")
	s.quote(out.String())
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("run the project's tests: %w", err)
	case status != process.Status{}:
		return fmt.Errorf("the project's tests still fail (%s)", status)
	}
	return nil
}

// changes shows the agent's changes to the project.
func (s *screen) changes(dir string) error {
	files, err := fs.Sub(sample, "project")
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

// startSession opens a session for the demo and runs its prompt. The session uses the home, the
// address and the key of the demo instead of the user's settings and credentials.
func startSession(ctx context.Context, env *config.Env, version string, s Setup) (iter.Seq2[agent.Event, error], error) {
	// The tests of the demo project are a shell script. Add the directories of the shell, in
	// case PATH does not contain them.
	path := strings.TrimPrefix(env.Get("PATH")+":/usr/bin:/bin", ":")
	own := config.NewEnv("PATH="+path, "HOME="+s.Home, "TMPDIR="+env.Get("TMPDIR"), "LANG="+env.Get("LANG"),
		"GEMINI_API_KEY="+s.APIKey, "GOOGLE_GEMINI_BASE_URL="+s.BaseURL)
	live, err := session.Open(ctx, session.Options{Project: project.Options{
		Dir: s.Dir, Env: own, Model: s.Model, ApprovalMode: "yolo", Folder: trust.Trusted, Version: version,
	}})
	if err != nil {
		return nil, err
	}
	events := live.Run(ctx, agent.TextPrompt(s.Prompt))
	return func(yield func(agent.Event, error) bool) {
		defer live.Close()
		events(yield)
	}, nil
}
