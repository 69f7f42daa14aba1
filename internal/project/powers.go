package project

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/extension"
	"pollux/internal/guard/trust"
	"pollux/internal/person"
	"pollux/internal/terminal"
	"pollux/llm/provider"
	"pollux/tool"
)

// Trust in a folder covers the powers that the user has seen: the effects that its settings and its .env file have by
// themselves (see [trust.Powers]), and the content of the files that these name. New powers take effect
// after a question. Without a person they are left out, except for those that tighten: without them, more would be
// allowed, so such a run ends (see [Project.lost]). Where the environment or a flag trusts the folder, no one has
// seen it: there a .env file sets only variables that describe the folder's own work (see [config.VariableClass])
// without that question.

// admit removes from the folder's settings the powers that the user has not seen and does not want, and notes
// the variables of its .env file that must not be set. s are the settings of the other layers.
func (p *Project) admit(ctx context.Context, s *config.Settings, workspace map[string]any) error {
	if p.Options.Folder != trust.Unknown {
		return nil // the program that uses this package has decided
	}
	var powers []trust.Power
	variables := p.projectVariables(s)
	isByFile := trust.IsByFile(p.trustOptions(s))
	if isByFile {
		trust.Powers(s, workspace, func(power trust.Power) bool {
			power.Place = s.OtherPlace(power.Text)
			powers = append(powers, power)
			return true
		})
	} else {
		variables = p.unseenVariables(s, variables)
	}
	for _, v := range variables {
		powers = append(powers, v.Power)
	}
	if len(powers) == 0 && !isByFile {
		return nil
	}
	record, dir := trust.ReadRecord(seenFile(p.Paths)), p.Paths.Dir()
	sights := trust.LookAt(dir, powers)
	// A user who trusted this very folder before anything was recorded has seen its content, except for
	// redirections and the servers of other agents, which Gemini CLI does not show.
	isFirst := isByFile && record.IsFirst && !p.wasTrustAsked && trust.IsNamed(p.trustOptions(s))
	unseen := slices.DeleteFunc(slices.Clone(sights), func(s trust.Sight) bool {
		redirects := slices.ContainsFunc(variables, func(v projectVariable) bool { return v.Text == s.Text && v.redirects })
		isShown := isFirst && !redirects && s.Place == ""
		return p.wasTrustAsked || record.Has(dir, s) || p.Worktree != nil && record.Has(p.Worktree.Root, s) || isShown
	})
	if len(unseen) == 0 && !isFirst && !p.wasTrustAsked {
		return nil
	}
	if len(unseen) > 0 {
		if record.Problem != "" {
			p.LeaveOut(fmt.Sprintf("Pollux no longer knows what you have seen of your folders: %s: %s.", seenFile(p.Paths), record.Problem))
		}
		accepted, err := p.askPowers(ctx, record, unseen)
		if err != nil {
			return err
		}
		if !accepted {
			p.refuse(s, workspace, variables, unseen)
			if !isFirst {
				return nil
			}
			isRefused := func(text string) bool {
				return slices.ContainsFunc(unseen, func(s trust.Sight) bool { return s.Text == text })
			}
			sights = slices.DeleteFunc(sights, func(s trust.Sight) bool { return isRefused(s.Text) })
			powers = slices.DeleteFunc(powers, func(power trust.Power) bool { return isRefused(power.Text) })
		}
	}
	if p.isDiagnosis {
		return nil
	}
	if isFirst && len(powers) > 0 {
		p.Warn(fmt.Sprintf("This folder was trusted before, so Pollux uses what it does by itself: %s. From now on, Pollux asks about changes.",
			terminal.Cut(terminal.Line(strings.Join(names(powers), ", ")), 300)))
	}
	if err := trust.Remember(seenFile(p.Paths), dir, sights); err != nil {
		p.Warn("Warning: " + err.Error())
	}
	return nil
}

