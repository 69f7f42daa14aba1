package records_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/journal"
	"pollux/internal/logs"
	"pollux/internal/records"
	"pollux/internal/secret"
	"pollux/internal/stats"
	"pollux/internal/stats/recent"
	"pollux/internal/telemetry"
	"pollux/llm"
	"pollux/tool"
)

// sinks lists the sinks of a session. Each starts one in a directory, which takes these records, and returns
// its state as text.
var sinks = []struct {
	name string
	run  func(t *testing.T, dir string, list []records.Record) string
}{
	{"activity", activityOf}, {"journal", journalOf}, {"log", logOf}, {"recent", recentOf}, {"stats", statsOf}, {"telemetry", telemetryOf},
}

// taken is a record of each kind, after the records of prelude, and the sinks that take it.
var taken = []struct {
	record records.Record
	by     string
}{
	{records.SessionBegan{ID: "next"}, "log recent stats"},
	{records.PromptBegan{Prompt: agent.Prompt{ID: "other"}}, "recent telemetry"},
	{&records.AgentEvent{PromptID: "p", Event: call}, "recent stats telemetry"},
	{records.PromptEnded{PromptID: "p", Status: records.OK}, "recent telemetry"},
	{records.ClientCall{Finished: call}, "recent stats telemetry"},
	// Telemetry is an observer of requests, which also sees their chunks.
	{records.RequestBegan{Request: &llm.Request{Model: "m"}}, "recent"},
	{records.RequestEnded{Request: &llm.Request{Model: "m", Use: llm.UseRouter}, IsAnswered: true}, "journal recent stats"},
	{records.SessionConfigured{Model: "m"}, "telemetry"},
	{records.SessionStarted{Phases: []records.Phase{{Name: "load_settings"}}}, "telemetry"},
	{records.ExitForced{}, "telemetry"},
	{records.Warned{Text: "careful"}, "activity"},
	{records.SignalReceived{Name: "terminated"}, "recent"},
	{records.CommandRun{Name: "memory show"}, "recent telemetry"},
	{records.ModelChosen{Model: "m"}, "recent telemetry"},
	{records.ModeSwitched{From: "default", To: "plan"}, "recent telemetry"},
	{records.PlanApproved{}, "telemetry"},
	{records.Rewound{}, "recent telemetry"},
	{records.HistoryCompressed{Compression: agent.Compression{Status: agent.CompressedOK}}, "recent telemetry"},
	{records.HistoryMasked{Saved: 7}, "telemetry"},
	{records.NextSpeakerChecked{Role: llm.RoleUser}, "telemetry"},
	{records.ModelRouted{Model: "m", Err: errors.New("boom")}, "telemetry"},
	{records.LoopChecked{First: 0.5, Second: -1}, "telemetry"},
	{records.HookRun{Event: "BeforeTool", Name: "lint"}, "telemetry"},
	{records.SubagentStarted{}, "telemetry"},
	{records.SubagentFinished{}, "telemetry"},
	{records.SubagentRecovered{}, "telemetry"},
	{records.EditMade{Strategy: "exact"}, "telemetry"},
	{records.EditCorrected{}, "telemetry"},
	{records.WebFetchFellBack{Reason: "primary_failed"}, "telemetry"},
	{records.RipgrepMissing{}, "telemetry"},
}

var (
	call    = agenttest.Finished(&agent.ToolCall{ID: "look__1", Name: "look", PromptID: "p"}, agent.Success, tool.Text("x"))
	prelude = []records.Record{records.PromptBegan{Prompt: agent.Prompt{ID: "p"}}, &records.AgentEvent{PromptID: "p", Event: call}}
)

