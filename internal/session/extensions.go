package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pollux/internal/crash"
	"pollux/internal/extension"
	"pollux/internal/extension/install"
)

// openExtensionFiles lets the file tools read the directories of extensions, whose context may name files there.
func (s *Session) openExtensionFiles() {
	for _, e := range s.Project.Extensions() {
		path, added, err := s.Workspace.AddReadable(e.Dir)
		switch {
		case err != nil:
			s.Project.Log.Debug("extension", "dir", e.Dir, "error", err)
		case added:
			s.extensionDirs = append(s.extensionDirs, path)
		}
	}
}

// serverRoots returns the directories of which MCP servers know. Those of extensions are not among them: a
// server may write where it knows of a directory, and extensions have hooks.
func (s *Session) serverRoots() []string {
	return slices.DeleteFunc(slices.Clone(s.Workspace.ReadableDirs()), func(dir string) bool { return slices.Contains(s.extensionDirs, dir) })
}

// updateExtensions updates the extensions that the user has installed with --auto-update, while the user
// works. It installs only updates that bring what the user has agreed to, and announces the others. It
// returns at once; stop ends it and waits for the end.
func (s *Session) updateExtensions() (stop func()) {
	var list []*extension.Extension
	for _, e := range s.Project.Extensions() {
		if e.Install != nil && e.Install.AutoUpdate {
			list = append(list, e)
		}
	}
	if len(list) == 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer crash.Recover()
		defer close(done)
		m := s.Project.ExtensionManager(nil, func(text string) { s.Project.Log.Debug(text) })
		m.Options.WithInactive, m.Options.Secrets, m.Options.Warn = false, nil, nil // an update needs no values
		for _, e := range list {
			s.updateExtension(ctx, m, e)
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// updateExtension updates one extension, and shows the result.
func (s *Session) updateExtension(ctx context.Context, m *install.Manager, e *extension.Extension) {
	state, err := m.Check(ctx, e)
	if state == install.Available {
		var change install.Change
		change, err = m.UpdateQuietly(ctx, e)
		switch {
		case err == nil:
			s.Project.Warn(change.String() + " Takes effect the next time you start Pollux.")
		case errors.Is(err, install.ErrNeedsConsent):
			s.Project.Warn(fmt.Sprintf("Extension %q has an update that changes what it brings. To see the changes, type /extensions update %s", e.Name, e.Name))
		}
	}
	if err != nil {
		s.Project.Log.Debug("update extension", "name", e.Name, "state", string(state), "error", err)
	}
}
