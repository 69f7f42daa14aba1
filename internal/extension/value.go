package extension

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"

	"pollux/internal/config"
	"pollux/internal/keychain"
)

// EnvName is the name of the file with the values of settings that are not sensitive: in the directory of
// the extension for the user, in the working directory for a workspace.
const EnvName = ".env"

// Scope is where the value of a setting applies.
type Scope string

// The scopes.
const (
	User      Scope = "user"      // in all directories
	Workspace Scope = "workspace" // in the working directory
)

// Value is the value of a setting.
type Value struct {
	Setting
	Value string
	IsSet bool
	Scope Scope
	// Source is the file that the value is in, or "Keychain".
	Source string
}

// inKeychain is the Source of values in the keychain.
const inKeychain = "Keychain"

// SecretName returns the service and the account of a sensitive setting in the keychain. workspace is the
// value's working directory, "" for all.
func SecretName(name, id, workspace, envVar string) (service, account string) {
	service = "Gemini CLI Extensions " + name + " " + id
	if workspace != "" {
		service += " " + workspace
	}
	return service, "__secret__" + envVar
}

// EnvFile returns the path of the file with the values of settings that are not sensitive. Those of a linked
// extension are in the directory below ~/.gemini/extensions, not in the author's.
func (e *Extension) EnvFile() string { return filepath.Join(e.InstallDir, EnvName) }

// variables are the values that strings of an extension may refer to.
type variables struct {
	table  map[string]string           // no setting changes these
	values map[string]string           // of .env files and settings
	inText map[string]string           // table, and the values for texts
	inHook map[string]string           // table, and the values for command lines
	inEnv  map[string]string           // table, and all values, for variables of programs
	lookup func(string) (string, bool) // values and the environment
}

// ofManifest returns an expander of the strings of the manifest.
func (v *variables) ofManifest() *config.Expander { return config.NewExpander(v.table, v.lookup) }

// resolve looks up the values of the settings of an extension.
func (l *loader) resolve(ctx context.Context, e *Extension) {
	separator := string(filepath.Separator)
	v := variables{
		table:  map[string]string{"extensionPath": e.Dir, "workspacePath": l.Workspace, "/": separator, "pathSeparator": separator},
		values: map[string]string{},
	}
	if !l.NoSettings && len(e.Settings) > 0 && (e.IsActive || l.WithInactive) {
		l.readValues(ctx, e, v.values)
	}
	v.inText, v.inHook, v.inEnv = maps.Clone(v.values), maps.Clone(v.values), maps.Clone(v.values)
	for _, value := range e.Values {
		if value.IsSensitive {
			delete(v.inText, value.EnvVar)
		}
		// A shell has these values as variables of the same name. As text they could become
		// commands, or be seen by others.
		if value.IsSensitive || value.Scope == Workspace {
			delete(v.inHook, value.EnvVar)
		}
	}
	maps.Copy(v.inText, v.table)
	maps.Copy(v.inHook, v.table)
	maps.Copy(v.inEnv, v.table)
	v.lookup = func(name string) (string, bool) {
		if value, ok := v.values[name]; ok || l.Lookup == nil {
			return value, ok
		}
		return l.Lookup(name)
	}
	e.variables = v
}

// readValues adds the variables of the .env file of an extension, and the values of its settings, to
// values.
func (l *loader) readValues(ctx context.Context, e *Extension, values map[string]string) {
	users := l.readEnv(e, e.EnvFile())
	maps.Copy(values, users)
	var workspaces map[string]string
	if l.IsTrusted {
		workspaces = l.readEnv(e, filepath.Join(l.Workspace, EnvName))
	}
	for _, s := range e.Settings {
		v := Value{Setting: s}
		set := func(value string, scope Scope, source string) {
			v.Value, v.IsSet, v.Scope, v.Source = value, true, scope, source
		}
		if value, ok := users[s.EnvVar]; ok {
			set(value, User, e.EnvFile())
		}
		if secret := l.secret(ctx, e, s, ""); secret != "" {
			set(secret, User, inKeychain)
		}
		if value, ok := workspaces[s.EnvVar]; ok && l.mayProjectSet(s.EnvVar) {
			set(value, Workspace, filepath.Join(l.Workspace, EnvName))
		}
		if l.IsTrusted {
			if secret := l.secret(ctx, e, s, l.Workspace); secret != "" {
				set(secret, Workspace, inKeychain)
			}
		}
		if v.IsSet {
			values[s.EnvVar] = v.Value
		}
		e.Values = append(e.Values, v)
	}
}

// mayProjectSet reports whether the .env file of a workspace may set a variable.
func (l *loader) mayProjectSet(name string) bool {
	return !config.IsDangerousVariable(name) && !slices.Contains(l.Refused, name)
}

// readEnv reads a .env file.
func (l *loader) readEnv(e *Extension, path string) map[string]string {
	values, err := config.ReadDotEnv(path)
	if err != nil {
		l.warnOf(e, "Cannot read %s: %v.", path, err)
	}
	return values
}

// secret returns the value of a sensitive setting from the keychain, "" if there is none.
func (l *loader) secret(ctx context.Context, e *Extension, s Setting, workspace string) string {
	if !s.IsSensitive || l.Secrets == nil {
		return ""
	}
	if l.secrets == nil {
		l.secrets = l.Secrets()
	}
	service, account := SecretName(e.Name, e.ID, workspace, s.EnvVar)
	found, err := l.secrets.Get(ctx, service, account)
	if err == nil {
		return found[0].Value
	}
	if !errors.Is(err, keychain.ErrNotFound) && ctx.Err() == nil && !l.hasWarned {
		l.hasWarned = true
		l.warnOf(e, "Cannot read the setting %s: %v.", s.EnvVar, err)
	}
	return ""
}
