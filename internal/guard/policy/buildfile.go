package policy

import (
	"path/filepath"
	"slices"
	"strings"
)

// BuildFiles says when changing a build file needs a person's consent even if
// a rule allows the change (spec/safety.md §2.6.3): a build file is run, by
// the person or by their CI, long after the session.
type BuildFiles uint8

// The choices. The default asks in every mode but yolo. Yolo is asked for by
// those who want no questions, mostly scripts with nobody there to answer; in
// them the protection would not ask but fail, where it never did before. In
// autoEdit a person watches edits go by and would miss this one.
const (
	UnlessYolo BuildFiles = iota
	Protected
	Unprotected
)

// protectsBuildFile reports whether the call edits a build file and must be
// asked about.
func (d *decider) protectsBuildFile() bool {
	if d.opts.BuildFiles == Unprotected || (d.opts.BuildFiles == UnlessYolo && d.state.mode == Yolo) {
		return false
	}
	if !edits(d.q.Name) {
		return false
	}
	for _, key := range []string{"file_path", "path", "filePath", "file"} {
		path := d.q.text(key)
		if path == "" {
			continue
		}
		path = d.abs(d.opts.Dir, path)
		if isBuildFile(filepath.Base(path)) {
			return true
		}
		if real, err := filepath.EvalSymlinks(path); err == nil && isBuildFile(filepath.Base(real)) {
			return true
		}
	}
	return false
}

// edits reports whether a tool's name sounds like one that changes files.
func edits(name string) bool {
	tokens := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '-' || r == '.' || r == ':' })
	return slices.ContainsFunc(tokens, func(t string) bool {
		switch t {
		case "write", "edit", "replace", "patch", "update", "create", "append", "save":
			return true
		}
		return false
	})
}

func isBuildFile(name string) bool {
	switch name {
	case "BUILD", "BUILD.bazel", "WORKSPACE", "WORKSPACE.bazel", "MODULE.bazel", ".bazelrc", ".blazerc",
		"Makefile", "makefile", "GNUmakefile", "CMakeLists.txt",
		"package.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lockb",
		"setup.py", "setup.cfg", "pyproject.toml", "go.mod", "go.sum", "Cargo.toml", "Cargo.lock",
		"pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts",
		"Dockerfile", "Containerfile":
		return true
	}
	switch filepath.Ext(name) {
	case ".bzl", ".bazel", ".bzlmod", ".mk", ".cmake":
		return true
	}
	return strings.HasPrefix(name, "Dockerfile.") || strings.HasPrefix(name, "Containerfile.")
}
