package triggers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/guard/policy"
	"pollux/internal/guard/repository"
	"pollux/internal/process"
	"pollux/internal/undo"
	"pollux/internal/undo/report"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
	"pollux/tool"
)

// place is a repository with a guard over the changes of commands.
type place struct {
	dir      string
	guard    *Guard
	recorder *undo.Recorder
	env      []string
	programs []string // in the background
	warnings []string
	logged   []string
	last     *store.Operation // of a call
}

func newPlace(t *testing.T) *place {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("NOT TESTED: git is not on this machine")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{dir: filepath.Join(top, "project"), env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + top, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=e@x", "GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=e@x",
	}}
	if err := os.Mkdir(p.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	p.run(t, "git init -q -b main; git commit -q --allow-empty -m first; git config alias.mine status; mkdir -p .git/hooks; echo x >.git/hooks/old.sample")
	log := store.Open(filepath.Join(top, "undo"), store.DefaultLimit)
	engine := policy.New(policy.Options{Dir: p.dir})
	open := func() (*store.Store, error) { return log, nil }
	roots := func() []string { return []string{p.dir} }
	p.guard = New(Options{
		Store: open, Roots: roots,
		RunsLater: func(path string) bool { return engine.RunsLater(policy.Call{Paths: []string{path}}) },
		Git:       &repository.Checker{Root: p.dir, Environ: p.env, Launcher: process.Launcher{}, Git: func() string { return git }, Temp: t.TempDir},
		Name:      func(path string) string { return strings.TrimPrefix(path, p.dir+"/") },
		Report: func(c *tool.Changes, isTakenBack func(string) bool) *tool.Changes {
			return (&report.Reporter{Store: log, Root: p.dir, TakenBack: isTakenBack}).ForModel(p.last, false)
		},
		Log: func(command, reason string, isAllowed bool) {
			p.logged = append(p.logged, fmt.Sprintf("%s: %s %v", command, reason, isAllowed))
		},
		Warn: func(text string) { p.warnings = append(p.warnings, text) },
	})
	p.recorder = undo.New(undo.Options{Store: open, Roots: roots, Recorded: p.guard.Note, Background: func() []string { return p.programs }})
	t.Cleanup(p.recorder.Close)
	return p
}

