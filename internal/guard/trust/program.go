package trust

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/shellcmd"
)

// Program is a program as settings name it.
type Program struct {
	// Lines are command lines for a shell, and Words arguments that no shell reads.
	Lines, Words []string
	Dir          string // working directory; "" is the folder
	// Env are variables, as name=value.
	Env []string
}

// programOf returns the program that a value of a setting names, nil for none.
func programOf(how config.Start, value any) *Program {
	if how == config.Nothing {
		return nil
	}
	p := &Program{}
	object, _ := value.(map[string]any)
	field := func(name string) string { text, _ := object[name].(string); return text }
	switch how {
	case config.Command:
		line, _ := value.(string)
		p.Lines = []string{line}
	case config.HookLine:
		if field("dialect") == "antigravity" { // it has an effect in no other dialect
			p.Dir = field("cwd")
		}
		if args, ok := object["args"].([]any); ok { // no shell reads them
			p.Words = wordsOf(field("command"), args)
			break
		}
		p.Lines = []string{field("command")}
	case config.Server:
		args, _ := object["args"].([]any)
		p.Words, p.Dir = wordsOf(field("command"), args), field("cwd")
	}
	env, _ := object["env"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if value, ok := env[name].(string); ok {
			p.Env = append(p.Env, name+"="+value)
		}
	}
	if len(p.Words) == 1 && p.Words[0] == "" { // a server that is not a program
		return nil
	}
	return p
}

// wordsOf returns a command and its arguments.
func wordsOf(command string, args []any) []string {
	words := []string{command}
	for _, arg := range args {
		word, _ := arg.(string)
		words = append(words, word)
	}
	return words
}

// sequences returns arguments that may name files of the folder dir, in the order of the command line and in
// any way that programs read arguments: whole words, and their parts between quotes, "=", ":" and other
// marks. Files that the program does not read may be among them; then only a needless question follows.
func (p *Program) sequences(dir string) (list [][]string) {
	lines := slices.Clone(p.Lines)
	for i := 0; i < len(lines) && i < maxLines; i++ {
		line := relative(lines[i], dir)
		if script, err := shellcmd.Parse(line); err == nil {
			for _, c := range script.Commands {
				if c.Inner != "" {
					lines = append(lines, c.Inner)
				}
				var words []string
				for _, w := range c.Words {
					if w.Static {
						words = append(words, w.Value)
					}
				}
				list = append(list, words)
			}
		}
		list = append(list, tokens(line))
	}
	var words []string
	for _, word := range p.Words {
		word = relative(word, dir)
		words = append(words, word)
		list = append(list, tokens(word))
	}
	list = append(list, words)
	for _, variable := range p.Env {
		name, value, _ := strings.Cut(relative(variable, dir), "=")
		values := append([]string{value}, tokens(value)...)
		if config.IsDangerousVariable(name) {
			for _, v := range values {
				list = append(list, []string{"source", v})
			}
			continue
		}
		list = append(list, values)
	}
	return list
}

// tokens returns the parts of a text that may be names, except files that a shell writes.
func tokens(text string) (list []string) {
	const marks = " \t\r\n\v\f\"'`\\=:;,|&<(){}[]$*?!#@"
	for {
		before, _, isWritten := strings.Cut(text, ">")
		list = append(list, strings.FieldsFunc(before, func(r rune) bool { return strings.ContainsRune(marks, r) })...)
		if !isWritten {
			return list
		}
		text = strings.TrimLeft(text[len(before):], ">&| \t\"'")
		end := strings.IndexAny(text, " \t\r\n;|&<>()\"'")
		if end < 0 {
			return list
		}
		text = text[end:]
	}
}

// relative replaces the path of the folder, and the variables that have it, by ".".
func relative(text, dir string) string {
	if strings.ContainsRune(text, '$') {
		for _, name := range [...]string{"GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "QWEN_PROJECT_DIR", "GEMINI_CWD", "PWD"} {
			text = strings.ReplaceAll(strings.ReplaceAll(text, "${"+name+"}", "."), "$"+name, ".")
		}
	}
	return strings.ReplaceAll(text, dir, ".")
}

// maxLines limits the command lines inside of command lines.
const maxLines = 20

// computes reports whether the program's command line computes words, so that the files that it names are not
// known.
func (p *Program) computes(dir string) bool {
	lines := slices.Clone(p.Lines)
	for i := 0; i+1 < len(p.Words); i++ {
		name, flag := strings.TrimSuffix(path.Base(p.Words[i]), ".exe"), p.Words[i+1]
		if slices.Contains(shells, name) && strings.HasPrefix(flag, "-") && strings.Contains(flag, "c") && i+2 < len(p.Words) {
			lines = append(lines, p.Words[i+2])
		}
	}
	for i := 0; i < len(lines) && i < maxLines; i++ {
		script, err := shellcmd.Parse(relative(lines[i], dir))
		if err != nil || len(script.Substitutions) > 0 || script.Evaluates != "" {
			return true
		}
		for _, c := range script.Commands {
			if slices.ContainsFunc(c.Words, func(w shellcmd.Word) bool { return !w.Static }) {
				return true
			}
			if c.Inner != "" {
				lines = append(lines, c.Inner)
			}
		}
	}
	return false
}