// names returns the subjects of the powers, each once: "hooks.BeforeTool" or ".env".
func names(powers []trust.Power) (list []string) {
	for _, power := range powers {
		name, _, _ := strings.Cut(power.Text, ": ")
		if strings.HasPrefix(power.Text, envPower) {
			name = ".env"
		}
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// refuse removes powers from the folder's settings, and notes the variables among them.
func (p *Project) refuse(s *config.Settings, workspace map[string]any, variables []projectVariable, powers []trust.Sight) {
	isRefused := func(text string) bool {
		return slices.ContainsFunc(powers, func(s trust.Sight) bool { return s.Text == text })
	}
	trust.Powers(s, workspace, func(power trust.Power) bool { return !isRefused(power.Text) })
	for _, v := range variables {
		switch {
		case !isRefused(v.Text):
		case v.isSetting:
			p.refusedSettings = append(p.refusedSettings, v.name)
		default:
			p.refusedVariables = append(p.refusedVariables, v.name)
		}
	}
}

// seenFile is where the powers are recorded that the user has seen.
func seenFile(paths *config.Paths) string {
	return filepath.Join(paths.RuntimeDir(), "pollux", "folders.json")
}

// projectVariable is a variable that the folder's .env file sets.
type projectVariable struct {
	trust.Power
	name string
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

func variablePower(name, value string) trust.Power {
	return trust.Power{Text: envPower + name, Class: config.VariableClass(name, value)}
}

// projectVariables returns the variables that the folder's .env file sets, by name, except keys of
// providers: a file may bring a key of its own.
func (p *Project) projectVariables(s *config.Settings) []projectVariable {
	env, _ := p.dotEnv.Extend(p.Options.Env, s, p.Paths) // ReadEnv warns
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
		v := projectVariable{name: name, Power: variablePower(name, env.Get(name))}
		if v.Class == config.Tightens {
			continue // it always holds
		}
		if profile := addresses[name]; profile != nil {
			v.Text += "=" + provider.RedactAddress(env.Get(name)) + ", where requests go"
			v.isAddress = true
			v.redirects = slices.ContainsFunc(append(slices.Clone(profile.KeyVars), profile.TokenVars...), func(key string) bool {
				return p.Options.Env.Get(key) != ""
			})
			if v.redirects {
				v.Text += " with your key"
			}
		}
		list = append(list, v)
	}
	return append(list, settings...)
}

// unseenVariables returns those of the folder's variables that are not used if no one has seen the folder, as
// under --skip-trust: all but those that describe its own work. A file that brings the only key of a provider is
// used, with the address for it. Where the user has a key, it does not choose who answers instead.
func (p *Project) unseenVariables(s *config.Settings, variables []projectVariable) []projectVariable {
	var keys []string
	for profile := range provider.Builtin().All() {
		keys = append(append(keys, profile.KeyVars...), profile.TokenVars...)
	}
	hasKey := p.Options.Env.First(keys...) != ""
	list := slices.DeleteFunc(variables, func(v projectVariable) bool {
		return !v.redirects && (!v.Class.IsAsked() || v.isAddress && !hasKey)
	})
	if !hasKey {
		return list
	}
	env, _ := p.dotEnv.Extend(p.Options.Env, s, p.Paths) // ReadEnv warns
	for _, name := range env.OfProject() {
		if slices.Contains(keys, name) && !config.IsHarmlessVariable(name) {
			v := projectVariable{name: name, Power: variablePower(name, env.Get(name))}
			v.Text += ", a key of another provider"
			list = append(list, v)
		}
	}
	return list
}

// extensionVariables returns the variables with which the folder's .env file can change settings of extensions,
// and which are not among names.
func (p *Project) extensionVariables(s *config.Settings, names []string) (list []projectVariable) {
	if _, err := os.Stat(p.ExtensionsDir()); err != nil || config.IgnoreLocalEnv.In(s) {
		return nil
	}
	values, _ := config.ReadDotEnv(filepath.Join(p.Paths.Dir(), extension.EnvName)) // reading the settings warns
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(names, name) && !config.IsHarmlessVariable(name) && !config.IsDangerousVariable(name) {
			list = append(list, projectVariable{name: name, Power: variablePower(name, values[name]), isSetting: true})
		}
	}
	return list
}

// askPowers asks whether to use the new powers of the folder. Without a person it warns, and the
// answer is no.
func (p *Project) askPowers(ctx context.Context, record *trust.Record, powers []trust.Sight) (bool, error) {
	if p.Options.Asker == nil && p.Options.InWorktree {
		return false, nil // the session does not run in this folder
	}
	if p.Options.Asker == nil || p.isDiagnosis {
		p.leaveOut(record, powers)
		return false, nil
	}
	const yes = "Use it"
	help := "Settings and .env of a trusted folder can start programs, allow tools and\nsend data elsewhere. Pollux uses only what you have seen."
	if slices.ContainsFunc(powers, func(s trust.Sight) bool { return s.Runs != nil }) {
		help += "\nPollux asks again when a file of the folder that a command names changes,\nnot for what that file reads in turn."
	}
	answer, err := person.Choose(ctx, p.Options.Asker, person.Choice{
		Header: "Changes",
		Text:   "This folder does more than you have agreed to:" + record.List(p.Paths.Dir(), powers),
		Options: []tool.Option{
			{Key: "y", Label: yes, Description: "until it changes"},
			{Key: "n", Label: "Ignore it", Description: "in this session; Pollux asks again"},
		},
		Help: help,
	})
	return err == nil && answer == yes, err
}

// Unseen returns the error that ends a run without a person, because the folder restricts it in a way that the user
// has not seen; nil for none.
func (p *Project) Unseen() error { return p.lost }

// leaveOut warns of powers that this run does not use, and notes those without which it must not go on.
func (p *Project) leaveOut(record *trust.Record, powers []trust.Sight) {
	isGuard := func(s trust.Sight) bool { return s.Class&config.Tightens != 0 }
	others := slices.DeleteFunc(slices.Clone(powers), isGuard)
	guards := slices.DeleteFunc(slices.Clone(powers), func(s trust.Sight) bool { return !isGuard(s) })
	if len(others) > 0 {
		p.Warn("Warning: Ignoring what you have not seen of this folder:" + record.Excerpt(p.Paths.Dir(), others) +
			"\nTo look at it and use it, start pollux here in a terminal.")
		for _, s := range others {
			p.leftOut = append(p.leftOut, "Ignoring what you have not seen of this folder: "+record.Describe(p.Paths.Dir(), s))
		}
	}
	if len(guards) > 0 {
		p.lost = exit.Errorf(exit.Untrusted, "This folder restricts what runs, in a way that you have not seen:%s\n"+
			"A script does not go on without it. To look at it and use it, start pollux here in a terminal. "+
			"To use all of this folder as it is, use `--skip-trust`, or set the `GEMINI_CLI_TRUST_WORKSPACE=true` environment variable.", record.Excerpt(p.Paths.Dir(), guards))
	}
}
