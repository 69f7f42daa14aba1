package slash

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/exit"
	"pollux/internal/session"
	"pollux/internal/skill"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// skillCommands returns a command for each skill that is not part of Pollux, in a session with a user.
func (s *Runner) skillCommands() (list []owned) {
	if s.Session.Project.Options.Asker == nil {
		return nil
	}
	for _, k := range s.Session.Skills().Enabled() {
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
	return slices.ContainsFunc(s.Session.Skills().Enabled(), func(k skill.Skill) bool {
		return !k.IsBuiltin() && (skillCommand(k).Name == word || k.Name == word)
	})
}

// skillCommand returns the command that uses a skill. The name of an extension is always part of its name.
func skillCommand(k skill.Skill) *Command {
	name := strings.Join(strings.Fields(k.FullName()), "-")
	return &Command{
		Name: name, Args: "[text]", Summary: terminal.Cut(terminal.Line(k.Description), 100),
		RunCall: func(ctx context.Context, s *Runner, call Call) (Result, error) {
			prompt, err := s.Session.PrepareSkill(ctx, k.Name, call.Line, cmp.Or(call.Args, "Use the skill "+k.Name))
			switch {
			case errors.Is(err, session.ErrRefused):
				return textResult("Not sent: the skill %s was refused.", terminal.Line(k.Name))
			case err != nil:
				return Result{}, err
			}
			return Result{Prompt: &prompt, IsPromptHidden: true}, nil
		},
	}
}

// skillsList lists the skills.
func skillsList(_ context.Context, s *Runner, args string) (Result, error) {
	var all, brief bool
	for _, word := range strings.Fields(args) {
		switch strings.TrimLeft(word, "-") {
		case "all":
			all = true
		case "nodesc":
			brief = true
		default:
			return usageError("Usage: /skills list [all] [nodesc]")
		}
	}
	list := SortSkills(s.Session.Skills(), all)
	note := ""
	if !s.Session.Project.IsTrusted() {
		note = "\n\nThis folder is not trusted: Pollux ignores its skills. See /permissions trust."
	}
	if len(list) == 0 {
		return textResult("No skills found. To learn about skills, see /docs skills.%s", note)
	}
	var b strings.Builder
	b.WriteString("Available Agent Skills:\n")
	for _, k := range list {
		b.WriteString("\n- " + terminal.Line(k.FullName()))
		if k.IsDisabled {
			b.WriteString(" [Disabled]")
		}
		if k.IsBuiltin() {
			b.WriteString(" [Built-in]")
		}
		if !brief {
			b.WriteString("\n  " + terminal.Cut(terminal.Line(k.Description), 500))
		}
	}
	return Result{Text: b.String() + note}, nil
}

// SortSkills returns skills in the order of lists: by name, those of Pollux last. Without all, it leaves out
// those of Pollux.
func SortSkills(set *skill.Set, all bool) []skill.Skill {
	list := slices.DeleteFunc(set.All(), func(k skill.Skill) bool { return k.IsBuiltin() && !all })
	slices.SortStableFunc(list, func(a, b skill.Skill) int {
		switch {
		case a.IsBuiltin() == b.IsBuiltin():
			return strings.Compare(a.Name, b.Name)
		case a.IsBuiltin():
			return 1
		}
		return -1
	})
	return list
}

func skillsEnable(_ context.Context, s *Runner, args string) (Result, error) {
	return s.switchSkill(args, true)
}

func skillsDisable(_ context.Context, s *Runner, args string) (Result, error) {
	return s.switchSkill(args, false)
}

// switchSkill enables or disables a skill: without a scope, in the project's settings if there are any.
func (s *Runner) switchSkill(args string, enabled bool) (Result, error) {
	verb := map[bool]string{true: "enable", false: "disable"}[enabled]
	name, scopeName, err := splitScope(args)
	switch {
	case err != nil:
		return Result{}, err
	case name == "":
		return usageError("Usage: /skills %s <name>", verb)
	}
	hasName := skill.HasName(name)
	all := s.Session.Skills().All()
	switch i := slices.IndexFunc(all, hasName); {
	case i >= 0:
		name = all[i].Name
	case !enabled:
		return usageError("Skill %q not found. /skills list all lists the skills.", terminal.Cut(terminal.Line(name), 60))
	}
	byDefault := "workspace"
	if s.Session.Project.Paths.AtHome() || !s.Session.Project.IsTrusted() {
		byDefault = "user"
	}
	scope, err := s.Session.Project.SkillScope(scopeName, byDefault)
	if err != nil {
		return Result{}, err
	}
	text, err := s.Session.Project.SwitchSkill(name, enabled, scope)
	if err != nil {
		return Result{}, err
	}
	if _, _, err := s.Session.ReloadSkills(); err != nil {
		return Result{}, err
	}
	all = s.Session.Skills().All()
	if i := slices.IndexFunc(all, hasName); i >= 0 && enabled && all[i].IsDisabled {
		text += " Other settings still disable it."
	}
	return Result{Text: text}, nil
}

// splitScope splits "name --scope user" into the name and the scope, "" for none.
func splitScope(args string) (rest, scope string, err error) {
	words := strings.Fields(args)
	for i, word := range words {
		switch {
		case strings.HasPrefix(word, "--scope="):
			scope = strings.TrimPrefix(word, "--scope=")
			words = slices.Delete(words, i, i+1)
		case word == "--scope" && i+1 < len(words):
			scope = words[i+1]
			words = slices.Delete(words, i, i+2)
		case word == "--scope":
			return "", "", exit.Errorf(exit.Input, "--scope needs a value: user or workspace.")
		default:
			continue
		}
		break
	}
	return strings.Join(words, " "), scope, nil
}

// skillsReload reads the skills again.
func skillsReload(_ context.Context, s *Runner, _ string) (Result, error) {
	added, removed, err := s.Session.ReloadSkills()
	if err != nil {
		return Result{}, err
	}
	text := "Agent skills reloaded successfully."
	var changes []string
	if n := len(added); n > 0 {
		changes = append(changes, strings.Replace(wording.Count(n, "skill"), " ", " newly available ", 1))
	}
	if n := len(removed); n > 0 {
		changes = append(changes, wording.Count(n, "skill")+" no longer available")
	}
	if len(changes) > 0 {
		text += " " + strings.Join(changes, " and ") + "."
	}
	for _, problem := range s.Session.Skills().Problems {
		text += "\n" + terminal.Line(problem)
	}
	return Result{Text: text}, nil
}
