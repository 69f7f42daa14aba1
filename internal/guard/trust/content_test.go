package trust_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/config"
	"pollux/internal/guard/trust"
)

// look returns the first power of settings, as it is now.
func look(t *testing.T, dir, settings string) trust.Sight {
	t.Helper()
	var found []trust.Power
	trust.Powers(nil, parse(t, strings.ReplaceAll(settings, "{{DIR}}", dir)), func(p trust.Power) bool {
		found = append(found, p)
		return true
	})
	if len(found) == 0 {
		t.Fatalf("no power in %s", settings)
	}
	return found[0].Look(dir)
}

func hookOf(line string) string {
	return `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": ` + quote(line) + `}]}]}}`
}

func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}

// Consent ends when a file of the folder changes that a command names, in any way that names it.
func TestContent(t *testing.T) {
	t.Parallel()
	of := func(rest string) string {
		return `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", ` + rest + `}]}]}}`
	}
	server := func(rest string) string { return `{"mcpServers": {"x": {` + rest + `}}}` }
	for _, tt := range []struct {
		settings string
		file     string // which changes
	}{
		{hookOf("sh guard.sh"), "guard.sh"},
		{hookOf("./guard.sh"), "guard.sh"},
		{hookOf("{{DIR}}/guard.sh"), "guard.sh"},
		{hookOf("sh ./scripts/../guard.sh"), "guard.sh"},
		{hookOf("sh $GEMINI_PROJECT_DIR/guard.sh"), "guard.sh"},
		{hookOf(`sh "${GEMINI_PROJECT_DIR}/guard.sh"`), "guard.sh"},
		{hookOf(`"$CLAUDE_PROJECT_DIR"/scripts/lint.py`), "scripts/lint.py"},
		{hookOf(`"$QWEN_PROJECT_DIR"/scripts/lint.py`), "scripts/lint.py"},
		{hookOf("bash -c 'sh guard.sh'"), "guard.sh"},
		{hookOf(`bash -c "cd . && sh guard.sh"`), "guard.sh"},
		{hookOf("cat <guard.sh | sh"), "guard.sh"},
		{hookOf("sh <<END\nsh guard.sh\nEND"), "guard.sh"},
		{hookOf("A=1 env B=2 timeout 5 sh guard.sh --x"), "guard.sh"},
		{hookOf("BASH_ENV=./guard.sh true"), "guard.sh"},
		{hookOf(`sh "my script.sh"`), "my script.sh"},
		{hookOf(`sh my\ script.sh`), "my script.sh"},
		{hookOf("python3 scripts/lint.py"), "scripts/lint.py"},
		{hookOf("python3 -m pkg"), "pkg/__main__.py"},
		{hookOf("python3 -m pkg"), "pkg/__init__.py"},
		{hookOf("python -m pkg.sub"), "pkg/sub.py"},
		{hookOf("python3.12 -mpkg.sub"), "pkg/sub.py"},
		{hookOf("uv run python -m pkg"), "pkg/__main__.py"},
		{hookOf("node ./x"), "x.js"},
		{hookOf("node ./dist"), "dist/index.js"},
		{hookOf("node --require=./x.js ./dist/index.js"), "x.js"},
		{hookOf("node --require ./x.js"), "x.js"},
		{hookOf("npm run lint"), "package.json"},
		{hookOf("npm test"), "package.json"},
		{hookOf("yarn lint && true"), "package.json"},
		{hookOf("npx eslint ."), "node_modules/.bin/eslint"},
		{hookOf("make lint"), "Makefile"},
		{hookOf("/usr/bin/make -s lint"), "Makefile"},
		{hookOf("make -f guard.sh"), "guard.sh"},
		{hookOf("make -C dist"), "dist/Makefile"},
		{hookOf("go run ./cmd/guard"), "cmd/guard/main.go"},
		{hookOf("go run ./cmd/guard"), "cmd/guard/more.go"},
		{hookOf("cargo run -q"), "src/main.rs"},
		{hookOf("sh guard.log"), "guard.log"},
		{hookOf("timeout 5 sh -e guard.log"), "guard.log"},
		{hookOf("bash -c '. ./rules && x'"), "rules"},
		{hookOf("source rules"), "rules"},
		{hookOf("bash -o pipefail guard.log"), "guard.log"},
		{hookOf("deno run guard.log"), "guard.log"},
		{hookOf("true; . ./guard.log"), "guard.log"},
		{hookOf("env X=1 nice -n 5 bash rules"), "rules"},
		{hookOf("make -f rules"), "rules"},
		{hookOf("awk -f rules"), "rules"},
		{hookOf("x --config guard.log"), "guard.log"},
		{hookOf("perl rules x"), "rules"},
		{server(`"command": "sh", "args": ["rules"]`), "rules"},
		{server(`"command": "x", "env": {"BASH_ENV": "guard.log"}`), "guard.log"},
		{hookOf("docker compose run x"), "compose.yaml"},
		{hookOf("just lint"), "justfile"},
		{hookOf("./odd-interpreter"), "tools/interp"},
		{hookOf("scripts/relative"), "scripts/interp"},
		{hookOf("./link.sh"), "guard.sh"},
		{hookOf("gcc -I./dist -include dist/index.js x.c"), "dist/index.js"},
		{`{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "check", "env": {"NODE_OPTIONS": "--require=./x.js"}}]}]}}`, "x.js"},
		{`{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "sh", "args": ["-u", "guard.sh"]}]}]}}`, "guard.sh"},
		{`{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "sh guard.sh", "name": "n", "timeout": 5}]}]}}`, "guard.sh"},
		{server(`"command": "./guard.sh"`), "guard.sh"},
		{server(`"command": "sh", "args": ["guard.sh"]`), "guard.sh"},
		{server(`"command": "sh", "args": ["-c", "exec sh guard.sh"]`), "guard.sh"},
		{server(`"command": "node", "args": ["dist"]`), "dist/index.js"},
		{server(`"command": "node", "args": ["index.js"], "cwd": "dist"`), "dist/index.js"},
		{server(`"command": "node", "args": ["index.js"], "cwd": "{{DIR}}/dist"`), "dist/index.js"},
		{server(`"command": "sh", "args": ["{{DIR}}/guard.sh"], "cwd": "dist"`), "guard.sh"},
		{server(`"command": "sh", "args": ["../guard.sh"], "cwd": "dist"`), "guard.sh"},
		{server(`"command": "node", "args": ["{{DIR}}/x.js"], "cwd": "scripts"`), "x.js"}, // scripts has one, too
		{server(`"command": "{{DIR}}/guard.sh", "cwd": "{{DIR}}/dist"`), "guard.sh"},
		{of(`"command": "sh lint.py", "cwd": "scripts", "dialect": "antigravity"`), "scripts/lint.py"},
		{of(`"command": "sh ../guard.sh", "cwd": "scripts", "dialect": "antigravity"`), "guard.sh"},
		{of(`"command": "sh $GEMINI_PROJECT_DIR/guard.sh", "cwd": "scripts", "dialect": "antigravity"`), "guard.sh"},
		{of(`"command": "sh guard.sh", "cwd": "scripts"`), "guard.sh"},
		{server(`"command": "python", "args": ["-m", "pkg"]`), "pkg/__main__.py"},
		{server(`"command": "npx", "args": ["-y", "eslint"]`), "node_modules/.bin/eslint"},
		{server(`"command": "x", "env": {"LD_PRELOAD": "./guard.sh"}`), "guard.sh"},
		{server(`"command": "x", "env": {"CONFIG": "a:{{DIR}}/guard.sh:b"}`), "guard.sh"},
		{server(`"command": "x", "args": ["--config=./guard.sh"]`), "guard.sh"},
		{`{"agents": {"overrides": {"a": {"mcpServers": {"x": {"command": "sh", "args": ["guard.sh"]}}}}}}`, "guard.sh"},
		{`{"tools": {"discoveryCommand": "sh guard.sh list"}}`, "guard.sh"},
		{`{"tools": {"callCommand": "./guard.sh"}}`, "guard.sh"},
		{`{"mcp": {"serverCommand": "sh guard.sh"}}`, "guard.sh"},
	} {
		t.Run(tt.settings+" "+tt.file, func(t *testing.T) {
			t.Parallel()
			dir, record := project(t), filepath.Join(t.TempDir(), "p", "folders.json")
			before := look(t, dir, tt.settings)
			if err := trust.Remember(record, dir, []trust.Sight{before}); err != nil {
				t.Fatal(err)
			}
			r := trust.ReadRecord(record)
			write(t, filepath.Join(dir, "README.md"), "This is something else.")
			if s := look(t, dir, tt.settings); !r.Has(dir, s) || r.Describe(dir, s) != s.Text+doubt(s) {
				t.Errorf("it is not known: %s", r.Describe(dir, s))
			}
			write(t, filepath.Join(dir, tt.file), "something else")
			s := look(t, dir, tt.settings)
			if r.Has(dir, s) {
				t.Error("the change is not noticed")
			}
			if !strings.Contains(r.Describe(dir, s), filepath.Base(tt.file)+" has changed") && tt.file != "guard.sh" {
				t.Errorf("the file is not named: %s", r.Describe(dir, s))
			}
			if err := trust.Remember(record, dir, []trust.Sight{s}); err != nil {
				t.Fatal(err)
			}
			if r := trust.ReadRecord(record); !r.Has(dir, s) || !r.Has(dir, before) {
				t.Error("one of both contents is forgotten")
			}
			if err := os.Remove(filepath.Join(dir, tt.file)); err != nil {
				t.Fatal(err)
			}
			if r.Has(dir, look(t, dir, tt.settings)) {
				t.Error("it is not noticed that the file is gone")
			}
		})
	}
}

