package prompt_test

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/prompt"
	"pollux/tool"
)

var update = flag.Bool("update", false, "write the golden files")

const (
	modern = tool.Brief
	legacy = tool.Full
)

// The tools of a model in each kind of session, with the default policy.
var (
	reading  = []string{"update_topic", "list_directory", "read_file", "grep_search", "glob", "google_web_search"}
	changing = []string{"replace", "write_file", "web_fetch", "run_shell_command", "list_background_processes", "read_background_output"}
	person   = append(slices.Concat(reading, changing), "ask_user", "enter_plan_mode", "invoke_agent", "activate_skill")
	script   = append(slices.Clone(reading[1:]), "invoke_agent")
	autoEdit = append(slices.Clone(reading[1:]), "replace", "write_file", "web_fetch", "invoke_agent")
	yolo     = append(slices.Concat(reading[1:], changing), "invoke_agent", "activate_skill")
	planner  = append(slices.Clone(reading[1:]), "replace", "write_file", "exit_plan_mode", "invoke_agent")
	planning = append([]string{"update_topic"}, append(slices.Clone(planner), "ask_user", "activate_skill")...)
	everyday = []string{"list_directory", "read_file", "grep_search", "glob", "replace", "write_file", "run_shell_command"}
	tracker  = []string{"tracker_create_task", "tracker_update_task", "tracker_get_task", "tracker_list_tasks", "tracker_add_dependency", "tracker_visualize"}
)

// session returns the system prompt of a project that uses everything.
func session(form tool.Form, mode string, interactive bool, tools []string) prompt.System {
	return prompt.System{
		Form: form, Mode: mode, Interactive: interactive, Tools: tools, Git: true, Hooks: true,
		PlanDir: "/home/u/.gemini/tmp/p/4f9c/plans",
		Agents: []prompt.Agent{
			{"codebase_investigator", "Reads through a code base and reports where things are and how they hang together."},
			{"cli_help", "Answers questions about Pollux itself: its commands, settings and files."},
			{"generalist", "Has all tools; takes whole tasks off your hands."},
		},
		Skills: []prompt.Skill{
			{"skill-creator", "How to write a new skill, or improve one.", "/opt/pollux/skills/skill-creator/SKILL.md"},
			{"release", "How this team cuts a release <with tags & notes>.", "/p/.gemini/skills/release/SKILL.md"},
		},
		Files: prompt.MemoryFiles{Project: "GEMINI.md", Private: "/home/u/.gemini/tmp/p/memory/MEMORY.md", Global: "/home/u/.gemini/GEMINI.md"},
	}
}

