package plugin

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"pollux/internal/extension"
	"pollux/internal/terminal"
	"pollux/internal/transfer"
)

// marketFile is the file of a marketplace.
const marketFile = ".claude-plugin/marketplace.json"

// maxOffers bounds the plugins of a marketplace.
const maxOffers = 1000

// Offer is a plugin in a marketplace.
type Offer struct {
	Name, Description string
	// Dir is the directory of the plugin below the marketplace, "" if it is in another place.
	Dir string
	// Source is the other place, in the words of the command that installs extensions; "" if Pollux cannot install it, for the reason Why.
	Source, Why string
}

// MarketError is the error for a marketplace from which a plugin must be chosen.
type MarketError struct{ Offers []Offer }

func (e *MarketError) Error() string { return "it is a marketplace of plugins" }

// market is a marketplace.
type market struct {
	dir     string
	base    string // of the plugins
	entries []map[string]any
}

// readMarket reads the marketplace in a directory.
func readMarket(dir string) (*market, error) {
	tree, err := read(transfer.Place{Dir: dir, IsProject: true}, marketFile)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", marketFile, err)
	}
	m := &market{dir: dir}
	about, _ := tree["metadata"].(map[string]any)
	m.base, _ = about["pluginRoot"].(string)
	list, _ := tree["plugins"].([]any)
	for _, one := range list[:min(len(list), maxOffers)] {
		entry, _ := one.(map[string]any)
		if name, _ := entry["name"].(string); name != "" {
			m.entries = append(m.entries, entry)
		}
	}
	if m.entries == nil {
		return nil, fmt.Errorf("%s has no plugins", marketFile)
	}
	return m, nil
}

func (m *market) offers() (list []Offer) {
	for _, entry := range m.entries {
		list = append(list, m.offer(entry))
	}
	return list
}

// offer describes an entry.
func (m *market) offer(entry map[string]any) Offer {
	name, _ := entry["name"].(string)
	about, _ := entry["description"].(string)
	o := Offer{Name: name, Description: about}
	switch source := entry["source"].(type) {
	case string:
		dir := path.Clean(path.Join(m.base, source))
		if strings.Contains(source+m.base, `\`) || source == "" || !filepath.IsLocal(filepath.FromSlash(dir)) {
			o.Why = "its source leads out of the marketplace"
			return o
		}
		o.Dir = dir
	case map[string]any:
		o.elsewhere(source)
	default:
		o.Why = "it has no source"
	}
	return o
}

// elsewhere describes a source in another place.
func (o *Offer) elsewhere(source map[string]any) {
	text := func(key string) string {
		text, _ := source[key].(string)
		return text
	}
	kind := text("source")
	switch kind {
	case "github":
		o.Source = "github:" + text("repo")
	case "url":
		o.Source = text("url")
	case "git-subdir":
		o.Why = "it is in a directory of another repository, " + text("url")
	case "npm":
		o.Why = "it is the npm package " + text("package")
	default:
		o.Why = "Pollux does not know its source"
	}
	if o.Source == "" {
		return
	}
	ref := cmp.Or(text("sha"), text("ref"))
	// A person copies the words into a shell.
	if !regexp.MustCompile(`^(github:\w[\w.-]*/\w[\w.-]*|(https://|ssh://|git@)[\w.~:/@-]+)$`).MatchString(o.Source) || !regexp.MustCompile(`^(\w[\w./-]*)?$`).MatchString(ref) {
		o.Source, o.Why = "", "its source is not the address of a repository"
	} else if ref != "" {
		o.Source += " --ref=" + ref
	}
}

// findInMarket returns the plugin with a name in the marketplace of a directory.
func findInMarket(dir, name string) (*Source, error) {
	if !has(dir, marketFile) {
		return nil, fmt.Errorf("it is no marketplace of plugins: there is no %s", marketFile)
	}
	m, err := readMarket(dir)
	if err != nil {
		return nil, err
	}
	for _, entry := range m.entries {
		if entry["name"] == name {
			return m.source(entry)
		}
	}
	return nil, fmt.Errorf("its marketplace has no plugin %q", terminal.Cut(name, 100))
}

// source returns the plugin of an entry.
func (m *market) source(entry map[string]any) (*Source, error) {
	o := m.offer(entry)
	switch {
	case o.Source != "":
		return nil, fmt.Errorf("its plugin %q is in another repository (pollux extensions install %s)", terminal.Cut(o.Name, 100), o.Source)
	case o.Why != "":
		return nil, fmt.Errorf("its plugin %q cannot be installed: %s", terminal.Cut(o.Name, 100), terminal.Brief(terminal.Line(o.Why)))
	}
	dir := filepath.Join(m.dir, filepath.FromSlash(o.Dir))
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("the directory %s of the plugin does not exist", terminal.Line(o.Dir))
	}
	root, err := filepath.EvalSymlinks(m.dir)
	if err != nil {
		return nil, err
	}
	if rel, err := filepath.Rel(root, real); err != nil || !filepath.IsLocal(rel) {
		return nil, fmt.Errorf("the directory %s of the plugin is a link that leads out of the marketplace", terminal.Line(o.Dir))
	}
	s := &Source{Dir: dir, form: forms()[0], entry: entry}
	if has(dir, extension.ManifestName) {
		s.form = nil
	}
	return s, nil
}
