package cli

import (
	"context"

	"pollux/internal/extension"
	"pollux/internal/project"
)

// extensionNames returns the names of the installed extensions.
func extensionNames(ctx context.Context, setup *project.Project) (names []string) {
	installed, _ := extension.Load(ctx, extension.Options{Dir: setup.ExtensionsDir(), Workspace: setup.Paths.Dir(), NoSettings: true})
	for _, e := range installed {
		names = append(names, e.Name)
	}
	return names
}