// run runs a script in the repository.
func (p *place) run(t *testing.T, script string) {
	t.Helper()
	c := exec.Command("/bin/sh", "-ec", script)
	c.Dir, c.Env = p.dir, p.env
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// call runs a script as a command of the model, and returns the triggers that were taken back.
func (p *place) call(t *testing.T, script string) *taken {
	t.Helper()
	run, err := p.recorder.Begin(t.Context(), store.Header{Kind: store.Call, Tool: "run_shell_command"}, undo.Scope{Anywhere: true})
	if err != nil {
		t.Fatal(err)
	}
	p.run(t, script)
	if p.last, err = run.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p.guard.takeBack(t.Context(), p.guard.take(false), func(*trigger) bool { return false })
}

// TestTriggers checks which changes are triggers, and that these are gone afterwards, while all else of the same command stays.
func TestTriggers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, script, want, left string }{ // left is a command that then succeeds
		{"sources", "mkdir src; echo x >src/a.c; echo x >Makefile; echo x >package.json", "", "test -f Makefile"},
		{"work with git", "echo a >a; git add a; git commit -qm second; git checkout -q -b topic; git tag v1; git stash list; git branch -q -d main; git gc -q", "", "git rev-parse v1"},
		{"settings that describe", "git remote add origin /x; git config branch.main.remote origin; git config user.name X; git config push.default simple", "", "git config remote.origin.url"},
		{"a hook", "printf '#!/bin/sh\n' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit", ".git/hooks/pre-commit", "test ! -e .git/hooks/pre-commit"},
		{"a hook that git does not run", "echo x >.git/hooks/pre-commit; echo x >.git/hooks/more.sample; chmod +x .git/hooks/more.sample", "", "test -f .git/hooks/pre-commit"},
		{"a hook that becomes one", "mv .git/hooks/old.sample .git/hooks/post-merge; chmod +x .git/hooks/post-merge", ".git/hooks/post-merge", "test ! -e .git/hooks/post-merge"},
		{"a link as hook", "ln -s ../../x .git/hooks/pre-push", ".git/hooks/pre-push", "test ! -L .git/hooks/pre-push"},
		{"a link as directory of hooks", "mkdir evil; mv .git/hooks evil/h; ln -s ../evil/h .git/hooks", ".git/hooks", "test ! -L .git/hooks"},
		{"a setting", "git remote add origin /x; git config core.hooksPath h", "core.hooksPath in .git/config", "git config remote.origin.url; ! git config core.hooksPath"},
		{"a setting that was there", "git config alias.mine '!x'", "alias.mine in .git/config", "test $(git config alias.mine) = status"},
		{"several values", "git config --add credential.helper a; git config --add credential.helper b", "credential.helper in .git/config", "! git config credential.helper"},
		{"with odd characters", "git config 'filter.a b.c.clean' x; git config \"alias.x\" \"!a\nb\"", "alias.x, filter.a b.c.clean in .git/config", "! git config alias.x"},
		{"an include", "printf '[include]\n path = ../x\n[core]\n fsmonitor = y\n' >>.git/config", "core.fsmonitor, include.path in .git/config", "! git config include.path"},
		{"a setting that goes", "git config --unset alias.mine", "", "! git config alias.mine"},
		{"a configuration that is broken", "echo '[' >>.git/config", ".git/config", "git config alias.mine"},
		{"a configuration that is a link", "cp .git/config c; ln -sf ../c .git/config", ".git/config", "test ! -L .git/config"},
		{"of a worktree", "git config extensions.worktreeConfig true; git config --worktree core.sshCommand x", "core.sshCommand in .git/config.worktree", "! git config core.sshCommand"},
		{"a worktree", "git worktree add -q wt", "", "test -f wt/.git"},
		{"a submodule", "git init -q ../lib; git -C ../lib commit -q --allow-empty -m first; git -c protocol.file.allow=always submodule --quiet add ../lib lib", "", "test -f lib/.git; git config submodule.lib.url"},
		{"a repository elsewhere", "git init -q --separate-git-dir=../elsewhere sub", "sub/.git", "test ! -e sub/.git"},
		{"another repository", "git init -q sub; git -C sub config core.fsmonitor x; mkdir sub/.vscode; echo x >sub/.vscode/tasks.json", "core.fsmonitor in sub/.git/config", "test -f sub/.vscode/tasks.json; ! git -C sub config core.fsmonitor"},
		{"a bare repository", "git init -q --bare bare; git -C bare config core.pager x", "core.pager in bare/config", "! git -C bare config core.pager"},
		{"a hook of a bare repository", "git init -q --bare bare; echo x >bare/hooks/post-update; chmod +x bare/hooks/post-update", "bare/hooks/post-update", "test ! -e bare/hooks/post-update"},
		{"files of editors and CI", "mkdir -p .vscode .github/workflows; echo x >.vscode/tasks.json; echo x >.github/workflows/ci.yml; echo x >.envrc; echo x >.gitlab-ci.yml", ".envrc, .github/workflows/ci.yml, .gitlab-ci.yml, .vscode/tasks.json", "test ! -e .envrc"},
		{"a directory that is a link", "mkdir evil; echo x >evil/tasks.json; ln -s evil .vscode", ".vscode", "test ! -e .vscode"},
		{"files of git that describe", "echo x >.gitignore; echo x >.gitattributes; touch .gitkeep", "", "test -f .gitignore"},
		{"what tools have fetched", "mkdir -p node_modules/x/.github sub/target; echo x >node_modules/x/.npmrc; echo x >node_modules/x/.github/x.yml; echo x >sub/target/.envrc", "", "test -f node_modules/x/.npmrc"},
		{"hooks in a directory of the project", "mkdir .husky; echo x >.husky/pre-commit", ".husky/pre-commit", "test ! -e .husky/pre-commit"},
		{"a new time", "touch .git/config .git/hooks/old.sample", "", "true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			taken := p.call(t, c.script)
			if got := taken.names(); got != c.want || len(p.warnings) > 0 {
				t.Fatalf("%q, not %q; warnings %q", got, c.want, p.warnings)
			}
			for check := range strings.SplitSeq(c.left, "; ") {
				p.run(t, "if "+check+"; then :; else exit 1; fi")
			}
			if again := p.call(t, "true"); len(again.triggers) > 0 {
				t.Errorf("found again: %s", again.names())
			}
		})
	}
}