var shells = []string{"sh", "bash", "zsh", "dash", "ksh", "fish"}

// isInterpreter reports whether a program runs the file that its first argument names.
func isInterpreter(name string) bool {
	name = strings.TrimSuffix(path.Base(filepath.ToSlash(name)), ".exe")
	switch name {
	case "source", "exec", "busybox", "perl", "lua", "awk", "gawk", "mawk", "Rscript", "java", "osascript", "tclsh", "expect", "julia", "dotnet", "pwsh", "powershell":
		return true
	}
	_, isRunner := runnerOf(name)
	return isRunner || slices.Contains(shells, name)
}

// isData reports whether a file is no program by its name: programs that are not named like one are executable,
// or an argument of an interpreter.
func isData(name string) bool {
	switch strings.ToLower(path.Ext(filepath.ToSlash(name))) {
	case "", ".log", ".txt", ".md", ".jsonl", ".csv", ".tsv", ".out", ".err", ".pid", ".lock", ".tmp", ".db", ".sqlite", ".png", ".jpg", ".gif", ".pdf", ".html", ".xml", ".diff", ".patch":
		return true
	}
	return false
}

// runner is a program that reads files which its arguments do not name.
type runner struct {
	files []string // in the working directory, and in directories among the arguments
	// endings are those that arguments may lack.
	endings []string
}

var (
	node   = runner{[]string{"package.json", "deno.json", "deno.jsonc", "index.js", "index.mjs", "index.cjs", "index.ts"}, []string{".js", ".mjs", ".cjs", ".ts"}}
	python = runner{[]string{"__main__.py", "__init__.py", "pyproject.toml"}, []string{".py"}}
	docker = runner{[]string{"Dockerfile", "Containerfile", "docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml", "docker-compose.override.yml", "compose.override.yaml"}, nil}
	gradle = runner{[]string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradle/wrapper/gradle-wrapper.properties"}, nil}
	maven  = runner{[]string{"pom.xml", ".mvn/maven.config", ".mvn/jvm.config", ".mvn/extensions.xml"}, nil}
)

// runnerOf returns the runner with the name of a program.
func runnerOf(name string) (r runner, ok bool) {
	switch name = strings.TrimSuffix(path.Base(filepath.ToSlash(name)), ".exe"); name {
	case "node", "nodejs", "npm", "npx", "pnpm", "pnpx", "yarn", "bun", "bunx", "deno", "tsx", "ts-node", "electron":
		return node, true
	case "uv", "uvx", "poetry", "pdm", "hatch", "pipenv", "tox", "nox", "pypy", "pypy3":
		return runner{append(slices.Clone(python.files), "tox.ini", "noxfile.py", "Pipfile"), python.endings}, true
	case "make", "gmake":
		return runner{[]string{"GNUmakefile", "makefile", "Makefile"}, nil}, true
	case "just":
		return runner{[]string{"justfile", "Justfile", ".justfile"}, nil}, true
	case "task":
		return runner{[]string{"Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml"}, nil}, true
	case "rake", "bundle", "ruby":
		return runner{[]string{"Rakefile", "rakefile", "Gemfile"}, []string{".rb"}}, true
	case "cargo":
		return runner{[]string{"Cargo.toml", "build.rs", "src/main.rs", ".cargo/config.toml"}, nil}, true
	case "go":
		return runner{[]string{"go.mod", "*.go"}, []string{".go"}}, true
	case "docker", "podman", "docker-compose":
		return docker, true
	case "gradle", "gradlew":
		return gradle, true
	case "mvn", "mvnw":
		return maven, true
	case "ant":
		return runner{[]string{"build.xml"}, nil}, true
	case "composer", "php":
		return runner{[]string{"composer.json"}, []string{".php"}}, true
	case "mix":
		return runner{[]string{"mix.exs"}, nil}, true
	case "nix", "nix-shell":
		return runner{[]string{"flake.nix", "shell.nix", "default.nix"}, nil}, true
	case "direnv":
		return runner{[]string{".envrc"}, nil}, true
	}
	if strings.HasPrefix(name, "python") {
		return python, true
	}
	return runner{}, false
}

// modules returns the files in which Python looks for a module.
func modules(name string) []string {
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") != "" {
		return nil
	}
	below := strings.ReplaceAll(name, ".", "/")
	files := []string{below + ".py", below + "/__main__.py"}
	for at := below; at != "." && at != "/"; at = path.Dir(at) {
		files = append(files, at+"/__init__.py")
	}
	return files
}
