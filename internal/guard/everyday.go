package guard

import (
	"slices"
	"strings"

	"pollux/internal/shellcmd"
)

// isEveryday reports whether a command only reads, builds and tests, as the instructions of
// most projects require: with plain words and well-known flags.
func isEveryday(command string) bool {
	script, err := shellcmd.Parse(command)
	if err != nil || len(script.Substitutions) > 0 || script.Evaluates != "" || len(script.Redirections) > 0 || len(script.Commands) == 0 {
		return false
	}
	return !slices.ContainsFunc(script.Commands, func(c shellcmd.Command) bool { return !isEverydayCommand(c) })
}

func isEverydayCommand(c shellcmd.Command) bool {
	if c.Assigns || c.Inner != "" || len(c.Words) == 0 {
		return false
	}
	if slices.ContainsFunc(c.Words, func(w shellcmd.Word) bool { return !w.Static }) {
		return false
	}
	words := c.Args()
	if slices.Contains(installs[:], strings.Join(words, " ")) {
		return true
	}
	if slices.ContainsFunc(words[1:], func(w string) bool { return !isPlain(w) }) {
		return false
	}
	first, isKnown := firstArguments(words[0])
	return isKnown && (first == nil || len(words) > 1 && slices.Contains(first, words[1]) && (words[1] != "install" || len(words) == 2))
}

// firstArguments returns the first arguments with which a program reads, builds and tests, nil if
// the first argument does not matter, and false for a program that may do anything else. "install"
// has no arguments.
func firstArguments(program string) ([]string, bool) {
	switch program {
	case "cat", "cd", "echo", "grep", "head", "ls", "pwd", "tail", "wc", "which",
		"gradle", "./gradlew", "make", "mvn", "./mvnw", "just", "ninja", "rake", "task", "tox", "nox",
		"pytest", "jest", "vitest", "tsc", "eslint", "prettier", "black", "gofmt", "gofumpt", "golangci-lint", "mypy", "ruff", "staticcheck":
		return nil, true
	case "git":
		return []string{"add", "branch", "diff", "log", "show", "status"}, true
	case "bazel", "swift":
		return []string{"build", "test"}, true
	case "cargo":
		return []string{"bench", "build", "check", "clippy", "doc", "fmt", "run", "test"}, true
	case "cmake":
		return []string{"--build"}, true
	case "dotnet":
		return []string{"build", "restore", "run", "test"}, true
	case "go":
		return []string{"build", "fmt", "generate", "mod", "run", "test", "vet"}, true
	case "bun", "npm", "pnpm", "yarn":
		return []string{"build", "ci", "install", "lint", "run", "start", "test"}, true
	}
	return nil, false
}

// installs are commands that install only packages that the project names.
var installs = [...]string{
	"pip install -r requirements.txt", "pip3 install -r requirements.txt", "pip install .", "pip install -e .", "uv sync", "poetry install",
	"bundle install", "composer install", "python -m pytest", "python3 -m pytest", "python -m unittest", "python3 -m unittest",
}

// isPlain reports whether an argument is a word, a path in the project, or a flag of which no
// such program takes the name of a file, a program or a script.
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
