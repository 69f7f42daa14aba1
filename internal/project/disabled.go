package project

import "pollux/internal/config"

// ProjectSettings returns the path of the project's settings file, "" if it does not count.
func (p *Project) ProjectSettings() string {
	if !p.IsTrusted() || p.Paths.AtHome() {
		return ""
	}
	return p.Paths.WorkspaceSettings()
}

// SetDisabled writes a list of disabled hooks or skills to a settings file.
func (p *Project) SetDisabled(scope config.Scope, key config.Strings, names []string) error {
	if len(names) == 0 {
		return p.ChangeSettings(scope, func() error {
			_, err := p.Paths.Unset(scope, string(key))
			return err
		})
	}
	values := make([]any, len(names))
	for i, name := range names {
		values[i] = name
	}
	return p.ChangeSettings(scope, func() error { return p.Paths.Set(scope, string(key), values) })
}
