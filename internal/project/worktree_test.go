package project_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
)

const worktrees = `{"experimental": {"worktrees": true}, "policyPaths": []}`

// repository makes the directory of a user a repository with one commit.
func repository(t *testing.T, u *projecttest.User) {
	t.Helper()
	u.Write("a.txt", "one\n")
	u.Write(".gitignore", ".gemini/\n")
	for _, args := range []string{"init -q", "add .", "-c user.name=u -c user.email=e commit -q -m one"} {
		git := exec.CommandContext(t.Context(), "git", strings.Fields(args)...)
		git.Dir, git.Env = u.Dir, []string{"HOME=" + u.Home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
}

// in opens a project in a worktree.
func in(name string) func(*project.Options) {
	return func(o *project.Options) { o.InWorktree, o.WorktreeName = true, name }
}

// TestWorktree checks that a project opens in a worktree of its repository: a new one, or one that exists.
func TestWorktree(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t, "GIT_DIR="+t.TempDir())
	repository(t, u)
	u.Write("~/.gemini/settings.json", worktrees)
	var loaded []string
	p := u.Open(trusted, in("w"), flag(string(config.PolicyPaths), []any{"mine.toml", "/abs.toml", ""}), func(o *project.Options) {
		o.Loaded = func(p *project.Project) { loaded = append(loaded, p.Paths.Dir()) }
	})
	dir := u.Path(".gemini/worktrees/w")
	if p.Worktree == nil || !p.Worktree.IsNew || p.Paths.Dir() != dir || p.Options.Dir != dir {
		t.Fatalf("the project is in %s, %+v", p.Paths.Dir(), p.Worktree)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(text) != "one\n" {
		t.Errorf("%q, %v", text, err)
	}
	if strings.Join(loaded, " ") != u.Dir+" "+dir {
		t.Errorf("settings are loaded for %q", loaded)
	}
	if paths := config.PolicyPaths.In(p.Settings()); strings.Join(paths, " ") != u.Path("mine.toml")+" /abs.toml " {
		t.Errorf("the paths of the command line are %q", paths)
	}
	if p.Env().Get("GIT_DIR") != "" {
		t.Error("git finds another repository")
	}
	p.Close()
	again := u.Open(trusted, in("w"))
	if again.Worktree.IsNew {
		t.Error("the worktree is a new one")
	}
	again.AbandonWorktree(t.Context())
	inside := u.Open(trusted, func(o *project.Options) { o.Dir = dir })
	if inside.Worktree == nil || inside.Worktree.Name != "w" {
		t.Errorf("the directory is in %+v", inside.Worktree)
	}
	fresh := u.Open(trusted, in(""))
	if fresh.Worktree == nil || fresh.Worktree.Name == "" {
		t.Fatalf("%+v", fresh.Worktree)
	}
	fresh.AbandonWorktree(t.Context())
	if _, err := os.Stat(fresh.Paths.Dir()); !os.IsNotExist(err) {
		t.Errorf("the abandoned worktree is there: %v", err)
	}
	u.Open(trusted).AbandonWorktree(t.Context()) // in none
}

// TestWorktreeErrors checks worktrees that are refused, and that a project which cannot be opened leaves none.
func TestWorktreeErrors(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	repository(t, u)
	if _, err := u.TryOpen(trusted, in("w")); err != project.ErrWorktreesOff {
		t.Errorf("without the setting: %v", err)
	}
	u.Write("~/.gemini/settings.json", worktrees)
	const prefix = "Failed to create or switch to worktree: "
	if _, err := u.TryOpen(trusted, in("../w")); exit.CodeOf(err) == exit.OK || !strings.HasPrefix(err.Error(), prefix) {
		t.Errorf("another place: %v", err)
	}
	if _, err := u.TryOpen(trusted, in("w"), flag("tools.sandbox", "windows-native")); exit.CodeOf(err) != exit.Sandbox {
		t.Errorf("a sandbox: %v", err)
	}
	if _, err := os.Stat(u.Path(".gemini/worktrees/w")); !os.IsNotExist(err) {
		t.Errorf("a worktree is left: %v", err)
	}
	if _, err := u.TryOpen(in("w"), u.AtTerminal, func(o *project.Options) { o.Folder = trust.Untrusted }); exit.CodeOf(err) != exit.Untrusted || !strings.Contains(err.Error(), "you do not trust") {
		t.Errorf("an untrusted folder: %v", err)
	}
	none := projecttest.NewUser(t)
	none.Write("~/.gemini/settings.json", worktrees)
	if _, err := none.TryOpen(trusted, in("w")); exit.CodeOf(err) != exit.General || !strings.HasPrefix(err.Error(), prefix) {
		t.Errorf("without a repository: %v", err)
	}
}

// The user has seen the powers of a worktree in its repository.
func TestPowersOfWorktrees(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/settings.json", worktrees)
	u.Write(".env", "DATABASE_URL=x\n")
	repository(t, u)
	decide(t, u, u.Dir, trust.TrustFolder)
	u.Answer("Use it")
	u.Open(u.AtTerminal)
	if asked := u.TakeAsked(); len(asked) != 1 {
		t.Errorf("asked %+v", asked)
	}
	p := u.Open(u.AtTerminal, in("w"))
	if asked := u.TakeAsked(); len(asked) > 0 || p.Env().Get("DATABASE_URL") != "x" {
		t.Errorf("asked %+v", asked)
	}
	u.Write(filepath.Join(p.Paths.Dir(), ".env"), "DATABASE_URL=x\nPGPASSWORD=y\n")
	p = u.Open(u.AtTerminal, in("w"))
	if asked := u.TakeAsked(); len(asked) != 1 || strings.Contains(asked[0].Text, "DATABASE_URL") || p.Env().Get("PGPASSWORD") != "" {
		t.Errorf("asked %+v", asked)
	}
}
