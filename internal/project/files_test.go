package project_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
)

// TestWorkspace checks the directories of the workspace, and the warning about one that does not exist.
func TestWorkspace(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	more := filepath.Dir(u.Write("~/more/x", ""))
	u.Write("~/.gemini/settings.json", `{"context": {"includeDirectories": ["~/more", "~/none"]}}`)
	p := u.Open(trusted)
	ws := project.NewWorkspace(p)
	if got := ws.Dirs(); !slices.Equal(got, []string{u.Dir, more}) {
		t.Errorf("the directories are %q", got)
	}
	if text := u.TakeWarnings(); !strings.HasPrefix(text, "Warning: ") || !strings.Contains(text, u.Path("~/none")) {
		t.Errorf("warnings: %s", text)
	}
	if p.Ripgrep(); u.TakeWarnings() != "" {
		t.Error("looking for a program repeats warnings")
	}
}

// TestIgnoreFiles checks that the settings decide which ignore files count, and that git's own one does.
func TestIgnoreFiles(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.config/git/ignore", "excluded.txt\n")
	u.Write(".git/HEAD", "ref: refs/heads/main\n")
	for settings, want := range map[string]string{
		`{}`: "excluded.txt git.txt gemini.txt",
		`{"context": {"fileFiltering": {"respectGitIgnore": false}}}`:               "gemini.txt",
		`{"context": {"fileFiltering": {"respectGeminiIgnore": false}}}`:            "excluded.txt git.txt",
		`{"context": {"fileFiltering": {"customIgnoreFilePaths": ["own.ignore"]}}}`: "excluded.txt git.txt gemini.txt own.txt",
	} {
		u.Write(".gitignore", "git.txt\n")
		u.Write(".geminiignore", "gemini.txt\n")
		u.Write("own.ignore", "own.txt\n")
		u.Write("~/.gemini/settings.json", settings)
		ws := project.NewWorkspace(u.Open(trusted))
		var ignored []string
		for _, name := range []string{"excluded.txt", "git.txt", "gemini.txt", "own.txt", "a.txt"} {
			if ws.Ignored(u.Path(name), false, ws.DefaultFilter()) {
				ignored = append(ignored, name)
			}
		}
		if got := strings.Join(ignored, " "); got != want {
			t.Errorf("%s: ignores %s", settings, got)
		}
	}
}

// TestMemory checks the names and places of instructions. A project does not choose which files of the user are
// instructions, and an untrusted one has none.
func TestMemory(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/settings.json", `{"context": {"fileName": ["OWN.md"]}}`)
	u.Write("~/.gemini/OWN.md", "Mine.")
	u.Write("~/.gemini/secrets.txt", "Secret.")
	u.Write("secrets.txt", "Theirs.")
	if p := u.Open(trusted); p.MemoryFile() != u.Path("~/.gemini/OWN.md") || !slices.Equal(p.MemoryNames().All(), []string{"OWN.md", "GEMINI.md"}) {
		t.Errorf("%s, %q", p.MemoryFile(), p.MemoryNames().All())
	}
	u.Write(".gemini/settings.json", `{"context": {"fileName": ["secrets.txt"]}}`)
	p := u.Open(trusted)
	if texts := p.OpenMemory().Texts(); !strings.Contains(texts.Global, "Mine.") || strings.Contains(texts.Global, "Secret.") || !strings.Contains(texts.Project, "Theirs.") {
		t.Errorf("%+v", texts)
	}
	p.Trust.Set(trust.Untrusted)
	if texts := p.OpenMemory().Texts(); !strings.Contains(texts.Global, "Mine.") || strings.Contains(texts.Project, "Theirs.") {
		t.Errorf("untrusted: %+v", texts)
	}
}

// TestSkillSources checks whose directories have skills.
func TestSkillSources(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	of := u.AddExtension("e", "", map[string]string{"skills/x/SKILL.md": ""})
	p := u.Open(trusted)
	list := func(p *project.Project, trusted bool) string {
		var dirs []string
		for _, s := range p.SkillSources(p.Settings(), trusted) {
			dirs = append(dirs, s.Dir)
		}
		return strings.Join(dirs, " ")
	}
	users := filepath.Join(of, "skills") + " " + u.Path("~/.claude/skills") + " " + u.Path("~/.gemini/skills") + " " + u.Path("~/.agents/skills")
	if got := list(p, true); got != users+" "+u.Path(".claude/skills")+" "+u.Path(".gemini/skills")+" "+u.Path(".agents/skills") {
		t.Errorf("trusted: %s", got)
	}
	if got := list(p, false); got != users {
		t.Errorf("untrusted: %s", got)
	}
	if got := list(u.Open(trusted, func(o *project.Options) { o.Dir = u.Home }), true); got != users {
		t.Errorf("at home: %s", got)
	}
}