func doubt(s trust.Sight) string {
	if s.Doubt == "" {
		return ""
	}
	return " (" + s.Doubt + ")"
}

// project is a folder with files that commands name.
func project(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"guard.sh", "my script.sh", "scripts/lint.py", "pkg/__main__.py", "pkg/__init__.py", "pkg/sub.py", "x.js", "dist/index.js", "dist/Makefile",
		"package.json", "node_modules/.bin/eslint", "Makefile", "cmd/guard/main.go", "cmd/guard/more.go", "Cargo.toml", "src/main.rs",
		"compose.yaml", "justfile", "tools/interp", "scripts/interp", "scripts/x.js", "guard.log", "rules",
	} {
		write(t, filepath.Join(dir, name), "content of "+name)
		if err := os.Chmod(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "odd-interpreter"), "#!tools/interp -x\n")
	write(t, filepath.Join(dir, "scripts/relative"), "#!/usr/bin/env -S ./interp --flag\n")
	if err := os.Symlink("guard.sh", filepath.Join(dir, "link.sh")); err != nil {
		t.Skip("no links here")
	}
	return dir
}

// A file that appears later is a change, too.
func TestContentAppears(t *testing.T) {
	t.Parallel()
	for line, file := range map[string]string{"sh later.sh": "later.sh", "make x": "GNUmakefile", "python3 -m later": "later.py", "npm run x": "deno.json"} {
		dir, record := project(t), filepath.Join(t.TempDir(), "p", "folders.json")
		if err := trust.Remember(record, dir, []trust.Sight{look(t, dir, hookOf(line))}); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, file), "x")
		if trust.ReadRecord(record).Has(dir, look(t, dir, hookOf(line))) {
			t.Errorf("%s: %s is not noticed", line, file)
		}
	}
}

