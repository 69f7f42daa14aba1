package install

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"pollux/internal/crash"
	"pollux/internal/exit"
	"pollux/internal/extension"
	"pollux/internal/extension/fetch"
	"pollux/internal/extension/integrity"
)

// State is where an extension stands between its installed copy and its source, in words that Gemini
// CLI shows, too.
type State string

// The states.
const (
	Available    State = "update available"
	UpToDate     State = "up to date"
	Failed       State = "error"
	NotUpdatable State = "not updatable"
)

// Check asks the source of an extension whether there is an update. The error explains the states
// [Failed] and [NotUpdatable].
func (m *Manager) Check(ctx context.Context, e *extension.Extension) (State, error) {
	if e.Install == nil {
		return NotUpdatable, errors.New("it is not known where it comes from")
	}
	switch e.Install.Type {
	case extension.Local:
		manifest, hasVersion, err := m.readSource(ctx, e.Install)
		switch {
		case err != nil:
			return NotUpdatable, fmt.Errorf("cannot read %s: %w", e.Install.Source, err)
		case manifest.Version != e.Version, !hasVersion:
			return Available, nil
		}
		return UpToDate, nil
	case extension.Git, extension.Release:
	default:
		return NotUpdatable, errors.New("it is linked, so changes of its files take effect without an update")
	}
	if to := m.migratedTo(ctx, e); to != "" {
		return Available, nil
	}
	return m.checkRemote(ctx, e, e.Install)
}

// readSource is [readManifest] for a directory or an archive.
func (m *Manager) readSource(ctx context.Context, install *extension.Install) (manifest *extension.Manifest, hasVersion bool, err error) {
	if !isArchive(install.Source) {
		return readManifest(install.Source, install.Plugin)
	}
	s, err := m.newStage()
	if err != nil {
		return nil, false, err
	}
	defer s.remove()
	dir, err := s.newDir("check")
	if err == nil {
		dir, err = m.copyLocal(ctx, install, dir)
	}
	if err != nil {
		return nil, false, err
	}
	return readManifest(dir, install.Plugin)
}

// migratedTo returns the repository that the updates of an extension come from, "" if that is its source
// or if there is nothing.
func (m *Manager) migratedTo(ctx context.Context, e *extension.Extension) string {
	if e.MigratedTo == "" || e.MigratedTo == e.Install.Source {
		return ""
	}
	record := *e.Install
	record.Source = e.MigratedTo
	if m.checkSource(&record) != nil {
		return ""
	}
	if state, _ := m.checkRemote(ctx, e, &record); state != Available && state != UpToDate {
		return ""
	}
	return e.MigratedTo
}

// checkRemote asks a repository for updates.
func (m *Manager) checkRemote(ctx context.Context, e *extension.Extension, record *extension.Install) (State, error) {
	r, err := fetch.Parse(record.Source, record.Ref)
	if err != nil {
		return Failed, err
	}
	r.PreRelease = record.AllowPreRelease
	var here, there string
	if record.Type == extension.Release {
		if r.Repo == "" {
			return Failed, fmt.Errorf("%s is not a repository on GitHub", record.Source)
		}
		here = record.ReleaseTag
		there, err = m.Fetcher.LatestTag(ctx, r)
	} else {
		if here, err = fetch.LocalCommit(e.Dir); err != nil {
			return Failed, err
		}
		there, err = m.Fetcher.RemoteCommit(ctx, r)
	}
	switch {
	case err != nil:
		return Failed, err
	case here == there:
		return UpToDate, nil
	}
	return Available, nil
}

// Status is the result of [Manager.CheckAll] for one extension.
type Status struct {
	*extension.Extension
	State State
	Err   error
}

// maxChecks is the number of sources that are asked at once.
const maxChecks = 4

// CheckAll checks extensions, several at once, and returns the results in the same order.
func (m *Manager) CheckAll(ctx context.Context, installed []*extension.Extension) []Status {
	all := make([]Status, len(installed))
	var group sync.WaitGroup
	free := make(chan struct{}, maxChecks)
	for i, e := range installed {
		free <- struct{}{}
		group.Go(func() {
			defer crash.Recover()
			defer func() { <-free }()
			state, err := m.Check(ctx, e)
			all[i] = Status{e, state, err}
		})
	}
	group.Wait()
	return all
}

// Change is an update of an extension.
type Change struct{ Name, From, To string }

// String is the sentence for the user.
func (c Change) String() string {
	if c.From == c.To {
		return fmt.Sprintf("Extension %q successfully updated. Its version is still %s.", c.Name, oneLine(c.To))
	}
	return fmt.Sprintf("Extension %q successfully updated: %s → %s.", c.Name, oneLine(c.From), oneLine(c.To))
}

// Update installs the current version of an extension. First it shows the changes, and asks the user
// again if the extension has other parts than before. Use it for extensions whose state is
// [Available].
func (m *Manager) Update(ctx context.Context, e *extension.Extension) (Change, error) {
	p, err := m.planUpdate(ctx, e)
	if err != nil {
		return Change{}, err
	}
	defer p.close()
	if len(p.changes()) == 0 {
		m.Note(p.action())
	}
	if err := m.carryOut(ctx, p, Options{}); err != nil {
		return Change{}, fmt.Errorf("cannot update extension %q: %w", e.Name, err)
	}
	return Change{e.Name, e.Version, p.Manifest.Version}, nil
}

