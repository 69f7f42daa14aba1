package project

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/trust"
	"pollux/internal/memory"
	"pollux/internal/person"
	"pollux/internal/terminal"
	"pollux/tool"
)

// TrustOptions returns the settings and files that decide about trust in the folder.
func (p *Project) TrustOptions() trust.Options { return p.trustOptions(p.Settings()) }

func (p *Project) trustOptions(s *config.Settings) trust.Options {
	env := p.Options.Env
	return trust.Options{
		Dir: p.Paths.Dir(), Enabled: config.FolderTrust.In(s),
		File:       cmp.Or(env.Get("GEMINI_CLI_TRUSTED_FOLDERS_PATH"), filepath.Join(p.Paths.GeminiDir(), "trustedFolders.json")),
		Restricted: env.Get("GEMINI_RESTRICTED_MODE"),
		Workspace:  env.Get("GEMINI_CLI_TRUST_WORKSPACE"),
	}
}

// Decide returns whether the folder is trusted, by these settings and the user's decisions about folders.
func (p *Project) Decide(s *config.Settings) (trust.State, error) {
	return trust.Decide(p.trustOptions(s))
}

// askTrust asks the person whether the folder is trusted.
func (p *Project) askTrust(ctx context.Context, s *config.Settings) (trust.State, error) {
	p.Options.Notify("Welcome to Pollux. It reads and changes files and runs commands for you.\n" +
		"The files of a folder can instruct it. So it first asks whether you trust them.")
	var variables []string
	for _, v := range p.projectVariables(s) {
		variables = append(variables, strings.TrimPrefix(v.Text, envPower))
	}
	level, err := AskTrust(ctx, p.Options.Asker, p.trustOptions(s), p.Options.Env, memoryNames(s), variables)
	switch {
	case err != nil:
		return trust.Unknown, err
	case level == "":
		return trust.Unknown, exit.Errorf(exit.Interrupted, "Pollux did not start: the question about trust has no answer.")
	}
	return p.Decide(s)
}

// everyFolder says which folders the answer covers that trusts a parent folder.
func everyFolder(parent string) string {
	switch parent {
	case "~":
		return "your whole home directory"
	case filepath.Dir(parent): // the root
		return "the whole computer"
	}
	return parent + " and every folder in it"
}

// AskTrust asks a person whether they trust the folder that o names, lists its
// contents, and stores the answer in the file of o. names are those of
// files that instruct the model, variables those of its .env file. It returns the decision, "" for none; the
// errors are those of asking and of writing the file.
func AskTrust(ctx context.Context, asker person.Asker, o trust.Options, env *config.Env, names memory.Names, variables []string) (trust.Level, error) {
	parent := filepath.Dir(o.Dir)
	levels := []trust.Level{trust.TrustFolder, trust.TrustParent, trust.DoNotTrust}
	paths := config.NewPaths(env, o.Dir)
	dir := paths.Display(o.Dir)
	options := []tool.Option{
		{Key: "y", Label: "Trust this folder", Description: "use its settings and instructions"},
		{Key: "p", Label: "Trust the parent folder", Description: everyFolder(paths.Display(parent))},
		{Key: "n", Label: "Do not trust", Description: "ignore both, and ask before each change"},
	}
	text := "Do you trust the files in " + terminal.Line(dir) + "?" + contents(o.Dir, env, names, variables)
	answer, err := person.Choose(ctx, asker, person.Choice{Header: "Trust", Text: text, Options: options, Help: "In a trusted folder, Pollux uses its settings, GEMINI.md, .env and policies.\n" +
		"They can start programs. In other folders, Pollux ignores them.\n" +
		"Pollux stores your answer in " + paths.Display(o.File) + ".\n" +
		"To change it later, type /permissions trust."})
	if err != nil {
		return "", err
	}
	for i, option := range options {
		if answer == option.Label {
			err := trust.Set(o.File, o.Dir, levels[i])
			if err == nil && levels[i] != trust.DoNotTrust { // no other program has shown the folder before
				err = trust.Remember(seenFile(paths), o.Dir, nil)
			}
			return levels[i], err
		}
	}
	return "", nil
}

// contents lists the files of a folder that take effect if it is trusted, "" if there are none.
func contents(dir string, env *config.Env, names memory.Names, variables []string) string {
	settings, err := config.PeekWorkspace(config.Sources{Paths: config.NewPaths(env, dir), Env: env})
	o := trust.Inspect(dir, settings, names.All())
	if err != nil {
		o.Errors = append(o.Errors, err.Error())
	}
	if o.Empty() && len(variables) == 0 {
		return ""
	}
	text := "\nThe folder has these files and settings for Pollux:"
	for _, list := range []struct {
		title  string
		items  []string
		isSeen bool // after the answer, so each is shown as a whole
	}{
		{"Commands", o.Commands, false},
		{"MCP servers", o.Servers, true},
		{"Hooks", o.Hooks, true},
		{"Skills", o.Skills, false},
		{"Agents", o.Agents, false},
		{"Policies", o.Policies, false},
		{"Instructions", o.Memory, false},
		{"Settings", o.Settings, false},
		{"What they do", o.Powers, true},
		{"Variables in .env", variables, true},
		{"Warnings", o.Warnings, false},
		{"Not readable", o.Errors, false},
	} {
		if len(list.items) == 0 {
			continue
		}
		text += "\n- " + list.title
		if list.isSeen {
			for i, item := range list.items {
				text += [...]string{": ", ",\n  "}[min(i, 1)] + terminal.Line(item)
			}
			continue
		}
		text += ": " + terminal.Cut(terminal.Line(strings.Join(list.items, ", ")), 500)
	}
	return text
}

// askPolicies asks, once, whether to use the project's policies in this directory.
func (p *Project) askPolicies(ctx context.Context, dir string) bool {
	if p.policies == nil {
		const yes = "Use them"
		answer, err := person.Choose(ctx, p.Options.Asker, person.Choice{
			Header: "Policies",
			Text:   "This project has new or changed policies.\nPolicies decide what runs without asking.\nFolder: " + p.Paths.Display(dir),
			Options: []tool.Option{
				{Key: "y", Label: yes, Description: "until they change"},
				{Key: "n", Label: "Ignore them", Description: "in this session; Pollux asks again"},
			},
		})
		p.policies = new(err == nil && answer == yes)
	}
	return *p.policies
}

// DecideTrust returns the state by the user's decisions until now, which may differ from [Project.Trust].
func (p *Project) DecideTrust() (trust.State, error) { return p.Decide(p.Settings()) }
