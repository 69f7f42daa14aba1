//go:build unix

package gemini

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Two programs take turns in one home directory. Neither breaks the files that the other one
// needs, and Pollux changes none of Gemini CLI's files.
func TestSharedHome(t *testing.T) {
	t.Parallel()
	gemini := peer(t)
	s, err := readScene(filepath.Join("testdata", "home", "shared.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	g := set(t, s, "h")
	h := &home{stage: g, gemini: gemini}
	for _, name := range []string{".gemini/.env", ".gemini/trustedFolders.json"} {
		if err := os.Chmod(filepath.Join(g.home, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const there = "../other/project"

	// Settings of an older release, before and after Gemini CLI rewrites them.
	h.pollux(t, "", "-p write")
	h.made(t, "made\n")
	h.run(t, "", "-p write")
	h.made(t, "made\n")
	settings := g.read(t, ".gemini/settings.json")
	for _, keep := range []string{"// how to sign in", `"defaultApprovalMode": "auto_edit"`, "somethingOfMine"} {
		if !strings.Contains(settings, keep) {
			t.Errorf("Gemini CLI was expected to leave %s in the settings:\n%s", keep, settings)
		}
	}
	h.pollux(t, "", "-p write")
	h.made(t, "made\n")

	// Where a project's things are: both find the place of the other.
	h.pollux(t, there, "-p count")
	h.run(t, there, "-p count")
	h.pollux(t, "", "-p count")
	h.run(t, "", "-p hello")
	want := map[string]string{g.work: "project", filepath.Join(g.other, "project"): "project-1", filepath.Join(g.home, "elsewhere"): "elsewhere"}
	if got := h.projects(t); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("projects.json has\n%v, want\n%v", got, want)
	}
	for _, slug := range []string{"project", "project-1"} {
		outputs, _ := filepath.Glob(filepath.Join(g.home, ".gemini", "tmp", slug, "tool-outputs", "session-*", "*.txt"))
		if want := map[string]int{"project": 1, "project-1": 2}[slug]; len(outputs) != want {
			t.Errorf("%s has %d outputs, want %d", slug, len(outputs), want)
		}
	}

	// Gemini CLI continues its session, and both write the user's settings.
	h.pollux(t, "", "config set model.name gemini-2.5-pro")
	h.changed(t, ".gemini/settings.json")
	h.run(t, "", "--resume latest -p again")
	requests := g.server.Requests()
	if body := string(requests[len(requests)-1].Body); !strings.Contains(body, `"hello"`) || !strings.Contains(body, `"again"`) {
		t.Error("Gemini CLI did not find its session:", body)
	}
	h.pollux(t, "", "-p bye")
	for name := range tree(t, g.home) {
		if strings.Contains(name, ".lock") || strings.HasSuffix(name, ".tmp") && !regexp.MustCompile(`projects\.json\.[0-9a-f-]{36}\.tmp$`).MatchString(name) {
			t.Errorf("%s is left", name)
		}
	}
}

// home is a home directory in which both programs run.
type home struct {
	*stage
	gemini []string
	seen   map[string]string // its files after the last run
}

// run runs Gemini CLI, which must accept the existing files.
func (h *home) run(t *testing.T, dir, args string) {
	t.Helper()
	o := h.play(t, h.gemini, run{args: args, dir: dir})
	for line := range strings.Lines(o.stderr) {
		if o.exit != 0 || !strings.HasPrefix(line, "[STARTUP]") && !strings.Contains(line, "deprecated") {
			t.Errorf("gemini %s: %d: %s", args, o.exit, line)
		}
	}
	after := tree(t, h.home)
	for name, text := range h.seen {
		if strings.Contains(name, "/tool-outputs/") && after[name] != text {
			t.Errorf("gemini %s: what Pollux wrote to %s is gone", args, name)
		}
	}
	h.seen = after
}

// pollux runs Pollux, which has to leave everything as it was, and adds nothing
// but its own: files of the project, and the project in the list of projects.
func (h *home) pollux(t *testing.T, dir, args string) {
	t.Helper()
	before, modes := tree(t, h.home), h.modes(t)
	o := h.play(t, pollux, run{args: args, dir: dir})
	if o.exit != 0 || strings.Contains(o.stderr, "rror") {
		t.Errorf("pollux %s: %d: %s", args, o.exit, o.stderr)
	}
	after := tree(t, h.home)
	for name, text := range before {
		switch {
		case after[name] == text:
		case name == ".gemini/projects.json":
			for path, slug := range parseProjects(t, text) {
				if now := h.projects(t)[path]; now != slug {
					t.Errorf("pollux %s: %s was %s, and is %q", args, path, slug, now)
				}
			}
		case strings.HasPrefix(args, "config set") && name == ".gemini/settings.json":
		default:
			t.Errorf("pollux %s: %s was changed from\n%s\nto\n%s", args, name, text, after[name])
		}
	}
	for name, mode := range modes {
		if now := h.modes(t)[name]; now != mode {
			t.Errorf("pollux %s: %s had mode %s, and has %s", args, name, mode, now)
		}
	}
	ours := regexp.MustCompile(`^\.gemini/(projects\.json|pollux/shown/[0-9a-f]{32}|pollux/folders\.json|(tmp|history)/project(-1)?/\.project_root|history/project(-1)?/undo/.*|tmp/project(-1)?/chats/session-[0-9T-]+-[0-9a-f]{8}\.jsonl|tmp/project(-1)?/(tool-outputs/session-[0-9a-f-]{36}/.*|logs/session-[0-9a-f-]{36}\.jsonl))$`)
	for name := range after {
		if _, old := before[name]; !old && !ours.MatchString(name) {
			t.Errorf("pollux %s: made %s", args, name)
		}
	}
	h.seen = after
}

func (h *home) modes(t *testing.T) map[string]string {
	t.Helper()
	modes := map[string]string{}
	for name := range tree(t, h.home) {
		info, err := os.Lstat(filepath.Join(h.home, name))
		if err != nil {
			t.Fatal(err)
		}
		modes[name] = info.Mode().String()
	}
	return modes
}

// made takes away the file that a program was to write.
func (h *home) made(t *testing.T, want string) {
	t.Helper()
	name := filepath.Join(h.work, "made")
	if text, err := os.ReadFile(name); err != nil || string(text) != want {
		t.Errorf("the file that was to be written: %q, %v", text, err)
	}
	_ = os.Remove(name) // or the next one finds that it is there
}

func (h *home) changed(t *testing.T, name string) {
	t.Helper()
	text := h.read(t, name)
	for _, keep := range []string{"// how to sign in", `"gemini-2.5-pro"`, `2.5`, "ünï"} {
		if !strings.Contains(text, keep) {
			t.Errorf("%s has no %s:\n%s", name, keep, text)
		}
	}
}

func (g *stage) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(g.home, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (h *home) projects(t *testing.T) map[string]string {
	t.Helper()
	return parseProjects(t, h.read(t, ".gemini/projects.json"))
}

func parseProjects(t *testing.T, text string) map[string]string {
	t.Helper()
	var file struct{ Projects map[string]string }
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		t.Fatalf("projects.json: %v:\n%s", err, text)
	}
	return file.Projects
}

// Both start at once, in many projects of one name: each gets a place of its own.
func TestSharedHomeAtOnce(t *testing.T) {
	t.Parallel()
	gemini := peer(t)
	s, err := readScene(filepath.Join("testdata", "home", "shared.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	// Settings in today's format: Gemini CLI rewrites older ones as it starts, and of two
	// processes, one may read a file that the other has half written.
	s.files["home/.gemini/settings.json"] = `{
		"security": {"auth": {"selectedType": "gemini-api-key"}},
		"privacy": {"usageStatisticsEnabled": false},
		"general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false, "defaultApprovalMode": "auto_edit"},
		"tools": {"truncateToolOutputThreshold": 5000, "allowed": ["run_shell_command(seq)"]}
	}`
	s.dirs = nil
	for i := range 8 {
		s.dirs = append(s.dirs, fmt.Sprintf("../other/%d/project", i))
	}
	const late = "../other/late/project"
	dirs := s.dirs
	s.dirs = append(slices.Clip(dirs), late)
	g := set(t, s, "h")
	h := &home{stage: g, gemini: gemini}
	outcomes := make([]outcome, len(dirs))
	var all sync.WaitGroup
	for i, dir := range dirs {
		command := pollux
		if i%3 == 0 {
			command = gemini
		}
		all.Go(func() { outcomes[i] = g.play(t, command, run{args: "-p count", dir: dir}) })
	}
	all.Wait()
	for i, o := range outcomes {
		if o.exit != 0 {
			t.Errorf("%d: %d: %s", i, o.exit, o.stderr)
		}
	}
	projects := h.projects(t)
	var slugs []string
	for _, dir := range dirs {
		path := filepath.Join(g.work, dir)
		slug := projects[path]
		if slug == "" {
			t.Errorf("%s is not among the projects: %v", path, projects)
		}
		slugs = append(slugs, slug)
		kinds := []string{"tmp"}
		if _, err := os.Stat(filepath.Join(g.home, ".gemini", "history", slug)); err == nil { // Gemini CLI's checkpoints
			kinds = append(kinds, "history")
		}
		for _, kind := range kinds {
			if owner := g.read(t, filepath.Join(".gemini", kind, slug, ".project_root")); owner != path {
				t.Errorf("%s/%s belongs to %s, want %s", kind, slug, owner, path)
			}
		}
		if outputs, _ := filepath.Glob(filepath.Join(g.home, ".gemini", "tmp", slug, "tool-outputs", "session-*", "*.txt")); len(outputs) != 1 {
			t.Errorf("%s has %d outputs", slug, len(outputs))
		}
	}
	slices.Sort(slugs)
	if len(slices.Compact(slugs)) != len(dirs) {
		t.Errorf("two projects have one place: %v", projects)
	}
	// Gemini CLI may end while it makes a lock, and leave it: it must not block Pollux.
	lock := filepath.Join(g.home, ".gemini", "projects.json.lock")
	if _, err := os.Stat(lock); err == nil {
		if o := g.play(t, pollux, run{args: "-p count", dir: late}); o.exit != 0 {
			t.Errorf("with a lock left behind: %d: %s", o.exit, o.stderr)
		}
		if _, err := os.Stat(lock); err == nil {
			t.Error("the lock is left")
		}
	}
}