// A folder whose name looks like a pattern is one like others.
func TestContentBrackets(t *testing.T) {
	t.Parallel()
	dir, record := filepath.Join(t.TempDir(), "[x]"), filepath.Join(t.TempDir(), "p", "folders.json")
	write(t, filepath.Join(dir, "main.go"), "x")
	if err := trust.Remember(record, dir, []trust.Sight{look(t, dir, hookOf("go run ."))}); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "main.go"), "y")
	if trust.ReadRecord(record).Has(dir, look(t, dir, hookOf("go run ."))) {
		t.Error("a change of main.go is not noticed")
	}
}

// Files outside of the folder are not the folder's, except behind its links.
func TestContentOutside(t *testing.T) {
	t.Parallel()
	dir, outside := project(t), t.TempDir()
	write(t, filepath.Join(outside, "tool"), "1")
	if err := os.Symlink(outside, filepath.Join(dir, "lib")); err != nil {
		t.Skip("no links here")
	}
	for line, isNoticed := range map[string]bool{"sh " + outside + "/tool": false, "sh lib/tool": true, "sh " + dir + "/lib/tool": true} {
		record := filepath.Join(t.TempDir(), "p", "folders.json")
		write(t, filepath.Join(outside, "tool"), "1")
		if err := trust.Remember(record, dir, []trust.Sight{look(t, dir, hookOf(line))}); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(outside, "tool"), "2")
		if trust.ReadRecord(record).Has(dir, look(t, dir, hookOf(line))) == isNoticed {
			t.Errorf("%s: noticed: %v", line, !isNoticed)
		}
	}
}

