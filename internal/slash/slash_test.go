package slash

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/app"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/scriptmodel"
	"pollux/llm"
	"pollux/llm/gemini"
	"pollux/tool"
)

// desk is a session of somebody's, with a real app and a scripted model.
type desk struct {
	*Session
	t         *testing.T
	home, dir string
	// answers are what the person says next; asked is what they were asked.
	answers []string
	asked   []tool.Question
}

// setup is how a desk is made.
type setup struct {
	settings string
	model    string // the script
	mode     string // default, if it is ""
	change   func(o *app.Options)
}

func newDesk(t *testing.T, with setup) *desk {
	t.Helper()
	d := &desk{t: t, home: real(t, t.TempDir()), dir: real(t, t.TempDir())}
	if with.settings != "" {
		d.file(filepath.Join(d.home, ".gemini", "settings.json"), with.settings)
	}
	env := config.NewEnv("GEMINI_CLI_HOME="+d.home, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+d.home+"/none.json", "PATH="+os.Getenv("PATH"))
	paths := config.NewPaths(env, d.dir)
	load := func() (*config.Settings, error) {
		s, _, err := config.Load(config.Sources{Paths: paths, Env: env, Trusted: func(*config.Settings) (bool, error) { return true, nil }})
		return s, err
	}
	settings, err := load()
	if err != nil {
		t.Fatal(err)
	}
	mode, err := policy.ParseMode(cmp.Or(with.mode, "default"))
	if err != nil {
		t.Fatal(err)
	}
	o := app.Options{
		Settings: settings, Env: env, Paths: paths, Model: "gemini-2.5-flash", SessionID: "first", Mode: mode,
		Interactive: true, Trusted: true, Generator: d.model(with.model),
		Warn: func(text string) { t.Error(text) }, Log: slog.New(slog.DiscardHandler),
	}
	if with.change != nil {
		with.change(&o)
	}
	a, err := app.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	d.Session = &Session{
		App: a, Settings: settings, Env: env, Paths: paths, Version: "1.2.3", Ask: d.answer, Reload: load,
		Trust: trust.Options{Dir: d.dir, File: filepath.Join(d.home, ".gemini", "trustedFolders.json"), Enabled: true},
	}
	return d
}

func real(t *testing.T, dir string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func (d *desk) file(path, text string) string {
	d.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(d.dir, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
	return path
}

func (d *desk) model(text string) llm.Generator {
	d.t.Helper()
	if text == "" {
		text = "turn\n  text nothing to say\n"
	}
	script, err := scriptmodel.Parse(text)
	if err != nil {
		d.t.Fatal(err)
	}
	server, err := scriptmodel.Start(script, scriptmodel.Options{})
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = server.Close() })
	g, err := gemini.New(gemini.Options{APIKey: "k", BaseURL: server.URL()})
	if err != nil {
		d.t.Fatal(err)
	}
	return g
}

// answer is the person.
func (d *desk) answer(_ context.Context, c tool.Confirmation) (agent.Answer, error) {
	q := c.(*tool.QuestionConfirmation).Questions[0]
	d.asked = append(d.asked, q)
	if len(d.answers) == 0 {
		return agent.Answer{Outcome: tool.Cancel}, nil
	}
	said := d.answers[0]
	d.answers = d.answers[1:]
	return agent.Answer{Outcome: tool.ProceedOnce, Reply: &tool.Reply{Answers: map[string]string{"0": said}}}, nil
}

// prompt has the model answer a prompt.
func (d *desk) prompt(text string) {
	d.t.Helper()
	for e, err := range d.App.Agent.Run(d.t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text(text)}}) {
		if err != nil {
			d.t.Fatal(err)
		}
		d.App.Stats.See(e)
		if asked, ok := e.(agent.ToolAsked); ok {
			asked.Answer(agent.Answer{Outcome: tool.ProceedAlways})
		}
	}
}

// run runs a command that must be known and need nobody who is not there.
func (d *desk) run(line string) Result {
	d.t.Helper()
	r, known, err := d.Run(d.t.Context(), line)
	if !known || err != nil {
		d.t.Fatalf("%s: known %v, %v", line, known, err)
	}
	if strings.ContainsAny(r.Text, "\x00\x1b\r\u202e") {
		d.t.Errorf("%s: the text is not clean: %q", line, r.Text)
	}
	return r
}

