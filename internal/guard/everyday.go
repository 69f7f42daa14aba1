package guard

import (
	"slices"
	"strings"

	"pollux/internal/shellcmd"
)

// isEveryday reports whether a command only reads, builds and tests, as instructions of every
// project tell to. Each of its commands must be one of everyday, with plain words and well-known
// flags.
func isEveryday(command string) bool {
	script, err := shellcmd.Parse(command)
	if err != nil || script.Substitutes || script.Evaluates != "" || len(script.Redirections) > 0 || len(script.Commands) == 0 {
		return false
	}
	return !slices.ContainsFunc(script.Commands, func(c shellcmd.Command) bool { return !isEverydayCommand(c) })
}

func isEverydayCommand(c shellcmd.Command) bool {
	if c.Assigns || c.Inner != "" || len(c.Words) == 0 {
		return false
	}
	words := make([]string, len(c.Words))
	for i, w := range c.Words {
		if words[i] = w.Value; !w.Static {
			return false
		}
	}
	if slices.Contains(installs[:], strings.Join(words, " ")) {
		return true
	}
	first, isKnown := everyday[words[0]]
	return isKnown && !slices.ContainsFunc(words[1:], func(w string) bool { return !isPlain(w) }) && (first == nil || len(words) > 1 && slices.Contains(first, words[1]) && (words[1] != "install" || len(words) == 2))
}

// everyday are programs, and the first arguments with which they read, build and test; nil if
// the first argument does not matter. "install" has no arguments.
var everyday = map[string][]string{
	"cat": nil, "cd": nil, "echo": nil, "grep": nil, "head": nil, "ls": nil, "pwd": nil, "tail": nil, "wc": nil, "which": nil,
	"git": {"add", "branch", "diff", "log", "show", "status"},

	"bazel": {"build", "test"}, "bun": {"install", "run", "test"}, "cargo": {"bench", "build", "check", "clippy", "doc", "fmt", "run", "test"},
	"cmake": {"--build"}, "dotnet": {"build", "restore", "run", "test"}, "go": {"build", "fmt", "generate", "mod", "run", "test", "vet"},
	"gradle": nil, "./gradlew": nil, "make": nil, "mvn": nil, "./mvnw": nil, "just": nil, "ninja": nil, "rake": nil, "task": nil, "tox": nil, "nox": nil,
	"npm": {"ci", "install", "run", "start", "test"}, "pnpm": {"build", "install", "lint", "run", "start", "test"}, "yarn": {"build", "install", "lint", "run", "start", "test"},
	"swift": {"build", "test"}, "pytest": nil, "jest": nil, "vitest": nil, "tsc": nil, "eslint": nil, "prettier": nil,
	"black": nil, "gofmt": nil, "gofumpt": nil, "golangci-lint": nil, "mypy": nil, "ruff": nil, "staticcheck": nil,
}

// installs are commands that install what the project names, nothing else.
var installs = [...]string{
	"pip install -r requirements.txt", "pip3 install -r requirements.txt", "pip install .", "pip install -e .", "uv sync", "poetry install",
	"bundle install", "composer install", "python -m pytest", "python3 -m pytest", "python -m unittest", "python3 -m unittest",
}

// isPlain reports whether an argument is a word, a path in the project, or a flag of which no
// program of everyday takes the name of a file, a program or a script.
func isPlain(arg string) bool {
	flag, isFlag := strings.CutPrefix(arg, "-")
	if !isFlag {
		return !strings.ContainsAny(arg, "=@~:") && !strings.HasPrefix(arg, "/") && !slices.Contains(strings.Split(arg, "/"), "..")
	}
	flag, value, _ := strings.Cut(strings.TrimPrefix(flag, "-"), "=")
	return (slices.Contains(longFlags[:], flag) || len(flag) < 4 && strings.Trim(flag, "Aahijklnqrstuvwx0123456789") == "") && strings.Trim(value, "0123456789") == ""
}

var longFlags = [...]string{
	"", "all", "all-features", "all-targets", "build", "cached", "check", "count", "cover", "coverage", "fix", "frozen-lockfile", "lib", "oneline",
	"quiet", "race", "release", "run", "short", "silent", "staged", "stat", "test", "tests", "verbose", "watch", "workspace",
}