// Files that cannot be followed are reported; unreadable ones count as new each time.
func TestContentDoubts(t *testing.T) {
	t.Parallel()
	dir := project(t)
	many := ""
	for i := range 100 {
		name := strings.Repeat("f", i+1)
		write(t, filepath.Join(dir, "many", name), "x")
		many += " many/" + name
	}
	if err := os.Truncate(filepath.Join(dir, "dist/index.js"), 33<<20); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"sh guard.sh":                         "",
		"lint":                                "",
		"sh $GEMINI_PROJECT_DIR/guard.sh":     "",
		"sh $(cat name)":                      "it computes names, so changes of its files are not noticed",
		"sh $SCRIPT":                          "it computes names, so changes of its files are not noticed",
		"sh *.sh":                             "it computes names, so changes of its files are not noticed",
		"eval \"sh gu\"ard.sh":                "it computes names, so changes of its files are not noticed",
		"bash -c 'x=guard; sh $x.sh'":         "it computes names, so changes of its files are not noticed",
		"sh 'unclosed":                        "it computes names, so changes of its files are not noticed",
		"node dist/index.js":                  "dist/index.js is too large to check, so Pollux asks each time",
		"sh -x" + many:                        "it names too many files, so Pollux asks each time",
		"true " + strings.Repeat("a/b ", 1e4): "",
	} {
		s := look(t, dir, hookOf(line))
		if s.Doubt != want {
			t.Errorf("%.60s: %q, want %q", line, s.Doubt, want)
		}
		record := filepath.Join(t.TempDir(), "p", "folders.json")
		if err := trust.Remember(record, dir, []trust.Sight{s}); err != nil {
			t.Fatal(err)
		}
		if known := trust.ReadRecord(record).Has(dir, s); known == strings.HasSuffix(want, "each time") {
			t.Errorf("%.60s: known %v", line, known)
		}
	}
	s := trust.Power{Text: "x", Class: config.Acts, Runs: &trust.Program{Words: []string{"bash", "-c", "sh $x"}}}.Look(dir)
	if s.Doubt == "" {
		t.Error("a server that computes names")
	}
}

func FuzzLook(f *testing.F) {
	for _, line := range []string{"sh guard.sh", "bash -c 'a $b'", "#!\x00", "python -m a..b", "-m", "-", "make -C /", strings.Repeat("../", 100)} {
		f.Add(line)
	}
	dir, err := filepath.EvalSymlinks(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "guard.sh"), []byte("#!./guard.sh guard.sh\n"), 0o600); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, line string) {
		p := trust.Power{Text: line, Class: config.Acts, Runs: &trust.Program{Lines: []string{line}, Words: []string{line}, Env: []string{line}, Dir: line}}
		if a, b := p.Look(dir), p.Look(dir); a.Doubt != b.Doubt {
			t.Errorf("%q: %q and %q", line, a.Doubt, b.Doubt)
		}
	})
}

// Data that a command reads or writes is none of its code.
func TestContentData(t *testing.T) {
	t.Parallel()
	for line, file := range map[string]string{
		"sh guard.sh listed":       "listed",
		"cat >>events.sh":          "events.sh",
		"cat >| 'events.sh'":       "events.sh",
		"x 2>errors.py":            "errors.py",
		"tee -a x hooks.log":       "hooks.log",
		"jq . <data.jsonl":         "data.jsonl",
		"sh guard.sh notes.md":     "notes.md",
		"python3 x.py results.csv": "results.csv",
	} {
		dir, record := project(t), filepath.Join(t.TempDir(), "p", "folders.json")
		if err := trust.Remember(record, dir, []trust.Sight{look(t, dir, hookOf(line))}); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"one", "two"} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if r, s := trust.ReadRecord(record), look(t, dir, hookOf(line)); !r.Has(dir, s) {
				t.Errorf("%s: %s", line, r.Describe(dir, s))
			}
		}
	}
}
