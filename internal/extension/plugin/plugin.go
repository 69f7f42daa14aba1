// Package plugin converts plugins of Claude Code and Antigravity CLI, and extensions of Qwen Code, to extensions.
//
//   - plugin.go finds a plugin, converts it in memory, and writes the conversion into a copy of it. market.go finds plugins in a marketplace.
//   - form.go has the agents, and where their plugins have their parts. manifest.go reads the manifest.
//   - programs.go converts hooks and servers, texts.go commands and subagents, skills.go skills, rules.go rules, options.go options.
//
// A plugin comes from a stranger: files are read with limits and within its directory, and a part that cannot be converted is left out with a reason.
package plugin

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/extension"
	"pollux/internal/extension/unpack"
	"pollux/internal/terminal"
	"pollux/internal/transfer"
)

// Source is a plugin, or an extension in a marketplace.
type Source struct {
	Dir   string         // the directory of the plugin
	form  *form          // nil for an extension
	entry map[string]any // in a marketplace, nil outside of one
}

// Find returns the plugin in a directory or, if name is not "", the one with this name in the marketplace there. It returns nil for a directory
// without a plugin, and for an extension. The error is a [*MarketError] for a marketplace from which a plugin must be chosen.
func Find(dir, name string) (*Source, error) {
	if name != "" {
		return findInMarket(dir, name)
	}
	if has(dir, extension.ManifestName) {
		return nil, nil
	}
	for _, f := range forms() {
		for _, name := range f.manifests {
			if has(dir, name) {
				return &Source{Dir: dir, form: f}, nil
			}
		}
	}
	if !has(dir, marketFile) {
		return nil, nil
	}
	m, err := readMarket(dir)
	if err != nil {
		return nil, err
	}
	return nil, &MarketError{m.offers()}
}

// Has reports whether a directory has a plugin or a marketplace.
func Has(dir string) bool {
	s, err := Find(dir, "")
	return s != nil || err != nil
}

func has(dir, name string) bool {
	return !durable.IsMissing(filepath.Join(dir, filepath.FromSlash(name)))
}

// IsExtension reports whether there is nothing to convert.
func (s *Source) IsExtension() bool { return s.form == nil }

// Title returns the name of the agent whose plugin it is: "Claude Code".
func (s *Source) Title() string { return s.form.title }

// Title returns the name of an agent that has plugins, for people.
func Title(agent string) string {
	for _, f := range forms() {
		if f.agent == agent {
			return f.title
		}
	}
	return agent
}

// Conversion is the extension that a plugin becomes. Nothing is written yet.
type Conversion struct {
	// Manifest is that of the extension.
	Manifest *extension.Manifest
	// HasVersion reports whether the plugin has a version of its own.
	HasVersion bool

	*Source
	at     transfer.Place
	fields []map[string]any // of the manifest and of the entry in a marketplace
	// options are the variables for options of the plugin, by their names.
	options map[string]string
	report  *transfer.Report
	out     manifest
	// files are files to write, folders directories to copy, by their new names with slashes. removed are files and directories that
	// would be parts of an extension, and are none of the plugin.
	files   map[string][]byte
	folders map[string]string
	removed []string
}

// manifest is the manifest of the extension.
type manifest struct {
	Name         string         `json:"name"`
	Version      string         `json:"version"`
	Description  string         `json:"description,omitempty"`
	Servers      map[string]any `json:"mcpServers,omitempty"`
	ContextFiles []string       `json:"contextFileName"` // never null, which means GEMINI.md
	Settings     []any          `json:"settings,omitempty"`
	Plugin       string         `json:"plugin"`
	NotCopied    []string       `json:"notCopied,omitempty"`
}

// maxNotCopied is the number of parts that are not copied, and that the manifest names.
const maxNotCopied = 200

// noVersion is the version of a plugin that has none.
const noVersion = "0.0.0"

