package project

import (
	"fmt"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/terminal"
)

// SwitchSkill enables or disables the skill with a name in the settings files, whether there is one or not.
// A skill is disabled in the settings of scope, and enabled in all. It returns a sentence about the result.
func (p *Project) SwitchSkill(name string, enabled bool, scope config.Scope) (text string, err error) {
	name = strings.TrimSpace(name)
	shown := terminal.Cut(terminal.Line(name), 100)
	// What the user has not seen of the folder is not in the settings of the session, and must not get lost.
	written, _, err := config.Load(config.Sources{Paths: p.Paths, Env: p.Options.Env})
	if err != nil {
		return "", err
	}
	layers := p.skillLayers()
	isName := func(other string) bool { return strings.EqualFold(other, name) }
	var changed, others []string
	for _, l := range layers {
		before := config.SkillsDisabled.In(written.ForScope(l.scope))
		isListed := slices.ContainsFunc(before, isName)
		switch {
		case enabled && isListed:
			err = p.setDisabled(l.scope, config.SkillsDisabled, slices.DeleteFunc(slices.Clone(before), isName))
			changed = append(changed, l.name)
		case !enabled && l.scope == scope && !isListed:
			err = p.setDisabled(l.scope, config.SkillsDisabled, append(slices.Clone(before), name))
			changed = append(changed, l.name)
		case !enabled && isListed:
			others = append(others, l.name)
		}
		if err != nil {
			return "", err
		}
	}
	switch {
	case len(changed) == 0 && enabled:
		return fmt.Sprintf("Skill %q is already enabled.", shown), nil
	case len(changed) == 0:
		return fmt.Sprintf("Skill %q is already disabled.", shown), nil
	case enabled:
		return fmt.Sprintf("Skill %q enabled by removing it from the disabled list in %s settings.", shown, strings.Join(changed, " and ")), nil
	case len(others) > 0:
		return fmt.Sprintf("Skill %q is now disabled in both %s and %s settings.", shown, changed[0], others[0]), nil
	}
	return fmt.Sprintf("Skill %q disabled by adding it to the disabled list in %s settings.", shown, changed[0]), nil
}

// settingsLayer is a settings file that commands change.
type settingsLayer struct {
	scope config.Scope
	name  string // for people: "user (~/.gemini/settings.json)"
}

// skillLayers returns the settings files that disable skills.
func (p *Project) skillLayers() []settingsLayer {
	layers := []settingsLayer{{config.User, "user (" + p.Paths.Display(p.Paths.UserSettings()) + ")"}}
	if file := p.projectSettings(); file != "" {
		layers = append([]settingsLayer{{config.Workspace, "workspace (" + p.Paths.Display(file) + ")"}}, layers...)
	}
	return layers
}

// SkillScope returns the scope with a name, user or workspace, for skills. "" is the one of byDefault. The
// workspace has none in the home directory and in a folder that is not trusted.
func (p *Project) SkillScope(name, byDefault string) (config.Scope, error) {
	if name == "" {
		name = byDefault
	}
	switch {
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