// TestHasHome checks which users have a home directory.
func TestHasHome(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	none := u.Path("~/none")
	for _, tt := range []struct {
		env  []string
		want bool
	}{
		{nil, true},
		{[]string{"GEMINI_CLI_HOME=", "HOME=" + none, "USERPROFILE=" + none}, false},
		{[]string{"GEMINI_CLI_HOME=" + none}, true},
	} {
		if got := projecttest.NewUser(t, tt.env...).Load().HasHome(); got != tt.want {
			t.Errorf("%q: %v", tt.env, got)
		}
	}
	if got := u.Load().ServerSwitches().Path; got != u.Path("~/.gemini/mcp-server-enablement.json") {
		t.Error(got)
	}
}

// TestFindProgram checks that a program inside the workspace is not the user's.
func TestFindProgram(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("programs have other names")
	}
	dir := t.TempDir()
	u := projecttest.NewUser(t, "PATH="+dir)
	inside := u.Write("bin/rg", "#!/bin/sh\n")
	outside := u.Write(filepath.Join(dir, "git"), "#!/bin/sh\n")
	for _, path := range []string{inside, outside} {
		if err := os.Chmod(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p := u.Open(trusted)
	if got := p.FindProgram(project.NewWorkspace(p), "git"); got != outside {
		t.Errorf("git is %q", got)
	}
	own := projecttest.NewUser(t, "PATH="+filepath.Dir(inside))
	own.Dir = u.Dir
	if got := own.Open(trusted).Ripgrep(); got != "" {
		t.Errorf("the project's program counts: %q", got)
	}
	own.Dir = own.Home
	if got := own.Open(trusted).Ripgrep(); got != inside {
		t.Errorf("elsewhere it is %q", got)
	}
}

// TestOwnInstruction checks the replacement for the system instruction.
func TestOwnInstruction(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		env, file  string
		want       string
		ok, hasOwn bool
	}{
		{"", ".gemini/system.md", "", true, false},
		{"GEMINI_SYSTEM_MD=true", ".gemini/system.md", ".gemini/system.md", true, true},
		{"GEMINI_SYSTEM_MD=~/own.md", "~/own.md", "~/own.md", true, true},
		{"GEMINI_SYSTEM_MD=none.md", "own.md", "none.md", false, false},
		{"GEMINI_SYSTEM_MD=0", ".gemini/system.md", "", true, false},
	} {
		u := projecttest.NewUser(t, tt.env)
		u.Write(tt.file, "Be brief.")
		own, file, err := u.Open(trusted).OwnInstruction()
		want := tt.want
		if want != "" {
			want = u.Path(want)
		}
		if file != want || (err == nil) != tt.ok || (own != nil) != tt.hasOwn {
			t.Errorf("%s: %v, %s, %v", tt.env, own, file, err)
		}
	}
	u := projecttest.NewUser(t)
	sub := filepath.Dir(u.Write("a/b/c", ""))
	if project.InGit(sub) {
		t.Error("a directory without git is in a work tree")
	}
	u.Write(".git", "gitdir: elsewhere\n")
	if !project.InGit(sub) || !project.InGit(u.Dir) {
		t.Error("a directory in a work tree is not")
	}
}

// TestDiscovery checks whose commands list and call tools.
func TestDiscovery(t *testing.T) {
	t.Parallel()
	const both = `{"tools": {"discoveryCommand": "list", "callCommand": "call"}}`
	for _, tt := range []struct{ user, project, want string }{
		{both, `{}`, "user"},
		{both, `{"tools": {"callCommand": "evil"}}`, "project"},
		{both, `{"tools": {"discoveryCommand": "evil"}}`, "project"},
		{`{}`, both, "project"},
	} {
		u := projecttest.NewUser(t)
		u.Write("~/.gemini/settings.json", tt.user)
		u.Write(".gemini/settings.json", tt.project)
		p := u.Open(trusted)
		if got := p.Discovery(); string(got.Origin) != tt.want || got.Dir != u.Dir || !p.DiscoversTools() {
			t.Errorf("%s, %s: %+v", tt.user, tt.project, got)
		}
	}
}

// A project does not choose the file of the user that file tools may change.
func TestMemoryFileIsTheUsersChoice(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"settings.json", ".env", "policies/own.toml"} {
		u := projecttest.NewUser(t)
		u.Write(".gemini/settings.json", `{"context": {"fileName": ["`+name+`"]}}`)
		p := u.Open(trusted)
		if err := project.NewWorkspace(p).CheckWrite(u.Path("~/.gemini/" + name)); err == nil || p.MemoryFile() != u.Path("~/.gemini/GEMINI.md") {
			t.Errorf("%s: file tools may change it: %v; the memory is in %s", name, err == nil, p.MemoryFile())
		}
	}
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/settings.json", `{"pollux": {"trustProjectSafety": true}}`)
	u.Write(".gemini/settings.json", `{"context": {"fileName": ["OTHER.md"]}}`)
	if p := u.Open(trusted); p.MemoryFile() != u.Path("~/.gemini/OTHER.md") {
		t.Errorf("the memory of a user who lets projects decide is in %s", p.MemoryFile())
	}
}
