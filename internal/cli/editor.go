package cli

import (
	"context"

	"github.com/spf13/pflag"

	"pollux/internal/cli/serving"
	"pollux/internal/manage/nouns"
	"pollux/internal/project"
	"pollux/internal/session"
)

// isForEditors reports whether flags ask to serve an editor.
func isForEditors(flags *pflag.FlagSet) bool {
	for _, name := range [...]string{"acp", "experimental-acp"} {
		if f := flags.Lookup(name); f.Changed && f.Value.String() == "true" {
			return true
		}
	}
	return false
}

// serveEditor serves an editor. hasPrompt says that the command line has a prompt.
func (p *program) serveEditor(ctx context.Context, hasPrompt bool) error {
	p.format = ""
	if hasPrompt {
		printNote(p.term, "Warning: The prompt on the command line is not used: with --acp, prompts come from the editor.")
	}
	return serving.Editor(ctx, p.term, p.flags.session, func(at *project.Project, s *session.Options) {
		p.record.Project.Store(at)
		nouns.Tend(ctx, at, s.SessionID, s.Resume != "", warnTo(p.term))
	})
}
