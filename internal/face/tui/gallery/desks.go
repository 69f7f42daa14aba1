package gallery

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/pane/editors"
	"pollux/internal/face/tui/pane/inventory"
	"pollux/internal/face/tui/pane/logs"
	"pollux/internal/face/tui/pane/permissions"
	"pollux/internal/face/tui/pane/restore"
	"pollux/internal/face/tui/pane/rewind"
	"pollux/internal/face/tui/pane/servers"
	"pollux/internal/face/tui/pane/sessions"
	"pollux/internal/face/tui/pane/tasks"
	undopane "pollux/internal/face/tui/pane/undo"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/viewer"
	"pollux/internal/face/tui/viewer/conversation"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/manage/undo"
	"pollux/internal/mcp"
	"pollux/internal/models"
	"pollux/internal/record"
	saved "pollux/internal/sessions"
	"pollux/internal/tools/shell"
	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/tool"
)

// atOnce runs the background work of a pane.
func atOnce(work func() (show func())) { work()() }

// scopes returns the choice of the settings file.
func scopes() *pane.Scopes {
	return pane.NewScopes(&config.Settings{}, config.NewPaths(config.NewEnv("GEMINI_CLI_HOME=/home/mara"), "/home/mara/src/harbour/tideline"))
}

// display returns a path below the home directory as people read it.
func display(path string) string { return strings.Replace(path, "/home/mara", "~", 1) }

func newEditors(s *stage) pane.Pane {
	return editors.New(editors.Options{
		IDs: []string{"vscode", "zed", "vim", "hx"}, Used: "vim", Scopes: scopes(), Bindings: s.bindings,
		Current: func(s config.Scope) (string, bool) { return "vim", s == config.User },
		Check: func(id string) error {
			if id == "zed" {
				return errors.New("not found")
			}
			return nil
		},
	})
}

// directory is the list of models.
type directory struct{}

func (directory) Current() models.Current {
	return models.Current{Requested: "gemini-2.5-pro", Model: "gemini-2.5-pro"}
}

func (directory) KnownModels() []catalog.Model {
	return []catalog.Model{
		{Name: "gemini-2.5-pro", Input: 1_048_576, Price: &catalog.Price{Input: 1.25, Output: 10}},
		{Name: "gemini-2.5-flash", Input: 1_048_576, Price: &catalog.Price{Input: 0.3, Output: 2.5}},
		{Name: "local/unknown"},
	}
}

func (directory) ServerModels(context.Context) ([]catalog.Model, error) { return nil, nil }
func (directory) IsGoogle() bool                                        { return true }

func newServers(s *stage) pane.Pane {
	all := []mcp.Status{
		{Config: mcp.Config{Name: "charts"}, State: mcp.Disconnected, Err: errors.New("exit status 127: chart-server: not found")},
		{Config: mcp.Config{Name: "tides"}, State: mcp.Connected, Tools: []mcp.ToolInfo{{Name: "high_water"}, {Name: "stations"}}, Prompts: []string{"forecast"}},
		{Config: mcp.Config{Name: "weather"}, State: mcp.Connecting},
	}
	return inventory.New(inventory.Options{
		Title: "MCP servers", List: func() inventory.Listing { return servers.List(all) }, Bindings: s.bindings, Background: atOnce,
	})
}

func newPermissions(s *stage) pane.Pane {
	f := permissions.Folder{
		Dir: "/home/mara/src/harbour/tideline", State: trust.Trusted, Options: trust.Options{Enabled: true}, From: "/home/mara/src", Level: trust.TrustFolder,
		IsTrusted: true,
	}
	grants := []policy.Grant{{ID: 1, Text: "run_shell_command: go test *"}, {ID: 2, Text: "write_file", File: "/home/mara/.gemini/policies/auto-saved.toml"}}
	return inventory.New(inventory.Options{
		Title: "Permissions", List: func() inventory.Listing { return permissions.List(f, "default", grants, display) }, Bindings: s.bindings, Background: atOnce,
	})
}

func newLogs(s *stage) pane.Pane {
	r := &logs.Records{Level: slog.LevelDebug}
	r.Add(clock(0), slog.LevelDebug, "request model=gemini-2.5-pro messages=14")
	r.Add(clock(2), slog.LevelInfo, "connected server=tides")
	r.Add(clock(3), slog.LevelWarn, "The context file docs/GEMINI.md is cut at 200,000 characters.")
	for range 3 {
		r.Add(clock(4), slog.LevelError, "server=charts exit status 127: chart-server: not found")
	}
	return logs.New(logs.Options{Records: r, Bindings: s.bindings, Background: atOnce})
}

func newTasks(s *stage) pane.Pane {
	list := []shell.Process{
		{PID: 4711, Command: "go run ./cmd/tidewatch --station 12", Began: clock(0), Log: "missing.log"},
		{PID: 4732, Command: "npm run build", Began: clock(5), Exited: true, Code: 2, Log: "missing.log"},
	}
	screen := func(pid, _ int) ([]styled.Line, bool) {
		return []styled.Line{styled.Of("06:00 2.41 m rising", styled.Style{}), styled.Of("06:10 2.47 m rising", styled.Style{})}, pid == list[0].PID
	}
	return tasks.New(tasks.Options{
		List: func() []shell.Process { return list }, Screen: screen, Focus: func(int) bool { return false }, Bindings: s.bindings, Background: atOnce,
	})
}

