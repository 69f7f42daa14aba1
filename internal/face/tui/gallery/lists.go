package gallery

import (
	"errors"
	"time"

	"pollux/internal/extension"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/pane/agents"
	"pollux/internal/face/tui/pane/extensions"
	"pollux/internal/face/tui/pane/hooks"
	"pollux/internal/face/tui/pane/inventory"
	"pollux/internal/face/tui/pane/memory"
	"pollux/internal/face/tui/pane/skills"
	"pollux/internal/guard/hook"
	sessionhooks "pollux/internal/hooks"
	memoryfiles "pollux/internal/memory"
	"pollux/internal/skill"
	"pollux/internal/subagent"
)

func newInventory(s *stage, title string, l inventory.Listing) pane.Pane {
	return inventory.New(inventory.Options{Title: title, List: func() inventory.Listing { return l }, Bindings: s.bindings, Background: atOnce})
}

func newAgents(s *stage) pane.Pane {
	set, _ := subagent.NewSet([]*subagent.Definition{
		{Name: "harbour-pilot", Description: "Plans the arrival of a ship", Origin: subagent.Project, Path: "/home/mara/src/harbour/tideline/.gemini/agents/harbour-pilot.md"},
		{Name: "reviewer", Description: "Reviews a change", Origin: subagent.User, Path: "/home/mara/.gemini/agents/reviewer.md"},
		{Name: "weather", Description: "Asks a server", Origin: subagent.User, Kind: subagent.RemoteKind, Path: "/home/mara/.gemini/agents/weather.md"},
	}, map[string]subagent.Override{"reviewer": {Enabled: new(false)}})
	about := func(d *subagent.Definition) (string, error) {
		if d.Name == "weather" {
			return "", errors.New("https://weather.example/card: 503 Service Unavailable")
		}
		return d.Description, nil
	}
	l := agents.List(set, about, display)
	l.Note = "This folder is not trusted: Pollux ignores its agents. See /permissions trust."
	return newInventory(s, "Agents", l)
}

func newExtensions(s *stage) pane.Pane {
	tides := &extension.Extension{
		Manifest: extension.Manifest{Name: "tides", Version: "1.4.0", Description: "Water levels of 潮汐 stations"},
		Dir:      "/home/mara/.gemini/extensions/tides", IsActive: true,
		Install: &extension.Install{Source: "https://example.com/tides.git", Type: extension.Git},
	}
	charts := &extension.Extension{Manifest: extension.Manifest{Name: "charts", Version: "0.2.0"}, Dir: "/home/mara/src/charts"}
	used := func(string) bool { return true }
	return newInventory(s, "Extensions", extensions.List([]*extension.Extension{tides, charts}, used, display, true))
}

func newHooks(s *stage) pane.Pane {
	all := []hook.Hook{
		{Event: hook.BeforeTool, Matcher: "write_file|replace", Name: "format", Description: "Formats what was written", Command: "gofumpt -w", Timeout: time.Minute, Source: hook.User},
		{Event: hook.AfterTool, Command: "./notify.sh --quiet --to harbour-master", Timeout: time.Minute, Source: hook.Workspace},
		{Event: hook.SessionEnd, Name: "backup", Command: "rsync -a . backup:", Timeout: time.Minute, Source: hook.User, IsDisabled: true},
	}
	last := func(h *hook.Hook) (sessionhooks.LastRun, bool) {
		return sessionhooks.LastRun{At: clock(-90), Took: 40 * time.Millisecond, Code: 127, Failed: true, Cause: "notify.sh: not found"}, h.Event == hook.AfterTool
	}
	return newInventory(s, "Hooks", hooks.List(all, last))
}

func newMemory(s *stage) pane.Pane {
	files := []memoryfiles.File{
		{Path: "/home/mara/.gemini/GEMINI.md", Tier: memoryfiles.Global, Why: "by default", Text: "Answer in short sentences.", Size: 26},
		{
			Path: "/home/mara/src/harbour/tideline/GEMINI.md", Tier: memoryfiles.Project, Why: "by default", Text: "Zones are in zones.csv.", Size: 90_000, Cut: true,
			Imports: []string{"/home/mara/src/harbour/tideline/docs/zones.md"}, Same: []string{"/home/mara/src/harbour/tideline/AGENTS.md"},
		},
	}
	return newInventory(s, "Context files", memory.List(files, display))
}

func newSkills(s *stage) pane.Pane {
	all := []skill.Skill{
		{Name: "tide-table", Description: "Makes a table of the tides of a month for a station", Path: "/home/mara/.gemini/skills/tide-table/SKILL.md", Source: skill.Source{Tier: skill.User}},
		{Name: "chart", Description: "Draws a chart", Path: "/home/mara/src/harbour/tideline/.gemini/skills/chart/SKILL.md", IsDisabled: true, Source: skill.Source{Tier: skill.Workspace}},
		{Name: "skill-creator", Description: "Writes a skill", Source: skill.Source{Tier: skill.Builtin}},
	}
	return newInventory(s, "Skills", skills.List(all, display, true))
}
