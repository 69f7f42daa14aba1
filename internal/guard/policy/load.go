package policy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode"

	"pollux/internal/durable"
	"pollux/internal/exit"
)

// Sources say where policy files are (spec/safety.md §2.1). A path is a file, or
// a directory whose *.toml files are meant; one that is not there is empty.
type Sources struct {
	// System is the administrator's directory. It counts if Foreign, which says
	// who else than root could write there, returns "" for it.
	System  string
	Foreign func(dir string) string
	// Admin are more of the administrator's (adminPolicyPaths). They count only
	// where the administrator has no files in System.
	Admin []string
	// User are the user's: ~/.gemini/policies, or what replaces it (policyPaths).
	User []string
	// Workspace is the project's, "" where it does not count.
	Workspace string
}

// Files is what policy files say.
type Files struct {
	Rules    []Rule // in the order in which they count among equals
	Checkers []Checker
	// Warnings name what is wrong with files, and what of them does not count.
	Warnings []string
}

// Load reads all policy files. What is wrong with one costs that file, or that
// rule, and a warning. An error, which carries exit code 52, is a rule about no
// tool at all: whoever wrote it relies on something that cannot be guessed.
func Load(s Sources) (Files, error) {
	l := loader{seen: map[string]bool{}}
	admin := s.Admin
	if s.System != "" && l.system(s) && len(admin) > 0 {
		l.warn("Security Warning: Ignoring --admin-policy because system policies are already defined in %s", s.System)
		admin = nil
	}
	for _, path := range admin {
		l.path(TierAdmin, path)
	}
	for _, path := range s.User {
		l.path(TierUser, path)
	}
	if s.Workspace != "" {
		l.path(TierWorkspace, s.Workspace)
	}
	if l.err != nil {
		return l.Files, &exit.Error{Code: exit.Config, Err: l.err, Message: l.err.Error()}
	}
	return l.Files, nil
}

type loader struct {
	Files
	seen map[string]bool // by absolute path: a file counts once, in its highest tier
	err  error
}

func (l *loader) warn(format string, args ...any) {
	l.Warnings = append(l.Warnings, fmt.Sprintf(format, args...))
}

func (l *loader) problem(tier Tier, file string, p problem) {
	l.Warnings = append(l.Warnings, p.text(tier, plainly(file)))
}

// system reads the administrator's directory, and reports whether it has rules
// that count.
func (l *loader) system(s Sources) bool {
	if _, err := os.Stat(s.System); errors.Is(err, fs.ErrNotExist) {
		return false
	}
	reason := "its owner cannot be checked"
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
	return l.path(TierAdmin, s.System)
}

// path reads a file or a directory, and reports whether there was a file.
func (l *loader) path(tier Tier, path string) bool {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return false
	case err != nil:
		l.problem(tier, path, problem{message: "Failed to read policy path", details: "  " + durable.Cause(err).Error()})
		return false
	case !info.IsDir():
		l.file(tier, path)
		return true
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		l.problem(tier, path, problem{message: "Failed to read policy path", details: "  " + durable.Cause(err).Error()})
	}
	any := false
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".toml") {
			l.file(tier, filepath.Join(path, e.Name()))
			any = true
		}
	}
	return any
}

// file reads a file.
func (l *loader) file(tier Tier, path string) {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if l.seen[path] {
		return
	}
	l.seen[path] = true
	data, err := durable.ReadFile(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return // a link to nothing
	}
	if err != nil {
		l.problem(tier, path, problem{message: "Failed to read policy file", details: "  " + err.Error()})
		return
	}
	p := parseFile(data, tier, plainly(filepath.Base(path)))
	l.Rules = append(l.Rules, p.rules...)
	l.Checkers = append(l.Checkers, p.checkers...)
	for _, problem := range p.problems {
		l.problem(tier, path, problem)
	}
	if l.err == nil {
		l.err = p.err
	}
}

// plainly writes a file's name so that it cannot pass for more lines than it is in.
func plainly(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '?'
		}
		return r
	}, name)
}

// maxFile bounds a policy file, in bytes: ten thousand rules are far less.
const maxFile = 4 << 20
