package slash

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/person"
	"pollux/internal/sandbox"
	"pollux/internal/terminal"
)

// threeResponses is a model script with three responses.
const threeResponses = "turn\n  text One.\n  usage prompt=5000 candidates=7\nturn\n  text Two.\nturn\n  text Three.\n"

// TestOutput checks the text of commands in a new session.
func TestOutput(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{before: func(dir string) {
		if err := os.WriteFile(filepath.Join(dir, "GEMINI.md"), []byte("Be \x1b[31mkind\x1b[0m."), 0o600); err != nil {
			t.Fatal(err)
		}
	}})
	d.Shortcuts = "Ctrl+C stops."
	box := "landlock"
	if sandbox.Available() != nil {
		box = "no sandbox"
	}
	for line, parts := range map[string][]string{
		"/about":            {"CLI Version", "1.2.3", "gemini-2.5-flash", box, "first", d.dir},
		"/help":             {"    Conversation\n      /clear", "\n      /memory", "/help all lists all commands", "? shows the keys."},
		"/help all":         {"/memory", "  add <text>", "/compress (summarize, compact) [what to keep]", "Not available yet: "},
		"/help memory":      {"/memory\n", "/memory add <text>", "You can use it when"},
		"/help /stats":      {"Other names: usage.", "You can use it while"},
		"/help memory show": {"/memory show\n", "Show the loaded context"},
		"/help voice":       {"Not available yet"},
		"/docs":             {"headless ", "settings "},
		"/docs headless":    {"\n## "},
		"/shortcuts":        {"Ctrl+C stops."},
		"/context":          {"gemini-2.5-flash has about ", " of 1,048,576 (", "System instruction", "Free", "[#....", "in 1 file."},
		"/cost":             {"No cost"},
		"/stats":            {"Session Stats", "first", "Tool Calls", "Tool Calls    none", "Wall Time"},
		"/stats model":      {"No API calls"},
		"/stats tools":      {"No tool calls"},
		"/memory show":      {"Current memory content from 1 file(s):", "Be kind."},
		"/memory list":      {"There are 1 GEMINI.md file(s) in use:", "GEMINI.md"},
		"/tools":            {"default mode", "- ReadFile (read_file)", "- Shell (run_shell_command)"},
		"/tools desc":       {"- ReadFile (read_file)\n    "},
		"/tasks":            {"No background commands."},
		"/policies list":    {"### Normal Mode Policies\n\n1. **", "### Plan Mode Policies", "[Priority: 1.05]", "[Source: Default: read-only tools]", "read_file"},
		"/permissions":      {d.dir + " is not trusted, because you have not decided yet", "Approval mode: default", "No approvals in this session"},
		"/directory show":   {"- " + d.dir},
		"/mode":             {"* default", "  yolo"},
		"/settings":         {"All settings have their default values"},
		"/bug it breaks":    {"* **CLI Version:** 1.2.3", "advanced.bugCommand.urlTemplate"},
		"/compress":         {"Nothing to compress."},
		"/plan copy":        {"no approved plan"},
	} {
		t.Run(line, func(t *testing.T) {
			d := *d
			d.t = t
			d.wantText(line, parts...)
		})
	}
}

// TestUsageErrors checks the messages for wrong arguments.
// The everyday commands exist, and fit a terminal of 80 columns in one line each.
func TestEverydayCommands(t *testing.T) {
	t.Parallel()
	n := 0
	for _, g := range everyday {
		for _, name := range g.names {
			n++
			if c := findCommand(Commands(), name); c == nil || c.IsPlanned || c.Name != name {
				t.Errorf("/%s is not an available command", name)
			}
		}
	}
	if n > 15 {
		t.Errorf("%d commands are more than one can take in at a glance", n)
	}
}

