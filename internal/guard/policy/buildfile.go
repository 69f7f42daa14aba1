package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/shellcmd"
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
	if !d.opts.BuildFiles.in(d.state.mode) || !edits(d.q.Name) {
		return false
	}
	if slices.ContainsFunc(d.q.Paths, IsBuildFile) {
		return true
	}
	for _, key := range []string{"file_path", "path", "filePath", "file"} {
		path := d.q.text(key)
		if path == "" {
			continue
		}
		path = d.abs(d.opts.Dir, path)
		if IsBuildFile(path) {
			return true
		}
	}
	return false
}

// in reports whether build files are protected in a mode.
func (b BuildFiles) in(m Mode) bool { return b == Protected || b == UnlessYolo && m != Yolo }

// ProtectsBuildFiles reports whether build files are protected as things are.
func (e *Engine) ProtectsBuildFiles() bool { return e.opts.BuildFiles.in(e.Mode()) }

// IsBuildFile reports whether a path names a file that builds run, or is a link to one.
func IsBuildFile(path string) bool {
	if isBuildFile(filepath.Base(path)) {
		return true
	}
	real, err := filepath.EvalSymlinks(path)
	return err == nil && isBuildFile(filepath.Base(real))
}

// Builds reports whether a shell command runs what build files say (spec/tools.md §7).
func Builds(command string) bool {
	script, err := shellcmd.Parse(shellcmd.StripWrapper(command))
	if err != nil {
		return true // nobody knows
	}
	return slices.ContainsFunc(script.Commands, func(c shellcmd.Command) bool {
		if c.Inner != "" {
			return Builds(c.Inner)
		}
		switch program(c) {
		case "bazel", "blaze", "build_cleaner", "make", "gmake", "cmake", "ninja", "npm", "npx", "yarn", "pnpm", "bun",
			"cargo", "go", "mvn", "mvnw", "gradle", "gradlew", "pytest", "python", "python3", "pip", "pip3", "uv", "docker", "podman":
			return true
		}
		return false
	})
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
