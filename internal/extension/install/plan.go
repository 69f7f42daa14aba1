package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/extension"
	"pollux/internal/extension/fetch"
	"pollux/internal/extension/plugin"
	"pollux/internal/extension/unpack"
)

// plan is an installation or an update that has not changed anything yet. The new extension is ready
// in a stage.
type plan struct {
	m        *Manager
	stage    *stage
	record   *extension.Install
	Manifest *extension.Manifest
	content  *Content
	// files is the directory in the stage to put into its place. For a linked extension, it has no
	// files of the extension.
	files string
	// previous is the installed extension to replace, nil for a new one; previousContent has its
	// parts.
	previous        *extension.Extension
	previousContent *Content
	conversion      *plugin.Conversion // of a plugin of another agent, else nil
}

// close removes prepared files that were not used.
func (p *plan) close() { p.stage.remove() }

// planInstall prepares the installation of a source.
func (m *Manager) planInstall(ctx context.Context, source string, o Options) (*plan, error) {
	record, err := m.describeSource(source, o)
	if err != nil {
		return nil, err
	}
	if err := m.checkSource(record); err != nil {
		return nil, err
	}
	if err := m.askTrust(ctx, record, o); err != nil {
		return nil, err
	}
	return m.prepare(ctx, record, nil, o)
}

// describeSource returns the record of an installation from a source.
func (m *Manager) describeSource(source string, o Options) (*extension.Install, error) {
	if !o.isLink && fetch.IsRemote(source) {
		r, err := fetch.Parse(source, o.Ref)
		if err != nil {
			return nil, err
		}
		return &extension.Install{
			Source: r.URL, Type: extension.Git, Ref: o.Ref, AutoUpdate: o.AutoUpdate, AllowPreRelease: o.PreRelease, Plugin: o.Plugin,
		}, nil
	}
	if o.Ref != "" || o.AutoUpdate {
		return nil, exit.Errorf(exit.General, "--ref and --auto-update are not applicable for local extensions.")
	}
	path := source
	if !filepath.IsAbs(path) {
		path = filepath.Join(m.Workspace, path)
	}
	if rest, ok := strings.CutPrefix(source, "~/"); ok { // in a session, there is no shell
		path = filepath.Join(m.Home, rest)
	}
	if _, err := os.Stat(path); err != nil {
		text := "Install source not found."
		if regexp.MustCompile(`^[\w-][\w.-]*/[\w-][\w.-]*$`).MatchString(source) {
			text += " To install a repository on GitHub, write github:" + source
		}
		return nil, exit.Errorf(exit.General, "%s", text)
	}
	kind := extension.Local
	if o.isLink {
		kind = extension.Link
	}
	return &extension.Install{Source: path, Type: kind, Plugin: o.Plugin}, nil
}

// checkSource returns an error if the settings do not allow a source.
func (m *Manager) checkSource(record *extension.Install) error {
	switch {
	case m.Options.Admit(record) == nil:
		return nil
	case len(m.Options.Sources) > 0:
		return exit.Errorf(exit.General, "Installing extension from source %q is not allowed by the \"allowedExtensions\" security setting.", record.Source)
	}
	return exit.Errorf(exit.General, "Installing extensions from remote sources is disallowed by your current settings.")
}

// askTrust asks the user to trust the working directory, and the directory that a local extension
// is in. Consent on the command line is enough, and is not remembered.
func (m *Manager) askTrust(ctx context.Context, record *extension.Install, o Options) error {
	if o.HasConsent {
		return nil
	}
	if record.Type == extension.Local && !isArchive(record.Source) {
		contents, trust, err := m.TrustSource(record.Source)
		if err != nil {
			return err
		}
		if trust != nil {
			text := fmt.Sprintf("Do you trust the files in this folder?\n\nThe extension source at %q is not trusted.\n%s", record.Source, contents)
			yes, err := m.User.Confirm(ctx, text, "Do you want to trust this folder and continue with the installation? [y/N]: ", false)
			switch {
			case err != nil:
				return err
			case !yes:
				return exit.Errorf(exit.General, "Installation aborted: Folder %q is not trusted.", record.Source)
			}
			if err := trust(); err != nil {
				return err
			}
			if record.Source == m.Workspace {
				return nil
			}
		}
	}
	if m.TrustWorkspace == nil {
		return nil
	}
	text := fmt.Sprintf("The current workspace at %q is not trusted. Do you want to trust this workspace to install extensions?", m.Workspace)
	yes, err := m.User.Confirm(ctx, text, "Do you want to continue? [Y/n]: ", true)
	switch {
	case err != nil:
		return err
	case !yes:
		return exit.Errorf(exit.General, "Could not install extension because the current workspace at %s is not trusted.", m.Workspace)
	}
	return m.TrustWorkspace()
}

