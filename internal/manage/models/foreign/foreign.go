// Package foreign translates providers of other agents to entries of modelProviders. No translation has a key.
//
//   - foreign.go has the agents and their files. codex.go, opencode.go, qwen.go and crush.go read the forms of their providers.
//   - draft.go reads the parts of a provider, and puts variables in the place of keys.
//   - entry.go writes the entry, unless Pollux has the provider already.
package foreign

import (
	"encoding/json"
	"regexp"

	"pollux/internal/transfer"
	"pollux/llm/provider"
)

// Agent is another agent with providers.
type Agent struct {
	name  string // "codex"
	title string
	// User and Project are its files below the home directory and the project.
	User, Project []string
	// read returns the providers in a file, and the names of the default model and its provider.
	read func(a *Agent, tree map[string]any) (list []*draft, model, of string)
}

// Agents returns the agent with a name, nil if Pollux copies no providers from it.
func Agents(name string) *Agent {
	switch name {
	case "codex":
		file := []string{".codex/config.toml"}
		return &Agent{name: name, title: "Codex", User: file, Project: file, read: readCodex}
	case "opencode":
		return &Agent{
			name: name, title: "OpenCode", User: []string{".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"},
			Project: []string{"opencode.json", "opencode.jsonc"}, read: readOpenCode,
		}
	case "qwen":
		file := []string{".qwen/settings.json"}
		return &Agent{name: name, title: "Qwen Code", User: file, Project: file, read: readQwen}
	case "crush":
		return &Agent{name: name, title: "Crush", User: []string{".config/crush/crush.json"}, Project: []string{"crush.json", ".crush.json"}, read: readCrush}
	}
	return nil
}

// Provider is a provider with its report.
type Provider struct {
	*transfer.Item
	ID    string         // its name in Pollux
	Entry map[string]any // of modelProviders, nil for one that is left out, and for one that Pollux has by itself
}

// Providers decides about each provider in the agent's files. there are the entries that the user has. model is the agent's default model as
// Pollux names it, "" if it has none that Pollux would have after the import.
func (a *Agent) Providers(files []transfer.File, there map[string]any) (list []*Provider, model string) {
	known := provider.Builtin()
	for _, f := range files {
		drafts, name, of := a.read(a, f.Object)
		if name == "" {
			of = ""
		}
		byName := map[string]*Provider{}
		for _, d := range drafts {
			d.choose(name, of)
			p := d.provider(known, there)
			if p.Entry != nil && p.Result != transfer.Present {
				there[p.ID] = p.Entry // the next one with this name is another
			}
			byName[d.name] = p
			list = append(list, p)
		}
		if of == "" {
			continue
		}
		id := ""
		if p := byName[of]; p != nil && p.Result != transfer.LeftOut {
			id = p.ID
		} else if builtin := known.Find(of); p == nil && builtin != nil {
			id = builtin.ID
		}
		if whole := id + "/" + name; id != "" && regexp.MustCompile(`^\w[\w.:/@+-]*$`).MatchString(whole) { // the user copies it into a shell
			model = whole
		}
	}
	return list, model
}

// Refused reports the providers in a project's files, none of which is copied.
func (a *Agent) Refused(files []transfer.File) (items []*transfer.Item) {
	for _, f := range files {
		drafts, _, _ := a.read(a, f.Object)
		for _, d := range drafts {
			item := transfer.New(d.Name)
			item.Leave("a project must not choose where your prompts and keys go")
			items = append(items, item)
		}
	}
	return items
}

// encoded returns a value as JSON, with the members of objects in order.
func encoded(v any) string {
	data, _ := json.Marshal(v) // it was read from JSON
	return string(data)
}