// TestBringBack checks that triggers which were allowed are as the command had left them.
func TestBringBack(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	taken := p.call(t, "git config core.hooksPath h; git config --add alias.mine a; git config --add alias.mine b; mkdir .vscode; echo x >.vscode/tasks.json; printf x >.git/hooks/pre-push; chmod 755 .git/hooks/pre-push")
	if want := ".git/hooks/pre-push, .vscode/tasks.json, alias.mine, core.hooksPath in .git/config"; taken.names() != want {
		t.Fatalf("%q, not %q", taken.names(), want)
	}
	p.run(t, "test ! -e .git/hooks/pre-push")
	if err := p.guard.bringBack(t.Context(), taken); err != nil {
		t.Fatal(err)
	}
	p.run(t, "test -x .git/hooks/pre-push; test $(cat .vscode/tasks.json) = x; test $(git config core.hooksPath) = h; test \"$(git config --get-all alias.mine | tr '\\n' ' ')\" = 'status a b '")
	if taken := p.call(t, "true"); len(taken.triggers) > 0 {
		t.Errorf("found again: %s", taken.names())
	}
	// One that was allowed for the session is not found again, another one of the same kind is.
	p.guard.allow(taken, true)
	if taken := p.call(t, "git config core.hooksPath other; git config alias.yours x"); taken.names() != "alias.yours in .git/config" {
		t.Errorf("%q", taken.names())
	}
}

// TestAllowedContent checks that a trigger which was allowed once is not found again with the same value, as after a checkout, and is with
// another one.
func TestAllowedContent(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for i, script := range []string{"mkdir -p .vscode; echo a >.vscode/tasks.json; git config core.pager a", "echo b >.vscode/tasks.json; git config core.pager b"} {
		taken := p.call(t, script)
		if len(taken.triggers) != 2 {
			t.Fatalf("%d: %q", i, taken.names())
		}
		p.guard.allow(taken, false)
		if err := p.guard.bringBack(t.Context(), taken); err != nil {
			t.Fatal(err)
		}
		p.run(t, "rm .vscode/tasks.json; git config --unset core.pager")
		if again := p.call(t, script); len(again.triggers) > 0 {
			t.Errorf("%d: found again: %q", i, again.names())
		}
	}
}

// TestSettled checks the changes of a call whose triggers stay taken back.
func TestSettled(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"mkdir -p .github/workflows; echo x >.github/workflows/ci.yml; echo x >a":        "1 file created, 1 taken back (+1, -0) [Changed files: 1 created (a +1)]",
		"mkdir .husky; echo x >.husky/pre-commit":                                        "1 file taken back ",
		"echo a >a; printf x >.git/hooks/pre-push; chmod +x .git/hooks/pre-push":         "1 file created (+1, -0) [Changed files: 1 created (a +1)]",
		"git config core.hooksPath h; git config alias.x y; git config alias.mine other": "<nil>",
		"git config core.hooksPath h; git remote add origin x":                           "unchanged",
		"git config --worktree core.pager x; git config core.pager x":                    "<nil>",
		"echo a >a": "unchanged",
	} {
		p := newPlace(t)
		settled := p.guard.settled(p.call(t, script), "")
		c := &tool.Changes{Operation: p.last.Number, Report: "unchanged"}
		got := "<nil>"
		if c = settled.Changes(c); c != nil {
			got = strings.TrimPrefix(c.String()+" "+c.Report, " ")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
}

// TestCommitted checks that the person and the model learn that the last commit still has a trigger.
func TestCommitted(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	taken := p.call(t, "mkdir -p .github/workflows; printf 'on: push\njobs: {}\n' >.github/workflows/ci.yml; git add -A; git commit -qm ci")
	if !slices.Equal(taken.committed, []string{".github/workflows/ci.yml"}) {
		t.Fatalf("committed: %q", taken.committed)
	}
	if text := taken.text("make"); !strings.Contains(text, "\n.github/workflows/ci.yml\n  on: push\n  jobs: {}\nThe last commit has it, too: .github/workflows/ci.yml\n") {
		t.Errorf("the question: %q", text)
	}
	if text := taken.refused("x"); !strings.Contains(text, "The last commit still has .github/workflows/ci.yml: do not push it.") {
		t.Errorf("for the model: %q", text)
	}
	if taken := p.call(t, "echo x >.envrc; git config core.pager x"); taken.committed != nil || !strings.Contains(taken.text("make"), "core.pager = x in .git/config") {
		t.Errorf("without a commit: %q", taken.text("make"))
	}
}

// TestRefused checks the text for the model: the advice about files in the work tree is only for those.
func TestRefused(t *testing.T) {
	t.Parallel()
	hook := trigger{path: "/p/.git/hooks/pre-push", name: ".git/hooks/pre-push"}
	setting := trigger{path: "/p/.git/config", name: ".git/config", setting: "core.hookspath"}
	file := trigger{path: "/p/.envrc", name: ".envrc"}
	const (
		unattended = ". Other programs run that later, outside of the sandbox, and no user can be asked here"
		end        = " Go on without it, and say so."
	)
	for _, c := range []struct {
		triggers []trigger
		want     string
	}{
		{[]trigger{hook, setting}, "Taken back: .git/hooks/pre-push, core.hooksPath in .git/config" + unattended + "." + end},
		{[]trigger{file}, "Taken back: .envrc" + unattended + ": write_file is refused, too." + end + " If git shows it as deleted, do not commit that."},
		{[]trigger{file, hook}, "Taken back: .envrc, .git/hooks/pre-push" + unattended + ": write_file is refused, too." + end + " If git shows it as deleted, do not commit that."},
	} {
		if got := (&taken{triggers: c.triggers}).unattended(); got != c.want {
			t.Errorf("%s\n%s", got, c.want)
		}
	}
	if got := (&taken{triggers: []trigger{setting}}).refused("the user has refused it."); strings.Contains(got, "commit") {
		t.Errorf("about a setting: %s", got)
	}
}

// TestDisplayed checks the names of settings, and that those with capital letters are settings that the guard looks for.
func TestDisplayed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, name := range documented {
		section, last, _ := strings.Cut(name, ".")
		found, ok := p.guard.options.Git.Programs(t.Context(), []byte("["+section+" \"x\"]\n"+last+" = x\n["+section+"]\n"+last+" = x\n"))
		if !ok || len(found) == 0 {
			t.Errorf("%s names no program", name)
		}
	}
	for key, want := range map[string]string{
		"core.hookspath": "core.hooksPath", "core.sshcommand": "core.sshCommand", "core.editor": "core.editor", "alias.hookspath": "alias.hookspath",
		"gpg.ssh.defaultkeycommand": "gpg.ssh.defaultKeyCommand", "includeif.onbranch:A.b.path": "includeIf.onbranch:A.b.path", "filter.A b.clean": "filter.A b.clean",
	} {
		if got := displayed(key); got != want {
			t.Errorf("%s: %s", key, got)
		}
	}
}

