package snapshots

import (
	"context"

	"pollux/internal/guard/hook"
	"pollux/internal/shellcmd"
	"pollux/internal/shellcmd/readonly"
	"pollux/internal/terminal"
	"pollux/internal/undo"
	"pollux/internal/undo/store"
	"pollux/internal/wording"
)

// AroundHooks returns the function for [hook.Options.Around], nil if the user does not want any snapshots. The changes of a
// hook are recorded as those of a command. A hook runs also if they cannot be recorded, because it may guard the user.
func (s *Snapshots) AroundHooks() func(context.Context, *hook.Hook) (end func()) {
	if s == nil {
		return nil
	}
	return func(ctx context.Context, h *hook.Hook) (end func()) {
		if !mayChange(h) {
			return func() {}
		}
		header := store.Header{Kind: store.Command, Session: s.parts.ID(), Tool: "hook", Title: title(h)}
		if call := hook.CallOf(ctx); call != nil {
			header.Prompt, header.Call = call.PromptID, call.ID
		}
		run, err := s.recorder.Begin(ctx, header, undo.Scope{Anywhere: true})
		if err != nil {
			s.warn(ctx, h, err)
			return func() {}
		}
		return func() {
			if _, err := run.End(ctx); err != nil {
				s.warn(ctx, h, err)
			}
		}
	}
}

// mayChange reports whether a hook may change files, as far as its event and its command tell. The hooks of a request to a
// model run for each part of an answer.
func mayChange(h *hook.Hook) bool {
	switch {
	case h.Event == hook.BeforeModel, h.Event == hook.AfterModel, h.Event == hook.BeforeToolSelection:
		return false
	case h.Args != nil:
		return !readonly.Program(h.Command, h.Args)
	}
	script, err := shellcmd.Parse(h.Command)
	return err != nil || !readonly.Script(script, nil)
}

func title(h *hook.Hook) string {
	const most = 200 // characters
	return terminal.Cut(terminal.Line(h.CommandLine()), most)
}

// warn warns once that the changes of a hook are not recorded.
func (s *Snapshots) warn(ctx context.Context, h *hook.Hook, err error) {
	if ctx.Err() != nil {
		return
	}
	if _, isWarned := s.warned.LoadOrStore(h.ID(), true); !isWarned {
		s.parts.Project.Warn("Warning: Changes that the hook " + title(h) + " has made cannot be undone: " + wording.Reason(err) + ".")
	}
}
