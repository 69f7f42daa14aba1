package install

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/extension"
	"pollux/internal/keychain"
)

// FindSetting returns the setting of an extension with a name or a variable, nil if there is none.
func FindSetting(e *extension.Extension, name string) *extension.Setting {
	for i := range e.Settings {
		if s := &e.Settings[i]; s.Name == name || s.EnvVar == name {
			return s
		}
	}
	return nil
}

// SetValue stores the value of a setting. An empty value deletes it.
func (m *Manager) SetValue(ctx context.Context, e *extension.Extension, s extension.Setting, scope extension.Scope, value string) error {
	workspace := ""
	if scope == extension.Workspace {
		if !m.Options.IsTrusted {
			return errors.New("this folder is not trusted, so Pollux does not use its values. To trust it, type /permissions trust in a session")
		}
		workspace = m.Workspace
	}
	if !s.IsSensitive {
		if workspace == "" {
			return setVariable(e.EnvFile(), s.EnvVar, value)
		}
		file := filepath.Join(workspace, extension.EnvName)
		return m.ChangeWorkspace(func() error { return setVariable(file, s.EnvVar, value) })
	}
	service, account := extension.SecretName(e.Name, e.ID, workspace, s.EnvVar)
	if value != "" {
		_, err := m.Keychain.Set(ctx, service, account, value)
		return err
	}
	return m.removeSecrets(ctx, []secretName{{service, account}})
}