// TestExchanged checks that neither a link nor a pipe in place of a configuration, which a program in the background puts there after the look,
// leads to a change elsewhere or is waited for.
func TestExchanged(t *testing.T) {
	t.Parallel()
	for name, exchange := range map[string]string{
		"a link":                  "rm .git/config; ln -s ../../own .git/config",
		"an absolute link":        "rm .git/config; ln -s \"$HOME/own\" .git/config",
		"a link as directory":     "mkdir ../git; cp .git/config ../git/config; mv .git old; ln -s ../git .git",
		"a pipe":                  "rm .git/config; mkfifo .git/config",
		"nothing":                 "rm .git/config",
		"a configuration at work": "touch .git/config.lock",
	} {
		p := newPlace(t)
		own := filepath.Join(filepath.Dir(p.dir), "own")
		if err := os.WriteFile(own, []byte("[core]\n\tpager = mine\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		p.run(t, exchange)
		f := &trigger{path: filepath.Join(p.dir, ".git", "config"), name: ".git/config", setting: "core.pager"}
		if err := p.guard.set(t.Context(), f, []string{"evil"}); err == nil {
			t.Errorf("%s: it is changed", name)
		}
		for _, file := range []string{own, filepath.Join(filepath.Dir(p.dir), "git", "config")} {
			if text, _ := os.ReadFile(file); strings.Contains(string(text), "evil") {
				t.Errorf("%s: %s has changed: %s", name, file, text)
			}
		}
	}
	p := newPlace(t)
	if got := p.call(t, "mkfifo pipe; ln -s pipe .git2; mv .git2 sub.git; mkdir sub; ln -s ../pipe sub/.git").names(); got != "sub/.git" {
		t.Errorf("a link to a pipe: %q", got)
	}
}

// BenchmarkFind measures the look at a command that has made many files.
func BenchmarkFind(b *testing.B) {
	engine := policy.New(policy.Options{Dir: "/project"})
	g := New(Options{
		Roots: func() []string { return []string{"/project"} }, Name: func(path string) string { return path },
		RunsLater: func(path string) bool { return engine.RunsLater(policy.Call{Paths: []string{path}}) },
	})
	for _, dir := range []string{"src", "node_modules"} {
		o := &store.Operation{}
		for i := range 50_000 {
			o.Changes = append(o.Changes, store.Change{
				Path:  fmt.Sprintf("/project/%s/package-%d/lib/file%d.js", dir, i%500, i),
				After: store.Version{State: state.State{Kind: state.Regular, Size: 1}},
			})
		}
		b.Run(dir, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if found := g.find(b.Context(), o); len(found) > 0 {
					b.Fatal(found)
				}
			}
		})
	}
}

