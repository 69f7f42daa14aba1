package project

import (
	"maps"

	"pollux/internal/auth"
	"pollux/internal/config"
)

// useModel makes the session begin with a model that the person has chosen.
func (p *Project) UseModel(name string) { p.Options.Model, p.Model, p.Named = name, name, true }

// renew reads settings and the .env file again after the person has stored a key.
// selected, if not "", overrides the provider that they select.
func (p *Project) Renew(selected auth.Type) error {
	if selected != "" {
		p.Options.Flags = maps.Clone(p.Options.Flags)
		if p.Options.Flags == nil {
			p.Options.Flags = map[string]any{}
		}
		p.Options.Flags[string(config.AuthSelectedType)] = string(selected)
	}
	refused, err := p.reload()
	if err != nil {
		return err
	}
	p.refusedVariables = append(p.refusedVariables, refused...)
	p.setEnv() // with the warnings of the start
	return nil
}

// keepKey makes this session use a key that the person has typed.
func (p *Project) KeepKey(done auth.SignIn) {
	if done.Key.Value == "" {
		return
	}
	p.NewKeys = maps.Clone(p.NewKeys)
	if p.NewKeys == nil {
		p.NewKeys = map[string]auth.Key{}
	}
	p.NewKeys[done.ID] = done.Key
	p.Masking.renew()
}
