package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/extension"
	"pollux/internal/extension/plugin"
)

// Report has the findings about an extension for its author, each in a line.
type Report struct {
	Warnings, Errors []string
	// Conversion describes the conversion of a plugin of another agent; it is "" for an extension.
	Conversion string
}

// Validate checks the extension in a directory for its author. The error explains why the manifest
// is unusable.
func Validate(dir string) (*Report, error) {
	path := filepath.Join(dir, extension.ManifestName)
	var market *plugin.MarketError
	switch found, err := plugin.Find(dir, ""); {
	case errors.As(err, &market):
		return nil, exit.Errorf(exit.General, "Cannot use %s: %w. To check one of them, give its directory.", dir, err)
	case err != nil:
		return nil, exit.Errorf(exit.General, "Cannot use %s: %w.", dir, err)
	case found != nil:
		return validatePlugin(found)
	}
	m, err := extension.ReadManifest(dir)
	if err != nil {
		return nil, exit.Errorf(exit.General, "Failed to load extension config from %s: %w.", path, err)
	}
	r := &Report{}
	var missing []string
	for _, name := range namedContextFiles(path) {
		if err := checkContextFile(dir, name); errors.Is(err, os.ErrNotExist) {
			missing = append(missing, oneLine(name))
		} else if err != nil {
			r.Errors = append(r.Errors, fmt.Sprintf("Invalid context file path: %q. %v", oneLine(name), err))
		}
	}
	if len(missing) > 0 {
		r.Errors = append(r.Errors, "The following context files referenced in gemini-extension.json are missing: "+strings.Join(missing, ","))
	}
	if !regexp.MustCompile(`^v?\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$`).MatchString(m.Version) {
		r.Warnings = append(r.Warnings, fmt.Sprintf("Warning: Version '%s' does not appear to be standard semver (e.g., 1.0.0).", oneLine(m.Version)))
	}
	for _, problem := range m.Problems {
		r.Warnings = append(r.Warnings, "Warning: "+extension.ManifestName+": "+oneLine(problem))
	}
	for _, name := range slices.Sorted(maps.Keys(m.MCPServers)) {
		entry, _ := m.MCPServers[name].(map[string]any)
		if show(entry["command"])+show(entry["url"])+show(entry["httpUrl"])+show(entry["serverUrl"]) == "" {
			r.Warnings = append(r.Warnings, fmt.Sprintf("Warning: MCP server %q has none of the keys command, url and httpUrl.", oneLine(name)))
		}
		if entry["trust"] != nil {
			r.Warnings = append(r.Warnings, fmt.Sprintf("Warning: MCP server %q: trust has no effect in an extension.", oneLine(name)))
		}
	}
	for _, problem := range readContent(dir, m).Problems {
		r.Warnings = append(r.Warnings, "Warning: "+oneLine(strings.TrimPrefix(problem, "Warning: ")))
	}
	return r, nil
}

// validatePlugin checks a plugin.
func validatePlugin(found *plugin.Source) (*Report, error) {
	c, err := found.Convert(found.Dir)
	if err != nil {
		return nil, exit.Errorf(exit.General, "Cannot use %s: %w.", found.Dir, err)
	}
	r := &Report{Conversion: conversionText(c)}
	for _, problem := range c.Manifest.Problems {
		r.Warnings = append(r.Warnings, "Warning: "+oneLine(problem))
	}
	return r, nil
}

// namedContextFiles returns the context files that a manifest names. The usual one need not exist.
func namedContextFiles(path string) []string {
	var manifest struct {
		ContextFileName any `json:"contextFileName"`
	}
	data, err := durable.ReadFile(path, maxText)
	if err != nil || json.Unmarshal(data, &manifest) != nil {
		return nil
	}
	switch name := manifest.ContextFileName.(type) {
	case string:
		if name != "" {
			return []string{name}
		}
	case []any:
		names := make([]string, 0, len(name))
		for _, one := range name {
			names = append(names, show(one))
		}
		return names
	}
	return nil
}

// checkContextFile returns an error if a context file is missing or not in the extension.
func checkContextFile(dir, name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return exit.Errorf(exit.General, "expected a non-empty string.")
	case filepath.IsAbs(name):
		return exit.Errorf(exit.General, "Absolute paths are not allowed.")
	case strings.Contains(name, ".."):
		return exit.Errorf(exit.General, "Relative parent directory references (\"..\") are not allowed.")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	_, err = root.Stat(filepath.FromSlash(name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		err = errors.New("it leads out of the extension")
	}
	return err
}
