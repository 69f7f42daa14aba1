package project

import (
	"pollux/internal/config"
	"pollux/internal/skill"
)

// SkillSources returns the directories of skills, those of the lowest tier first. A folder that is not
// trusted has none of its own.
func (p *Project) SkillSources(settings *config.Settings, trusted bool) (list []skill.Source) {
	for _, e := range p.Extensions() {
		if dir, ok := e.Directory("skills"); ok {
			list = append(list, skill.Source{Tier: skill.Extension, Extension: e.Name, Dir: dir, Expand: e.Expand, IsForeign: e.Plugin != ""})
		}
	}
	foreign := config.ForeignSkills.In(settings)
	list = append(list, skill.Places(skill.User, p.Paths.Home(), foreign)...)
	if trusted && !p.Paths.AtHome() {
		list = append(list, skill.Places(skill.Workspace, p.Paths.Dir(), foreign)...)
	}
	return list
}

// ReadSkills reads the skills, none if the settings turn them off.
func (p *Project) ReadSkills(settings *config.Settings, trusted bool) *skill.Set {
	if !config.SkillsEnabled.In(settings) {
		return &skill.Set{}
	}
	return skill.Load(p.SkillSources(settings, trusted), config.SkillsDisabled.In(settings))
}