// variants are the kinds of sessions, by the name of their golden file.
func variants() map[string]prompt.System {
	with := func(s prompt.System, change func(*prompt.System)) prompt.System {
		change(&s)
		return s
	}
	const def = "default"
	return map[string]prompt.System{
		"interactive":           session(modern, def, true, person),
		"interactive_auto_edit": session(modern, "autoEdit", true, person),
		"interactive_yolo":      session(modern, "yolo", true, person),
		"interactive_plan":      session(modern, "plan", true, planning),
		"headless":              session(modern, def, false, script),
		"headless_auto_edit":    session(modern, "autoEdit", false, autoEdit),
		"headless_yolo":         session(modern, "yolo", false, yolo),
		"headless_plan":         session(modern, "plan", false, planner),
		"legacy":                session(legacy, def, true, append(slices.Clone(person), "write_todos")),
		"legacy_headless_yolo":  session(legacy, "yolo", false, append(slices.Clone(yolo), "write_todos")),
		"legacy_plan":           session(legacy, "plan", true, planning),
		"compact":               session(tool.Compact, def, true, everyday),
		"compact_headless":      session(tool.Compact, def, false, everyday[:4]),
		"compact_headless_yolo": session(tool.Compact, "yolo", false, everyday),
		"compact_plan":          session(tool.Compact, "plan", true, append(slices.Clone(everyday[:6]), "exit_plan_mode")),
		"compact_offers":        session(tool.Compact, "yolo", false, append(slices.Clone(everyday), "invoke_agent", "activate_skill")),
		"tracker":               session(modern, def, true, slices.Concat(person, tracker)),
		"plan_approved":         with(session(modern, def, true, person), func(s *prompt.System) { s.Plan = "/home/u/.gemini/tmp/p/4f9c/plans/cache.md" }),
		"plan_refined":          with(session(modern, "plan", true, planning), func(s *prompt.System) { s.Plan = "/home/u/.gemini/tmp/p/4f9c/plans/cache.md" }),
		"plan_without_tools":    {Form: modern, Mode: "plan", Tools: []string{"read_file", "grep_search"}},
		"sandbox_seatbelt":      {Form: modern, Interactive: true, Mode: def, Tools: []string{"run_shell_command"}, Sandbox: "sandbox-exec"},
		"sandbox_own":           {Form: modern, Interactive: true, Mode: def, Tools: []string{"run_shell_command"}, Sandbox: prompt.OwnSandbox},
		"sandbox_container":     {Form: modern, Interactive: true, Mode: def, Tools: []string{"run_shell_command"}, Sandbox: "docker"},
		"bare":                  {Form: modern, Mode: "yolo"},
		"few_tools":             {Form: modern, Interactive: true, Mode: def, Tools: []string{"read_file", "write_file", "save_memory"}, Git: true},
		"renamed": {
			Form: modern, Mode: "yolo", Git: true, Tools: []string{"open_file", "ripgrep", "find_files", "patch", "bash"},
			Renamed: map[string]string{"read_file": "open_file", "grep_search": "ripgrep", "glob": "find_files", "replace": "patch", "run_shell_command": "bash"},
		},
		"memory": {
			Form: modern, Mode: "yolo", Topic: "Cache\nrewrite",
			Memory: prompt.Memory{Global: "Answer in French.\n", Private: "The staging database is slow."},
		},
		"memory_plain": {
			Form: modern, Mode: "yolo",
			Memory: prompt.Memory{Names: []string{"GEMINI.md", "AGENTS.md"}, Plain: "--- Context from: /p/GEMINI.md ---\nUse tabs.\n--- End of Context from: /p/GEMINI.md ---"},
		},
		"own": {
			Form: modern, Mode: "yolo", Interactive: true, Tools: []string{"read_file", "invoke_agent", "activate_skill"},
			Own:    prompt.NewTemplate("You are a reviewer.\n\n\n\nTools:\n${AvailableTools}\nRead with ${read_file_ToolName}, not ${glob_ToolName}.\n${SubAgents}\n${AgentSkills}\n$HOME ${HOME}"),
			Agents: []prompt.Agent{{"reviewer", "Says ${AvailableTools}"}},
			Skills: []prompt.Skill{{"tidy", "Tidies up", "/s/SKILL.md"}},
			Memory: prompt.Memory{Global: "Be kind."},
		},
	}
}

var contexts = map[string]prompt.Context{
	"context": {
		Now: time.Date(2026, time.March, 7, 0, 0, 0, 0, time.UTC), OS: "linux", TempDir: "/home/u/.gemini/tmp/p",
		Dirs: []string{"/p", "/q"}, Tree: "Showing up to 200 items (files + folders).\n\n/p/\n  main.go",
		Extensions: "From an extension.", Project: "Be kind.\n", Servers: "The docs server knows the API.",
	},
	"context_bare": {Now: time.Date(2026, time.March, 7, 0, 0, 0, 0, time.UTC), OS: "darwin", TempDir: "/t"},
}

