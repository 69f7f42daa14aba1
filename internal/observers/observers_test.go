package observers

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/internal/assembly"
	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/logs"
	"pollux/internal/models"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/internal/records"
	"pollux/internal/scriptmodel/scripttest"
	"pollux/internal/stats/recent"
	"pollux/internal/telemetry"
	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/tool"
)

// list is a sink that lists the kinds of records, and the texts of warnings.
type list struct {
	mu   sync.Mutex
	seen []string
}

func (l *list) Record(r records.Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch r := r.(type) {
	case records.SessionBegan:
		l.seen = append(l.seen, "session "+r.ID)
	case records.Warned:
		l.seen = append(l.seen, "warning "+r.Text)
	case records.SessionConfigured:
		l.seen = append(l.seen, "configured "+r.Model)
	case records.SessionStarted:
		for _, p := range r.Phases {
			l.seen = append(l.seen, "phase "+p.Name)
		}
	case records.RequestEnded:
		l.seen = append(l.seen, "request "+r.Request.Model)
	case records.HookRun:
		l.seen = append(l.seen, fmt.Sprintf("hook %s %s", r.Name, r.Output()))
	}
}

// open opens the observers of a session "s" of a project whose warnings are no errors. The accounts of the session have
// a secret.
func open(t *testing.T, p *project.Project, parts Parts) *Observers {
	t.Helper()
	p.Options.Warn = func(string) {}
	parts.Project, parts.ID = p, func() string { return "s" }
	o := Open(parts)
	t.Cleanup(o.Close)
	return o
}

// start starts observers with a model.
func start(t *testing.T, o *Observers, g llm.Generator) {
	t.Helper()
	m, err := models.ForGenerator(g, models.Options{Settings: o.parts.Project.Settings(), Requested: "gemini-2.5-flash"})
	if err != nil {
		t.Fatal(err)
	}
	o.parts.Project.SetSecrets(func() []string { return []string{"word-of-account"} })
	o.Start(m, func(string) (tool.Tool, bool) { return nil, false }, func() string { return "default" })
}

// silent is a model that gets no request.
type silent struct{ llm.Generator }