func TestUsageErrors(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{})
	for line, parts := range map[string][]string{
		"/memory forget me":    {"There is no /memory forget me. Available: show, list, reload, add."},
		"/stats all":           {"There is no /stats all. Available: session, model, activity, tools, days, sessions, projects."},
		"/clear the table":     {"/clear takes no arguments."},
		"/help zzzzzz":         {"There is no command /zzzzzz. /help all lists"},
		"/help statz":          {"Did you mean /stats?"},
		"/memory add":          {"Enter the text to remember"},
		"/memory add \x00\x1b": {"the text is empty"},
		"/memory add " + strings.Repeat("x", 5000): {"Cannot add to memory: the text is longer than"},
		"/directory add":                         {"Enter one or more directories"},
		"/directory add \x1b[31mnowhere":         {"nowhere: "},
		"/docs ../go.mod":                        {"There is no page"},
		"/mode fast":                             {"Invalid approval mode: fast. Valid values are: yolo, auto_edit, plan, default"},
		"/model set":                             {"Name one model"},
		"/model set a b":                         {"Name one model"},
		"/model set --fast":                      {"Name one model"},
		"/model other":                           {"There is no /model other. Available: manage, set."},
		"/settings get":                          {"Enter a setting"},
		"/settings get modle.name":               {`There is no setting "modle.name". Did you mean "model.name"?`},
		"/settings set model.name":               {"Enter a setting and a value"},
		"/settings set model.maxSessionTurns x":  {"model.maxSessionTurns must be a number"},
		"/settings unset nope":                   {"There is no setting"},
		"/editor notepad":                        {"Editor 'notepad' is not a recognized editor identifier. Supported editors: vscode"},
		"/export-session":                        {"Enter a file name"},
		"/export-session a.txt":                  {"Invalid file format. Only .md and .json are supported."},
		"/chat share":                            {"No conversation found to save."},
		"/chat save x":                           {"No conversation found to save."},
		"/bug-memory now":                        {"The command /bug-memory is not available yet in this version of Pollux."},
		"/theme No Such":                         {`Theme "No Such" not found. /theme lists the themes.`},
		"/voice":                                 {"The command /voice is not available yet in this version of Pollux. To speak a prompt, use the dictation of your system, which types into any program."},
		"/quit now":                              {"Use /quit, or /quit --delete"},
		"/compress " + strings.Repeat("x", 2001): {"too long"},
		"/quit --delete now":                     {"/quit --delete to delete this session"},
		"/permissions trust nowhere":             {"nowhere: no such file"},
	} {
		t.Run(terminal.Cut(line, 40), func(t *testing.T) {
			d := *d
			d.t = t
			d.wantFailure(line, parts...)
		})
	}
	if _, known, err := d.Runner.Run(t.Context(), "/usr/bin/env is what?"); known || err != nil {
		t.Errorf("a path is a command: %v", err)
	}
}

// TestNonInteractive checks that commands that need a user return an error with exit code
// 42 in a non-interactive session.
func TestNonInteractive(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{})
	d.Session.Project.Options.Asker = nil
	other := t.TempDir()
	d.file("there.md", "mine")
	d.prompt("hi")
	for line, want := range map[string]error{
		"/theme": manage.ErrNeedsPerson, "/settings": manage.ErrNeedsPerson, "/model": manage.ErrNeedsPerson, "/quit": manage.ErrNeedsPerson, "/copy": manage.ErrNeedsPerson, "/auth": manage.ErrNeedsPerson,
		"/auth signin": manage.ErrNeedsPerson, "/editor": manage.ErrNeedsPerson, "/vim": manage.ErrNeedsPerson, "/resume": manage.ErrNeedsPerson, "/shortcuts": manage.ErrNeedsPerson,
		"/directory add " + other: person.ErrNoPerson, "/permissions trust": person.ErrNoPerson, "/chat share there.md": person.ErrNoPerson,
	} {
		r, known, err := d.Runner.Run(t.Context(), line)
		if !known || !errors.Is(err, want) || exit.CodeOf(err) != exit.Input || r.Parts != nil {
			t.Errorf("%s: %v, %q", line, err, r.Parts)
		}
		if want == manage.ErrNeedsPerson && !strings.Contains(err.Error(), line+" needs an interactive session") {
			t.Errorf("%s: %v", line, err)
		}
	}
	d.wantFailure("/bug-memory", "not available yet")
	d.wantText("/settings list", "All settings have their default values")
	d.wantText("/about", "1.2.3")
}

// TestConversation checks /context, /compress, /clear and /quit.
func TestConversation(t *testing.T) {
	t.Parallel()
	var words strings.Builder // no phrase repeats
	for i := range 600 {
		fmt.Fprintf(&words, "%x ", i*i*7919)
	}
	answer := "turn\n  text " + words.String() + "\n"
	d := newDriver(t, setup{model: strings.Repeat(answer, 3) + `
turn
  expect prompt above all, in every detail that the conversation has of it: the schema
  text <state_snapshot><overall_goal>All of it</overall_goal></state_snapshot>
turn
  text <state_snapshot><overall_goal>All of it</overall_goal></state_snapshot>
turn
  text Fresh.
`})
	for range 3 {
		d.prompt("Tell me " + strings.Repeat("more ", 50))
	}
	d.wantText("/context", "Conversation", "gemini-2.5-flash has ")
	d.wantText("/compress the schema", "Chat history compressed from ", " tokens.")
	if h := d.history(); !strings.Contains(h, "All of it") {
		t.Errorf("history: %.300s", h)
	}
	r := d.wantText("/clear", "Started a new conversation.")
	if !r.Clear || d.history() != "" || d.Session.ID() == "first" || len(d.Session.Observers.Stats.Snapshot().Models) != 0 {
		t.Errorf("%+v, history %q, session %s", r, d.history(), d.Session.ID())
	}
	d.prompt("And now?")
	if d.history() != "And now? | Fresh." {
		t.Errorf("history: %s", d.history())
	}
	if r := d.run("/quit"); !r.Quit || r.Text != "" { // the face shows the farewell
		t.Errorf("%+v", r)
	}
	if text := d.Farewell(); !strings.HasPrefix(text, "Agent powering down. Goodbye!") {
		t.Errorf("%q", text)
	}
}

