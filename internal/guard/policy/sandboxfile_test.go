package policy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/sandbox/limits"
)

// sandboxFile is a file with all that Gemini CLI writes.
const sandboxFile = `[modes.plan]
network = false
readonly = true
approvedTools = []
allowOverrides = false
[modes.default]
network = true
readonly = false
approvedTools = ["cat"]
[modes.accepting_edits]
network = true
readonly = true
approvedTools = ["sed", "cat"]
[commands.curl]
allow_network = true
allowed_paths = ["~/out", "/srv", "x"]
`

// loadSandbox reads a file about the sandbox as the user's.
func loadSandbox(t *testing.T, text string) Files {
	t.Helper()
	path := filepath.Join(t.TempDir(), SandboxName)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := Load(Sources{User: []string{filepath.Dir(path)}, Sandbox: path, Display: func(string) string { return "FILE" }})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// summary describes the restrictions of the modes plan, default and accepting_edits: N for the network, W for the workspace, F for the last word.
func summary(r *limits.Rules) string {
	var list []string
	for _, name := range limits.Names() {
		m, text := r.Modes[name], ""
		if m.HasNetwork {
			text += "N"
		}
		if !m.IsReadOnly {
			text += "W"
		}
		if m.IsFinal {
			text += "F"
		}
		if m.IsReadOnly {
			text += strings.Join(m.Approved, ",")
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

func TestSandboxFile(t *testing.T) {
	t.Parallel()
	change := func(old, text string) string { return strings.Replace(sandboxFile, old, text, 1) }
	const mistaken = " What restricts commands in it holds, and what allows something does not."
	for name, tt := range map[string]struct {
		text, want string
		grants     bool
		warning    string
		lost       int
	}{
		"complete":            {sandboxFile, "F NW Nsed,cat", true, "In FILE, commands.curl allows x, which is not an absolute path", 0},
		"a mode is missing":   {change("[modes.default]", "[modes.other]"), "F W sed,cat", false, "FILE lacks modes.default." + mistaken, 0},
		"a flag is missing":   {change("network = true\n", ""), "F W sed,cat", false, "FILE lacks modes.default.network.", 0},
		"no list":             {change("approvedTools = [\"cat\"]\n", ""), "F W sed,cat", false, "lacks modes.default.approvedTools.", 0},
		"a text for a flag":   {change("network = true", `network = "true"`), "F W sed,cat", false, "line 7: modes.default.network is neither true nor false." + mistaken, 1},
		"an odd override":     {change("allowOverrides = false", "allowOverrides = 0"), "F W sed,cat", false, "modes.plan.allowOverrides is neither", 1},
		"a number in a list":  {change(`["cat"]`, `["cat", 1]`), "F W sed,cat", false, "modes.default.approvedTools is not a list of texts", 1},
		"a number for a mode": {"[modes]\nplan = 1\n", " W W", false, "modes.plan is not a table", 1},
		"no table of modes":   {"modes = 1", "  ", false, "modes is not a table", 1},
		"no commands":         {change("[commands.curl]", "[[commands]]"), "F W sed,cat", false, "commands is not a table", 1},
		"an odd permission":   {change("allow_network = true", "allow_network = 1"), "F W sed,cat", false, "commands.curl.allow_network is neither", 1},
		"a command":           {change("[commands.curl]", "[commands]\ncurl = 1\n[x]"), "F W sed,cat", false, "commands.curl is not a table", 1},
		"syntax":              {"[modes", "  ", false, "because FILE cannot be read", 1},
		"empty":               {"", " W W", false, "FILE lacks modes." + mistaken, 0},
	} {
		files := loadSandbox(t, tt.text)
		warnings := strings.Join(files.Warnings, "\n")
		if got := summary(files.Sandbox); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		if _, ok := files.Sandbox.Programs["curl"]; ok != tt.grants {
			t.Errorf("%s: permissions %v", name, ok)
		}
		if !strings.Contains(warnings, tt.warning) || len(files.Lost) != tt.lost {
			t.Errorf("%s: %q, lost %q", name, warnings, files.Lost)
		}
	}
	if p := loadSandbox(t, sandboxFile).Sandbox.Programs["curl"]; !p.HasNetwork || strings.Join(p.Paths, " ") != "~/out /srv" {
		t.Errorf("permissions: %+v", p)
	}
}

// TestSandboxFileOfOthers checks that only the file of the user counts, also where policyPaths replaces its directory.
func TestSandboxFileOfOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string) string {
		path := filepath.Join(dir, name, SandboxName)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(sandboxFile), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	user, project := write("user"), write("project")
	load := func(s Sources) *limits.Rules {
		s.Display = func(path string) string { return path }
		files, err := Load(s)
		if err != nil {
			t.Fatal(err)
		}
		return files.Sandbox
	}
	other := filepath.Join(dir, "none", SandboxName)
	if r := load(Sources{User: []string{filepath.Dir(project)}, Project: []string{project}, Workspace: filepath.Dir(project), Sandbox: other}); r.File != "" {
		t.Error("the file of a project counts")
	}
	if r := load(Sources{User: []string{filepath.Dir(user)}}); r != nil {
		t.Error("a file counts that nothing asks for")
	}
	if r := load(Sources{User: []string{filepath.Dir(project)}, Sandbox: user}); r == nil || summary(r) != "F NW Nsed,cat" {
		t.Errorf("the file beside replaced policies: %+v", r)
	}
}

func FuzzSandboxFile(f *testing.F) {
	f.Add(sandboxFile)
	f.Add("modes = {plan = {network = true}}\ncommands = {x = {allowed_paths = [1]}}")
	f.Fuzz(func(t *testing.T, text string) {
		top, err := parseTOML([]byte(text))
		if err != nil {
			top = nil
		}
		r := readSandbox(top, "FILE")
		if len(r.rules.Modes) != len(limits.Names()) {
			t.Fatalf("modes: %+v", r.rules.Modes)
		}
		if len(r.lost)+len(r.missing) > 0 || top == nil {
			for name, m := range r.rules.Modes {
				if m.HasNetwork || len(r.rules.Programs) > 0 {
					t.Fatalf("a file with mistakes allows something in %s: %+v", name, r.rules)
				}
			}
		}
	})
}
