package trust

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/skill"
)

// Contents lists the content of a folder that takes effect if the folder is trusted. Lists are
// sorted.
type Contents struct {
	Commands []string // names, as the user types them
	Servers  []string // MCP servers, each with its entry, and the file if it is one of another agent
	Hooks    []string // command lines, each after its event
	Skills   []string
	Agents   []string
	Policies []string // files
	Memory   []string // files with instructions for the model
	Settings []string // keys that the folder's settings set
	Powers   []string // automatic effects of the settings, other than servers and hooks; see [Powers]
	// Warnings describe content that needs special attention.
	Warnings []string
	// Errors describe files that could not be read.
	Errors []string
}

// maxOffered is the maximum length of each list of files and keys, more than a person reads. The lists of effects are
// complete: they count as seen.
const maxOffered = 200

// Inspect lists the content of a folder. s are the settings of its settings file, nil if there is
// none (see [config.PeekWorkspace]); memory are the names of instruction files. It does not follow
// links, but lists them.
func Inspect(dir string, s *config.Settings, memory []string) Contents {
	var o Contents
	own := filepath.Join(dir, ".gemini")
	o.Commands = o.files(filepath.Join(own, "commands"), ".toml", func(name string) string {
		return "/" + strings.ReplaceAll(strings.TrimSuffix(name, ".toml"), string(filepath.Separator), ":")
	})
	for _, place := range skill.Places(skill.Workspace, dir, s == nil || config.ForeignSkills.In(s)) {
		o.Skills = append(o.Skills, o.files(place.Dir, skill.FileName, filepath.Dir)...)
	}
	o.Agents = o.files(filepath.Join(own, "agents"), ".md", func(name string) string { return strings.TrimSuffix(name, ".md") })
	o.Policies = o.files(filepath.Join(own, "policies"), ".toml", func(name string) string { return name })
	for _, name := range memory {
		for _, at := range [...]string{name, filepath.Join(".gemini", name)} {
			if info, err := os.Lstat(filepath.Join(dir, at)); err == nil && !info.IsDir() {
				o.Memory = append(o.Memory, at)
			}
		}
	}
	if s != nil {
		o.settings(s)
	}
	if len(o.Agents) > 0 {
		o.Warnings = append(o.Warnings, "This project contains custom agents.")
	}
	for _, list := range o.lists() {
		slices.Sort(*list)
		*list = slices.Compact(*list)
		if list != &o.Servers && list != &o.Hooks && list != &o.Powers {
			*list = (*list)[:min(len(*list), maxOffered)]
		}
	}
	return o
}

// Empty reports whether the folder has no such content.
func (o *Contents) Empty() bool {
	for _, list := range o.lists() {
		if len(*list) > 0 {
			return false
		}
	}
	return len(o.Errors) == 0
}

func (o *Contents) lists() []*[]string {
	return []*[]string{&o.Commands, &o.Servers, &o.Hooks, &o.Skills, &o.Agents, &o.Policies, &o.Memory, &o.Settings, &o.Powers}
}

// files returns the names of the files below a directory with this ending, formatted by show.
func (o *Contents) files(dir, ending string, show func(name string) string) []string {
	var found []string
	seen := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		show := show
		if seen++; seen > 50*maxOffered {
			return fs.SkipAll
		}
		switch {
		case err != nil && path == dir && os.IsNotExist(err):
			return fs.SkipAll
		case err != nil:
			o.Errors = append(o.Errors, err.Error())
			return nil
		case path == dir && !d.IsDir():
			o.Errors = append(o.Errors, dir+" is not a directory, but it can be a link to one")
			return nil
		case d.Type()&fs.ModeSymlink != 0: // to a file or a whole directory
			show = func(name string) string { return name + ", a link" }
		case !d.Type().IsRegular() || !strings.HasSuffix(d.Name(), ending):
			return nil
		}
		if rel, err := filepath.Rel(dir, path); err == nil && len(found) < maxOffered {
			found = append(found, show(rel))
		}
		return nil
	})
	if err != nil {
		o.Errors = append(o.Errors, err.Error())
	}
	return found
}

// settings adds the effects of the folder's settings file.
func (o *Contents) settings(s *config.Settings) {
	for _, key := range s.SetKeys() {
		switch {
		case strings.HasPrefix(key, "hooks."), key == "hooks", key == "mcpServers":
		default:
			o.Settings = append(o.Settings, key)
		}
	}
	Powers(nil, s.Tree(), func(p Power) bool {
		key, rest, _ := strings.Cut(p.Text, ".")
		switch key {
		case "hooks":
			event, command, _ := strings.Cut(rest, ": ")
			o.Hooks = append(o.Hooks, event+": "+command)
		case "mcpServers":
			if place := s.OtherPlace(p.Text); place != "" {
				rest += " (in " + place + ")"
			}
			o.Servers = append(o.Servers, rest)
		default:
			o.Powers = append(o.Powers, p.Text)
		}
		return true
	})
	if command := config.ToolsDiscovery.In(s); command != "" {
		o.Warnings = append(o.Warnings, "This project runs a command at every start (tools.discoveryCommand): "+command)
	}
	if _, ok := s.Lookup(string(config.Telemetry)); ok {
		o.Warnings = append(o.Warnings, "This project configures telemetry: what is recorded and where it is sent (telemetry).")
	}
	if len(config.ToolsAllowed.In(s)) > 0 {
		o.Warnings = append(o.Warnings, "This project auto-approves certain tools (tools.allowed).")
	}
	if set, ok := s.Lookup(string(config.FolderTrust)); ok && set == false {
		o.Warnings = append(o.Warnings, "This project attempts to disable folder trust (security.folderTrust.enabled).")
	}
	set, _ := s.Lookup(string(config.ToolSandbox))
	if on, ok := config.Coerce("bool", set); ok && on == false {
		o.Warnings = append(o.Warnings, "This project disables the security sandbox (tools.sandbox).")
	}
}
