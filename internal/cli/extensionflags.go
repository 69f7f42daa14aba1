package cli

import (
	"context"
	"fmt"

	"pollux/internal/config"
	"pollux/internal/project"
)

// listExtensions implements --list-extensions, with the text of Gemini CLI.
func (p *program) listExtensions(ctx context.Context, f Flags) error {
	dir, err := config.WorkingDir()
	if err != nil {
		return err
	}
	set := project.New(project.Options{
		Dir: dir, Env: p.env, Flags: f.Settings, Extensions: f.Extensions, Warn: warnTo(p.term), Loaded: wrapsFor(p.term),
	})
	if err := set.Load(ctx); err != nil {
		return err
	}
	set.ReadEnv()
	text := "Installed extensions:\n"
	for _, e := range set.InstalledExtensions(ctx) {
		text += "- " + e.Name + "\n"
	}
	_, err = fmt.Fprint(p.term.Out, text)
	return err
}