// prepare gets an extension into a stage, and checks it. previous is the extension to update, nil for
// a new one.
func (m *Manager) prepare(ctx context.Context, record *extension.Install, previous *extension.Extension, o Options) (_ *plan, err error) {
	if err := m.Integrity.Check(ctx); err != nil {
		return nil, err
	}
	s, err := m.newStage()
	if err != nil {
		return nil, err
	}
	copied := *record
	p := &plan{m: m, stage: s, record: &copied, previous: previous}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	source, err := p.fetch(ctx, o)
	if err != nil {
		return nil, err
	}
	if source, err = p.convert(ctx, source); err == nil {
		p.Manifest, err = extension.ReadManifest(source)
	}
	var coded *exit.Error
	if errors.As(err, &coded) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("cannot use %s: %w", p.record.Source, err)
	}
	if err := p.checkName(ctx); err != nil {
		return nil, err
	}
	p.content = readContent(source, p.Manifest)
	if previous != nil {
		p.previousContent = readContent(previous.Dir, &previous.Manifest)
	}
	return p, nil
}

// fetch puts the files of the extension into the stage. It returns the directory that has them.
func (p *plan) fetch(ctx context.Context, o Options) (string, error) {
	var err error
	if p.files, err = p.stage.newDir("new"); err != nil {
		return "", err
	}
	source := p.record.Source
	switch p.record.Type {
	case extension.Link:
		return source, nil
	case extension.Local:
		p.files, err = p.m.copyLocal(ctx, p.record, p.files)
		return p.files, err
	}
	r, err := fetch.Parse(source, p.record.Ref)
	if err != nil {
		return "", err
	}
	r.PreRelease = p.record.AllowPreRelease
	if r.Repo != "" {
		got, err := p.m.Fetcher.Release(ctx, r, p.files)
		if err == nil {
			p.files, p.record.Type, p.record.ReleaseTag = got.Dir, extension.Release, got.Tag
			return p.files, nil
		}
		if err := p.askClone(ctx, err, o); err != nil {
			return "", err
		}
	}
	if p.files, err = p.stage.newDir("clone"); err != nil {
		return "", err
	}
	p.record.Type, p.record.ReleaseTag = extension.Git, ""
	_, err = p.m.Fetcher.Clone(ctx, r, p.files)
	return p.files, err
}

// copyLocal copies a directory, or unpacks an archive, to dir. It returns the directory of the extension in it.
func (m *Manager) copyLocal(ctx context.Context, record *extension.Install, dir string) (string, error) {
	source := record.Source
	if isArchive(source) {
		dir, err := m.Fetcher.Archive(ctx, source, dir)
		if err != nil {
			return "", fmt.Errorf("cannot unpack %s: %w", source, durable.Cause(err))
		}
		return dir, nil
	}
	if _, _, err := readManifest(source, record.Plugin); err != nil { // before a large directory is copied
		return "", fmt.Errorf("cannot use %s: %w", source, err)
	}
	if err := unpack.Dir(ctx, source, dir, m.Fetcher.Limits); err != nil {
		return "", fmt.Errorf("cannot copy %s: %w", source, err)
	}
	return dir, nil
}

// isArchive reports whether a local source is a file, not a directory.
func isArchive(source string) bool {
	info, err := os.Stat(source)
	return err == nil && info.Mode().IsRegular()
}

// askClone asks whether to clone a repository whose release cannot be downloaded. If there is no
// release, and none was installed, no question is needed.
func (p *plan) askClone(ctx context.Context, why error, o Options) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	switch {
	case errors.Is(why, fetch.ErrNoRelease) && p.record.Type == extension.Git:
		return nil
	case p.m.User == nil:
		return why
	}
	source := p.record.Source
	if o.HasConsent {
		p.m.Note(fmt.Sprintf("Cannot download the release of %s (%s). Cloning the repository instead.", source, oneLine(why.Error())))
		return nil
	}
	text := fmt.Sprintf("Error downloading github release for %s with the following error: %s.\n\nWould you like to attempt to install via \"git clone\" instead?",
		source, oneLine(why.Error()))
	yes, err := p.m.User.Confirm(ctx, text, "Do you want to continue? [Y/n]: ", true)
	if err != nil || yes {
		return err
	}
	return exit.Errorf(exit.General, "Failed to install extension %s: %w.", source, why)
}

