// Package demo shows Pollux at work without an API key or network: a scripted model on
// loopback drives the real agent with the real tools in a small project. It finds a bug, fixes
// it and runs the tests. Then it deletes the project, and an undo brings that back.
package demo

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
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
	"pollux/internal/tools/shell"
)

//go:embed project
var sample embed.FS

//go:embed model.script
var modelScript string

// The prompts of the demo.
const (
	Prompt = "One test of this project fails. Find the bug, fix it, and run the tests again."
	Tidy   = "Now tidy up: remove what is not needed."
)

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
	// Undo takes the last change of a session back, and returns the text for the person.
	Undo func(ctx context.Context, s *session.Session) (text string, err error)
	// Start starts another agent, nil for the real one.
	Start func(ctx context.Context, setup Setup) (Agent, error)
}

// Agent works in the project of the demo.
type Agent interface {
	Run(ctx context.Context, prompt string) iter.Seq2[agent.Event, error]
	// Undo takes the last change back, and returns the text for the person.
	Undo(ctx context.Context) (text string, err error)
	Close()
}

// Setup is the environment of the demo's agent. The agent must approve every call, trust Dir,
// and not read any of the user's files.
type Setup struct {
	Dir     string // the project
	Home    string // an empty home directory
	BaseURL string // of a model with Gemini's protocol
	APIKey  string // a key that the model accepts
	Model   string // the name of the model
}

// Run runs the demo. It returns an error if the agent fails, if the run deviates from the
// script, or if the project's tests fail afterwards. Unless Options.Keep is set, it removes the
// project, even if ctx is cancelled.
func Run(ctx context.Context, o Options) (err error) {
	if shell.Unavailable != "" {
		return errors.New("the demo runs commands, which Pollux cannot do on Windows; run it in WSL")
	}
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
		APIKey: "demo", Model: "gemini-2.5-flash",
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
	if err := work(ctx, o, setup, s); err != nil {
		return err
	}
	if err := model.Check(); err != nil {
		return fmt.Errorf("the demo differed from its script: %w", err)
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

// work lets the agent fix the bug, and delete the project, which an undo brings back.
func work(ctx context.Context, o Options, setup Setup, s *screen) error {
	if o.Start == nil {
		o.Start = o.startSession
	}
	a, err := o.Start(ctx, setup)
	if err != nil {
		return fmt.Errorf("start the demo agent: %w", err)
	}
	defer a.Close()
	if err := s.play(ctx, a, Prompt); err != nil {
		return err
	}
	if err := s.changes(setup.Dir); err != nil {
		return err
	}
	if err := test(ctx, o.Launcher, setup.Dir, s); err != nil {
		return err
	}
	before, err := picture(setup.Dir)
	if err != nil {
		return err
	}
	if err := s.play(ctx, a, Tidy); err != nil {
		return err
	}
	return s.undo(ctx, a, setup.Dir, before)
}

// undo takes back that the agent has deleted the project, and checks that all of it is as it was.
func (s *screen) undo(ctx context.Context, a Agent, dir string, before string) error {
	gone, err := picture(dir)
	if err != nil {
		return err
	}
	if gone == before {
		return errors.New("the demo differed from its script: the project was not deleted")
	}
	s.prompt("/undo")
	text, err := a.Undo(ctx)
	if err != nil {
		return fmt.Errorf("undo: %w", err)
	}
	s.printf("\n")
	s.quote(text)
	after, err := picture(dir)
	if err != nil {
		return err
	}
	if diff := udiff.Unified("before", "after", before, after); diff != "" {
		s.diff(diff)
		return errors.New("the project is not as it was before")
	}
	s.printf("\nThe project is as it was before: each file with its content, mode and time.\n")
	return nil
}

// picture describes all files in a directory: their contents, modes and times.
func picture(dir string) (string, error) {
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path) // it is below
		fmt.Fprintf(&b, "%s %s", info.Mode(), rel)
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %s %x", info.ModTime(), sha256.Sum256(data))
		}
		b.WriteByte('\n')
		return nil
	})
	return b.String(), err
}

// play runs the agent with a prompt and shows its events.
func (s *screen) play(ctx context.Context, a Agent, prompt string) error {
	s.prompt(prompt)
	for e, err := range a.Run(ctx, prompt) {
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

// startSession opens a session for the demo. The session uses the home, the address and the key of the demo instead of the
// user's settings and credentials.
func (o Options) startSession(ctx context.Context, s Setup) (Agent, error) {
	// The tests of the demo project are a shell script. Add the directories of the shell, in
	// case PATH does not contain them.
	path := strings.TrimPrefix(o.Env.Get("PATH")+":/usr/bin:/bin", ":")
	own := config.NewEnv("PATH="+path, "HOME="+s.Home, "TMPDIR="+o.Env.Get("TMPDIR"), "LANG="+o.Env.Get("LANG"),
		"GEMINI_API_KEY="+s.APIKey, "GOOGLE_GEMINI_BASE_URL="+s.BaseURL)
	live, err := session.Open(ctx, session.Options{Project: project.Options{
		Dir: s.Dir, Env: own, Model: s.Model, ApprovalMode: "yolo", Folder: trust.Trusted, Version: o.Version,
	}})
	if err != nil {
		return nil, err
	}
	return &liveAgent{live, o.Undo}, nil
}

// liveAgent is the agent of a session.
type liveAgent struct {
	session *session.Session
	undo    func(ctx context.Context, s *session.Session) (text string, err error)
}

func (a *liveAgent) Run(ctx context.Context, prompt string) iter.Seq2[agent.Event, error] {
	return a.session.Run(ctx, agent.TextPrompt(prompt))
}

func (a *liveAgent) Undo(ctx context.Context) (string, error) { return a.undo(ctx, a.session) }

func (a *liveAgent) Close() { a.session.Close() }