// The golden files are the model's input: a changed word shows in review.
func TestGolden(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	for name, s := range variants() {
		texts[name] = s.Text()
	}
	for name, c := range contexts {
		texts[name] = c.Message().Content.Text()
	}
	for name, got := range texts {
		file := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(file, []byte(got+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got+"\n"); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	files, err := filepath.Glob(filepath.Join("testdata", "*.golden"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), ".golden"); !slices.Contains(slices.Collect(maps.Keys(texts)), name) {
			t.Errorf("%s belongs to no variant", file)
		}
	}
}

// The id is the one of the same message in Gemini CLI, by which both omit it from a session's
// list of prompts.
func TestContextID(t *testing.T) {
	t.Parallel()
	if id := (prompt.Context{}).Message().ID; !strings.HasPrefix(id, "d04923d3") {
		t.Errorf("id = %s", id)
	}
}

// Each variable takes its section out, and nothing else.
func TestSectionsOff(t *testing.T) {
	t.Parallel()
	full := session(legacy, "yolo", true, slices.Concat(person, tracker))
	full.Sandbox = "docker"
	plan := session(legacy, "plan", true, planning)
	for key, c := range map[string]struct {
		in    prompt.System
		begin string
	}{
		"PREAMBLE":              {full, "You are Pollux"},
		"COREMANDATES":          {full, "# Rules"},
		"AGENTCONTEXTS":         {full, "# Subagents"},
		"AGENTSKILLS":           {full, "# Skills"},
		"HOOKCONTEXT":           {full, "# Hooks"},
		"PRIMARYWORKFLOWS":      {full, "# Work"},
		"PLANNINGWORKFLOW":      {plan, "# Plan mode"},
		"TASKTRACKER":           {full, "# Task tracker"},
		"OPERATIONALGUIDELINES": {full, "# Manner"},
		"INTERACTIVEYOLOMODE":   {full, "# YOLO"},
		"SANDBOX":               {full, "# Sandbox"},
		"GIT":                   {full, "# Git"},
		"FINALREMINDER":         {full, "# Remember"},
	} {
		whole := c.in.Text()
		for value, off := range map[string]bool{"0": true, "false": true, " FALSE ": true, "": false, "1": false, "no": false} {
			s := c.in
			s.Env = func(name string) string {
				if name == "GEMINI_PROMPT_"+key {
					return value
				}
				return ""
			}
			got := s.Text()
			if !off {
				if got != whole {
					t.Errorf("%s=%q changes the text", key, value)
				}
				continue
			}
			if strings.Contains(got, c.begin) || !strings.Contains(whole, c.begin) {
				t.Errorf("%s=%q leaves %q in place", key, value, c.begin)
			}
			if a, b := strings.Count(whole, "\n# "), strings.Count(got, "\n# "); key != "PREAMBLE" && b != a-1 {
				t.Errorf("%s=%q leaves %d of %d sections", key, value, b, a)
			}
		}
	}
}

// The names that older versions of Gemini CLI give the workflows take them out where they applied.
func TestOlderNames(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct{ investigates, plans bool }{
		"PRIMARYWORKFLOWS_PREFIX_CI_TODO": {true, true},
		"PRIMARYWORKFLOWS_PREFIX_CI":      {true, false},
		"PRIMARYWORKFLOWS_TODO":           {false, true},
		"PRIMARYWORKFLOWS_PREFIX":         {false, false},
	} {
		s := session(legacy, "yolo", true, []string{"read_file", "write_file", "run_shell_command"})
		s.Agents = nil
		if c.investigates {
			s.Agents = []prompt.Agent{{Name: "codebase_investigator", Description: "Reads."}}
			s.Tools = append(s.Tools, "invoke_agent")
		}
		if c.plans {
			s.Tools = append(s.Tools, "write_todos")
		}
		for _, key := range []string{"PRIMARYWORKFLOWS_PREFIX_CI_TODO", "PRIMARYWORKFLOWS_PREFIX_CI", "PRIMARYWORKFLOWS_TODO", "PRIMARYWORKFLOWS_PREFIX", "PRIMARYWORKFLOWS"} {
			s.Env = func(name string) string {
				if name == "GEMINI_PROMPT_"+key {
					return "0"
				}
				return ""
			}
			off := key == want || key == "PRIMARYWORKFLOWS"
			if got := !strings.Contains(s.Text(), "# Work"); got != off {
				t.Errorf("%+v: %s=0 takes the workflows out: %v", c, key, got)
			}
		}
	}
}

// Older models get advice about the output of commands, the others if the user wants it.
func TestOutputAdvice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		form   tool.Form
		advice prompt.OutputAdvice
		want   bool
	}{
		{legacy, prompt.AdviseOlder, true},
		{modern, prompt.AdviseOlder, false},
		{legacy, prompt.AdviseAll, true},
		{modern, prompt.AdviseAll, true},
		{legacy, prompt.AdviseNone, false},
		{modern, prompt.AdviseNone, false},
	} {
		s := session(tt.form, "yolo", true, person)
		s.Output = tt.advice
		if got := strings.Contains(s.Text(), "Keep the output of"); got != tt.want {
			t.Errorf("%v, %v: %v", tt.form, tt.advice, got)
		}
	}
}

func BenchmarkText(b *testing.B) {
	s := session(modern, "default", true, person)
	for b.Loop() {
		if s.Text() == "" {
			b.Fatal("nothing to say")
		}
	}
}
