package session

import (
	"slices"

	"pollux/internal/config"
	"pollux/internal/guard/trust"
)

// ChangeSettings runs edit, with which the user changes the settings file of a scope, or the .env file of
// the folder. What the folder does more after that, the user has seen. If edit replaces something that they
// have not seen, nothing of it counts as seen, because the rest of it may still be there.
func (p *Setup) ChangeSettings(scope config.Scope, edit func() error) error {
	if scope != config.Workspace || !p.IsTrusted() || !trust.IsByFile(p.TrustOptions()) {
		return edit()
	}
	before := p.powers()
	if err := edit(); err != nil {
		return err
	}
	added := p.powers()
	removed := slices.DeleteFunc(slices.Clone(before), func(power string) bool { return slices.Contains(added, power) })
	added = slices.DeleteFunc(added, func(power string) bool { return slices.Contains(before, power) })
	seen, dir := trust.ReadSeen(p.seenFile()), p.Paths.Dir()
	if len(added) == 0 || slices.ContainsFunc(removed, func(power string) bool { return !seen.Has(dir, power) }) {
		return nil
	}
	if err := trust.Remember(p.seenFile(), dir, added); err != nil {
		p.Warn("Warning: " + err.Error())
	}
	return nil
}

// powers returns what the folder's settings and its .env file do by themselves, as the files are now.
func (p *Setup) powers() (powers []string) {
	read := func(s *config.Settings, workspace map[string]any) error {
		trust.Powers(workspace, func(power string) bool {
			powers = append(powers, power)
			return true
		})
		for _, v := range p.projectVariables(s) {
			powers = append(powers, v.power)
		}
		return nil
	}
	// Files that cannot be read have none; edit reports why.
	_, _, _ = config.Load(config.Sources{Paths: p.Paths, Env: p.Options.Env, Admit: read})
	return powers
}