// checkName returns an error if the extension cannot have its name, because another has it.
func (p *plan) checkName(ctx context.Context) error {
	installed, err := p.m.Installed(ctx)
	if err != nil {
		return err
	}
	name := p.Manifest.Name
	other := FindName(installed, name)
	switch {
	case p.previous == nil && other != nil:
		return exit.Errorf(exit.General, "Extension %q is already installed. Please uninstall it first.", name)
	case p.previous != nil && p.previous.Name != name && other != nil:
		return exit.Errorf(exit.General, "Cannot update to %q because an extension with that name is already installed.", name)
	case p.previous != nil && p.previous.Name == name:
		return nil
	}
	if _, err := os.Lstat(p.target()); err == nil {
		return exit.Errorf(exit.General, "Cannot install extension %q because a directory with that name already exists. Please remove it manually.", name)
	}
	return nil
}

// target is the directory that the extension will have.
func (p *plan) target() string {
	if p.previous != nil && p.previous.Name == p.Manifest.Name {
		return p.previous.InstallDir
	}
	return filepath.Join(p.m.realDir(), p.Manifest.Name)
}

// isMigration reports whether an update comes from another source than the installed extension.
func (p *plan) isMigration() bool {
	return p.previous != nil && p.previous.Install != nil && p.previous.Install.Source != p.record.Source
}

// action is the first line of the text that asks for consent.
func (p *plan) action() string {
	name, previous := p.Manifest.Name, ""
	if p.previous != nil && p.previous.Name != name {
		previous = p.previous.Name
	}
	switch {
	case p.isMigration() && previous != "":
		return fmt.Sprintf("Migrating extension %q to a new repository, renaming to %q, and installing updates.", previous, name)
	case p.isMigration():
		return fmt.Sprintf("Migrating extension %q to a new repository and installing updates.", name)
	case previous != "":
		return fmt.Sprintf("Renaming extension %q to %q and installing updates.", previous, name)
	case p.previous != nil:
		return fmt.Sprintf("Updating extension %q: %s → %s.", name, oneLine(p.previous.Version), oneLine(p.Manifest.Version))
	case p.record.Type == extension.Link:
		return fmt.Sprintf("Linking extension %q.", name)
	}
	return fmt.Sprintf("Installing extension %q.", name)
}

// changes are the lines of the consent that an update changes, and the change of name or source.
func (p *plan) changes() []string {
	if p.previous == nil {
		return nil
	}
	changes := changedLines(consentLines(&p.previous.Manifest, p.previousContent), consentLines(p.Manifest, p.content))
	changes = append(changes, changedLines(notCopied(&p.previous.Manifest), notCopied(p.Manifest))...)
	if p.isMigration() {
		changes = append([]string{"- Source: " + oneLine(p.previous.Install.Source), "+ Source: " + oneLine(p.record.Source)}, changes...)
	}
	if p.previous.Name != p.Manifest.Name {
		changes = append([]string{"- Name: " + p.previous.Name, "+ Name: " + p.Manifest.Name}, changes...)
	}
	return changes
}

// notCopied are lines about the parts of a plugin that may have refused something.
func notCopied(m *extension.Manifest) (lines []string) {
	for _, what := range m.NotCopied {
		lines = append(lines, "Not copied: "+oneLine(what))
	}
	return lines
}

// maxProblems is the number of problems that the consent names.
const maxProblems = 200

// consentText is the text that the user agrees to.
func (p *plan) consentText() string {
	lines := []string{p.action()}
	if p.conversion != nil {
		lines = append(lines, conversionText(p.conversion))
	}
	if p.previous != nil {
		lines = append(append(lines, "What it brings changes:"), p.changes()...)
	} else {
		lines = append(lines, consentLines(p.Manifest, p.content)...)
		for i, problem := range append(p.Manifest.Problems, p.content.Problems...) {
			if i == maxProblems {
				break
			}
			lines = append(lines, "Warning: "+oneLine(problem))
		}
	}
	lines = append(lines, "", InstallWarning)
	if len(p.content.Skills) > 0 {
		lines = append(lines, "", skillWarning)
	}
	return strings.Join(lines, "\n")
}

// writeRecord writes the record of the installation into the stage, and returns its text.
func (p *plan) writeRecord() ([]byte, error) {
	if err := extension.WriteInstall(p.files, p.record); err != nil {
		return nil, err
	}
	return readRecord(p.files)
}

// readRecord returns the text of the record of an installation.
func readRecord(dir string) ([]byte, error) {
	return durable.ReadFile(filepath.Join(dir, extension.InstallName), maxText)
}
