package slash

import (
	"context"
	"path/filepath"
	"strings"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/guard/trust"
	"pollux/internal/terminal"
	"pollux/tool"
)

// AskTrust asks a person whether they trust the folder that o names, tells what it
// brings along (spec/tui.md §9, 9.7), and keeps the answer in the file of o. memory
// are the names of files that instruct the model. It returns what was decided, ""
// for nothing; the errors are those of asking and of writing the file.
func AskTrust(ctx context.Context, ask agent.Ask, o trust.Options, env *config.Env, memory []string) (trust.Level, error) {
	parent := filepath.Dir(o.Dir)
	levels := []trust.Level{trust.TrustFolder, trust.TrustParent, trust.DoNotTrust}
	options := []tool.Option{
		{Label: "Trust folder (" + filepath.Base(o.Dir) + ")", Description: o.Dir},
		{Label: "Trust parent folder (" + filepath.Base(parent) + ")", Description: parent + " and all that is in it"},
		{Label: "Don't trust", Description: "Nothing of it counts, and answers hold for a single call"},
	}
	said, err := choose(ctx, ask, "Trust", "Do you trust the files in this folder?\n"+terminal.Line(o.Dir)+"\n"+offer(o.Dir, env, memory), false, options...)
	if err != nil {
		return "", err
	}
	for i, option := range options {
		if said == option.Label {
			return levels[i], trust.Set(o.File, o.Dir, levels[i])
		}
	}
	return "", nil
}

// offer says what a folder brings along that would count if it were trusted.
func offer(dir string, env *config.Env, memory []string) string {
	settings, err := config.Peek(config.Sources{Paths: config.NewPaths(env, dir), Env: env})
	o := trust.Look(dir, settings, memory)
	if err != nil {
		o.Errors = append(o.Errors, err.Error())
	}
	if o.Empty() {
		return "It brings along no settings, commands, servers or instructions."
	}
	text := "What it brings along would count:\n"
	for _, list := range []struct {
		name  string
		items []string
	}{
		{"Commands", o.Commands},
		{"MCP Servers", o.Servers},
		{"Hooks", o.Hooks},
		{"Skills", o.Skills},
		{"Agents", o.Agents},
		{"Policies", o.Policies},
		{"Instructions", o.Memory},
		{"Settings", o.Settings},
		{"Think twice", o.Warnings},
		{"Not readable", o.Errors},
	} {
		if len(list.items) > 0 {
			text += "\n- " + list.name + ": " + cut(terminal.Line(strings.Join(list.items, ", ")), 500)
		}
	}
	return text
}
