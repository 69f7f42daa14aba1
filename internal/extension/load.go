package extension

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dlclark/regexp2"

	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/keychain"
	"pollux/internal/terminal"
)

// maxExtensions bounds the entries of the directory of extensions that are looked at.
const maxExtensions = 1000

// Options select the available extensions and those that a session uses. Dir must be set.
type Options struct {
	// Dir is the directory of extensions, ~/.gemini/extensions.
	Dir string
	// Workspace is the working directory. IsTrusted reports whether its .env file may set values.
	Workspace string
	IsTrusted bool
	// Only are the names of the extensions to use, whatever the user has enabled: those of the flag
	// --extensions. "none" alone means none; nil means no such flag.
	Only []string
	// Off are the names of extensions that are not used unless Only names them.
	Off []string
	// Sources are the regular expressions of security.allowedExtensions: if there are any, the source of an
	// extension must match one. Without them, BlockGit refuses extensions from repositories.
	Sources  []string
	BlockGit bool
	// NoSettings ignores the values of settings. WithInactive looks them up for inactive extensions, too.
	NoSettings, WithInactive bool
	// Lookup returns a variable of the environment; nil knows none.
	Lookup func(name string) (string, bool)
	// Refused are variables that the .env file of the workspace must not set.
	Refused []string
	// Secrets returns the keychain with the values of sensitive settings; nil for none. Load calls it only if
	// an extension has such a setting.
	Secrets func() *keychain.Store
	// Warn is called with one line, "Warning: ..." or an error, for each problem: if About is not "", only for
	// those of the extension with this name.
	Warn  func(text string)
	About string
}

// Load returns the installed extensions, sorted by name, active or not. It skips broken ones with a warning.
// An absent directory has no extensions.
func Load(ctx context.Context, o Options) ([]*Extension, error) {
	entries, err := readNames(o.Dir)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	l := &loader{Options: o, byName: map[string]*Extension{}}
	if o.Only == nil {
		if l.enablement, err = OpenEnablement(o.Dir); err != nil {
			l.warn("Warning: Pollux uses no extensions: %v", err)
		}
	}
	l.compileSources()
	for _, name := range entries {
		l.add(ctx, filepath.Join(o.Dir, name))
	}
	list := make([]*Extension, 0, len(l.byName))
	for _, e := range l.byName {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b *Extension) int { return strings.Compare(a.Name, b.Name) })
	l.checkOnly()
	for _, e := range list {
		for _, problem := range e.Problems {
			l.warnOf(e, "%s: %s.", ManifestName, problem)
		}
		l.complete(ctx, e)
	}
	return list, nil
}

// IsDirName reports whether an extension may have a directory with this name. Hidden ones and locks are none.
func IsDirName(name string) bool {
	return filepath.IsLocal(name) && filepath.Base(name) == name && !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".lock")
}

// readNames returns the names of the subdirectories that may be extensions, sorted.
func readNames(dir string) ([]string, error) {
	f, err := durable.OpenDir(dir)
	if durable.IsAbsent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", dir, durable.Cause(err))
	}
	defer f.Close()
	names, _ := f.Readdirnames(maxExtensions) // as many as can be read of a broken directory
	names = slices.DeleteFunc(names, func(name string) bool {
		if !IsDirName(name) {
			return true
		}
		info, err := os.Stat(filepath.Join(dir, name))
		return err != nil || !info.IsDir()
	})
	slices.Sort(names)
	return names, nil
}

type loader struct {
	Options
	enablement *Enablement
	sources    []*regexp2.Regexp
	byName     map[string]*Extension
	secrets    *keychain.Store // opened when it is needed
	hasWarned  bool            // of a keychain that cannot be read
}

func (l *loader) warn(format string, args ...any) {
	if l.Warn != nil && l.About == "" {
		l.Warn(terminal.Line(fmt.Sprintf(format, args...)))
	}
}

// warnOf warns of a problem of an extension that is used nevertheless.
func (l *loader) warnOf(e *Extension, format string, args ...any) {
	if l.Warn != nil && (l.About == "" || l.About == e.Name) {
		l.Warn(terminal.Line("Warning: Extension " + e.Name + ": " + fmt.Sprintf(format, args...)))
	}
}

// add adds the extension in a directory.
func (l *loader) add(ctx context.Context, dir string) {
	e := &Extension{Dir: dir, InstallDir: dir}
	if err := l.read(e); err != nil {
		l.warn("Warning: Skipping extension in %s: %v%s", e.Dir, err, howToRemove(dir))
		return
	}
	other := l.byName[e.Name]
	if other == nil {
		l.byName[e.Name] = e
		return
	}
	if filepath.Base(dir) == e.Name { // the directory that an installation makes
		l.byName[e.Name], e, other = e, other, e
	}
	l.warn("Warning: Skipping extension in %s: %s has the same name %q", e.InstallDir, other.InstallDir, e.Name)
}

