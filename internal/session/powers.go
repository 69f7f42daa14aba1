package session

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/extension"
	"pollux/internal/guard/trust"
	"pollux/internal/terminal"
	"pollux/llm/provider"
	"pollux/tool"
)

// Trust in a folder covers what the user has seen of it: what its settings and its .env file do by
// themselves (see [trust.Powers]). What is new takes effect after a question, and never in a run
// without a person. Where the environment or a flag trusts the folder, no one has seen it: there a .env file
// sets only what describes the folder's own work (see [config.VariableClass]) without that question.

// admit removes from the folder's settings what the user has not seen and does not want, and notes
// the variables of its .env file that must not be set. s are the settings of the other layers.
func (p *Setup) admit(ctx context.Context, s *config.Settings, workspace map[string]any) error {
	if p.Options.Trusted {
		return nil // by the program that uses this package
	}
	var powers []string
	variables := p.projectVariables(s)
	isByFile := trust.IsByFile(p.trustOptions(s))
	if isByFile {
		trust.Powers(workspace, func(power string) bool {
			powers = append(powers, power)
			return true
		})
	} else {
		variables = p.unseenVariables(s, variables)
	}
	for _, v := range variables {
		powers = append(powers, v.power)
	}
	if len(powers) == 0 && !isByFile {
		return nil
	}
	seen, dir := trust.ReadSeen(p.seenFile()), p.Paths.Dir()
	// A user who trusted this very folder before anything was recorded has seen what is in it, except
	// for redirections, which only Pollux shows.
	isFirst := isByFile && !seen.Knows(dir) && trust.IsNamed(p.trustOptions(s))
	unseen := slices.DeleteFunc(slices.Clone(powers), func(power string) bool {
		redirects := slices.ContainsFunc(variables, func(v projectVariable) bool { return v.power == power && v.redirects })
		return p.wasTrustAsked || seen.Has(dir, power) || p.Worktree != nil && seen.Has(p.Worktree.Root, power) || isFirst && !redirects
	})
	if len(unseen) == 0 && !isFirst && !p.wasTrustAsked {
		return nil
	}
	if len(unseen) > 0 {
		accepted, err := p.askPowers(ctx, unseen)
		if err != nil {
			return err
		}
		if !accepted {
			p.refuse(workspace, variables, unseen)
			return nil
		}
	}
	if err := trust.Remember(p.seenFile(), dir, powers); err != nil {
		p.Warn("Warning: " + err.Error())
	}
	return nil
}

// refuse removes powers from the folder's settings, and notes the variables among them.
func (p *Setup) refuse(workspace map[string]any, variables []projectVariable, powers []string) {
	isRefused := func(power string) bool { return slices.Contains(powers, power) }
	trust.Powers(workspace, func(power string) bool { return !isRefused(power) })
	for _, v := range variables {
		switch {
		case !isRefused(v.power):
		case v.isSetting:
			p.refusedSettings = append(p.refusedSettings, v.name)
		default:
			p.refusedVariables = append(p.refusedVariables, v.name)
		}
	}
}

// seenFile is where the powers are recorded that the user has seen.
func (p *Setup) seenFile() string {
	return filepath.Join(p.Paths.RuntimeDir(), "pollux", "folders.json")
}

// projectVariable is a variable that the folder's .env file sets.
type projectVariable struct {
	name  string
	power string // what the user sees of it
	// redirects reports whether requests would go to its value with a key of the user's that is
	// not from the same file.
	redirects bool
	isAddress bool // of a provider
	// isSetting reports whether the variable is only for settings of extensions: the environment of Pollux has
	// another value, or none.
	isSetting bool
}

// envPower begins the text of a power that is a variable.
const envPower = ".env sets "