// TestQuoted checks that no line of a command or a file can pass for one of the question.
func TestQuoted(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	taken := p.call(t, `printf 'a\rBring it back?\033[2J\n❯ 1. Allow it\n%0999d\n\n\n\n\n\n' 0 >.envrc; git config alias.x "$(printf '!a\nBring it back?')"`)
	text := taken.text("make\rBring it back?\nWhile it ran, nothing.\u202e")
	for line := range strings.Lines(text) {
		isOurs := slices.ContainsFunc([]string{"While it ran, this has", ".envrc\n", "alias.x = ", "Pollux has taken"}, func(own string) bool { return strings.HasPrefix(line, own) })
		if line = strings.TrimSuffix(line, "\n"); line != "" && !isOurs && !strings.HasPrefix(line, "  ") || strings.ContainsAny(line, "\r\x1b\u202e") || len(line) > 200 {
			t.Errorf("%q in %q", line, text)
		}
	}
}

// TestSettle checks that triggers of programs in the background are taken back without a call, also those of a time in which the person's own
// command ran, and that those of a call wait for its question. Where the user is at work, they may be the user's, and stay.
func TestSettle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind     store.Kind
		programs []string
		isBehind bool
	}{
		{store.Background, nil, true},
		{store.Command, []string{"make watch"}, true},
		{store.Command, nil, false},
		{store.Call, []string{"make watch"}, false},
		{store.Call, nil, false},
	} {
		for _, isAttended := range []bool{false, true} {
			p := newPlace(t)
			p.guard.options.IsAttended, p.programs = isAttended, c.programs
			run, err := p.recorder.Begin(t.Context(), store.Header{Kind: c.kind, Title: "make"}, undo.Scope{Anywhere: true})
			if err != nil {
				t.Fatal(err)
			}
			p.run(t, "echo x >.envrc")
			if _, err := run.End(t.Context()); err != nil {
				t.Fatal(err)
			}
			p.guard.Settle()
			if c.isBehind && !isAttended {
				p.run(t, "test ! -e .envrc")
			} else {
				p.run(t, "test -e .envrc")
			}
			want := map[bool]string{false: "To bring it back: pollux undo '#", true: "A program in the background, or you, has changed what other programs run later: .envrc. To take it back: pollux undo '#1'."}[isAttended]
			if c.isBehind != (len(p.warnings) == 1) || c.isBehind && !strings.Contains(p.warnings[0], want) {
				t.Errorf("%s beside %v: %q", c.kind, c.programs, p.warnings)
			}
			var logged []string
			if c.isBehind && !isAttended {
				logged = []string{"make: Other programs would run it later: .envrc. No user could be asked. false"}
			}
			if !slices.Equal(p.logged, logged) {
				t.Errorf("%s beside %v: logged %q", c.kind, c.programs, p.logged)
			}
		}
	}
}

// TestNotNoted checks that edits by tools, the person's own commands and undos are not looked at.
func TestNotNoted(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, h := range []store.Header{{Kind: store.Command, IsAnywhere: true}, {Kind: store.Undo}, {Kind: store.Call}} {
		p.guard.Note(&store.Operation{Header: h})
	}
	if n := len(p.guard.take(false)); n > 0 {
		t.Errorf("%d operations are noted", n)
	}
	for _, kind := range []store.Kind{store.Call, store.Background} {
		p.guard.Note(&store.Operation{Header: store.Header{Kind: kind, IsAnywhere: true}})
	}
	if n := len(p.guard.take(false)); n != 2 {
		t.Errorf("%d operations are noted, not 2", n)
	}
}

// TestNamed checks which words of an approved command name a trigger.
func TestNamed(t *testing.T) {
	t.Parallel()
	setting, file := trigger{path: "/p/.git/config", setting: "core.hookspath"}, trigger{path: "/p/.git/hooks/pre-push"}
	for _, c := range []struct {
		f    *trigger
		word string
		want bool
	}{
		{&setting, "git config core.hooksPath .husky", true},
		{&setting, "npm install", false},
		{&file, "cp x .git/hooks/pre-push", true},
		{&file, "make hooks", false},
	} {
		if got := c.f.isNamed(c.word); got != c.want {
			t.Errorf("%q: %v", c.word, got)
		}
	}
}

// TestMany checks that a list has an end.
func TestMany(t *testing.T) {
	t.Parallel()
	if got := listed(slices.Repeat([]trigger{{name: "x"}}, 11)); !strings.HasSuffix(got, "x, and 3 more") {
		t.Errorf("%q", got)
	}
}
