package skills

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/skill"
	"pollux/internal/terminal"
)

// setEnabled returns the command that enables a skill in all settings, or disables it in those of a scope.
func setEnabled(enabled bool) manage.Run {
	return manage.With(manage.Open, func(_ context.Context, c *manage.Call, p *project.Project) (o outcome.Outcome, err error) {
		if c.Live != nil {
			return setEnabledLive(c, enabled)
		}
		name, scope := c.Name(), config.User
		if !enabled {
			if scope, err = parseScope(p, c.Value("scope"), "workspace"); err != nil {
				return o, err
			}
		}
		isKnown := slices.ContainsFunc(read(p).All(), skill.HasName(name))
		missing := fmt.Sprintf("No skill %q was found. \"pollux skills list --all\" lists the skills.", terminal.Cut(terminal.Line(name), 60))
		text, err := change(p, name, enabled, scope)
		switch {
		case err != nil:
			return o, err
		case text == "" && !isKnown:
			return o, exit.Errorf(exit.General, "%s", missing)
		case text == "":
			text = alreadyEnabled(name)
		case !isKnown:
			c.Note("Warning: " + missing)
		}
		return outcome.New(outcome.Text(text)), nil
	})
}

// setEnabledLive enables or disables a skill of a session: without a scope, in the project's settings if there are any.
func setEnabledLive(c *manage.Call, enabled bool) (o outcome.Outcome, err error) {
	p := c.Live.Project
	name, scopeName, err := splitScope(c.Text)
	switch {
	case err != nil:
		return o, err
	case name == "":
		return o, manage.Usage("/skills " + map[bool]string{true: "enable", false: "disable"}[enabled] + " <name>")
	}
	hasName := skill.HasName(name)
	all := c.Live.Skills.Set().All()
	missing := exit.Errorf(exit.Input, "Skill %q not found. /skills list all lists the skills.", terminal.Cut(terminal.Line(name), 60))
	isKnown := slices.ContainsFunc(all, hasName)
	if i := slices.IndexFunc(all, hasName); isKnown {
		name = all[i].Name
	} else if !enabled {
		return o, missing
	}
	byDefault := "workspace"
	if p.Paths.AtHome() || !p.IsTrusted() {
		byDefault = "user"
	}
	scope, err := parseScope(p, scopeName, byDefault)
	if err != nil {
		return o, err
	}
	text, err := change(p, name, enabled, scope)
	switch {
	case err != nil:
		return o, err
	case text == "" && !isKnown:
		return o, missing
	case text == "":
		text = alreadyEnabled(name)
	}
	if _, _, err := c.Live.Skills.Reload(); err != nil {
		return o, err
	}
	all = c.Live.Skills.Set().All()
	if i := slices.IndexFunc(all, hasName); i >= 0 && enabled && all[i].IsDisabled {
		text += " Other settings still disable it."
	}
	return outcome.New(outcome.Text(text)), nil
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

// change enables or disables the skill with a name in the settings files, whether there is one or not.
// A skill is disabled in the settings of scope, and enabled in all. It returns a sentence about the result, "" if no
// settings disabled the skill to enable.
func change(p *project.Project, name string, enabled bool, scope config.Scope) (text string, err error) {
	name = strings.TrimSpace(name)
	shown := shownName(name)
	// Settings of the folder that the user has not seen are not in those of the session, and must not get lost.
	written, _, err := config.Load(config.Sources{Paths: p.Paths, Env: p.Options.Env})
	if err != nil {
		return "", err
	}
	isName := func(other string) bool { return strings.EqualFold(other, name) }
	var changed, others []string
	for _, l := range [...]struct {
		scope config.Scope
		file  string
	}{{config.Workspace, p.ProjectSettings()}, {config.User, p.Paths.UserSettings()}} {
		if l.file == "" {
			continue
		}
		label := l.scope.String() + " (" + p.Paths.Display(l.file) + ")"
		before := config.SkillsDisabled.In(written.ForScope(l.scope))
		isListed := slices.ContainsFunc(before, isName)
		switch {
		case enabled && isListed:
			err = p.SetDisabled(l.scope, config.SkillsDisabled, slices.DeleteFunc(slices.Clone(before), isName))
			changed = append(changed, label)
		case !enabled && l.scope == scope && !isListed:
			err = p.SetDisabled(l.scope, config.SkillsDisabled, append(slices.Clone(before), name))
			changed = append(changed, label)
		case !enabled && isListed:
			others = append(others, label)
		}
		if err != nil {
			return "", err
		}
	}
	switch {
	case len(changed) == 0 && enabled:
		return "", nil
	case len(changed) == 0:
		return fmt.Sprintf("Skill %q is already disabled.", shown), nil
	case enabled:
		return fmt.Sprintf("Skill %q enabled by removing it from the disabled list in %s settings.", shown, strings.Join(changed, " and ")), nil
	case len(others) > 0:
		return fmt.Sprintf("Skill %q is now disabled in both %s and %s settings.", shown, changed[0], others[0]), nil
	}
	return fmt.Sprintf("Skill %q disabled by adding it to the disabled list in %s settings.", shown, changed[0]), nil
}

func alreadyEnabled(name string) string {
	return fmt.Sprintf("Skill %q is already enabled.", shownName(name))
}

func shownName(name string) string { return terminal.Cut(terminal.Line(strings.TrimSpace(name)), 100) }

// parseScope returns the scope with a name, user or workspace, for skills. "" is the one of byDefault. The
// workspace has none in the home directory and in a folder that is not trusted.
func parseScope(p *project.Project, name, byDefault string) (config.Scope, error) {
	switch name = cmp.Or(name, byDefault); {
	case name == "user":
		return config.User, nil
	case name != "workspace":
		return 0, exit.Errorf(exit.Input, "There is no scope %q. Use user or workspace.", terminal.Cut(terminal.Line(name), 40))
	case p.Paths.AtHome():
		return 0, exit.Errorf(exit.General, "The home directory has no workspace settings. Use --scope user.")
	case !p.IsTrusted():
		return 0, exit.Errorf(exit.General, "This folder is not trusted: it has no skills. Use --scope user.")
	}
	return config.Workspace, nil
}
