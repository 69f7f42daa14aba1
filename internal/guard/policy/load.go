package policy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/sandbox/limits"
)

// Sources are the locations of policy files. A path is a file, or a directory with *.toml
// files; a missing path is ignored.
type Sources struct {
	// System is the administrator's directory. It is used if Foreign returns "" for it.
	// Foreign returns the reason why users other than root could have written files there.
	System  string
	Foreign func(dir string) string
	// Admin are additional files of the administrator (adminPolicyPaths). They are used only
	// if System contains no files.
	Admin []string
	// User are the user's files: ~/.gemini/policies, or its replacement (policyPaths).
	User []string
	// Project are files that the settings of a project add to the user's. They may only restrict.
	Project []string
	// Workspace is the project's directory, "" if its policies must not be used.
	Workspace string
	// Extensions are the policies of extensions. They may only restrict.
	Extensions []Extension
	// Sandbox is the path of the user's file about the sandbox (see [SandboxName]), "" if it does not count. Display returns a path as people read it.
	Sandbox string
	Display func(path string) string
}

// Extension is an extension with policy files.
type Extension struct {
	Name string
	Dir  string // of its policy files, which may be missing
}

// Files is the content of all policy files.
type Files struct {
	Rules    []Rule // in order of precedence among rules with the same priority
	Checkers []Checker
	// Warnings describe problems with files, and which parts are ignored.
	Warnings []string
	// Lost describes files and rules that cannot be read and may have restricted something, each after its file. A run without a
	// user must not go on without them. Those of extensions are not listed: an extension must not keep Pollux from starting.
	Lost []string
	// Read are the files, in the order in which they were read.
	Read []File
	// Sandbox is the restrictions of commands in the file of [Sources].Sandbox, or the built-in ones if it is missing; nil if it does not count.
	Sandbox *limits.Rules
}

// File is a policy file.
type File struct {
	Path string
	from origin
}

// UserFile returns the policy file of a path as one of the user's.
func UserFile(path string) File { return File{path, origin{tier: TierUser}} }

// Load reads all policy files. A problem with a file or rule results in a warning, and the
// file or rule is ignored; see also [Files]. The error has exit code 52; it is returned for a rule without a
// tool name, because its meaning cannot be guessed.
func Load(s Sources) (Files, error) {
	l := loader{seen: map[string]bool{}, sandboxPath: s.Sandbox}
	if s.Sandbox != "" {
		l.Sandbox, l.sandboxShown = limits.BuiltIn(), plainly(s.Display(s.Sandbox))
	}
	admin := s.Admin
	if s.System != "" && l.system(s) && len(admin) > 0 {
		l.warn("Security Warning: Ignoring --admin-policy because system policies are already defined in %s", s.System)
		admin = nil
	}
	for _, path := range admin {
		l.path(origin{tier: TierAdmin}, path)
	}
	for _, path := range s.User {
		l.path(origin{tier: TierUser}, path)
	}
	if s.Sandbox != "" && !slices.Contains(s.User, filepath.Dir(s.Sandbox)) { // policyPaths replaces the directory that it is in
		l.path(origin{tier: TierUser, restricts: true}, s.Sandbox)
	}
	for _, path := range s.Project {
		l.path(origin{tier: TierUser, label: "Project", restricts: true}, path)
	}
	if s.Workspace != "" {
		l.path(origin{tier: TierWorkspace}, s.Workspace)
	}
	for _, e := range s.Extensions {
		l.path(origin{tier: TierExtension, label: "Extension (" + plainly(e.Name) + ")", restricts: true}, e.Dir)
	}
	if l.err != nil {
		return l.Files, &exit.Error{Code: exit.Config, Err: l.err, Message: l.err.Error()}
	}
	return l.Files, nil
}

type loader struct {
	Files
	seen map[string]bool // absolute paths: a file is used once, in its highest tier
	err  error

	sandboxPath, sandboxShown string
}

func (l *loader) warn(format string, args ...any) {
	l.Warnings = append(l.Warnings, fmt.Sprintf(format, args...))
}

func (l *loader) problem(from origin, file string, p problem) {
	l.Warnings = append(l.Warnings, p.text(from, plainly(file)))
}