// says runs a command whose text must have these parts.
func (d *desk) says(line string, parts ...string) Result {
	d.t.Helper()
	r := d.run(line)
	if r.Failed {
		d.t.Errorf("%s failed: %s", line, r.Text)
	}
	d.has(line, r, parts)
	return r
}

// fails runs a command that must not work, and say these things.
func (d *desk) fails(line string, parts ...string) Result {
	d.t.Helper()
	r := d.run(line)
	if !r.Failed || r.Err == nil {
		d.t.Errorf("%s works: %s", line, r.Text)
	}
	d.has(line, r, parts)
	return r
}

func (d *desk) has(line string, r Result, parts []string) {
	d.t.Helper()
	for _, part := range parts {
		if !strings.Contains(r.Text, part) {
			d.t.Errorf("%s does not say %q:\n%s", line, part, r.Text)
		}
	}
}

// history is what was said, beside what opens the conversation.
func (d *desk) history() string {
	var all []string
	for _, m := range d.App.Agent.History()[1:] {
		all = append(all, m.Content.Text())
	}
	return strings.Join(all, " | ")
}

const chat = "turn\n  text One.\n  usage prompt=5000 candidates=7\nturn\n  text Two.\nturn\n  text Three.\n"

// What can be said without anything having happened.
func TestSayings(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{change: func(o *app.Options) {
		if err := os.WriteFile(filepath.Join(o.Paths.Dir(), "GEMINI.md"), []byte("Be \x1b[31mkind\x1b[0m."), 0o600); err != nil {
			t.Fatal(err)
		}
	}})
	d.Shortcuts = "Ctrl+C stops."
	for line, parts := range map[string][]string{
		"/about":            {"CLI Version", "1.2.3", "gemini-2.5-flash", "no sandbox", "first", d.dir},
		"/help":             {"/memory", "  add <text>", "/compress (summarize, compact) [what to keep]", "Not there yet: /agents", "/shortcuts lists"},
		"/help memory":      {"/memory\n", "/memory add <text>", "It waits"},
		"/help /stats":      {"Other names: usage.", "It may be used while"},
		"/help memory show": {"/memory show\n", "Show the text"},
		"/help theme":       {"not available yet"},
		"/docs":             {"headless ", "settings "},
		"/docs headless":    {"\n## "},
		"/shortcuts":        {"Ctrl+C stops."},
		"/context":          {"gemini-2.5-flash has about ", " of 1,048,576 (", "System instruction", "Free", "[#....", "1 memory file(s)"},
		"/cost":             {"Nothing has been asked yet"},
		"/stats":            {"Session Stats", "first", "Tool Calls", "0 ( ✓ 0 x 0 )", "Wall Time"},
		"/stats model":      {"No API calls"},
		"/stats tools":      {"No tool calls"},
		"/memory show":      {"Current memory content from 1 file(s):", "Be kind."},
		"/memory list":      {"There are 1 GEMINI.md file(s) in use:", "GEMINI.md"},
		"/tools":            {"default mode", "- ReadFile (read_file)", "- Shell (run_shell_command)"},
		"/tools desc":       {"- ReadFile (read_file)\n    "},
		"/tasks":            {"No commands run in the background."},
		"/policies list":    {"### Normal Mode Policies\n\n1. **", "### Plan Mode Policies", "[Priority: 1.05]", "[Source: Default: read-only tools]", "read_file"},
		"/permissions":      {d.dir + " is not trusted: nobody has decided", "approval mode is default", "You have allowed nothing"},
		"/directory show":   {"- " + d.dir},
		"/mode":             {"* default", "  yolo"},
		"/settings":         {"Nothing is set"},
		"/bug it breaks":    {"* **CLI Version:** 1.2.3", "advanced.bugCommand.urlTemplate"},
		"/compress":         {"Nothing to compress."},
		"/plan copy":        {"No plan has been approved"},
	} {
		t.Run(line, func(t *testing.T) {
			d := *d
			d.t = t
			d.says(line, parts...)
		})
	}
}