// Convert converts the plugin in dir, which is [Source.Dir] or a copy of it. The error explains why the plugin cannot be used.
func (s *Source) Convert(dir string) (*Conversion, error) {
	c := &Conversion{
		Source: s, at: transfer.Place{Dir: dir, IsProject: true}, files: map[string][]byte{}, folders: map[string]string{},
		report: &transfer.Report{Agent: s.form.agent, IsApplied: true},
	}
	if err := c.readFields(); err != nil {
		return nil, err
	}
	version := c.text("version")
	c.HasVersion = version != ""
	c.out = manifest{
		Name: c.text("name"), Version: cmp.Or(version, noVersion), Description: c.text("description"), ContextFiles: []string{}, Plugin: s.form.agent,
	}
	for _, convert := range []func() *transfer.Part{c.settings, c.servers, c.hooks, c.commands, c.subagents, c.skills, c.rules, c.contexts, c.others} {
		part := convert()
		if len(part.Items) > 0 || len(part.Notes) > 0 {
			c.report.Parts = append(c.report.Parts, part)
		}
		for _, i := range part.Items {
			if i.IsLost() {
				c.out.NotCopied = append(c.out.NotCopied, fmt.Sprintf("%s %s (%s)", part.Kind, i.Name, strings.Join(i.Notes, "; ")))
			}
		}
	}
	if more := len(c.out.NotCopied) - maxNotCopied; more > 0 {
		c.out.NotCopied = append(c.out.NotCopied[:maxNotCopied], fmt.Sprintf("%d more", more))
	}
	c.removeOthers()
	data, err := json.MarshalIndent(c.out, "", "  ")
	if err != nil {
		return nil, err
	}
	if c.Manifest, err = extension.ParseManifest(data); err != nil {
		return nil, fmt.Errorf("its %s cannot be used: %w", path.Base(c.form.manifests[0]), err)
	}
	c.files[extension.ManifestName] = append(data, '\n')
	return c, nil
}

// Report describes the conversion for people, in lines; "" if the plugin has no parts.
func (c *Conversion) Report() string {
	text := c.report.Outcome(func(file string) string {
		if name, err := filepath.Rel(c.at.Dir, file); err == nil && filepath.IsLocal(name) {
			return filepath.ToSlash(name)
		}
		return file
	}).Plain(0)
	return strings.TrimRight(text, "\n")
}

// Write writes the conversion into the directory that was converted, which must be a copy. Directories that it copies are within the limits.
func (c *Conversion) Write(l unpack.Limits) error {
	root, err := os.OpenRoot(c.at.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, to := range slices.Sorted(maps.Keys(c.folders)) { // before files are changed in the copies
		if err := copyFolder(root, c.folders[to], to, &l); err != nil {
			return fmt.Errorf("cannot copy %s: %w", terminal.Line(c.folders[to]), durable.Cause(err))
		}
	}
	for _, name := range slices.Concat(c.removed, slices.Sorted(maps.Keys(c.files))) {
		if err := root.RemoveAll(filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) { // a link would be written through
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		if err := root.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(filepath.FromSlash(name), c.files[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}

// copyFolder copies the files of a directory, without links, and subtracts their size from the limits: directories in one another are copied with each of them.
func copyFolder(root *os.Root, from, to string, left *unpack.Limits) error {
	return fs.WalkDir(root.FS(), from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(filepath.FromSlash(from), filepath.FromSlash(name))
		if err != nil {
			return err
		}
		target := filepath.Join(filepath.FromSlash(to), below)
		if left.Files--; left.Files < 0 {
			return errors.New("the plugin names too many files more than once")
		}
		switch {
		case d.IsDir():
			return root.MkdirAll(target, 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		src, err := root.Open(filepath.FromSlash(name))
		if err != nil {
			return err
		}
		defer src.Close()
		dst, err := root.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644|info.Mode().Perm()&0o111)
		if err != nil {
			return err
		}
		n, err := io.Copy(dst, io.LimitReader(src, left.Bytes+1))
		if left.Bytes -= n; err == nil && left.Bytes < 0 {
			err = errors.New("the plugin names too large directories more than once")
		}
		return errors.Join(err, dst.Close())
	})
}

// put adds a file, unless there is another one with its name. item is the report about it.
func (c *Conversion) put(name string, text []byte, item *transfer.Item) {
	if c.files[name] != nil {
		item.Leave("%s is there already", path.Base(name))
		return
	}
	c.files[name] = text
}

// removeOthers removes the files that would be parts of an extension.
func (c *Conversion) removeOthers() {
	for dir, suffix := range map[string]string{"commands": ".toml", "agents": ".md"} {
		names, _ := c.at.Find(dir, suffix)
		for _, name := range names {
			if name = path.Join(dir, name); c.files[name] == nil {
				c.removed = append(c.removed, name)
			}
		}
	}
	for _, name := range []string{"hooks/hooks.json", "policies"} {
		if c.at.Has(name) && c.files[name] == nil {
			c.removed = append(c.removed, name)
		}
	}
	slices.Sort(c.removed)
}