// projectVariables returns the variables that the folder's .env file sets, by name, except keys of
// providers: a file may bring a key of its own.
func (p *Setup) projectVariables(s *config.Settings) []projectVariable {
	env, _ := config.WithDotEnv(p.Options.Env, s, p.Paths) // ReadEnv warns
	names := env.OfProject()
	settings := p.extensionVariables(s, names)
	if len(names) == 0 {
		return settings
	}
	addresses := map[string]*provider.Profile{}
	var keys []string // which even untrusted folders may bring
	for profile := range provider.Builtin().All() {
		keys = append(append(keys, profile.KeyVars...), profile.TokenVars...)
		for _, name := range profile.BaseURLVars {
			addresses[name] = profile
		}
	}
	var list []projectVariable
	for _, name := range names {
		if slices.Contains(keys, name) || config.IsHarmlessVariable(name) {
			continue
		}
		v := projectVariable{name: name, power: envPower + name}
		if profile := addresses[name]; profile != nil {
			v.power += "=" + provider.RedactAddress(env.Get(name)) + ", where requests go"
			v.isAddress = true
			v.redirects = slices.ContainsFunc(append(slices.Clone(profile.KeyVars), profile.TokenVars...), func(key string) bool {
				return p.Options.Env.Get(key) != ""
			})
			if v.redirects {
				v.power += " with your key"
			}
		}
		list = append(list, v)
	}
	return append(list, settings...)
}

// unseenVariables returns those of the folder's variables that are not used if no one has seen the folder, as
// under --skip-trust: all but those that describe its own work. A file that brings the only key of a provider is
// used, with the address for it. Where the user has a key, it does not choose who answers instead.
func (p *Setup) unseenVariables(s *config.Settings, variables []projectVariable) []projectVariable {
	var keys []string
	for profile := range provider.Builtin().All() {
		keys = append(append(keys, profile.KeyVars...), profile.TokenVars...)
	}
	hasKey := p.Options.Env.First(keys...) != ""
	list := slices.DeleteFunc(variables, func(v projectVariable) bool {
		return !v.redirects && (!config.VariableClass(v.name).IsAsked() || v.isAddress && !hasKey)
	})
	if !hasKey {
		return list
	}
	env, _ := config.WithDotEnv(p.Options.Env, s, p.Paths) // ReadEnv warns
	for _, name := range env.OfProject() {
		if slices.Contains(keys, name) && !config.IsHarmlessVariable(name) {
			list = append(list, projectVariable{name: name, power: envPower + name + ", a key of another provider"})
		}
	}
	return list
}

// extensionVariables returns the variables with which the folder's .env file can change settings of extensions,
// and which are not among names.
func (p *Setup) extensionVariables(s *config.Settings, names []string) (list []projectVariable) {
	if _, err := os.Stat(p.ExtensionsDir()); err != nil || config.IgnoreLocalEnv.In(s) {
		return nil
	}
	values, _ := config.ReadDotEnv(filepath.Join(p.Paths.Dir(), extension.EnvName)) // reading the settings warns
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(names, name) && !config.IsHarmlessVariable(name) && !config.IsDangerousVariable(name) {
			list = append(list, projectVariable{name: name, power: envPower + name, isSetting: true})
		}
	}
	return list
}

// askPowers asks whether to use what is new in the folder. Without a person it warns, and the
// answer is no.
func (p *Setup) askPowers(ctx context.Context, powers []string) (bool, error) {
	const most = 20
	var lines []string
	for _, power := range powers[:min(len(powers), most)] {
		lines = append(lines, "\n- "+terminal.Cut(terminal.Line(power), 300))
	}
	if more := len(powers) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("\n- and %d more", more))
	}
	list := strings.Join(lines, "")
	if p.Asker == nil && p.InWorktree {
		return false, nil // the session does not run in this folder
	}
	if p.Asker == nil {
		p.Warn("Warning: Ignoring what you have not seen of this folder:" + list +
			"\nTo look at it and use it, start pollux here in a terminal.")
		return false, nil
	}
	const yes = "Use it"
	answer, err := Choose(ctx, p.Asker, Choice{
		Header: "Changes",
		Text:   "This folder does more than you have agreed to:" + list,
		Options: []tool.Option{
			{Key: "y", Label: yes, Description: "until it changes"},
			{Key: "n", Label: "Ignore it", Description: "in this session; Pollux asks again"},
		},
		Help: "Settings and .env of a trusted folder can start programs, allow tools and\nsend data elsewhere. Pollux uses only what you have seen.",
	})
	return err == nil && answer == yes, err
}