// What is wrong with how a command is called.
func TestMisuse(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{})
	for line, parts := range map[string][]string{
		"/memory":              {"Command '/memory' requires a subcommand. Available:\n  - show: Show the text", "\n  - add <text>: "},
		"/memory forget me":    {"Command '/memory' requires a subcommand."},
		"/stats all":           {"There is no /stats all. There are: session, model, tools."},
		"/clear the table":     {"/clear takes no arguments."},
		"/help zzzzzz":         {"There is no command /zzzzzz. /help lists"},
		"/help statz":          {"Did you mean /stats?"},
		"/memory add":          {"Say what to remember"},
		"/memory add \x00\x1b": {"nothing to remember"},
		"/memory add " + strings.Repeat("x", 5000): {"Cannot add to memory: it is longer than"},
		"/directory":                            {"requires a subcommand"},
		"/directory add":                        {"Name one directory"},
		"/directory add \x1b[31mnowhere":        {"nowhere was not added: "},
		"/docs ../go.mod":                       {"There is no page"},
		"/mode fast":                            {"Invalid approval mode: fast. Valid values are: yolo, auto_edit, plan, default"},
		"/model set":                            {"Name one model"},
		"/model set a b":                        {"Name one model"},
		"/model set --fast":                     {"Name one model"},
		"/model other":                          {"There is no /model other. There are: manage, set."},
		"/settings get":                         {"Name a setting"},
		"/settings get modle.name":              {`There is no setting "modle.name". Did you mean "model.name"?`},
		"/settings set model.name":              {"Name a setting and its value"},
		"/settings set model.maxSessionTurns x": {"model.maxSessionTurns must be a number"},
		"/settings unset nope":                  {"There is no setting"},
		"/editor notepad":                       {"Editor 'notepad' is not a recognized editor identifier. Supported editors: vscode"},
		"/export-session":                       {"Name a file"},
		"/export-session a.txt":                 {"Invalid file format. Only .md and .json are supported."},
		"/chat share":                           {"No conversation found to save."},
		"/chat":                                 {"not kept yet"},
		"/chat save x":                          {"The command /chat save is not available yet in this version of Pollux."},
		"/mcp list":                             {"The command /mcp is not available yet in this version of Pollux."},
		"/theme":                                {"The command /theme is not available yet"},
		"/doctor":                               {"pollux doctor"},
		"/auth list":                            {"Keys cannot be kept here."},
		"/quit --delete":                        {"there is nothing to delete"},
		"/quit now":                             {"Use /quit."},
		"/permissions trust nowhere":            {"nowhere cannot be trusted: no such file"},
	} {
		t.Run(cut(line, 40), func(t *testing.T) {
			d := *d
			d.t = t
			d.fails(line, parts...)
		})
	}
	if _, known, err := d.Run(t.Context(), "/usr/bin/env is what?"); known || err != nil {
		t.Errorf("a path is a command: %v", err)
	}
}

// Where there is nobody, what needs somebody ends the run with exit code 42.
func TestNobody(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{})
	d.Ask = nil
	other := t.TempDir()
	d.file("there.md", "mine")
	d.prompt("hi")
	for line, want := range map[string]error{
		"/theme": errScreen, "/settings": errScreen, "/model": errScreen, "/quit": errScreen, "/copy": errScreen, "/auth": errScreen,
		"/auth signin": errScreen, "/editor": errScreen, "/vim": errScreen, "/resume": errScreen, "/shortcuts": errScreen,
		"/directory add " + other: errConfirm, "/permissions trust": errConfirm, "/chat share there.md": errConfirm,
	} {
		r, known, err := d.Run(t.Context(), line)
		if !known || !errors.Is(err, want) || exit.CodeOf(err) != exit.Input || r.Text != "" {
			t.Errorf("%s: %v, %q", line, err, r.Text)
		}
	}
	d.fails("/mcp", "not available yet")
	d.says("/settings list", "Nothing is set")
	d.says("/about", "1.2.3")
}

