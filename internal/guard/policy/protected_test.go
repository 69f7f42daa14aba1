package policy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/guard/trust"
	"pollux/internal/workspace"
	"pollux/tool"
)

// auto_edit asks before it writes a file that runs or decides later, under each of its names.
func TestProtectedFiles(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	root := filepath.Join(top, "work")
	write(t, root, ".github/workflows/ci.yml", "x")
	write(t, root, "src/main.go", "x")
	for link, target := range map[string]string{"ci": ".github/workflows", "new": ".vscode/tasks.json", "plain": "src"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Skip("this system has no symbolic links")
		}
	}
	ws, _ := workspace.New(workspace.Options{Root: root})
	with := func(rules []Rule, mode Mode, interactive bool) *Engine {
		return engine(t, Options{Rules: rules, Mode: mode, Interactive: interactive, Trust: trust.NewLive(trust.Trusted), Dir: ws.Root(), Inside: ws.Contains, Resolve: ws.Resolve})
	}
	attended, headless := with(nil, AutoEdit, true), with(nil, AutoEdit, false)
	own := []Rule{{Tools: []string{"write_file"}, Decision: Allow, Priority: 4.1}}
	for _, path := range []string{
		".gemini/settings.json", ".gemini/policies/a.toml", ".gemini/commands/x.toml", "sub/.gemini/.env2", ".GEMINI/settings.json",
		".gemini/agents/plans.md", ".gemini/skills/GEMINI.md/x",
		".gitattributes", ".gitmodules", ".github/workflows/x.yml", ".github/actions/a/action.yml", ".gitlab-ci.yml", "sub/.gitignore",
		".husky/pre-commit", ".vscode/settings.json", ".idea/workspace.xml", ".devcontainer/devcontainer.json", ".devcontainer.json",
		".envrc", ".env.local", ".envs/prod", ".npmrc", ".yarnrc", ".yarnrc.yml", ".cargo/config", ".cargo/config.toml",
		".pre-commit-config.yaml", ".mcp.json", ".circleci/config.yml", "Jenkinsfile",
		".bashrc", ".zshenv", ".profile", ".config/fish/config.fish", ".vimrc", ".exrc", ".emacs", ".dir-locals.el", ".gdbinit",
		"lefthook.yml", ".lefthook/pre-commit/x.sh", ".lintstagedrc.js", "lint-staged.config.mjs", ".overcommit.yml", ".pre-commit-hooks.yaml",
		".woodpecker.yml", ".woodpecker/test.yaml", ".drone.star", "Jenkinsfile.release", "appveyor.yml", "azure-pipelines-pr.yml", ".hg/hgrc",
		".pnpmfile.cjs", ".yarn/releases/yarn.cjs", "binding.gyp", "build.rs", "gradle/wrapper/gradle-wrapper.properties", ".mvn/extensions.xml",
		"sitecustomize.py", "lib/usercustomize.py", "src/x.pth", ".pdbrc", ".ghci", ".psqlrc", "mise.toml", "mise.local.toml", ".tool-versions",
		".nvim.lua", ".ideavimrc", "x.code-workspace", ".bsp/sbt.json", ".luarc.json", ".tmux.conf", ".ssh/config", ".config/mise/config.toml", ".actrc",
		"Justfile", "justfile", "Taskfile.yml", "Taskfile.dist.yaml", "Rakefile", "tox.ini", "noxfile.py", "Makefile", "sub/package.json", "MAKEFILE", "Package.JSON", "dockerfile.dev", "rules.MK",
		".agents/hooks.json", ".agents/skills/x/SKILL.md", "_agent/x", ".qwen/settings.json", "crush.json", ".crush.json", ".crush/x", ".amp/settings.json",
		".claude/settings.json", ".claude-plugin/plugin.json", ".antigravity-plugin/plugin.json", ".gemini-plugin/x", ".cursor-plugin/x", ".cursor/mcp.json",
		".codex/hooks.json", ".opencode/plugin/x.js", "opencode.json", ".windsurfrules", ".clinerules", ".rules", "gemini-extension.json", "hooks/hooks.json",
		".agent\u017f/hooks.json", "cru\u017fh.json", ".agent\u200cs/x", "crush\u200b.json", ".\u2060QWEN. /x", ".\u200dhusky/x", ".gem\ufeffini/settings.json", "m\u0131se.toml/../mise.toml",
		"ci/new.yml", "new", "./.husky/x", "src/../.husky/x",
	} {
		for _, name := range []string{"write_file", "replace"} {
			if got := attended.Check(call(name, "file_path", path)).Decision; got != Ask && !(got == Deny && strings.HasPrefix(path, ".vscode")) {
				t.Errorf("%s %s in auto_edit: %v", name, path, got)
			}
			if got := headless.Check(call(name, "file_path", path)).Decision; got != Deny {
				t.Errorf("%s %s in auto_edit without a person: %v", name, path, got)
			}
		}
	}
	for _, path := range []string{
		".gemini/GEMINI.md", "sub/.gemini/GEMINI.md", ".gemini/plans/a.md", ".gemini/tmp/x/y/plans/a.md", "main.go", "src/env", "environment.ts",
		"git.go", "plain/main.go", "docs/github/workflows.md", "vscode/x", "README.md", "Makefile.md", "build", "sub/workspace",
		"gradle/x.txt", "wrapper/gradle", "src/config", "conftest.py", "jest.config.js", "docs/lefthook", "local/x", "emacs.md", "AGENTS.md", "site.py",
		"CLAUDE.md", "sub/CLAUDE.md", "CRUSH.md", "QWEN.md", "agents/x.go", "src/agents/x", "crush.go", "src/hooks.json", "rules/x", "docs/qwen.md",
	} {
		if got := headless.Check(call("write_file", "file_path", path)).Decision; got != Allow {
			t.Errorf("%s: %v", path, got)
		}
	}
	// A rule of the user's allows it, and so does yolo; for a build file the rule must name it.
	ruled := with(own, AutoEdit, false)
	for path, want := range map[string]Decision{".husky/pre-commit": Allow, "ci/new.yml": Allow, "Makefile": Deny} {
		if got := ruled.Check(call("write_file", "file_path", path)).Decision; got != want {
			t.Errorf("%s with a rule: %v, want %v", path, got, want)
		}
	}
	own[0].Args = exactArg("file_path", "Makefile")
	named := with(own, Default, false)
	if got := named.Check(call("write_file", "file_path", "Makefile")).Decision; got != Allow {
		t.Errorf("a build file that a rule names: %v", got)
	}
	if got := named.Check(call("write_file", "file_path", "go.mod")).Decision; got != Deny {
		t.Errorf("a build file that no rule names: %v", got)
	}
	if got := with(nil, Yolo, false).Check(call("write_file", "file_path", ".husky/pre-commit")).Decision; got != Allow {
		t.Errorf("yolo: %v", got)
	}
	v := headless.Check(call("write_file", "file_path", ".husky/pre-commit"))
	if v.Rule == nil || !strings.Contains(v.Rule.Source, laterFiles) || !strings.Contains(v.Message, laterFiles) {
		t.Errorf("the refusal does not name the rule: %+v", v)
	}
	if always := with(nil, AutoEdit, true); always.Hidden(Call{Name: "write_file"}) {
		t.Error("the tool is hidden")
	}
}

