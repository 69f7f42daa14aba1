package imports

import (
	"bytes"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	command "pollux/internal/command/foreign"
	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/project"
	subagent "pollux/internal/subagent/foreign"
	"pollux/internal/transfer"
)

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// texts are files that are copied to another place.
type texts struct {
	transfer.Texts
	// written has the new files, by path, with the items.
	written map[string][]byte
	items   map[string]*transfer.Item
}

// copies returns a part for files of a kind, whose copies go below a directory .gemini.
func copies(p *project.Project, scope config.Scope, kind, dir string) *texts {
	part := &transfer.Part{Kind: kind, Target: place(p, scope).Path(".gemini/" + dir)}
	if scope == config.User {
		part.Target = filepath.Join(p.Paths.GeminiDir(), dir)
	}
	t := &texts{Texts: transfer.Texts{Part: part, At: place(p, scope)}, written: map[string][]byte{}, items: map[string]*transfer.Item{}}
	part.Write = func() error {
		for _, file := range sorted(t.written) {
			if !t.items[file].IsWritten() {
				continue
			}
			if err := transfer.Write(file, t.written[file], t.At.IsProject, t.At.Dir); err != nil {
				return exit.Errorf(exit.General, "Cannot write %s: %w.", p.DisplayFile(file), durable.Cause(err))
			}
		}
		return nil
	}
	return t
}

// copy translates the files in directories. rename returns the name of a copy.
func (t *texts) copy(dirs []string, suffixes []string, rename func(name string) string, translate func(name string, text []byte, item *transfer.Item) []byte) {
	for _, dir := range dirs {
		t.Add(dir, suffixes, func(name string, text []byte, item *transfer.Item) {
			if copied := translate(name, text, item); copied != nil {
				t.put(filepath.Join(t.Part.Target, filepath.FromSlash(rename(name))), copied, item)
			}
		})
	}
}

// put plans to write a file. It replaces none.
func (t *texts) put(file string, text []byte, item *transfer.Item) {
	there, err := durable.ReadFile(file, transfer.MaxText*2)
	switch {
	case t.items[file] != nil:
		item.Leave("%s has the same name", t.items[file].Name)
		return
	case err == nil && bytes.Equal(there, text):
		item.Keep()
	case err == nil, !durable.IsAbsent(err), durable.CheckLink(file) != nil:
		item.Leave("there is another file %s", filepath.Base(file))
		return
	}
	t.written[file], t.items[file] = text, item
}

// commands returns the commands of the agent.
func (a *agent) commands(p *project.Project, scope config.Scope) *transfer.Part {
	t := copies(p, scope, "command", "commands")
	form, ok := command.Forms(a.name)
	if !ok {
		return t.Part
	}
	toTOML := func(name string) string { return strings.TrimSuffix(name, path.Ext(name)) + ".toml" }
	suffixes := []string{".md"}
	if form.IsOwn {
		suffixes = append(suffixes, ".toml")
	}
	t.copy(a.in(scope).commands, suffixes, toTOML, func(name string, text []byte, item *transfer.Item) []byte {
		if path.Ext(name) == ".toml" {
			return command.CheckOwn(text, item)
		}
		return form.Translate(text, item)
	})
	t.Part.Next = "Type / in a session to use them."
	return t.Part
}

// subagents returns the subagents of the agent. Those in directories below go beside the others, because Pollux reads one directory.
func (a *agent) subagents(p *project.Project, scope config.Scope) *transfer.Part {
	t := copies(p, scope, "subagent", "agents")
	form, ok := subagent.Agents(a.name)
	if !ok {
		return t.Part
	}
	base := func(name string) string {
		if dir := path.Dir(name); path.Base(name) == "agent.md" && dir != "." { // of Antigravity CLI
			return path.Base(dir)
		}
		return strings.TrimSuffix(path.Base(name), ".md")
	}
	t.copy(a.in(scope).subagents, []string{".md"}, func(name string) string { return strings.TrimLeft(base(name), "_.") + ".md" }, func(name string, text []byte, item *transfer.Item) []byte {
		return form.Translate(base(name), text, item)
	})
	return t.Part
}

// instructions returns the user's instructions for the agent, which are copied if the user has none for Pollux.
func (a *agent) instructions(p *project.Project, scope config.Scope) *transfer.Part {
	t := copies(p, scope, "instruction", "")
	name := a.in(scope).instructions
	if name == "" || !t.At.Has(name) {
		return t.Part
	}
	t.Part.Target = filepath.Join(p.Paths.GeminiDir(), "GEMINI.md")
	t.AddFile(path.Dir(name), path.Base(name), func(_ string, text []byte, item *transfer.Item) {
		item.Name = name
		switch {
		case transfer.HasKey(string(text)):
			item.Leave("it has a key")
			return
		case strings.TrimSpace(string(text)) == "":
			item.Leave("it is empty")
			return
		case regexp.MustCompile(`(?m)(^|\s)@[\w./~-]`).Match(text):
			item.Change("files that it imports with @ are looked for below ~/.gemini")
		}
		if t.put(t.Part.Target, text, item); item.Result == transfer.LeftOut {
			item.Leave("you have instructions for Pollux: copy those that you want to ~/.gemini/GEMINI.md")
		}
	})
	return t.Part
}