// TestSinks checks which sinks take which records, and that at least one takes each.
func TestSinks(t *testing.T) {
	t.Parallel()
	var kinds, listed []string
	for _, r := range records.Kinds() {
		kinds = append(kinds, kind(r))
	}
	for _, tt := range taken {
		listed = append(listed, kind(tt.record))
	}
	if !slices.Equal(kinds, listed) {
		t.Fatalf("the table lists\n%v\nthe kinds are\n%v", listed, kinds)
	}
	for _, tt := range taken {
		t.Run(kind(tt.record), func(t *testing.T) {
			t.Parallel()
			var by []string
			for _, sink := range sinks {
				before := sink.run(t, t.TempDir(), prelude)
				if after := sink.run(t, t.TempDir(), append(slices.Clip(prelude), tt.record)); after != before {
					by = append(by, sink.name)
				}
			}
			if got := strings.Join(by, " "); got != tt.by || got == "" {
				t.Errorf("taken by %q, want %q", got, tt.by)
			}
		})
	}
}

func kind(r records.Record) string { return reflect.Indirect(reflect.ValueOf(r)).Type().Name() }

func recentOf(_ *testing.T, _ string, list []records.Record) string {
	ring := new(recent.Ring)
	emit(ring, list)
	var b strings.Builder
	for _, e := range ring.Events() {
		fmt.Fprintln(&b, e.Kind, e.Name, e.Status)
	}
	return b.String()
}

func statsOf(_ *testing.T, _ string, list []records.Record) string {
	counter := stats.New()
	emit(counter, list)
	counts := counter.Snapshot()
	return string(counts.AppendJSON(nil))
}

// written matches names of events and metrics in an outfile.
var written = regexp.MustCompile(`"(event\.name|name)": ".*"`)

func telemetryOf(t *testing.T, dir string, list []records.Record) string {
	path := filepath.Join(dir, "t.log")
	tel := telemetry.Start(telemetry.Options{
		Settings: telemetry.Settings{Enabled: true, Outfile: path},
		Warn:     func(text string) { t.Error(text) }, Session: func() string { return "s" },
	})
	emit(tel, list)
	tel.Close()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	names := written.FindAllString(string(text), -1)
	return strings.Join(slices.DeleteFunc(names, func(name string) bool { return strings.Contains(name, "memory.usage") }), "\n")
}

func activityOf(t *testing.T, dir string, list []records.Record) string {
	path := filepath.Join(dir, "activity.jsonl")
	a := telemetry.NewActivity(telemetry.ActivityOptions{
		Path: path, Session: func() string { return "s" }, Clean: strings.ToUpper, Warn: func(text string) { t.Error(text) },
	})
	defer a.Close()
	emit(a, list)
	text, _ := os.ReadFile(path) // there is none if nothing was written
	return string(text)
}

func journalOf(t *testing.T, dir string, list []records.Record) string {
	j := journal.New(journal.Options{Dir: func() (string, error) { return dir, nil }, Warn: func(text string) { t.Error(text) }})
	defer j.Close()
	message := func(id, text string) agent.Message { return agent.Message{ID: id, Content: llm.User(llm.Text(text))} }
	if err := j.Begin(t.Context(), "s", []agent.Message{message("0", "opening")}); err != nil {
		t.Fatal(err)
	}
	if err := j.Append(t.Context(), agent.Entry{Message: message("1", "prompt")}); err != nil {
		t.Fatal(err)
	}
	emit(j, list)
	text, err := os.ReadFile(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(strings.Count(string(text), "\n"))
}

func logOf(t *testing.T, dir string, list []records.Record) string {
	l := logs.New(func() (string, error) { return dir, nil }, "s", func() *secret.Masker { return nil }, func(err error) { t.Error(err) })
	defer l.Close()
	emit(l, list)
	if _, err := l.Write([]byte("{}\n")); err != nil {
		t.Fatal(err)
	}
	return logs.Newest(dir)
}

func emit(sink records.Sink, list []records.Record) {
	stream := records.New(sink)
	for _, r := range list {
		stream.Emit(r)
	}
}

// BenchmarkEmit measures the cost of an event of a prompt that no sink keeps, such as a piece of a response.
func BenchmarkEmit(b *testing.B) {
	s := records.New(stats.New(), new(recent.Ring), (*telemetry.Telemetry)(nil), (*journal.Journal)(nil), (*logs.Log)(nil), (*telemetry.Activity)(nil))
	event := &records.AgentEvent{PromptID: "p", Event: agent.Text{Text: "word"}}
	b.ReportAllocs()
	for b.Loop() {
		s.Emit(event)
	}
}
