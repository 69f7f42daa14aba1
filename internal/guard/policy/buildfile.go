package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/shellcmd"
)

// BuildFiles determines when a change of a build file needs the user's consent even if a rule
// allows it. Build files are executed, by the user or by CI, long after the session.
type BuildFiles uint8

// The choices. The default, UnlessYolo, asks in every mode except sandboxed, where commands may change build files, and yolo: users choose
// yolo to get no questions, mostly in scripts without a user, where the protection would make calls
// fail. In autoEdit the user watches many edits go by and could miss this one.
const (
	UnlessYolo BuildFiles = iota
	Protected
	Unprotected
)

// protectsBuildFile reports whether the call edits a protected build file. r is the rule that
// allows the call: one of the user's that names the file permits it, unless build files are
// always protected.
func (d *decider) protectsBuildFile(r *Rule) bool {
	if !d.opts.BuildFiles.protects(d.state.mode) || !edits(d.q.Name) ||
		r.isUsers() && r.isConditional() && d.opts.BuildFiles != Protected {
		return false
	}
	if slices.ContainsFunc(d.q.Paths, IsBuildFile) {
		return true
	}
	for _, key := range []string{"file_path", "path", "filePath", "file"} {
		if path := d.q.text(key); path != "" && IsBuildFile(d.abs(d.opts.Dir, path)) {
			return true
		}
	}
	return false
}

// protects reports whether build files are protected in a mode.
func (b BuildFiles) protects(m Mode) bool { return b == Protected || b == UnlessYolo && m < Sandboxed }

// AsksBeforeBuilds reports whether a command that may execute a changed build file needs the user's consent in the current mode.
func (e *Engine) AsksBeforeBuilds() bool { return e.opts.BuildFiles.protects(e.Mode()) }

// IsBuildFile reports whether path is a file that builds execute, or a link to one.
func IsBuildFile(path string) bool {
	if isBuildFile(filepath.Base(path)) {
		return true
	}
	real, err := filepath.EvalSymlinks(path)
	return err == nil && isBuildFile(filepath.Base(real))
}

// Builds reports whether a shell command may execute build files. It returns true for a
// command that cannot be parsed.
func Builds(command string) bool {
	script, err := shellcmd.Parse(shellcmd.StripWrapper(command))
	if err != nil {
		return true // unknown
	}
	return slices.ContainsFunc(script.Commands, func(c shellcmd.Command) bool {
		if c.Inner != "" {
			return Builds(c.Inner)
		}
		switch program(c) {
		case "bazel", "blaze", "build_cleaner", "make", "gmake", "cmake", "ninja", "npm", "npx", "yarn", "pnpm", "bun",
			"cargo", "go", "mvn", "mvnw", "gradle", "gradlew", "pytest", "python", "python3", "pip", "pip3", "uv", "docker", "podman", "just", "task", "rake", "tox", "nox":
			return true
		}
		return false
	})
}

// edits reports whether a tool's name suggests that it changes files.
func edits(name string) bool {
	verbs := []string{"write", "edit", "replace", "patch", "update", "create", "append", "save"}
	tokens := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("_-.:", r) })
	return slices.ContainsFunc(tokens, func(t string) bool { return slices.Contains(verbs, t) })
}

// isBuildFile reports whether a name is that of a build file, in any case: some file systems take one for the other. A file "build" or "workspace"
// is mostly something else.
func isBuildFile(name string) bool {
	if name == "BUILD" || name == "WORKSPACE" {
		return true
	}
	name = strings.ToLower(name)
	switch name {
	case "build.bazel", "workspace.bazel", "module.bazel", ".bazelrc", ".blazerc",
		"makefile", "gnumakefile", "cmakelists.txt",
		"package.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lockb",
		"setup.py", "setup.cfg", "pyproject.toml", "go.mod", "go.sum", "cargo.toml", "cargo.lock",
		"pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts",
		"dockerfile", "containerfile", "justfile", ".justfile", "rakefile", "tox.ini", "noxfile.py":
		return true
	}
	switch filepath.Ext(name) {
	case ".bzl", ".bazel", ".bzlmod", ".mk", ".cmake":
		return true
	}
	if ok, _ := filepath.Match("taskfile*.y*ml", name); ok {
		return true
	}
	return strings.HasPrefix(name, "dockerfile.") || strings.HasPrefix(name, "containerfile.")
}
