package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/extension"
)

// FindInstalled returns the extension with a name or a source in any case, or that in a directory with this
// name, which may be broken. It returns nil if there is none, or if several have the source, such as plugins of a marketplace.
func (m *Manager) FindInstalled(installed []*extension.Extension, name string) *extension.Extension {
	hasSource := func(e *extension.Extension) bool {
		return e.Install != nil && strings.EqualFold(e.Install.Source, name)
	}
	for _, is := range []func(e *extension.Extension) bool{
		func(e *extension.Extension) bool { return strings.EqualFold(e.Name, name) },
		func(e *extension.Extension) bool {
			return hasSource(e) && !slices.ContainsFunc(installed, func(other *extension.Extension) bool { return other != e && hasSource(other) })
		},
		func(e *extension.Extension) bool { return filepath.Base(e.InstallDir) == name },
	} {
		if i := slices.IndexFunc(installed, is); i >= 0 {
			return installed[i]
		}
	}
	return m.findBroken(name)
}

// findBroken returns an extension that cannot be read, by the name of its directory, nil if there is none.
func (m *Manager) findBroken(name string) *extension.Extension {
	if !extension.IsDirName(name) {
		return nil
	}
	dir := filepath.Join(m.Dir, name)
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() && info.Mode().Type() != fs.ModeSymlink {
		return nil
	}
	return &extension.Extension{Manifest: extension.Manifest{Name: name}, Dir: dir, InstallDir: dir}
}

// Uninstall removes an extension, with its settings in the scope of the user: Pollux does not know which
// directories have others.
func (m *Manager) Uninstall(ctx context.Context, e *extension.Extension) error {
	s, err := m.newStage()
	if err != nil {
		return err
	}
	defer s.remove()
	unlock, err := durable.LockContext(ctx, filepath.Join(filepath.Dir(s.dir), "change"))
	if err != nil {
		return fmt.Errorf("cannot lock the directory of extensions: %w", err)
	}
	defer unlock()
	ctx = context.WithoutCancel(ctx) // it is short from here on
	if err := s.take(e.InstallDir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot remove %s: %w", e.InstallDir, durable.Cause(err))
	}
	var secrets []secretName
	for _, setting := range e.Settings {
		if setting.IsSensitive {
			service, account := extension.SecretName(e.Name, e.ID, "", setting.EnvVar)
			secrets = append(secrets, secretName{service, account})
		}
	}
	rules, err := extension.OpenEnablement(m.Dir)
	if err == nil {
		err = rules.Remove(e.Name)
	}
	if signErr := m.Integrity.Remove(ctx, e.Name); signErr != nil {
		m.Note("Warning: " + oneLine(signErr.Error()))
	}
	return errors.Join(err, m.removeSecrets(ctx, secrets))
}