// A lasting answer about a protected file in auto_edit is about this file.
func TestProtectedFileRemembered(t *testing.T) {
	t.Parallel()
	e := engine(t, Options{Mode: AutoEdit, Interactive: true, Trust: trust.NewLive(trust.Trusted)})
	for path, other := range map[string]string{".husky/pre-commit": ".husky/pre-push", "Makefile": "go.mod"} {
		c := call("write_file", "file_path", path, "content", "x")
		if got := e.Offers(c); len(got) != 1 || got[0].Rule != "write_file: "+path {
			t.Errorf("%s: %+v", path, got)
		}
		if !e.Remember(c, tool.ProceedAlways) || e.Check(c).Decision != Allow {
			t.Errorf("%s is not remembered", path)
		}
		if got := e.Check(call("write_file", "file_path", other)).Decision; got != Ask {
			t.Errorf("%s: %v", other, got)
		}
	}
	always := engine(t, Options{Mode: AutoEdit, Interactive: true, Trust: trust.NewLive(trust.Trusted), BuildFiles: Protected})
	c := call("write_file", "file_path", "Makefile")
	if always.Remember(c, tool.ProceedAlways); always.Check(c).Decision != Ask {
		t.Error("a build file is not always protected")
	}
}

// In auto_edit a redirection is judged as write_file would be.
func TestRedirections(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	root := filepath.Join(top, "work")
	write(t, root, "src/main.go", "x")
	write(t, root, ".github/workflows/ci.yml", "x")
	write(t, top, "outside", "x")
	for link, target := range map[string]string{"out": "../outside", "ci": ".github/workflows", "c%69": ".github/workflows"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Skip("this system has no symbolic links")
		}
	}
	ws, _ := workspace.New(workspace.Options{Root: root})
	rules := []Rule{
		{Tools: []string{shellTool}, Decision: Allow, Priority: 4.1, Prefixes: []string{"make", "cd", "bash", "cat", "git"}},
		{Tools: []string{"write_file"}, Decision: Deny, Priority: 4.2, Args: exactArg("file_path", "kept.txt")},
	}
	with := func(mode Mode, redirect bool) *Engine {
		rules[0].AllowRedirection = redirect
		return engine(t, Options{
			Rules: append([]Rule(nil), rules...), Mode: mode, Interactive: true, Trust: trust.NewLive(trust.Trusted), Dir: ws.Root(), Inside: ws.Contains, Resolve: ws.Resolve,
		})
	}
	edit, normal, yolo, ruled := with(AutoEdit, false), with(Default, false), with(Yolo, false), with(AutoEdit, true)
	for c, want := range map[string]Decision{
		"make > out.txt":                         Allow,
		"make >> src/new.txt":                    Allow,
		"make >| 'a b'":                          Allow,
		"make &> log":                            Allow,
		"make >& log":                            Allow,
		"make 2>&1":                              Allow,
		"make 2>&1 > log":                        Allow,
		"make 2>&-":                              Allow,
		"make > /dev/null 2> /dev/null":          Allow,
		"make < src/main.go":                     Allow,
		"cat <<E\nx\nE":                          Allow,
		"cat <<< x":                              Allow,
		"make > out":                             Ask,
		"make > ../x":                            Ask,
		"make > /etc/x":                          Ask,
		"make < /etc/passwd":                     Ask,
		"make < out":                             Ask,
		"make > $X":                              Ask,
		"make > a*":                              Ask,
		"make > ~/x":                             Ask,
		"make > /dev/tcp/h/1":                    Ask,
		"make > $(cat src/main.go)":              Ask,
		"make > .github/workflows/ci.yml":        Ask,
		"make > ci/new.yml":                      Ask,
		"make > c%69/new.yml":                    Ask,
		"make > .gi\"t\"attributes":              Ask,
		"make > Makefile":                        Ask,
		"make 2> package.json":                   Ask,
		"make <> .envrc":                         Ask,
		"make > kept.txt":                        Deny,
		"make > ./kept.txt":                      Deny,
		"cd src && make > x":                     Ask,
		"cd src && make > " + root + "/x":        Allow,
		"cd .. && bash -c 'make > x'":            Ask,
		"bash -c 'make > x'":                     Allow,
		"bash -c 'make > /etc/x'":                Ask,
		"bash -c 'cat < src/main.go > ../x'":     Ask,
		"make | cat > .husky/pre-commit":         Ask,
		"git commit -m \"$(make > /etc/x)\"":     Ask,
		"git log > a; make > .vscode/tasks.json": Ask,
	} {
		if got := edit.Check(command(c)).Decision; got != want {
			t.Errorf("%q in auto_edit: %v, want %v", c, got, want)
		}
		wantNormal := Ask
		switch c {
		case "make 2>&1", "make 2>&-", "make > /dev/null 2> /dev/null":
			wantNormal = Allow // opens no file
		}
		if got := normal.Check(command(c)).Decision; got != wantNormal {
			t.Errorf("%q in default: %v", c, got)
		}
		if got := yolo.Check(command(c)).Decision; got != Allow {
			t.Errorf("%q in yolo: %v", c, got)
		}
		if got := ruled.Check(command(c)).Decision; got != Allow {
			t.Errorf("%q with allowRedirection: %v", c, got)
		}
	}
	// Where the command runs counts.
	c := call(shellTool, "command", "make > ../x", "dir_path", "src")
	if got := edit.Check(c).Decision; got != Allow {
		t.Errorf("from a subdirectory: %v", got)
	}
	c = call(shellTool, "command", "make > ci.yml", "dir_path", ".github/workflows")
	if got := edit.Check(c).Decision; got != Ask {
		t.Errorf("from .github/workflows: %v", got)
	}
}