// ErrNeedsConsent is the error of [Manager.UpdateQuietly] for an update that the user must agree to.
var ErrNeedsConsent = errors.New("the update needs your consent")

// UpdateQuietly is [Manager.Update] without questions: it installs only an update whose parts the user
// has agreed to before, and asks for no new settings.
func (m *Manager) UpdateQuietly(ctx context.Context, e *extension.Extension) (Change, error) {
	p, err := m.planUpdate(ctx, e)
	if err != nil {
		return Change{}, err
	}
	defer p.close()
	if len(p.changes()) > 0 {
		return Change{}, ErrNeedsConsent
	}
	return Change{e.Name, e.Version, p.Manifest.Version}, p.execute(ctx, nil)
}

// planUpdate prepares an update.
func (m *Manager) planUpdate(ctx context.Context, e *extension.Extension) (*plan, error) {
	switch {
	case e.Install == nil:
		return nil, exit.Errorf(exit.General, "Unable to install extension %q due to missing install metadata", e.Name)
	case e.Install.Type == extension.Link:
		return nil, fmt.Errorf("extension %q is linked, so changes of its files take effect without an update", e.Name)
	}
	if err := m.verify(ctx, e); err != nil {
		return nil, err
	}
	record := *e.Install
	if record.Type != extension.Local {
		if to := m.migratedTo(ctx, e); to != "" {
			record.Source = to
		}
	}
	if err := m.checkSource(&record); err != nil {
		return nil, err
	}
	return m.prepare(ctx, &record, e, Options{})
}

// verify returns an error if another program has changed the record of an installation.
func (m *Manager) verify(ctx context.Context, e *extension.Extension) error {
	record, err := readRecord(e.InstallDir)
	if err != nil {
		return fmt.Errorf("extension %s cannot be updated: %w", e.Name, err)
	}
	state, err := m.Integrity.Verify(ctx, e.Name, record)
	switch {
	case err != nil:
		return fmt.Errorf("extension %s cannot be updated: %w", e.Name, err)
	case state == integrity.Changed:
		return exit.Errorf(exit.General, "Extension %s cannot be updated. Extension integrity cannot be verified. To fix this, reinstall the extension.", e.Name)
	}
	return nil
}

// UpdateNamed updates the extension with a name, see [Manager.updateIfAvailable]. With [ErrNotInstalled], the
// text lists those that are installed.
func (m *Manager) UpdateNamed(ctx context.Context, name string) (string, error) {
	installed, err := m.ListFor(ctx, name)
	if err != nil {
		return "", err
	}
	e := FindName(installed, name)
	switch {
	case e != nil:
		return m.updateIfAvailable(ctx, e)
	case m.findBroken(name) != nil:
		return "", exit.Errorf(exit.General, "Extension %q cannot be read. To replace it, uninstall it and install it again.", name)
	}
	return notFound(name, installed), fmt.Errorf("%w: %s", ErrNotInstalled, oneLine(name))
}

// updateIfAvailable updates an extension if there is an update, and returns a message for the user.
func (m *Manager) updateIfAvailable(ctx context.Context, e *extension.Extension) (string, error) {
	state, err := m.Check(ctx, e)
	switch {
	case state == Failed:
		return "", fmt.Errorf("cannot check extension %q for updates: %w", e.Name, err)
	case state == NotUpdatable && e.Install != nil && e.Install.Type == extension.Link:
		return fmt.Sprintf("Extension %q is not updatable: %s.", e.Name, oneLine(err.Error())), nil
	case state == NotUpdatable:
		return "", fmt.Errorf("extension %q is not updatable: %s", e.Name, oneLine(err.Error()))
	case state != Available:
		return fmt.Sprintf("Extension %q is already up to date.", e.Name), nil
	}
	change, err := m.Update(ctx, e)
	if err != nil {
		return "", err
	}
	return change.String(), nil
}

// UpdateAll updates all extensions with an update. It returns messages for the user: the results, and the
// failures.
func (m *Manager) UpdateAll(ctx context.Context) (results, failures []string, _ error) {
	installed, err := m.List(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range m.CheckAll(ctx, installed) {
		err := s.Err
		if s.State == Available {
			var change Change
			if change, err = m.Update(ctx, s.Extension); err == nil {
				results = append(results, change.String())
			}
		}
		switch {
		case ctx.Err() != nil:
			return results, failures, context.Cause(ctx)
		case s.State == NotUpdatable && s.Install != nil && s.Install.Type == extension.Local:
			results = append(results, fmt.Sprintf("Extension %q is not updatable: %s.", s.Name, oneLine(err.Error())))
		case err != nil && s.State != NotUpdatable:
			failures = append(failures, fmt.Sprintf("Extension %q: %s", s.Name, oneLine(err.Error())))
		}
	}
	if len(results)+len(failures) == 0 {
		results = []string{"No extensions to update."}
	}
	return results, failures, nil
}

// notFound is the text for the name of an extension that is not installed. It lists those that are.
func notFound(name string, installed []*extension.Extension) string {
	text := fmt.Sprintf("Extension %q not found.", oneLine(name))
	if len(installed) == 0 {
		return text + " No extensions are installed."
	}
	text += "\n\n"
	text += "Installed extensions:\n"
	for _, e := range installed {
		text += fmt.Sprintf("%s (%s)\n", e.Name, oneLine(e.Version))
	}
	return text + "\nRun \"pollux extensions list\" for details."
}