// howToRemove returns the end of a warning of an extension that cannot be read.
func howToRemove(dir string) string {
	name := filepath.Base(dir)
	if !regexp.MustCompile(`^[\w.][\w.-]*$`).MatchString(name) {
		return "" // a shell could take it for something else
	}
	return ". To remove it, run: pollux extensions uninstall " + name
}

// read reads the record of an installation and the manifest.
func (l *loader) read(e *Extension) error {
	install, err := ReadInstall(e.InstallDir)
	if err != nil && (l.BlockGit || len(l.Sources) > 0) {
		return err // it cannot be known where it is from
	}
	e.Install = install
	if err := l.admits(install); err != nil {
		return err
	}
	if install != nil && install.Type == Link {
		if !filepath.IsAbs(install.Source) {
			return fmt.Errorf("the path of the linked directory is not absolute: %q", install.Source)
		}
		e.Dir = filepath.Clean(install.Source)
	}
	m, err := ReadManifest(e.Dir)
	if err != nil {
		return err
	}
	e.Manifest, e.ID = *m, IDOf(m.Name, install)
	e.IsActive = l.isActive(e.Name)
	return nil
}

// isActive reports whether the session uses an extension.
func (l *loader) isActive(name string) bool {
	if l.Only == nil {
		return !slices.Contains(l.Off, name) && l.enablement.IsEnabled(name, l.Workspace)
	}
	return !l.usesNone() && slices.ContainsFunc(l.Only, func(only string) bool { return strings.EqualFold(only, name) })
}

// usesNone reports whether the flag disables all extensions.
func (l *loader) usesNone() bool {
	return len(l.Only) == 1 && (l.Only[0] == "" || strings.EqualFold(l.Only[0], "none"))
}

// checkOnly warns of names of the flag that no extension has.
func (l *loader) checkOnly() {
	for _, only := range l.Only {
		isKnown := only == "" || strings.EqualFold(only, "none")
		for name := range l.byName {
			isKnown = isKnown || strings.EqualFold(name, only)
		}
		if !isKnown {
			l.warn("Extension not found: %s", only)
		}
	}
}

// compileSources compiles the patterns of allowed sources. An invalid one allows nothing.
func (l *loader) compileSources() {
	for _, pattern := range l.Sources {
		r, err := regexp2.Compile(pattern, regexp2.ECMAScript)
		if err != nil {
			l.warn("Warning: security.allowedExtensions: invalid pattern %q", pattern)
			continue
		}
		r.MatchTimeout = time.Second
		l.sources = append(l.sources, r)
	}
}

// admits returns why the settings forbid an extension from this source, nil if they do not.
func (l *loader) admits(install *Install) error {
	switch {
	case len(l.Sources) == 0 && l.BlockGit && install.isRemote():
		return errors.New("the setting security.blockGitExtensions forbids extensions from repositories")
	case len(l.Sources) == 0:
		return nil
	case install == nil || install.Source == "":
		return fmt.Errorf("the setting security.allowedExtensions is set, and there is no %s with a source", InstallName)
	}
	source := install.Source
	if real, err := filepath.EvalSymlinks(source); err == nil {
		source = real
	}
	for _, r := range l.sources {
		if found, err := r.MatchString(source); err == nil && found {
			return nil
		}
	}
	return errors.New("the setting security.allowedExtensions does not allow its source")
}

// complete adds the parts outside of the manifest.
func (l *loader) complete(ctx context.Context, e *Extension) {
	l.resolve(ctx, e)
	expander := e.ofManifest()
	for i := range e.ExcludeTools {
		e.ExcludeTools[i] = expander.Text(e.ExcludeTools[i])
	}
	for i := range e.Themes {
		e.Themes[i] = expander.Value(e.Themes[i])
	}
	e.PlanDirectory = expander.Text(e.PlanDirectory)
	e.ContextFiles = l.contextFiles(e, expander)
	if dir := e.PlanDirectory; dir != "" && (!filepath.IsLocal(dir) || strings.Contains(dir, "..")) {
		l.warnOf(e, "Ignoring plan.directory %q: it must be a relative path without \"..\".", dir)
		e.PlanDirectory = ""
	}
}

// contextFiles returns the paths of the context files that exist. A path or a link that leads out of the
// extension is left out.
func (l *loader) contextFiles(e *Extension, expander *config.Expander) (files []string) {
	bad := 0
	for _, name := range e.ContextFileNames {
		if bad == maxProblems {
			break
		}
		name = expander.Text(name)
		if strings.TrimSpace(name) == "" || strings.Contains(name, "..") {
			l.warnOf(e, "Ignoring the context file %q: it must be a path within the extension.", name)
			bad++
			continue
		}
		path, err := e.file(name)
		switch {
		case err == nil:
			files = append(files, path)
		case !errors.Is(err, fs.ErrNotExist):
			l.warnOf(e, "Ignoring the context file %q: %v.", name, err)
			bad++
		}
	}
	return files
}
