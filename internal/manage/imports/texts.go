package imports

import (
	"bytes"
	"maps"
	"path"
	"path/filepath"
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

// The maximum sizes in bytes of a file of a command or a subagent, and of all files of a kind.
const (
	maxText = 256 << 10
	maxAll  = 4 << 20
)

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// texts are files that are copied to another place.
type texts struct {
	part *transfer.Part
	at   transfer.Place
	// written has the new files, by path, with the items.
	written map[string][]byte
	items   map[string]*transfer.Item
	size    int // of the files that were read
}

// copies returns a part for files of a kind, whose copies go below a directory .gemini.
func copies(p *project.Project, scope config.Scope, kind, dir string) *texts {
	part := &transfer.Part{Kind: kind, Target: place(p, scope).Path(".gemini/" + dir)}
	if scope == config.User {
		part.Target = filepath.Join(p.Paths.GeminiDir(), dir)
	}
	t := &texts{part: part, at: place(p, scope), written: map[string][]byte{}, items: map[string]*transfer.Item{}}
	part.Write = func() error {
		for _, file := range sorted(t.written) {
			if !t.items[file].IsWritten() {
				continue
			}
			if err := transfer.Write(file, t.written[file], t.at.IsProject, t.at.Dir); err != nil {
				return exit.Errorf(exit.General, "Cannot write %s: %w.", p.DisplayFile(file), durable.Cause(err))
			}
		}
		return nil
	}
	return t
}

// add translates the files in directories. rename returns the name of a copy.
func (t *texts) add(dirs []string, suffixes []string, rename func(name string) string, translate func(name string, text []byte, item *transfer.Item) []byte) {
	for _, dir := range dirs {
		names, isWhole := t.at.Find(dir, suffixes...)
		if !isWhole {
			t.part.Notes = append(t.part.Notes, dir+" has more files, links or deeper directories than Pollux reads.")
		}
		if len(names) > 0 {
			t.part.Files = append(t.part.Files, t.at.Path(dir))
		}
		for _, name := range names {
			item := t.part.Add(transfer.New(name))
			if t.size > maxAll {
				item.Leave("the files before it are larger than 4 MB")
				continue
			}
			text, err := t.at.Read(path.Join(dir, name), maxText)
			if err != nil {
				item.Leave("%v", durable.Cause(err))
				continue
			}
			t.size += len(text)
			if copied := translate(name, text, item); copied != nil {
				t.put(filepath.Join(t.part.Target, filepath.FromSlash(rename(name))), copied, item)
			}
		}
	}
}

// put plans to write a file. It replaces none.
func (t *texts) put(file string, text []byte, item *transfer.Item) {
	there, err := durable.ReadFile(file, maxText*2)
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
		return t.part
	}
	toTOML := func(name string) string { return strings.TrimSuffix(name, path.Ext(name)) + ".toml" }
	suffixes := []string{".md"}
	if form.IsOwn {
		suffixes = append(suffixes, ".toml")
	}
	t.add(a.in(scope).commands, suffixes, toTOML, func(name string, text []byte, item *transfer.Item) []byte {
		if path.Ext(name) == ".toml" {
			return command.CheckOwn(text, item)
		}
		return form.Translate(text, item)
	})
	t.part.Next = "Type / in a session to use them."
	return t.part
}

// subagents returns the subagents of the agent. Those in directories below go beside the others, because Pollux reads one directory.
func (a *agent) subagents(p *project.Project, scope config.Scope) *transfer.Part {
	t := copies(p, scope, "subagent", "agents")
	form, ok := subagent.Agents(a.name)
	if !ok {
		return t.part
	}
	base := func(name string) string { return strings.TrimSuffix(path.Base(name), ".md") }
	t.add(a.in(scope).subagents, []string{".md"}, func(name string) string { return strings.TrimLeft(base(name), "_.") + ".md" }, func(name string, text []byte, item *transfer.Item) []byte {
		return form.Translate(base(name), text, item)
	})
	return t.part
}