// ask sends a request to a model that is observed, and reads the answer.
func ask(t *testing.T, o *Observers, g llm.Generator, text string) {
	t.Helper()
	for _, err := range o.Observe(g).Stream(t.Context(), &llm.Request{Model: "gemini-2.5-flash", Contents: []*llm.Content{llm.User(llm.Text(text))}}) {
		if err != nil {
			t.Error(err)
		}
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

// logOf returns the log of the session "s" of a project.
func logOf(t *testing.T, p *project.Project) string {
	t.Helper()
	dir, err := p.Paths.ProjectTemp()
	if err != nil {
		t.Fatal(err)
	}
	return readFile(t, logs.Path(dir, "s"))
}

// TestSinks checks which records the observers of a program get by themselves.
func TestSinks(t *testing.T) {
	t.Parallel()
	p := projecttest.New(t, `{}`)
	first, second := new(list), new(list)
	o := open(t, p, Parts{Sinks: []records.Sink{first, second}})
	p.Warn("early")
	g := scripttest.Gemini(t, "turn\n  text Hello.\n")
	start(t, o, g)
	o.RecordConfig()
	o.RecordStart([]records.Phase{{Name: "load_settings", Start: time.Now()}}, time.Now())
	ask(t, o, g, "hi")
	o.Records.Emit(records.HookRun{Name: "lint", Output: func() json.RawMessage { return json.RawMessage(`{"a":1}`) }})
	o.Close()
	p.Warn("late")
	want := []string{
		"session s", "warning early", "configured gemini-2.5-flash", "phase load_settings", "phase initialize_app", "phase cli_startup",
		"request gemini-2.5-flash", `hook lint {"a":1}`,
	}
	for _, l := range []*list{first, second} {
		if diff := cmp.Diff(want, l.seen); diff != "" {
			t.Errorf("records (-want +got):\n%s", diff)
		}
	}
	if c := o.Stats.Snapshot(); len(c.Models) != 1 || c.Models[0].API.Requests != 1 || c.Models[0].Cost != nil {
		t.Errorf("the statistics are %+v", c)
	}
}

// TestLog checks when a session has a log on disk, and the messages in it.
func TestLog(t *testing.T) {
	t.Parallel()
	failed, ended := records.PromptEnded{Status: records.Failed}, records.PromptEnded{Status: records.OK}
	for _, tt := range []struct {
		name    string
		noLog   bool
		env     string
		end     records.PromptEnded
		want    string // messages in the log
		watched bool   // the program's log is watched
	}{
		{name: "a session without problems", end: ended},
		{name: "a session that failed", end: failed, want: "session|prompt|prompt ends"},
		{name: "debugging", env: "DEBUG=1", end: ended, want: "key is [REDACTED]|prompt|prompt ends", watched: true},
		{name: "a session that failed while debugging", env: "DEBUG=1", end: failed, want: "key is [REDACTED]|prompt|prompt ends", watched: true},
		{name: "a session without a log", noLog: true, env: "DEBUG=1", end: failed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := projecttest.New(t, `{}`, tt.env)
			o := open(t, p, Parts{HasLog: !tt.noLog, Recent: new(recent.Ring)})
			start(t, o, silent{})
			if got := p.Log.Enabled(t.Context(), 0); got != tt.watched {
				t.Errorf("the program's log is watched: %v", got)
			}
			p.Log.Debug("key is word-of-account")
			o.Records.Emit(records.PromptBegan{Prompt: agent.TextPrompt("hi")})
			o.Records.Emit(tt.end)
			o.Close()
			p.Log.Debug("late")
			var messages []string
			for _, m := range regexp.MustCompile(`"msg":"([^"]*)"`).FindAllStringSubmatch(logOf(t, p), -1) {
				messages = append(messages, m[1])
			}
			if got := strings.Join(messages, "|"); got != tt.want {
				t.Errorf("the log has %q", got)
			}
		})
	}
}

// TestNoHome checks that nothing is written where there is no home directory.
func TestNoHome(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "none")
	p := project.New(project.Options{Dir: t.TempDir(), Env: config.NewEnv("HOME="+home, "DEBUG=1")})
	o := open(t, p, Parts{HasLog: true})
	p.Log.Debug("a line")
	o.Close()
	if _, err := os.Stat(home); err == nil {
		t.Error("there is a home directory now")
	}
}

// TestUnwritableLog checks that the user learns of a log that cannot be written only if debugging is on, and that the
// warning, which comes while the log is busy, is a record.
func TestUnwritableLog(t *testing.T) {
	t.Parallel()
	for env, want := range map[string]int{"DEBUG=1": 1, "DEBUG=0": 0} {
		p := projecttest.New(t, `{}`, env)
		dir, err := p.Paths.ProjectTemp()
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "logs"), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		seen := new(list)
		o := open(t, p, Parts{HasLog: true, Recent: new(recent.Ring), Sinks: []records.Sink{seen}})
		o.Records.Emit(records.PromptEnded{Status: records.Failed})
		o.Close()
		warnings := slices.DeleteFunc(seen.seen, func(s string) bool { return !strings.HasPrefix(s, "warning ") })
		if len(warnings) != want || want == 1 && !strings.HasPrefix(warnings[0], "warning Warning: Cannot write the log of the session: ") {
			t.Errorf("%s: %q", env, warnings)
		}
	}
}