// unread notes a file or directory that cannot be read.
func (l *loader) unread(from origin, path, message string, err error) {
	cause := durable.Cause(err).Error()
	l.problem(from, path, problem{message: message, details: "  " + cause})
	l.lose(from, path, cause)
}

// checkLink notes a missing path that is a link to nothing.
func (l *loader) checkLink(from origin, path string) {
	if err := durable.CheckLink(path); err != nil {
		l.unread(from, path, "Failed to read policy path", err)
	}
}

func (l *loader) lose(from origin, path string, texts ...string) {
	for _, text := range texts {
		if from.tier != TierExtension {
			l.Lost = append(l.Lost, plainly(path)+": "+text)
		}
	}
}

// OnOneLine returns a warning of [Load], or another text of several lines, on one line.
func OnOneLine(warning string) string {
	lines := strings.Split(strings.TrimSpace(warning), "\n")
	text := strings.TrimSpace(lines[0])
	for i, line := range lines[1:] {
		line = strings.TrimSpace(line)
		suggestion, isSuggestion := strings.CutPrefix(line, "Suggestion: ")
		switch {
		case isSuggestion:
			text += " (" + suggestion + ")"
		case strings.HasSuffix(text, ":"):
			text += " " + line
		case i == 1: // the subject of the message
			text += ": " + line
		default:
			text += "; " + line
		}
	}
	return text
}

// system reads the administrator's directory, and reports whether it contains files that are
// used.
func (l *loader) system(s Sources) bool {
	if durable.IsMissing(s.System) {
		return false
	}
	if _, err := os.Stat(s.System); errors.Is(err, fs.ErrNotExist) {
		l.checkLink(origin{tier: TierAdmin}, s.System)
		return false
	}
	reason := "cannot check its owner"
	if s.Foreign != nil {
		reason = s.Foreign(s.System)
	}
	if info, err := os.Stat(s.System); reason == "" && err == nil && !info.IsDir() {
		reason = "it is not a directory"
	}
	if reason != "" {
		l.warn("Security Warning: Skipping system policies from %s: %s", s.System, reason)
		return false
	}
	return l.path(origin{tier: TierAdmin}, s.System)
}

// path reads a file or directory, and reports whether there was a file.
func (l *loader) path(from origin, path string) bool {
	if durable.IsMissing(path) {
		return false
	}
	info, err := os.Stat(path)
	switch {
	case durable.IsAbsent(err):
		l.checkLink(from, path)
		return false
	case err != nil:
		l.unread(from, path, "Failed to read policy path", err)
		return false
	case !info.IsDir():
		l.file(from, path)
		return true
	}
	files, err := tomlFiles(path)
	if err != nil {
		l.unread(from, path, "Failed to read policy path", err)
	}
	for _, file := range files {
		l.file(from, file)
	}
	return len(files) > 0
}

// tomlFiles returns the paths of the *.toml files in a directory, in the order of their names, also if there is an
// error.
func tomlFiles(dir string) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".toml") {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, err
}

// file reads a file.
func (l *loader) file(from origin, path string) {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if l.seen[path] {
		return
	}
	l.seen[path] = true
	l.Read = append(l.Read, File{path, from})
	data, err := durable.ReadFile(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		if err = durable.CheckLink(path); err == nil {
			return // it has just been removed
		}
	}
	if err != nil {
		l.unread(from, path, "Failed to read policy file", err)
		if path == l.sandboxPath {
			l.sandbox(path, &parsed{}, from)
		}
		return
	}
	p := parseFile(data, from, plainly(filepath.Base(path)))
	for i := range p.rules {
		p.rules[i].file = path
	}
	l.Rules = append(l.Rules, p.rules...)
	l.Checkers = append(l.Checkers, p.checkers...)
	l.lose(from, path, p.lost...)
	for _, problem := range p.problems {
		l.problem(from, path, problem)
	}
	if path == l.sandboxPath {
		l.sandbox(path, &p, from)
	}
	switch {
	case p.err != nil && from.tier == TierExtension: // which must not keep Pollux from starting
		l.problem(from, path, problem{message: "Rule ignored", details: "  " + p.err.Error()})
	case l.err == nil:
		l.err = p.err
	}
}

// plainly replaces control characters in a file's name.
func plainly(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '?'
		}
		return r
	}, name)
}

// maxFile is the maximum size of a policy file in bytes, far more than needed for ten thousand
// rules.
const maxFile = 4 << 20
