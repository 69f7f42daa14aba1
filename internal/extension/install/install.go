// Package install installs, updates, configures and removes extensions.
//
//   - plan.go plans an installation or an update, and changes nothing. consent.go
//     describes it to the user, from the parts that content.go finds in the extension.
//   - execute.go carries a plan out: it adds before it removes, and keeps the old copy until the
//     new one loads. convert.go makes extensions of plugins of other agents. stage.go has the directory in which an extension is made ready; swap_*.go puts
//     it in its place in one step.
//   - update.go finds available updates, settings.go stores values of settings, remove.go
//     removes, validate.go checks an extension for its author.
//
// Files and messages are those of Gemini CLI, so that each finds extensions installed by the other.
package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/extension"
	"pollux/internal/extension/fetch"
	"pollux/internal/extension/integrity"
	"pollux/internal/keychain"
)

// Manager manages the extensions of a user. All fields must be set, unless their comment allows
// otherwise.
type Manager struct {
	// Dir is the directory of extensions, Home the home directory of the user, and
	// Workspace the working directory.
	Dir, Home, Workspace string
	// Options are how extensions are loaded, with their settings.
	Options   extension.Options
	Fetcher   *fetch.Fetcher
	Integrity *integrity.Store
	Keychain  *keychain.Store
	// HasSettings reports whether extensions have settings (experimental.extensionConfig).
	HasSettings bool
	// TrustWorkspace trusts the working directory, if it is not trusted yet; else it is nil.
	TrustWorkspace func() error
	// ChangeWorkspace runs edit, with which the user changes the .env file of the working directory.
	ChangeWorkspace func(edit func() error) error
	// TrustSource returns a description of a directory that is not trusted, and the function that
	// trusts it, nil if it is trusted.
	TrustSource func(dir string) (contents string, trust func() error, err error)
	// User answers questions. It may be nil for methods that ask none.
	User User
	// Note shows the user a line.
	Note func(text string)

	warned []string // warnings that were shown
}

// User answers questions.
type User interface {
	// Confirm shows a text of several lines and a question, and reports whether the answer is yes. An
	// empty answer is byDefault. Without a person, the answer is no.
	Confirm(ctx context.Context, text, question string, byDefault bool) (bool, error)
	// Value asks for the value of a setting. An empty answer is no value; isGiven is false without a
	// person.
	Value(ctx context.Context, s extension.Setting) (value string, isGiven bool, err error)
}

// Options of an installation.
type Options struct {
	Ref                    string
	Plugin                 string // to take out of a marketplace, "" for the whole source
	AutoUpdate, PreRelease bool
	HasConsent             bool // the user has agreed on the command line
	SkipSettings           bool
	isLink                 bool
}

// List returns the installed extensions, sorted by name.
func (m *Manager) List(ctx context.Context) ([]*extension.Extension, error) {
	return m.ListFor(ctx, "")
}

// ListFor is [Manager.List] for a use of one extension: it does not warn of problems of the others.
func (m *Manager) ListFor(ctx context.Context, name string) ([]*extension.Extension, error) {
	o := m.Options
	o.About, o.Warn = name, m.warnOnce
	return extension.Load(ctx, o)
}

// warnOnce shows a warning, unless it was shown before: the extensions are read several times.
func (m *Manager) warnOnce(text string) {
	if m.Options.Warn == nil || slices.Contains(m.warned, text) {
		return
	}
	m.warned = append(m.warned, text)
	m.Options.Warn(text)
}

// Installed returns the installed extensions, also those that the settings do not allow, for
// [Manager.Uninstall].
func (m *Manager) Installed(ctx context.Context) ([]*extension.Extension, error) {
	o := m.Options
	o.Sources, o.BlockGit, o.Warn = nil, false, nil
	return extension.Load(ctx, o)
}

// find returns the extension with a name, nil if it is not installed.
func (m *Manager) find(ctx context.Context, name string) (*extension.Extension, error) {
	installed, err := m.ListFor(ctx, name)
	if err != nil {
		return nil, err
	}
	return FindName(installed, name), nil
}

// FindName returns the extension with a name, nil if there is none.
func FindName(installed []*extension.Extension, name string) *extension.Extension {
	i := slices.IndexFunc(installed, func(e *extension.Extension) bool { return e.Name == name })
	if i < 0 {
		return nil
	}
	return installed[i]
}