// TestActivity checks the contents of the activity log: warnings, the program's log and exchanges with models, without
// secrets, also those that became known after the first line.
func TestActivity(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "activity.jsonl")
	p := projecttest.New(t, `{}`, "GEMINI_CLI_ACTIVITY_LOG_TARGET="+path)
	o := open(t, p, Parts{})
	p.Warn("careful")
	g := scripttest.Gemini(t, "turn\n  text Hello.\n")
	start(t, o, g)
	p.Log.Info("started")
	ask(t, o, g, "the key is word-of-account")
	p.Warn("again word-of-account")
	o.Close()
	p.Warn("late")
	p.Log.Info("late")
	o.Records.Emit(records.Warned{Text: "late"})
	text := readFile(t, path)
	if strings.Contains(text, "word-of-account") || strings.Contains(text, "late") {
		t.Errorf("the log has\n%s", text)
	}
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^\{"type":"(\w+)","payload":\{"(?:type":"(\w+)","content":"(\w+)|id":"(\d)).*"sessionId":"s"`).FindAllStringSubmatch(text, -1) {
		got = append(got, strings.TrimSpace(strings.Join(m[1:], " ")))
	}
	want := []string{"console warn careful", "console log started", "console debug request", "console debug answer", "network   1", "console warn again"}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the activity log (-want +got):\n%s\n%s", diff, text)
	}
}

// TestTelemetry checks that telemetry takes the records from Start on, and that its last warning is a record.
func TestTelemetry(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "t.log")
	p := projecttest.New(t, `{}`)
	p.Telemetry = telemetry.Settings{Enabled: true, Outfile: path, LogPrompts: true}
	o := open(t, p, Parts{})
	g := scripttest.Gemini(t, "turn\n  text Hello.\n")
	start(t, o, g)
	o.RecordConfig()
	ask(t, o, g, "the key is word-of-account")
	o.Close()
	text := readFile(t, path)
	for _, name := range []string{"gemini_cli.config", "gemini_cli.api_request", "gemini_cli.api_response"} {
		if !strings.Contains(text, `"`+name+`"`) {
			t.Errorf("telemetry has no %s", name)
		}
	}
	if strings.Contains(text, "word-of-account") || !strings.Contains(text, `"installation.id"`) {
		t.Errorf("telemetry has\n%s", text)
	}

	seen := new(list)
	p = projecttest.New(t, `{}`)
	p.Telemetry = telemetry.Settings{Enabled: true, Endpoint: "http://127.0.0.1:1", Protocol: "http"}
	o = open(t, p, Parts{Sinks: []records.Sink{seen}})
	start(t, o, g)
	o.Records.Emit(records.Rewound{})
	o.RecordStart(nil, time.Now()) // there is no first part
	o.Close()
	if n := len(seen.seen); n != 2 || !strings.HasPrefix(seen.seen[1], "warning Warning: Telemetry is incomplete: ") {
		t.Errorf("the records are %q", seen.seen)
	}
}

// TestProvider checks the name of a model's provider in telemetry, and its price in statistics.
func TestProvider(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		env, model, vendor string
		hasPrice           bool
	}{
		{"GEMINI_API_KEY=k", "gemini-2.5-flash", "gcp.gen_ai", true},
		{"GOOGLE_API_KEY=k|GOOGLE_GENAI_USE_VERTEXAI=true", "gemini-2.5-flash", "gcp.vertex_ai", true},
		{"OPENAI_API_KEY=k", "gpt-4.1", "openai", true},
	} {
		p := projecttest.New(t, `{}`, strings.Split(tt.env, "|")...)
		p.UseModel(tt.model)
		accounts, err := auth.Open(auth.Inputs{Settings: p.Settings(), Env: p.Env(), Launcher: p.Launcher, Context: t.Context()})
		if err != nil {
			t.Fatal(err)
		}
		m, err := assembly.OpenModels(t.Context(), p, accounts, "s", false)
		if err != nil {
			t.Fatal(err)
		}
		o := open(t, p, Parts{})
		o.Start(m, nil, nil)
		if got := o.vendor(tt.model); got != tt.vendor {
			t.Errorf("%s: %s is served by %q", tt.env, tt.model, got)
		}
		if got := o.Stats.Price(tt.model); (got != nil && *got != catalog.Price{}) != tt.hasPrice {
			t.Errorf("%s: %s costs %v", tt.env, tt.model, got)
		}
	}
	o := open(t, projecttest.New(t, `{}`), Parts{})
	start(t, o, silent{})
	if o.vendor("any") != "gcp.gen_ai" || o.Stats.Price("gemini-2.5-flash") != nil {
		t.Error("a played model has a provider")
	}
}