// TestConcurrentCommands checks that commands with RunsWhileBusy can run at the same time as
// each other, as a model run and as commands that change the session.
func TestConcurrentCommands(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{model: "turn\n  times always\n  text One.\n"})
	other := realPath(t, t.TempDir())
	d.file(d.Session.Project.TrustOptions().File, `{"`+other+`": "TRUST_FOLDER"}`)
	var busy []string
	for _, c := range Commands() {
		for _, one := range append(c.Subs, c) {
			if one.RunsWhileBusy && one.Run != nil {
				busy = append(busy, "/"+strings.TrimSuffix(c.Name+" "+one.Name, " "+c.Name))
			}
		}
	}
	for _, change := range []string{
		"", "/model set gemini-2.5-pro --persist", "/directory add " + other, "/settings set model.maxSessionTurns 100",
		"/editor vim", "/plan", "/mode default", "/memory add That", "/clear",
	} {
		var all sync.WaitGroup
		for _, line := range busy {
			all.Go(func() {
				if _, known, err := d.Runner.Run(t.Context(), line); err != nil || !known {
					t.Errorf("%s: %v", line, err)
				}
			})
		}
		if change == "" {
			d.prompt("hi")
		} else {
			d.wantText(change)
		}
		all.Wait()
	}
}

func TestStats(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{model: `
turn
  call list_directory {"dir_path": "."}
  usage prompt=12345 candidates=20 cached=345
turn
  text Done.
  usage prompt=655 candidates=2
`})
	d.prompt("Look")
	d.wantText("/stats", "Tool Calls    1 (1 succeeded, 0 failed)", "gemini-2.5-flash", "13,000", "345")
	d.wantText("/stats model", "Model Stats For Nerds", "API Requests", "Cache Reads", "Role main")
	r := d.wantText("/stats tools", "list_directory", "100.0%")
	if r.Text += d.run("/stats").Text; strings.Contains(r.Text, "Agreement") || strings.Contains(r.Text, "Approved") {
		t.Errorf("the user was not asked: %s", r.Text)
	}
	d.wantText("/cost", "gemini-2.5-flash", "unknown")
	d.wantText("/stats activity", "Last Events", "tool call", "list_directory", "Heap", "Memory")
}

// TestStatsAsked checks that only the calls that the user was asked about count as approved or not.
func TestStatsAsked(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{model: `
turn
  call list_directory {"dir_path": "."}
  call write_file {"file_path": "a", "content": "x"}
turn
  text Done.
`})
	d.prompt("Write")
	d.wantText("/stats", "Tool Calls    2 (2 succeeded, 0 failed)", "You Approved  1 of 1")
	d.wantText("/stats tools", "Asked You About  1", "Accepted         1", "Rejected         0", "Agreement Rate   100.0%")
}

