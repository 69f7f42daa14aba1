package extension

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"pollux/internal/durable"
)

// ManifestName is the file name of a manifest.
const ManifestName = "gemini-extension.json"

// Limits of a manifest, which may come from a stranger.
const (
	maxManifest = 1 << 20 // bytes
	maxDepth    = 100     // nested objects and lists
	maxSettings = 100     // each may be a question to the keychain
	maxServers  = 100
	maxItems    = 1000 // of other lists
	maxProblems = 20
)

// Manifest is the description of an extension, as its author has written it: variables are not replaced.
type Manifest struct {
	Name        string
	Version     string
	Description string
	// MCPServers are the entries of mcpServers, by name.
	MCPServers map[string]any
	// ContextFileNames are the names of the files that describe the extension to the model, relative
	// to it.
	ContextFileNames []string
	// ExcludeTools are the tools that the model does not get, as the setting tools.exclude has them.
	ExcludeTools []string
	Settings     []Setting
	// Themes are color themes, as the setting ui.customThemes has them.
	Themes []any
	// PlanDirectory is the directory of plans if no setting names one, "" for none.
	PlanDirectory string
	// MigratedTo is the repository that updates come from, "" for none.
	MigratedTo string
	// Plugin is the agent whose plugin was converted to this extension, "" for none. NotCopied are the parts of the plugin that may have
	// refused something, and that the extension does not have.
	Plugin    string
	NotCopied []string
	// Problems describe parts of the manifest that are left out.
	Problems []string
}

// Setting is a value that the user sets for an extension.
type Setting struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// EnvVar is the variable that programs of the extension get the value in.
	EnvVar string `json:"envVar"`
	// IsSensitive keeps the value in the keychain.
	IsSensitive bool `json:"sensitive"`
}

// ReadManifest reads the manifest in the directory of an extension. Parts with mistakes are left out, and
// described in Problems; the error explains why the manifest is unusable.
func ReadManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, ManifestName)
	data, err := durable.ReadFile(path, maxManifest)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no %s", ManifestName)
	case err != nil:
		return nil, fmt.Errorf("cannot read %s: %w", ManifestName, err)
	}
	m, err := ParseManifest(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ManifestName, err)
	}
	return m, nil
}

// ParseManifest parses the text of a manifest; see [ReadManifest].
func ParseManifest(data []byte) (*Manifest, error) {
	var tree map[string]any
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\uFEFF")), &tree); err != nil {
		return nil, syntaxError(data, err)
	}
	if !clean(tree, maxDepth) {
		return nil, fmt.Errorf("objects and lists nest more than %d deep", maxDepth)
	}
	m := &Manifest{}
	f := fields{tree, m}
	m.Name, m.Description = f.text("name"), f.text("description")
	switch version := tree["version"].(type) {
	case string:
		m.Version = version
	case float64:
		m.Version = fmt.Sprint(version)
	}
	switch {
	case m.Name == "":
		return nil, errors.New(`"name" is missing`)
	case !validName().MatchString(m.Name):
		return nil, fmt.Errorf("invalid name %.100q: only letters (a-z, A-Z), numbers (0-9) and dashes (-) are allowed", m.Name)
	case m.Version == "":
		return nil, errors.New(`"version" is missing`)
	}
	m.MCPServers, m.MigratedTo = f.object("mcpServers"), f.text("migratedTo")
	m.ExcludeTools, m.Settings = f.texts("excludeTools"), f.settings()
	m.Plugin, m.NotCopied = f.text("plugin"), f.texts("notCopied")
	if len(m.MCPServers) > maxServers {
		f.report("there are more than %d MCP servers, and none of them is used", maxServers)
		m.MCPServers = nil
	}
	m.Themes, _ = tree["themes"].([]any)
	m.ContextFileNames = f.contextFiles()
	if plan := f.object("plan"); plan != nil {
		m.PlanDirectory = fields{plan, m}.text("directory")
	}
	return m, nil
}

var validName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9-]+$`) })

// syntaxError describes a mistake in JSON, with its line.
func syntaxError(data []byte, err error) error {
	var at *json.SyntaxError
	if errors.As(err, &at) {
		line := 1 + bytes.Count(data[:min(int(at.Offset), len(data))], []byte("\n"))
		return fmt.Errorf("line %d: %w", line, err)
	}
	return errors.New("it is not a JSON object")
}

// clean removes keys that have a meaning in JavaScript from a JSON value in place. It reports whether the
// value nests at most depth deep.
func clean(v any, depth int) bool {
	if depth == 0 {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range []string{"__proto__", "constructor", "prototype"} {
			delete(v, key)
		}
		for _, one := range v {
			if !clean(one, depth-1) {
				return false
			}
		}
	case []any:
		return !slices.ContainsFunc(v, func(one any) bool { return !clean(one, depth-1) })
	}
	return true
}

// fields reads the keys of an object of a manifest.
type fields struct {
	tree map[string]any
	m    *Manifest
}

func (f fields) problem(key, kind string) { f.report("%s must be %s", key, kind) }

// report adds a problem, each once.
func (f fields) report(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(f.m.Problems) < maxProblems && !slices.Contains(f.m.Problems, text) {
		f.m.Problems = append(f.m.Problems, text)
	}
}

// field returns the value of a key, and reports one that is not of the type T, which kind describes.
func field[T any](f fields, key, kind string) T {
	v, ok := f.tree[key].(T)
	if !ok && f.tree[key] != nil {
		f.problem(key, kind)
	}
	return v
}

func (f fields) text(key string) string { return field[string](f, key, "a string") }

func (f fields) object(key string) map[string]any { return field[map[string]any](f, key, "an object") }

// texts returns a list of texts. A text stands for a list of one.
func (f fields) texts(key string) (list []string) {
	if text, ok := f.tree[key].(string); ok {
		return []string{text}
	}
	items := field[[]any](f, key, "a list of strings")
	if len(items) > maxItems {
		f.report("%s has more than %d items", key, maxItems)
		items = items[:maxItems]
	}
	for _, item := range items {
		if text, ok := item.(string); ok {
			list = append(list, text)
		} else {
			f.problem(key, "a list of strings")
		}
	}
	return list
}

// contextFiles returns the names of the context files: GEMINI.md where nothing else is set.
func (f fields) contextFiles() []string {
	const key = "contextFileName"
	switch name := f.tree[key].(type) {
	case nil:
	case string:
		if name != "" {
			return []string{name}
		}
	case []any:
		return f.texts(key)
	default:
		f.problem(key, "a string or a list of strings")
		return nil
	}
	return []string{"GEMINI.md"}
}

// settings returns the settings that a value can be set for.
func (f fields) settings() (list []Setting) {
	items := field[[]any](f, "settings", "a list")
	if len(items) > maxSettings {
		f.report("there are more than %d settings", maxSettings)
		items = items[:maxSettings]
	}
	for i, item := range items {
		object, ok := item.(map[string]any)
		if !ok {
			f.problem(fmt.Sprintf("settings[%d]", i), "an object")
			continue
		}
		one := fields{object, f.m}
		s := Setting{Name: one.text("name"), Description: one.text("description"), EnvVar: one.text("envVar"), IsSensitive: object["sensitive"] == true}
		if !validVariable().MatchString(s.EnvVar) {
			f.problem(fmt.Sprintf("settings[%d].envVar", i), "the name of an environment variable")
			continue
		}
		list = append(list, s)
	}
	return list
}

var validVariable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })
