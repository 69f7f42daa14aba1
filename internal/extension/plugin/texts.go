package plugin

import (
	"path"
	"slices"
	"strings"

	command "pollux/internal/command/foreign"
	subagent "pollux/internal/subagent/foreign"
	"pollux/internal/transfer"
)

// texts reads the files of a part.
func (c *Conversion) texts(kind, dir string, suffixes []string, use func(name string, text []byte, item *transfer.Item)) *transfer.Part {
	t := transfer.Texts{Part: &transfer.Part{Kind: kind}, At: c.at}
	for _, place := range c.places(dir, t.Part) {
		if !slices.Contains(suffixes, path.Ext(place)) {
			before := len(t.Part.Items)
			if t.Add(place, suffixes, use); len(t.Part.Items) == before && place != dir {
				t.Part.Add(transfer.New(place)).Leave("it has no files that end in %s", strings.Join(suffixes, " or "))
			}
			continue
		}
		below, name := path.Split(place)
		if rest, ok := strings.CutPrefix(place, dir+"/"); ok {
			below, name = dir, rest // with its namespace
		}
		t.AddFile(below, name, use)
	}
	return t.Part
}

// commands converts the commands.
func (c *Conversion) commands() *transfer.Part {
	form, _ := command.Forms(c.form.agent)
	return c.texts("command", "commands", c.form.commands, func(name string, text []byte, item *transfer.Item) {
		file := path.Join("commands", strings.TrimSuffix(name, path.Ext(name))+".toml")
		if path.Ext(name) == ".toml" {
			text = command.CheckOwn(text, item)
		} else {
			text = form.Translate([]byte(c.own(string(text))), item)
		}
		if text != nil {
			c.put(file, text, item)
		}
	})
}

// subagents converts the subagents. Those in directories below go beside the others, because Pollux reads one directory.
func (c *Conversion) subagents() *transfer.Part {
	form, _ := subagent.Agents(c.form.agent)
	return c.texts("subagent", "agents", []string{".md"}, func(name string, text []byte, item *transfer.Item) {
		base := strings.TrimLeft(strings.TrimSuffix(path.Base(name), ".md"), "_.")
		if dir := path.Dir(name); base == "agent" && dir != "." { // of Antigravity CLI
			base = path.Base(dir)
		}
		if text = form.Translate(base, []byte(c.own(string(text))), item); text != nil {
			c.put(path.Join("agents", base+".md"), text, item)
		}
	})
}