// A rule for a program that runs others does not name its dangerous flags.
func TestRunnersFlags(t *testing.T) {
	t.Parallel()
	rules := func(prefixes ...string) []Rule {
		return []Rule{{Tools: []string{shellTool}, Decision: Allow, Priority: 4.1, Prefixes: prefixes}}
	}
	regex := func(r string) []Rule {
		return []Rule{{Tools: []string{shellTool}, Decision: Allow, Priority: 4.1, Args: mustCommandPattern(t, r)}}
	}
	for _, tt := range []struct {
		rules   []Rule
		command string
		want    Decision
	}{
		{rules("find"), "find . -name x", Allow},
		{rules("find"), "find . -delete", Ask},
		{rules("find"), "find . '-delete'", Ask},
		{rules("find"), "ls && find . -delete", Ask},
		{rules("find"), "find . {-delete,}", Ask},
		{rules("find"), "find . -name {a,b}.go", Allow},
		{rules("git diff"), "git diff {--output=x,}", Ask},
		{rules("git log"), "git log ${x:=--output=f}", Ask},
		{rules("git log"), `git log "${x:---output=f}"`, Ask},
		{rules("git log"), `git log ''{--output=f,}`, Ask},
		{rules("git log"), "git log $x{--output=f,}", Ask},
		{rules("git log"), "git log $branch -- ${file%.go}.txt", Allow},
		{rules("git"), "git fetch --upload-pack x .", Ask},
		{rules("git bisect run"), "git bisect run make", Allow},
		{rules("git config"), "git config core.pager x", Allow},
		{rules("sort"), "sort -ox a", Ask},
		{rules("sort"), "sort -u a", Allow},
		{rules("sort"), "sort --compress-program=x a", Ask},
		{rules("sort -o"), "sort -o x a", Allow},
		{rules("bash", "find"), "bash -c 'find . -delete'", Ask},
		{rules("time"), "time find . -delete", Ask},
		{rules("/usr/bin/find"), "/usr/bin/find . -delete", Ask},
		{rules("sudo"), "sudo find . -delete", Ask},
		{rules("sudo"), "sudo rm -rf x", Ask},
		{rules("sudo rm -rf"), "sudo rm -rf x", Allow},
		{rules("env"), "env A=1 find . -delete", Ask},
		{rules("env"), "env -u A find . -delete", Ask},
		{rules("sudo"), "sudo -u root /usr/bin/find . -delete", Ask},
		{rules("xargs"), "xargs -0 rm -rf", Ask},
		{rules("xargs"), "xargs ls", Allow},
		{rules("find . -delete"), "find . -delete", Allow},
		{rules("find . -delete"), "find . -delete -exec x \\;", Ask},
		{rules("find", "find . -delete"), "find . -delete", Allow},
		{rules("git"), "git status", Allow},
		{rules("git"), "git -c core.pager=x log", Ask},
		{rules("git"), "git log --ext-diff", Ask},
		{rules("git log --ext-diff"), "git log --ext-diff", Allow},
		{rules("git -c a=b"), "git -c a=b status", Allow},
		{rules("git -c a=b"), "git -c a=b -c c=d status", Ask},
		{rules("rg"), "rg --pre x y", Ask},
		{rules("rm"), "rm -rf x", Allow}, // runs nothing, and the rule has rm
		{rules("base64"), "base64 -o x y", Allow},
		{regex("find "), "find . -delete", Ask},
		{regex("find . -delete"), "find . -delete", Allow},
		{regex("git .*"), "git -c core.pager=x log", Ask},
	} {
		rules := append(tt.rules, Rule{Tools: []string{shellTool}, Decision: Allow, Priority: 4.01, Prefixes: []string{"ls"}})
		e := engine(t, Options{Rules: rules, Mode: Default, Trust: trust.NewLive(trust.Trusted)})
		if got := e.Check(command(tt.command)).Decision; got != tt.want {
			t.Errorf("%v: %q: %v, want %v", tt.rules[0].Prefixes, tt.command, got, tt.want)
		}
		e = engine(t, Options{Rules: rules, Mode: Yolo, Trust: trust.NewLive(trust.Trusted)})
		if got := e.Check(command(tt.command)).Decision; got != Allow {
			t.Errorf("%v: %q in yolo: %v", tt.rules[0].Prefixes, tt.command, got)
		}
	}
}
