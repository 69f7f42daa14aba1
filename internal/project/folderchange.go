package project

import (
	"slices"

	"pollux/internal/config"
	"pollux/internal/guard/trust"
)

// ChangeSettings runs edit, with which the user changes the settings file of a scope, or the .env file of
// the folder. The powers that it adds count as seen, unless it removes one that the user has not seen, because the rest
// of that one may still be there, or the command runs inside a session, because a model may have written it.
func (p *Project) ChangeSettings(scope config.Scope, edit func() error) error {
	isInside := p.Options.Env.Get("GEMINI_CLI") != ""
	if scope != config.Workspace || isInside || !p.IsTrusted() || !trust.IsByFile(p.TrustOptions()) {
		return edit()
	}
	before := p.powers()
	if err := edit(); err != nil {
		return err
	}
	after := p.powers()
	added, removed := without(after, before), without(before, after)
	record, dir := trust.ReadRecord(seenFile(p.Paths)), p.Paths.Dir()
	if len(added) == 0 || slices.ContainsFunc(removed, func(power trust.Power) bool { return !record.Has(dir, power.Look(dir)) }) {
		return nil
	}
	if err := trust.Remember(seenFile(p.Paths), dir, trust.LookAt(dir, added)); err != nil {
		p.Warn("Warning: " + err.Error())
	}
	return nil
}

// without returns the powers in list that are not in other.
func without(list, other []trust.Power) []trust.Power {
	return slices.DeleteFunc(slices.Clone(list), func(power trust.Power) bool {
		return slices.ContainsFunc(other, func(o trust.Power) bool { return o.Text == power.Text })
	})
}

// powers returns the powers of the folder's settings and its .env file, as the files are now.
func (p *Project) powers() (powers []trust.Power) {
	read := func(s *config.Settings, workspace map[string]any) error {
		trust.Powers(s, workspace, func(power trust.Power) bool {
			if s.OtherPlace(power.Text) == "" { // no command of Pollux changes those
				powers = append(powers, power)
			}
			return true
		})
		for _, v := range p.projectVariables(s) {
			powers = append(powers, v.Power)
		}
		return nil
	}
	// Files that cannot be read have none; edit reports why.
	_, _, _ = config.Load(config.Sources{Paths: p.Paths, Env: p.Options.Env, Admit: read})
	return powers
}
