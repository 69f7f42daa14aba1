// Package extension reads the extensions that the user has installed below ~/.gemini/extensions, in the
// layout of Gemini CLI.
//
//   - manifest.go reads gemini-extension.json, install.go the record of an installation, enablement.go where
//     extensions are enabled.
//   - load.go finds the extensions of a session. value.go looks up the values of their settings.
//   - servers.go and hooks.go return MCP servers and hooks, content.go other files and directories.
//
// An extension comes from a stranger, although the user has agreed to install it. Its files are read with
// limits, a broken extension is skipped, and no file outside of its directory counts as its own.
package extension

import (
	"slices"

	"pollux/internal/config"
)

// Extension is an installed extension.
type Extension struct {
	Manifest
	// Dir is the directory with its files, and InstallDir the one below ~/.gemini/extensions. They differ for
	// linked extensions.
	Dir, InstallDir string
	ID              string
	// Install is the record of the installation, nil if there is none.
	Install *Install
	// IsActive reports whether the session uses the extension.
	IsActive bool
	// ContextFiles are the paths of the existing context files.
	ContextFiles []string
	// Values are the values of its settings, in the order of the manifest.
	Values []Value

	variables // of texts
}

// Expand replaces ${extensionPath}, ${workspacePath}, ${/}, ${pathSeparator} and the values of settings, such
// as ${MY_URL}, in a text for the model. Secret values are not inserted.
func (e *Extension) Expand(text string) string {
	return config.NewExpander(e.inText, nil).Text(text)
}

// Secrets returns the values of the sensitive settings.
func (e *Extension) Secrets() []string {
	var secrets []string
	for _, v := range e.Values {
		if v.IsSensitive && v.Value != "" {
			secrets = append(secrets, v.Value)
		}
	}
	return secrets
}

// Environ returns the variables that programs of the extension get: its settings with a value.
func (e *Extension) Environ() map[string]string {
	environ := map[string]string{}
	for _, v := range e.Values {
		if v.IsSet {
			environ[v.EnvVar] = v.Value
		}
	}
	return environ
}

// Active returns the extensions that the session uses.
func Active(list []*Extension) []*Extension {
	return slices.DeleteFunc(slices.Clone(list), func(e *Extension) bool { return !e.IsActive })
}