// Install installs the extension of a source: the address of a repository or the path of a
// directory. It returns the name of the extension.
func (m *Manager) Install(ctx context.Context, source string, o Options) (string, error) {
	p, err := m.planInstall(ctx, source, o)
	if err != nil {
		return "", err
	}
	defer p.close()
	return p.Manifest.Name, m.carryOut(ctx, p, o)
}

// Link installs the extension in a directory without copying it.
func (m *Manager) Link(ctx context.Context, dir string, o Options) (string, error) {
	o.isLink = true
	return m.Install(ctx, dir, o)
}

// carryOut asks the user about a plan, and carries it out.
func (m *Manager) carryOut(ctx context.Context, p *plan, o Options) error {
	if err := m.askConsent(ctx, p, o); err != nil {
		return err
	}
	values, err := m.askSettings(ctx, p, o)
	if err != nil {
		return err
	}
	if err := p.execute(ctx, values); err != nil {
		return err
	}
	m.noteMissing(ctx, p.Manifest.Name)
	return nil
}

// askConsent asks the user whether the extension may be installed or, if its parts have changed,
// updated. With consent on the command line, it only shows the parts.
func (m *Manager) askConsent(ctx context.Context, p *plan, o Options) error {
	switch {
	case p.previous != nil && len(p.changes()) == 0:
		return nil
	case o.HasConsent:
		m.Note("You have consented to the following:\n" + p.consentText())
		return nil
	}
	yes, err := m.User.Confirm(ctx, p.consentText(), "Do you want to continue? [Y/n]: ", true)
	if err == nil && !yes {
		err = exit.Errorf(exit.General, "Installation cancelled for %q.", p.Manifest.Name)
	}
	return err
}

// noteMissing shows which settings have no value.
func (m *Manager) noteMissing(ctx context.Context, name string) {
	e, err := m.find(ctx, name)
	if err != nil || e == nil || !m.HasSettings {
		return
	}
	var missing []string
	for _, v := range e.Values {
		if !v.IsSet {
			missing = append(missing, oneLine(v.Name))
		}
	}
	if len(missing) > 0 {
		m.Note(fmt.Sprintf("Extension %q has missing settings: %s. Please run \"pollux extensions config %s [setting-name]\" to configure them.",
			name, strings.Join(missing, ", "), name))
	}
}

// Enable enables or disables an extension in a scope: that of the user is every directory, so that rules of others end, and that of
// the workspace the working directory and all below it. After a nil error the file has the change; a session applies it the next time
// that it loads extensions.
func (m *Manager) Enable(ctx context.Context, name string, scope extension.Scope, enabled bool) (*extension.Extension, error) {
	e, err := m.find(ctx, name)
	switch {
	case err != nil:
		return nil, err
	case e == nil:
		return nil, fmt.Errorf("%w: %s", ErrNotInstalled, oneLine(name))
	}
	// Gemini CLI writes a rule for the home directory, which has no effect in directories outside it. It understands "/", too.
	dir := "/"
	if scope == extension.Workspace {
		dir = m.Workspace
	}
	rules, err := extension.OpenEnablement(m.Dir)
	if err != nil {
		return nil, err
	}
	verb := "disable"
	if enabled {
		verb, err = "enable", rules.Enable(name, dir, true)
	} else {
		err = rules.Disable(name, dir, true)
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return nil, fmt.Errorf("cannot %s %s: %s cannot be written (%w)", verb, oneLine(name), m.Dir, durable.Cause(err))
	}
	return e, err
}

// WhyUnchanged returns why an extension is still disabled although [Manager.Enable] has enabled it, "" if it is not.
func (m *Manager) WhyUnchanged(name string, enabled bool) string {
	if enabled && slices.Contains(m.Options.Off, name) {
		return "It stays disabled: the setting extensions.disabled lists it."
	}
	return ""
}

// ErrNotInstalled is the error of methods that get the name of an extension that is not installed.
var ErrNotInstalled = errors.New("extension not found")

// realDir returns the directory of extensions without links.
func (m *Manager) realDir() string {
	if real, err := filepath.EvalSymlinks(m.Dir); err == nil {
		return real
	}
	return m.Dir
}
