package project

import (
	"path/filepath"

	"pollux/internal/config"
	"pollux/internal/skill"
)

// SkillSources returns the directories of skills, those of the lowest tier first. A folder that is not
// trusted has none of its own.
func (p *Project) SkillSources(trusted bool) (list []skill.Source) {
	for _, e := range p.Extensions() {
		if dir, ok := e.Directory("skills"); ok {
			list = append(list, skill.Source{Tier: skill.Extension, Extension: e.Name, Dir: dir, Expand: e.Expand})
		}
	}
	list = append(list,
		skill.Source{Tier: skill.User, Dir: filepath.Join(p.Paths.GeminiDir(), "skills")},
		skill.Source{Tier: skill.User, Dir: filepath.Join(p.Paths.Home(), ".agents", "skills")})
	if trusted && !p.Paths.AtHome() {
		dir := p.Paths.Dir()
		list = append(list,
			skill.Source{Tier: skill.Workspace, Root: dir, Dir: filepath.Join(dir, ".gemini", "skills")},
			skill.Source{Tier: skill.Workspace, Root: dir, Dir: filepath.Join(dir, ".agents", "skills")})
	}
	return list
}

// ReadSkills reads the skills, none if the settings turn them off.
func (p *Project) ReadSkills(settings *config.Settings, trusted bool) *skill.Set {
	if !config.SkillsEnabled.In(settings) {
		return &skill.Set{}
	}
	return skill.Load(p.SkillSources(trusted), config.SkillsDisabled.In(settings))
}
