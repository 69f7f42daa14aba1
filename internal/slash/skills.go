package slash

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/owncalls"
	"pollux/internal/skill"
	"pollux/internal/terminal"
)

// skillCommands returns a command for each skill that is not part of Pollux, in a session with a user.
func (s *Runner) skillCommands() (list []owned) {
	if s.Session.Project.Options.Asker == nil {
		return nil
	}
	for _, k := range s.Session.Skills.Set().Enabled() {
		if k.IsBuiltin() {
			continue
		}
		o := owned{Command: skillCommand(k), owner: "skill command"}
		if k.Extension != "" {
			o.prefix, o.owner = k.Extension+":", fmt.Sprintf("extension '%s' skill", k.Extension)
		}
		list = append(list, o)
	}
	return list
}

// hasSkill reports whether a word is the name of a skill's command, in a session with or without a user.
func (s *Runner) hasSkill(word string) bool {
	return slices.ContainsFunc(s.Session.Skills.Set().Enabled(), func(k skill.Skill) bool {
		return !k.IsBuiltin() && (skillCommand(k).Name == word || k.Name == word)
	})
}

// skillCommand returns the command that uses a skill. The name of an extension is always part of its name.
func skillCommand(k skill.Skill) *Command {
	name := strings.Join(strings.Fields(k.FullName()), "-")
	return &Command{
		Name: name, Args: "[text]", Summary: terminal.Cut(terminal.Line(k.Description), 100),
		RunCall: func(ctx context.Context, s *Runner, call Call) (Result, error) {
			prompt, err := s.Session.Composer.Skill(ctx, k.Name, call.Line, cmp.Or(call.Args, "Use the skill "+k.Name))
			switch {
			case errors.Is(err, owncalls.ErrRefused):
				return textResult("Not sent: the skill %s was refused.", terminal.Line(k.Name))
			case err != nil:
				return Result{}, err
			}
			return Result{Prompt: &prompt, IsPromptHidden: true}, nil
		},
	}
}
