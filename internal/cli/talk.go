package cli

import (
	"context"
	"runtime"
	"runtime/debug"

	"pollux/internal/config"
	"pollux/internal/face/plain"
	"pollux/internal/face/tui"
	"pollux/internal/terminal"
)

// runTalk runs an interactive session, with the face that suits the terminal and the user.
func runTalk(ctx context.Context, req request) error {
	interrupts, release := req.CatchInterrupts()
	defer release()
	resumes, stopResumes := terminal.CatchResumes()
	defer stopResumes()
	paths := config.NewPaths(req.Session.Project.Env, req.Session.Project.Dir)
	draws, isFull := drawsOn(&req, paths)
	if req.Terminal.Marks = paths.TerminalMarks(); req.Terminal.ResetKilled() {
		printNote(req.Terminal, "A session that was killed had left this terminal in its modes; they are reset.")
	}
	if !draws {
		return plain.New(plain.Options{
			Terminal: req.Terminal, Interrupts: interrupts, Resumes: resumes, Session: req.session(ctx), First: req.Query,
		}).Run(ctx)
	}
	if req.Session.Project.Env.Get("GOGC") == "" {
		debug.SetGCPercent(40) // the session is open for hours, and works for seconds: memory counts more than processor time
	}
	resizes, stopResizes := terminal.CatchResizes()
	defer stopResizes()
	stops, releaseStops := terminal.CatchStops()
	defer releaseStops()
	return tui.New(tui.Options{
		Terminal: req.Terminal, Interrupts: interrupts, Resumes: resumes, Resizes: resizes, Stops: stops, Session: req.session(ctx), First: req.Query,
		Getenv: req.Session.Project.Env.Get, GOOS: runtime.GOOS, FullScreen: isFull,
	}).Run(ctx)
}

// drawsOn reports whether Pollux draws on the terminal: if it can move its cursor, and the user reads with the eyes. isFull is set
// if the user wants a screen of its own for the session.
func drawsOn(req *request, paths *config.Paths) (draws, isFull bool) {
	t, p := req.Terminal, &req.Session.Project
	term := p.Env.Get("TERM")
	if !t.InTTY || !t.OutTTY || term == "dumb" || term == "" && runtime.GOOS != "windows" {
		return false, false
	}
	// The settings of a project do not count: it cannot know who sits at the terminal.
	s, _, err := config.Load(config.Sources{
		Paths: paths, Env: p.Env, Flags: p.Flags,
		Trusted:  func(*config.Settings) (bool, error) { return false, nil },
		OnBroken: func(config.Scope, string, error) {}, // the session reports it
	})
	if err != nil {
		return true, false
	}
	return !config.ScreenReader.In(s), config.AlternateBuffer.In(s)
}