// A conversation is shortened, measured, left behind.
func TestConversation(t *testing.T) {
	t.Parallel()
	var words strings.Builder // none of which is a phrase twice
	for i := range 600 {
		fmt.Fprintf(&words, "%x ", i*i*7919)
	}
	answer := "turn\n  text " + words.String() + "\n"
	d := newDesk(t, setup{model: strings.Repeat(answer, 3) + `
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
	d.says("/context", "Conversation", "gemini-2.5-flash has ")
	d.says("/compress the schema", "Chat history compressed from ", " tokens.")
	if h := d.history(); !strings.Contains(h, "All of it") {
		t.Errorf("history: %.300s", h)
	}
	r := d.says("/clear", "A new conversation has begun.")
	if !r.Clear || d.history() != "" || d.App.SessionID() == "first" || len(d.App.Stats.Snapshot().Models) != 0 {
		t.Errorf("%+v, history %q, session %s", r, d.history(), d.App.SessionID())
	}
	d.prompt("And now?")
	if d.history() != "And now? | Fresh." {
		t.Errorf("history: %s", d.history())
	}
	if r := d.run("/quit"); !r.Quit || !strings.Contains(r.Text, "Agent powering down. Goodbye!") {
		t.Errorf("%+v", r)
	}
}

// What each outcome of a compression is called.
func TestCompressed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		c    agent.Compression
		want string
	}{
		{agent.Compression{Status: agent.CompressedOK, Before: 9000, After: 800}, "Chat history compressed from 9000 to 800 tokens."},
		{agent.Compression{Status: agent.CompressInflated, Before: 49_999}, "Compression was not beneficial for this history size."},
		{agent.Compression{Status: agent.CompressInflated, Before: 50_000}, "Chat history compression did not reduce size. This may indicate issues with the compression prompt."},
		{agent.Compression{Status: agent.CompressTokenCountError}, "Could not compress chat history due to a token counting error."},
		{agent.Compression{Status: agent.CompressEmptySummary}, "Chat history compression failed: the model returned an empty summary."},
		{agent.Compression{Status: agent.CompressNoOp}, "Nothing to compress."},
		{agent.Compression{}, "Failed to compress chat history."},
	} {
		r, err := compressed(tt.c)
		if err != nil {
			r.Text = err.Error()
		}
		if r.Text != tt.want {
			t.Errorf("%+v: %s", tt.c, r.Text)
		}
	}
}

func TestStats(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{model: `
turn
  call list_directory {"dir_path": "."}
  usage prompt=12345 candidates=20 cached=345
turn
  text Done.
  usage prompt=655 candidates=2
`})
	d.prompt("Look")
	d.says("/stats", "1 ( ✓ 1 x 0 )", "Success Rate", "100.0%", "gemini-2.5-flash", "13,000", "345")
	d.says("/stats model", "Model Stats For Nerds", "API Requests", "Cache Reads", "Role main")
	d.says("/stats tools", "list_directory", "Total Reviewed")
	d.says("/cost", "gemini-2.5-flash", "not known")
}

func TestShare(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{model: chat})
	d.prompt("Say one")
	d.says(`/export-session "a b.json"`, "Session exported to "+filepath.Join(d.dir, "a b.json"))
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
	d.says(`/chat share ~/x\ y.MD`, "Conversation shared to "+filepath.Join(d.home, "x y.MD"))
	if data, _ = os.ReadFile(filepath.Join(d.home, "x y.MD")); !strings.Contains(string(data), "## User\n\nSay one\n") {
		t.Errorf("%s", data)
	}
	d.says("/chat share", "Conversation shared to "+filepath.Join(d.dir, "gemini-conversation-"))

	mine := d.file("mine.json", "mine")
	d.answers = []string{"no"}
	d.says("/chat share mine.json", "Nothing was written.")
	if data, _ = os.ReadFile(mine); string(data) != "mine" {
		t.Error("a file was overwritten")
	}
	d.answers = []string{"Yes"}
	d.says("/chat share mine.json", "Conversation shared to "+mine)
	if data, _ = os.ReadFile(mine); !strings.Contains(string(data), `"role": "model"`) {
		t.Errorf("%s", data)
	}
	if err := os.Mkdir(filepath.Join(d.dir, "dir.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	d.fails("/chat share dir.md", "no file that could be replaced")
	d.fails("/chat share nowhere/x.md", "the conversation was not written")
	d.says("/bug broken", "bug-report-history-", "Look it over")
}

func TestBugAddress(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{settings: `{"advanced": {"bugCommand": {"urlTemplate": "https://bugs.example/new?title={title}&body={info}&p={problem}"}}}`})
	d.says("/bug a & b\x1b[31m?", "https://bugs.example/new?title=a%20%26%20b%3F&body=%2A%20%2A%2ACLI%20Version", "&p=a%20%26%20b%3F")
}

func TestInit(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{settings: `{"context": {"fileName": "AGENTS.md"}}`})
	r := d.says("/init", "Empty AGENTS.md made.")
	if !strings.Contains(r.Prompt, "`AGENTS.md`") || strings.Contains(r.Prompt, "FILE") {
		t.Errorf("the prompt is %.300s", r.Prompt)
	}
	if info, err := os.Stat(filepath.Join(d.dir, "AGENTS.md")); err != nil || info.Size() != 0 {
		t.Errorf("%v, %v", info, err)
	}
	if r := d.says("/init", "A AGENTS.md file already exists in this directory. No changes were made."); r.Prompt != "" {
		t.Error("it is studied all the same")
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{model: chat})
	d.prompt("hi")
	d.says("/memory show", "Memory is currently empty.")
	d.file("GEMINI.md", "The code word is heron.")
	d.says("/memory list", "No GEMINI.md files in use.")
	d.says("/memory reload", "Memory reloaded successfully. Loaded ", " characters from 1 file(s)")
	if opening := d.App.Agent.History()[0].Content.Text(); !strings.Contains(opening, "heron") || d.history() != "hi | One." {
		t.Errorf("the model is told %s", opening)
	}
	own := filepath.Join(d.home, ".gemini", "GEMINI.md")
	d.says("/memory add Likes\x1b[31m tea. ", "Added to "+own+": Likes")
	d.says("/memory add Likes\x1b[31m tea.", "It is already in "+own)
	if system := d.App.Agent.Asks(d.App.Model).SystemInstruction.Text(); !strings.Contains(system, "tea.") {
		t.Error("the model is not told what was added")
	}
	d.says("/memory refresh", " from 2 file(s)")
}

func TestDirectories(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{})
	base := real(t, t.TempDir())
	for _, name := range []string{"one", "two, three", "four five"} {
		d.file(filepath.Join(base, name, "GEMINI.md"), "Know "+name)
	}
	one, comma, space := filepath.Join(base, "one"), filepath.Join(base, "two, three"), filepath.Join(base, "four five")
	d.says("/dir add "+one, "Nothing was added.") // the person would rather not
	d.answers = []string{"Yes"}
	d.says("/dir add "+one, "Added "+one+" to the workspace.")
	if h := d.history(); !strings.Contains(h, one) || !strings.Contains(h, "Know one") {
		t.Errorf("the model is told %s", h)
	}
	d.answers = []string{"yes, and remember the directories as trusted"}
	d.says("/directory add "+comma, "Added "+comma)
	levels, err := trust.Read(d.Trust.File)
	if err != nil || len(levels) != 1 || levels[comma] != trust.TrustFolder {
		t.Errorf("%v, %v", levels, err)
	}
	d.answers = []string{"Yes"}
	r := d.fails(`/directory add `+strings.ReplaceAll(space, " ", `\ `)+", "+one+",,"+d.file("f", ""), "Added "+space, one+" is part of the workspace already", "it is not a directory")
	if strings.Count(r.Text, "\n") != 2 {
		t.Errorf("%s", r.Text)
	}
	d.says("/directory show", "- "+d.dir+"\n- "+one+"\n- "+comma+"\n- "+space)
	d.file(d.Trust.File, `{"`+base+`": "TRUST_FOLDER"}`)
	d.asked = nil
	if d.says("/directory add "+base, "Added "+base); len(d.asked) > 0 {
		t.Error("a trusted directory is asked about")
	}
	d.Env = d.Env.With("SANDBOX=sandbox-exec", "SEATBELT_PROFILE=restrictive-open")
	d.fails("/directory add "+base, "sandbox")
}

func TestModes(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{settings: `{"security": {"disableYoloMode": true}}`, model: chat})
	d.says("/mode auto_edit", "Approval mode: auto_edit. Pollux lets files be edited")
	d.fails("/mode yolo", "You cannot enter YOLO mode since it is disabled in your settings.")
	if r := d.says("/plan make @a better", "Plan mode: "); r.Prompt != "make @a better" || d.App.Mode() != policy.Plan {
		t.Errorf("%+v in %s", r, d.App.Mode())
	}
	d.says("/plan", "This is plan mode already.")
	d.says("/tools", "plan mode", "exit_plan_mode")

	off := newDesk(t, setup{settings: `{"general": {"plan": {"enabled": false}}}`})
	off.fails("/plan x", "Plan mode is disabled in your settings")
	off.fails("/mode plan", "Plan mode is disabled in your settings")
	strange := newDesk(t, setup{change: func(o *app.Options) { o.Trusted = false }})
	strange.fails("/mode yolo", "Cannot enable privileged approval modes in an untrusted folder.")
}

// A plan that was approved is shown.
func TestPlan(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{mode: "plan", settings: `{"general": {"plan": {"directory": "plans"}}}`, model: `
turn
  call exit_plan_mode {"plan_filename": "p.md"}
turn
  text Going.
`})
	d.file("plans/p.md", "# The plan\n\x1b[31m1. Go\n")
	d.prompt("Plan it")
	d.says("/plan copy", "# The plan\n1. Go")
	d.says("/plan", "Plan mode: ", "Approved plan: "+filepath.Join(d.dir, "plans", "p.md"), "# The plan")
	if d.run("/clear"); d.App.Plan() != "" {
		t.Error("the plan outlives its conversation")
	}
}

func TestPermissions(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{model: `
turn
  call run_shell_command {"command": "touch made"}
turn
  text Said.
`})
	d.prompt("Make it")
	d.says("/permissions", "Allowed in this session:", "- **ALLOW** tool: `run_shell_command` (commands: `touch`)")
	for answer, want := range map[string]trust.Level{
		"Trust folder (" + filepath.Base(d.dir) + ")": trust.TrustFolder, "trust parent folder (" + filepath.Base(filepath.Dir(d.dir)) + ")": trust.TrustParent,
		"Don't trust": trust.DoNotTrust,
	} {
		d.answers = []string{answer}
		d.says("/permissions trust", string(want), "the next time")
		if levels, err := trust.Read(d.Trust.File); err != nil || levels[d.dir] != want {
			t.Errorf("%s: %v, %v", answer, levels, err)
		}
	}
	d.answers = []string{"perhaps"}
	d.says("/permissions trust", "Nothing was changed.")
	sub := filepath.Dir(d.file("sub/x", ""))
	d.answers = []string{"Trust folder (sub)"}
	d.says("/permissions trust sub", sub+": TRUST_FOLDER")
	d.file(d.Trust.File, "{broken")
	d.fails("/permissions", "not valid JSON")
	d.Trust.Enabled = false
	d.says("/permissions", "all folders are")
	d.fails("/permissions trust", "Folder trust is switched off")
}

func TestSettings(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{settings: "{\n  // mine\n  \"mcpServers\": {\"a\": {\"command\": \"x\", \"env\": {\"TOKEN\": \"s3cret\"}}}\n}"})
	if r := d.says("/settings list", "mcpServers", "********", "user"); strings.Contains(r.Text, "s3cret") {
		t.Errorf("a secret is shown: %s", r.Text)
	}
	d.says("/settings get mcpServers.a.command", `= "x" (user)`)
	d.says("/settings get model.maxSessionTurns", "= -1 (default)")
	d.says("/settings set model.maxSessionTurns 7", "Set model.maxSessionTurns to 7 in "+d.Paths.UserSettings(), "from the next start")
	d.says("/settings get model.maxSessionTurns", "= 7 (user)")
	if data, _ := os.ReadFile(d.Paths.UserSettings()); !strings.Contains(string(data), "// mine") {
		t.Errorf("the comment is gone: %s", data)
	}
	d.says("/settings unset model.maxSessionTurns", "Removed model.maxSessionTurns")
	d.says("/settings unset model.maxSessionTurns", "is not set in")
	d.says("/settings set ui.theme My Own", `Set ui.theme to "My Own"`, "screen")
	d.file(d.Paths.UserSettings(), "{broken")
	d.fails("/settings set model.name x", "was not changed")
}

func TestEditor(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{})
	bin := filepath.Dir(d.file("bin/micro", "#!/bin/sh\n"))
	if err := os.Chmod(filepath.Join(bin, "micro"), 0o700); err != nil {
		t.Fatal(err)
	}
	d.Env = d.Env.With("PATH=" + bin)
	d.answers = []string{"micro"}
	d.says("/editor", "Your editor is micro.")
	if n := len(d.asked[0].Options); n != 2 {
		t.Errorf("%d are offered: %+v", n, d.asked[0].Options)
	}
	if got := config.PreferredEditor.In(d.Settings); got != "micro" {
		t.Errorf("the settings say %q", got)
	}
	d.says("/editor zed", "Your editor is zed. Editor command 'zed' was not found in PATH.")
	d.says("/editor", "Nothing was changed.")
	if !strings.Contains(d.asked[1].Text, "Your editor is zed.") {
		t.Errorf("asked %q", d.asked[1].Text)
	}
	d.says("/editor none", "Removed general.preferredEditor")
}

// A command in the background is listed, whatever it prints or is called.
func TestTasks(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{mode: "yolo", model: `
turn
  call run_shell_command {"command": "sleep 60 #\u001b[31m", "is_background": true}
turn
  text It sleeps.
`})
	d.prompt("Sleep")
	r := d.says("/bashes", "PID", "running", "sleep 60 #", ".log")
	if strings.Contains(r.Text, "31m") {
		t.Errorf("%q", r.Text)
	}
}

// Functions of others are asked for what only they know.
func TestOthers(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{})
	d.Doctor = func(context.Context) (string, error) { return "All \x1b[2Jwell.", nil }
	d.Auth = func(_ context.Context, ask agent.Ask, args string) (string, error) {
		if ask == nil {
			t.Error("the person is not there")
		}
		return "auth " + args, nil
	}
	d.says("/doctor", "All well.")
	d.says("/auth", "auth signin")
	d.says("/auth logout openai", "auth signout openai")
	d.says("/auth list", "auth list")
	d.says("/auth status", "the answers come from elsewhere")
	d.Doctor = func(context.Context) (string, error) { return "", exit.Errorf(exit.Auth, "No key.") }
	if r := d.fails("/doctor", "No key."); exit.CodeOf(r.Err) != exit.Auth {
		t.Errorf("%v", r.Err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	d.Doctor = func(ctx context.Context) (string, error) { return "", ctx.Err() }
	if _, known, err := d.Run(over, "/doctor"); !known || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// What may run while the model works does no harm to the run.
func TestBusy(t *testing.T) {
	t.Parallel()
	var script strings.Builder
	for i := range 20 {
		fmt.Fprintf(&script, "turn\n  call list_directory {\"dir_path\": \".\", \"ignore\": [\"%d\"]}\n", i)
	}
	d := newDesk(t, setup{mode: "auto_edit", model: script.String() + "turn\n  text Done.\n"})
	over := make(chan struct{})
	go func() {
		defer close(over)
		d.prompt("Look around")
	}()
	var lines []string
	var collect func(parent string, commands []*Command)
	collect = func(parent string, commands []*Command) {
		for _, c := range commands {
			if c.Busy && c.Run != nil && c.Name != "doctor" {
				lines = append(lines, parent+c.Name)
			}
			collect(parent+c.Name+" ", c.Subs)
		}
	}
	collect("/", Commands())
	for i := 0; ; i++ {
		select {
		case <-over:
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

// Whatever stands behind a command, it is answered in bounded, clean text.
func TestHostileArguments(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{})
	var lines []string
	var collect func(parent string, commands []*Command)
	collect = func(parent string, commands []*Command) {
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