// IsSetIn reports whether a setting has a value in a scope.
func (m *Manager) IsSetIn(ctx context.Context, e *extension.Extension, s extension.Setting, scope extension.Scope) (bool, error) {
	workspace, file := "", e.EnvFile()
	if scope == extension.Workspace {
		workspace, file = m.Workspace, filepath.Join(m.Workspace, extension.EnvName)
	}
	values, err := config.ReadDotEnv(file)
	if err != nil {
		return false, fmt.Errorf("cannot read %s: %w", file, err)
	}
	if _, ok := values[s.EnvVar]; ok || !s.IsSensitive {
		return ok, nil
	}
	service, account := extension.SecretName(e.Name, e.ID, workspace, s.EnvVar)
	_, err = m.Keychain.Get(ctx, service, account)
	if errors.Is(err, keychain.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// askSettings asks for the values of new settings.
func (m *Manager) askSettings(ctx context.Context, p *plan, o Options) (map[string]string, error) {
	values := map[string]string{}
	if o.SkipSettings || !m.HasSettings {
		return values, nil
	}
	for _, s := range p.Manifest.Settings {
		if p.hadSetting(s) {
			continue
		}
		for {
			value, isGiven, err := m.User.Value(ctx, s)
			switch {
			case err != nil:
				return nil, err
			case !isGiven:
				return values, nil
			}
			if _, err := formatVariable(s.EnvVar, value); err != nil && !s.IsSensitive {
				m.Note(oneLine(err.Error()))
				continue
			}
			values[s.EnvVar] = value
			break
		}
	}
	return values, nil
}

// hadSetting reports whether the installed extension has the same setting.
func (p *plan) hadSetting(s extension.Setting) bool {
	return p.previous != nil && hasSetting(p.previous.Settings, s)
}

func hasSetting(list []extension.Setting, s extension.Setting) bool {
	return slices.ContainsFunc(list, func(o extension.Setting) bool { return o.EnvVar == s.EnvVar && o.IsSensitive == s.IsSensitive })
}

// writeSettings writes the values of settings: those of the installed extension, and new ones. Secret
// ones are in the keychain when it returns, the others in the stage.
func (p *plan) writeSettings(ctx context.Context, values map[string]string) (*secretChanges, error) {
	var before map[string]string
	if p.previous != nil {
		var err error
		if before, err = config.ReadDotEnv(p.previous.EnvFile()); err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", p.previous.EnvFile(), err)
		}
	}
	file := filepath.Join(p.files, extension.EnvName)
	for _, s := range p.Manifest.Settings {
		value := values[s.EnvVar]
		if value == "" && p.hadSetting(s) {
			value = before[s.EnvVar]
		}
		if value == "" || s.IsSensitive {
			continue
		}
		if err := setVariable(file, s.EnvVar, value); err != nil {
			return nil, err
		}
	}
	c := &secretChanges{m: p.m}
	if err := c.write(ctx, p, values); err != nil {
		return nil, errors.Join(err, c.undo(ctx))
	}
	return c, nil
}

// secretChanges are the changes of a plan to the keychain.
type secretChanges struct {
	m     *Manager
	added []secretName // that were not there before
	old   []secretName // that the update does not need
}

type secretName struct{ service, account string }

// write adds the new secrets. An update from another source has other names for all.
func (c *secretChanges) write(ctx context.Context, p *plan, values map[string]string) error {
	id := extension.IDOf(p.Manifest.Name, p.record)
	for _, s := range p.Manifest.Settings {
		service, account := extension.SecretName(p.Manifest.Name, id, "", s.EnvVar)
		value := values[s.EnvVar]
		if !s.IsSensitive {
			continue
		}
		if p.hadSetting(s) {
			from, _ := extension.SecretName(p.previous.Name, p.previous.ID, "", s.EnvVar)
			if from == service {
				continue
			}
			found, err := c.m.Keychain.Get(ctx, from, account)
			switch {
			case errors.Is(err, keychain.ErrNotFound):
			case err != nil:
				return err
			default:
				value = found[0].Value
			}
		}
		if value == "" {
			continue
		}
		c.added = append(c.added, secretName{service, account})
		if _, err := c.m.Keychain.Set(ctx, service, account, value); err != nil {
			return err
		}
	}
	if p.previous == nil {
		return nil
	}
	for _, s := range p.previous.Settings {
		before, account := extension.SecretName(p.previous.Name, p.previous.ID, "", s.EnvVar)
		service, _ := extension.SecretName(p.Manifest.Name, id, "", s.EnvVar)
		if s.IsSensitive && (before != service || !hasSetting(p.Manifest.Settings, s)) {
			c.old = append(c.old, secretName{before, account})
		}
	}
	return nil
}

// undo removes the secrets that were added.
func (c *secretChanges) undo(ctx context.Context) error {
	return c.m.removeSecrets(context.WithoutCancel(ctx), c.added)
}

// removeOld removes the secrets that the update does not need. Secrets that cannot be removed stay.
func (c *secretChanges) removeOld(ctx context.Context) {
	if err := c.m.removeSecrets(ctx, c.old); err != nil {
		c.m.Note("Warning: Cannot remove an old setting from the keychain: " + oneLine(err.Error()))
	}
}

func (m *Manager) removeSecrets(ctx context.Context, names []secretName) (errs error) {
	for _, n := range names {
		if err := m.Keychain.Remove(ctx, n.service, n.account); err != nil && !errors.Is(err, keychain.ErrNotFound) {
			errs = errors.Join(errs, err)
		}
	}
	return errs
}

// Configure asks for the values of settings in a scope: of one setting, of an extension if setting is "",
// or of all extensions if name is "", too.
func (m *Manager) Configure(ctx context.Context, name, setting string, scope extension.Scope) error {
	if !m.HasSettings {
		return exit.Errorf(exit.General, `Extension configuration is currently disabled. Enable it by setting "experimental.extensionConfig" to true.`)
	}
	installed, err := m.ListFor(ctx, name)
	if err != nil {
		return err
	}
	if name == "" {
		if len(installed) == 0 {
			m.Note("No extensions installed.")
		}
		for _, e := range installed {
			if len(e.Settings) == 0 {
				continue
			}
			if err := m.configureAll(ctx, e, scope); err != nil {
				return err
			}
		}
		return nil
	}
	e := FindName(installed, name)
	switch {
	case e == nil:
		return exit.Errorf(exit.General, "Extension %q is not installed.", oneLine(name))
	case len(e.Settings) == 0:
		m.Note(fmt.Sprintf("Extension %q has no settings to configure.", name))
		return nil
	case setting == "":
		return m.configureAll(ctx, e, scope)
	}
	s := FindSetting(e, setting)
	if s == nil {
		return exit.Errorf(exit.General, "Setting %s not found.", oneLine(setting))
	}
	return m.configureOne(ctx, e, *s, scope)
}

// configureAll asks for the values of all settings of an extension.
func (m *Manager) configureAll(ctx context.Context, e *extension.Extension, scope extension.Scope) error {
	m.Note(fmt.Sprintf("Configuring settings for %q...", e.Name))
	for _, s := range e.Settings {
		if scope == extension.User {
			if isSet, err := m.IsSetIn(ctx, e, s, extension.Workspace); err == nil && isSet {
				m.Note(fmt.Sprintf("Note: Setting %q is already configured in the workspace scope.", oneLine(s.Name)))
			}
		}
		isSet, err := m.IsSetIn(ctx, e, s, scope)
		if err != nil {
			return err
		}
		if isSet {
			overwrite, err := m.User.Confirm(ctx, "", fmt.Sprintf("Setting %q (%s) is already set. Overwrite? [y/N]: ", oneLine(s.Name), s.EnvVar), false)
			if err != nil {
				return err
			}
			if !overwrite {
				continue
			}
		}
		if err := m.configureOne(ctx, e, s, scope); err != nil {
			return err
		}
	}
	return nil
}

// configureOne asks for the value of a setting, and stores it.
func (m *Manager) configureOne(ctx context.Context, e *extension.Extension, s extension.Setting, scope extension.Scope) error {
	value, isGiven, err := m.User.Value(ctx, s)
	switch {
	case err != nil:
		return err
	case !isGiven:
		return fmt.Errorf("no value was given for setting %q", oneLine(s.Name))
	}
	if err := m.SetValue(ctx, e, s, scope, value); err != nil {
		return err
	}
	m.Note(fmt.Sprintf("Setting %q updated.", oneLine(s.Name)))
	return nil
}