func TestShare(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{model: threeResponses})
	d.prompt("Say one")
	d.wantText(`/export-session "a b.json"`, "Session exported to "+filepath.Join(d.dir, "a b.json"))
	var record struct {
		SessionID string
		Messages  []struct{ Type string }
	}
	data, err := os.ReadFile(filepath.Join(d.dir, "a b.json"))
	if err == nil {
		err = json.Unmarshal(data, &record)
	}
	if err != nil || record.SessionID != "first" || len(record.Messages) != 3 {
		t.Errorf("%+v, %v", record, err)
	}
	d.wantText(`/chat share ~/x\ y.MD`, "Conversation shared to "+filepath.Join(d.home, "x y.MD"))
	if data, _ = os.ReadFile(filepath.Join(d.home, "x y.MD")); !strings.Contains(string(data), "## User\n\nSay one\n") {
		t.Errorf("%s", data)
	}
	d.wantText("/chat share", "Conversation shared to "+filepath.Join(d.dir, "gemini-conversation-"))

	mine := d.file("mine.json", "mine")
	d.answers = []string{"no"}
	d.wantText("/chat share mine.json", "Nothing written.")
	if data, _ = os.ReadFile(mine); string(data) != "mine" {
		t.Error("a file was overwritten")
	}
	d.answers = []string{"Yes"}
	d.wantText("/chat share mine.json", "Conversation shared to "+mine)
	if data, _ = os.ReadFile(mine); !strings.Contains(string(data), `"role": "model"`) {
		t.Errorf("%s", data)
	}
	if err := os.Mkdir(filepath.Join(d.dir, "dir.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	d.wantFailure("/chat share dir.md", "it is not a regular file")
	d.wantFailure("/chat share nowhere/x.md", "cannot write the conversation")
	if r := d.wantFailure("/chat share mine.json/x.md", "x.md: not a directory"); strings.Contains(r.Text, "lstat") {
		t.Errorf("%s", r.Text)
	}
	d.wantText("/bug broken", "bug-report-history-", "Check it for private data")
}

func TestBugAddress(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{settings: `{"advanced": {"bugCommand": {"urlTemplate": "https://bugs.example/new?title={title}&body={info}&p={problem}"}}}`})
	d.wantText("/bug a & b\x1b[31m?", "https://bugs.example/new?title=a%20%26%20b%3F&body=%2A%20%2A%2ACLI%20Version", "&p=a%20%26%20b%3F")
}

func TestInit(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{settings: `{"context": {"fileName": "AGENTS.md"}}`})
	r := d.wantText("/init", "Created AGENTS.md.")
	if !strings.Contains(r.Prompt.Text(), "`AGENTS.md`") || strings.Contains(r.Prompt.Text(), "FILE") {
		t.Errorf("the prompt is %.300s", r.Prompt.Text())
	}
	if info, err := os.Stat(filepath.Join(d.dir, "AGENTS.md")); err != nil || info.Size() != 0 {
		t.Errorf("%v, %v", info, err)
	}
	if r := d.wantText("/init", "Analyzing the project"); r.Prompt == nil { // the model did not fill the file
		t.Error("it stays empty")
	}
	d.file("AGENTS.md", "There.")
	if r := d.wantText("/init", "An AGENTS.md file already exists in this directory. No changes were made."); r.Prompt != nil {
		t.Error("there is a prompt although the file is not empty")
	}
}

// TestCommandsDuringRun checks that commands with RunsWhileBusy do not disturb a model run.
func TestCommandsDuringRun(t *testing.T) {
	t.Parallel()
	var script strings.Builder
	for i := range 20 {
		fmt.Fprintf(&script, "turn\n  call list_directory {\"dir_path\": \".\", \"ignore\": [\"%d\"]}\n", i)
	}
	d := newDriver(t, setup{mode: "auto_edit", model: script.String() + "turn\n  text Done.\n"})
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.prompt("Look around")
	}()
	var lines []string
	var collect func(parent string, commands []*manage.Command)
	collect = func(parent string, commands []*manage.Command) {
		for _, c := range commands {
			if c.RunsWhileBusy && c.Run != nil && c.Name != "doctor" {
				lines = append(lines, parent+c.Name)
			}
			collect(parent+c.Name+" ", c.Subs)
		}
	}
	collect("/", Commands())
	for i := 0; ; i++ {
		select {
		case <-done:
			if !strings.HasSuffix(d.history(), "Done.") {
				t.Errorf("history: %s", d.history())
			}
			return
		default:
			line := lines[i%len(lines)]
			if line == "/mode" {
				line += " default"
			}
			d.run(line)
		}
	}
}

// TestHostileArguments checks that commands return bounded, clean text for any arguments.
func TestHostileArguments(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{})
	var lines []string
	var collect func(parent string, commands []*manage.Command)
	collect = func(parent string, commands []*manage.Command) {
		for _, c := range commands {
			lines = append(lines, parent+c.Name)
			collect(parent+c.Name+" ", c.Subs)
		}
	}
	collect("/", Commands())
	d.prompt("hi")
	for _, args := range []string{
		"\x00\x1b]0;owned\x07", "\u202egpj.exe", "../../../../etc/passwd\x00.md", "%s%n{title}", strings.Repeat("A", 1<<20), "\xff\xfe", "`$(id)` | x",
	} {
		for _, line := range lines {
			if r := d.run(line + " " + args); len(r.Text) > 1<<16 && !strings.HasPrefix(line, "/tools") {
				t.Errorf("%s with %d bytes of arguments says %d", line, len(args), len(r.Text))
			}
		}
	}
}