func newSessions(s *stage) pane.Pane {
	list := []saved.Info{
		{ID: "1", Title: "Keep the zone of a station", Start: clock(-90_000), Updated: clock(-86_400), Prompts: 12},
		{ID: "2", Title: "Why does the import of March fail?", Start: clock(-7_200), Updated: clock(-3_600), Prompts: 4},
		{ID: "3", Title: "潮位表", Start: clock(-60), Updated: clock(-5), Prompts: 1, ForkOf: "2"},
	}
	return sessions.New(context.Background(), sessions.Options{
		List: func(context.Context) ([]saved.Info, error) { return list, nil }, Current: "3", Bindings: s.bindings, Now: now, Background: atOnce,
	})
}

// now returns the time of the scenes.
func now() time.Time { return clock(0) }

// results is the text of a message with results of calls.
const results = "results"

// talk returns a conversation of two prompts, the first of which has changed a file.
func talk() (history []agent.Message, calls map[string][]agent.CallRecord) {
	before := "zone := 0\n"
	change := agent.CallRecord{ID: "c", Name: "replace", Status: agent.Success, HasRun: true, Display: &tool.DiffDisplay{
		FilePath: "/home/mara/src/harbour/tideline/station.go", FileName: "station.go", Before: &before, After: "zone := s.Zone\n",
		Diff: "--- station.go\n+++ station.go\n@@ -1,1 +1,1 @@\n-zone := 0\n+zone := s.Zone\n", Stat: tool.DiffStat{ModelAddedLines: 1, ModelRemovedLines: 1},
	}}
	for i, text := range []string{"Keep the zone of a station in its record.", "Which other places read the offset?"} {
		id := string(rune('a' + i))
		history = append(history,
			agent.Message{ID: id, Content: llm.User(llm.Text(text)), IsPrompt: true, Time: clock(float64(600*i - 1800))},
			agent.Message{ID: id + "m", Content: &llm.Content{Role: llm.RoleModel, Parts: []llm.Part{llm.Text("The importer and **two tests**.")}}},
			agent.Message{ID: id + "r", Content: llm.User(llm.Text(results))})
	}
	return history, map[string][]agent.CallRecord{"ar": {change}}
}

func newRewind(s *stage) pane.Pane {
	history, calls := talk()
	return rewind.New(context.Background(), rewind.Options{
		History: func() []agent.Message { return history }, Calls: func() map[string][]agent.CallRecord { return calls },
		Plan: func(context.Context, string) ([]record.FileUndo, bool) {
			return []record.FileUndo{{Path: "/home/mara/src/harbour/tideline/station.go"}}, false
		},
		ShortPath: display, Bindings: s.bindings, Now: now, Background: atOnce,
	})
}

func newRestore(s *stage) pane.Pane {
	list := []record.Checkpoint{
		{Name: "1-station.go-replace", Tool: "replace", Target: "station.go", Results: "r1", Time: clock(-300)},
		{Name: "2-zones.csv-write_file", Tool: "write_file", Target: "zones.csv", Results: "r2", Time: clock(-60), Status: agent.Failed},
	}
	return restore.New(context.Background(), restore.Options{
		List: func() []record.Checkpoint { return list },
		Plan: func(context.Context, record.Checkpoint) ([]record.FileUndo, bool) {
			return []record.FileUndo{{Path: "/home/mara/station.go"}, {Path: "/home/mara/zones.csv", Removes: true}}, true
		},
		Undone: func(record.Checkpoint) (prompts, changes int) { return 1, 2 }, ShortPath: display, Bindings: s.bindings, Now: now, Background: atOnce,
	})
}

// newUndo returns the pane with changes to undo, of which the last one deleted files, and one has a file that was changed since.
func newUndo(s *stage) pane.Pane {
	list := []undo.Change{
		{Number: 7, Title: "rm -rf zones && make", Ended: clock(-60)},
		{Number: 5, Title: "station.go: rain() => rain(days int)", Ended: clock(-300)},
		{Number: 4, Title: "npm install", Ended: clock(-4000), IsOther: true},
		{Number: 2, Title: "Writing to zones.csv", Ended: clock(-9000), IsUndone: true},
	}
	previews := map[int]*undo.Preview{
		7: {
			Summary: "2 files deleted, 1 changed (+1, -4)", Files: [][]string{{"station.go", "2", "+-"}, {"zones/北.csv", "2", "-- deleted"}, {"zones/south.csv", "1", "- deleted"}}, Paths: 4,
			Patch: "diff --git a/station.go b/station.go\n--- a/station.go\n+++ b/station.go\n@@ -3,3 +3,3 @@\n \n-func rain() int {\n+func rain(days int) int {\n \treturn 3\ndiff --git a/zones/北.csv b/zones/北.csv\ndeleted file mode 100644\n--- a/zones/北.csv\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-zone,mm\n-north,3\n",
			Notes: []string{"At the same time ran: make watch (in the background). Some of these changes may be theirs."},
		},
		5: {Summary: "2 files changed (+2, -2)", Files: [][]string{{"station.go", "2", "+-"}, {"zones.go", "2", "+-"}}, Paths: 1, Stays: []string{"station.go: it was changed since"}, CanOverwrite: true},
		4: {Summary: "3 files created (+900, -0)", Paths: 3},
	}
	return undopane.New(context.Background(), undopane.Options{
		List:     func() ([]undo.Change, error) { return list, nil },
		Look:     func(_ context.Context, c undo.Change) (*undo.Preview, error) { return previews[c.Number], nil },
		Bindings: s.bindings, Now: now, Background: atOnce,
	})
}

// newViewer returns the whole conversation.
func newViewer() *viewer.Viewer {
	history, calls := talk()
	history = slices.DeleteFunc(history, func(m agent.Message) bool { return m.Content.Text() == results })
	source := conversation.Live(func() []agent.Message { return history }, func() map[string][]agent.CallRecord { return calls })
	return viewer.New(source, viewer.Options{Names: names{}})
}
