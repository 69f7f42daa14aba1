package plugin

import (
	"maps"
	"path"
	"slices"
	"strings"

	"pollux/internal/charset"
	"pollux/internal/durable"
	"pollux/internal/frontmatter"
	"pollux/internal/skill"
	"pollux/internal/terminal"
	"pollux/internal/transfer"
)

// skills takes over the skills. Those in other directories are copied to the usual one.
func (c *Conversion) skills() *transfer.Part {
	part := &transfer.Part{Kind: "skill"}
	used := map[string]bool{}
	for _, place := range c.places("skills", part) {
		folders := c.skillFolders(place)
		if folders == nil && place != "skills" {
			part.Add(transfer.New(place)).Leave("it has no %s", skill.FileName)
		}
		for _, folder := range folders {
			if !used[folder] {
				used[folder] = c.skill(folder, part.Add(transfer.New(folder)))
			}
		}
	}
	for _, folder := range c.skillFolders("skills") {
		if !used[folder] {
			c.removed = append(c.removed, path.Join(folder, skill.FileName))
		}
	}
	return part
}

// skillFolders returns the directories with skills in a place: it is one, or has some.
func (c *Conversion) skillFolders(place string) (folders []string) {
	if c.at.Has(path.Join(place, skill.FileName)) {
		return []string{place}
	}
	names, _ := c.at.Find(place, skill.FileName)
	for _, name := range names {
		if folder, file := path.Split(name); file == skill.FileName && strings.Count(folder, "/") == 1 {
			folders = append(folders, path.Join(place, folder))
		}
	}
	return folders
}

// skill takes over the skill in a directory. It reports whether the directory stays.
func (c *Conversion) skill(folder string, item *transfer.Item) bool {
	text, err := c.at.Read(path.Join(folder, skill.FileName), maxFile)
	if err != nil {
		item.Leave("%v", durable.Cause(err))
		return false
	}
	front, _, ok := frontmatter.Cut(charset.Text(text))
	fields := frontmatter.Fields(front)
	if about, _ := fields["description"].(string); !ok || strings.TrimSpace(about) == "" {
		item.Leave("it does not begin with a description between two lines ---")
		return false
	}
	to := folder
	if inPlace := folder == "skills" || path.Dir(folder) == "skills"; !inPlace {
		to = path.Join("skills", path.Base(folder))
		switch {
		case folder == ".":
			item.Leave("its directory is that of the plugin")
			return false
		case c.at.Has(to) || c.folders[to] != "":
			item.Leave("there is another directory %s", to)
			return false
		}
		c.folders[to] = folder
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		switch key {
		case "name", "description", "license", "compatibility", "metadata", "version", "disable-model-invocation":
		case "hooks":
			item.Change("without its hooks, which may have refused calls")
		case "allowed-tools":
			item.Change("without allowed-tools, which allow calls without a question")
		default:
			item.Change("without %s", terminal.Cut(key, 40))
		}
	}
	here := strings.ReplaceAll(c.own(string(text)), "${CLAUDE_SKILL_DIR}", extensionPath+"/"+to)
	if here != string(text) {
		c.files[path.Join(to, skill.FileName)] = []byte(here)
	}
	return true
}
