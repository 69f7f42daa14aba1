// Package extensions has the extensions of a session while it works: it lets the file tools read their directories, and
// updates those that update themselves. Nothing of it knows a session.
package extensions

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pollux/internal/crash"
	"pollux/internal/extension"
	"pollux/internal/extension/install"
	"pollux/internal/project"
	"pollux/internal/workspace"
)

// Extensions are the extensions of a session.
type Extensions struct {
	project   *project.Project
	workspace *workspace.Workspace
	dirs      []string // those that file tools may read because of extensions; without links
}

// Open lets the file tools read the directories of extensions, whose context may name files there.
func Open(p *project.Project, ws *workspace.Workspace) *Extensions {
	x := &Extensions{project: p, workspace: ws}
	for _, e := range p.Extensions() {
		path, added, err := ws.AddReadable(e.Dir)
		switch {
		case err != nil:
			p.Log.Debug("extension", "dir", e.Dir, "error", err)
		case added:
			x.dirs = append(x.dirs, path)
		}
	}
	return x
}

// Roots returns the directories of which MCP servers know. Those of extensions are not among them: a server may write
// where it knows of a directory, and extensions have hooks. It may be called during a run.
func (x *Extensions) Roots() []string {
	return slices.DeleteFunc(x.workspace.ReadableDirs(), func(dir string) bool { return slices.Contains(x.dirs, dir) })
}

// Update updates the extensions that the user has installed with --auto-update, while the user works. It installs only
// updates whose contents the user has agreed to, and announces the others. It returns at once; stop ends it and waits
// for the end.
func (x *Extensions) Update() (stop func()) {
	var list []*extension.Extension
	for _, e := range x.project.Extensions() {
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
		m := x.project.ExtensionManager(nil, func(text string) { x.project.Log.Debug(text) })
		m.Options.WithInactive, m.Options.Secrets, m.Options.Warn = false, nil, nil // an update needs no values
		for _, e := range list {
			x.update(ctx, m, e)
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// update updates one extension, and shows the result.
func (x *Extensions) update(ctx context.Context, m *install.Manager, e *extension.Extension) {
	state, err := m.Check(ctx, e)
	if state == install.Available {
		var change install.Change
		change, err = m.UpdateQuietly(ctx, e)
		switch {
		case err == nil:
			x.project.Warn(change.String() + " Takes effect the next time you start Pollux.")
		case errors.Is(err, install.ErrNeedsConsent):
			x.project.Warn(fmt.Sprintf("Extension %q has an update that changes what it brings. To see the changes, type /extensions update %s", e.Name, e.Name))
		}
	}
	if err != nil {
		x.project.Log.Debug("update extension", "name", e.Name, "state", string(state), "error", err)
	}
}
