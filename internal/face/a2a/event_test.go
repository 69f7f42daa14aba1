package a2a

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/face/a2a/schema"
	"pollux/internal/face/kit"
	"pollux/internal/process/processtest"
	"pollux/tool"
)

func newLines(resp *http.Response) *bufio.Scanner {
	s := bufio.NewScanner(resp.Body)
	s.Buffer(nil, 64<<20)
	return s
}

// TestOutput checks that the output of a command arrives while it runs, piece by piece.
func TestOutput(t *testing.T) {
	t.Parallel()
	a := start(t, setup{script: `
turn
  call run_shell_command {"command": "echo one; until test -f go; do sleep 0.02; done; echo two"}
turn
  text Done.
`, options: func(o *Options) { o.Session.Project.ApprovalMode = "yolo" }})
	s := a.stream("message/stream", messageTo("", "Go"))
	first := s.until("output")
	if first.Artifact.ID != "tool-run_shell_command__run_shell_command_1-output" || *first.Append || *first.Artifact.Parts[0].Text != "one" && *first.Artifact.Parts[0].Text != "one\n" {
		t.Errorf("%+v", first)
	}
	a.write(a.dir+"/go", "")
	s.all()
	result, _ := a.rpc("tasks/get", map[string]any{"id": s.task})
	if task := a.parseTask(result); len(task.Artifacts) != 1 || !strings.HasPrefix(*task.Artifacts[0].Parts[0].Text, "one") {
		t.Errorf("%+v", task.Artifacts)
	}
}

// TestPieces checks how an output that grows, or is replaced, is sent.
func TestPieces(t *testing.T) {
	t.Parallel()
	task := newTask(&server{}, "", "/", schema.Settings{})
	f := newFollower(json.RawMessage("1"), false, false, maxWaiting)
	task.followers[f] = true
	k := &call{Request: request{ID: "c"}}
	for _, text := range []string{"a", "ab", "ab", "abc", "x", "", "xy"} {
		task.calls.sendOutput(k, text)
	}
	events, _, _ := f.take()
	var got []string
	for _, data := range events {
		var e struct{ Result schema.ArtifactUpdate }
		if err := json.Unmarshal(data, &e); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(e.Result.Append, " ", *e.Result.Artifact.Parts[0].Text))
	}
	if want := []string{"false a", "true b", "true c", "false x", "false xy"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if list := task.outputs.list(); len(list) != 1 || *list[0].Parts[0].Text != "xy" {
		t.Errorf("%+v", list)
	}
	for i := range maxOutputs + 5 {
		task.outputs.add(fmt.Sprint(i), strings.Repeat("x", 2*kit.MaxText), false)
	}
	if list := task.outputs.list(); len(list) != maxOutputs || list[0].ID != "5" || len(*list[0].Parts[0].Text) > kit.MaxText+100 {
		t.Errorf("%d outputs", len(list))
	}
}

// TestFailures checks the errors of models and sessions.
func TestFailures(t *testing.T) {
	t.Parallel()
	a := start(t, setup{script: "turn\n  fail 400 INVALID_ARGUMENT That is wrong.\nturn\n  text Yes.\n", isUnchecked: true})
	s := a.stream("message/stream", messageTo("", "Go"))
	s.all()
	last := s.events[len(s.events)-1]
	if last.Status.State != "input-required" || !strings.Contains(last.text(), "That is wrong") || last.Metadata.Error != last.text() {
		t.Errorf("%s %+v", last.word(), last.Metadata)
	}
	if _, words := a.say(s.task, "Again"); words != "working\ntext Yes.\ninput-required final" {
		t.Errorf("the next turn: %s", words)
	}

	a = start(t, setup{}) // there is no key
	s = a.stream("message/stream", messageTo("", "Go"))
	words := s.all()
	if !strings.HasPrefix(words, "task submitted\nworking\nfailed final: ") || !strings.Contains(words, "key") {
		t.Error(words)
	}
	if status, text := a.do(http.MethodPost, "/tasks", "{}"); status != http.StatusInternalServerError || !strings.Contains(text, "key") {
		t.Errorf("%d %s", status, text)
	}
	if _, failure := a.rpc("message/send", messageTo(s.task, "More")); failure == nil || failure.Code != -32600 || !strings.Contains(failure.Message, "has ended (failed)") {
		t.Errorf("%+v", failure)
	}
}

// TestDeadClient kills the client of a run with a command that runs: the command ends, too.
func TestDeadClient(t *testing.T) {
	t.Parallel()
	a := start(t, setup{script: "turn\n  call run_shell_command {\"command\": \"echo $$ > pid; sleep 600\"}\n", isUnchecked: true, options: func(o *Options) { o.Session.Project.ApprovalMode = "yolo" }})
	s := a.stream("message/stream", messageTo("", "Go"))
	s.until("update run_shell_command_1 executing")
	pid := processtest.AwaitPID(t, a.dir+"/pid")
	s.close()
	processtest.WaitUntil(t, "the command ends", func() bool { return !processtest.IsRunning(pid) })
}

// TestHistory checks that the history of a task is limited, and joins the pieces of a text.
func TestHistory(t *testing.T) {
	t.Parallel()
	h := history{}
	for i := range 100 {
		h.add(schema.Message{Role: schema.Agent, MessageID: fmt.Sprint(i / 2), Parts: []schema.Part{schema.TextPart(strings.Repeat("x", maxHistory/20))}})
	}
	if n := len(h.messages); n < 5 || n > 10 || h.size > maxHistory || len(*h.messages[0].Parts[0].Text) != 2*(maxHistory/20) {
		t.Errorf("%d messages of %d bytes", n, h.size)
	}
	h.add(schema.Message{Parts: []schema.Part{schema.TextPart(strings.Repeat("x", 2*maxHistory))}})
	if len(h.messages) != 0 || h.size != 0 {
		t.Errorf("%d messages of %d bytes", len(h.messages), h.size)
	}
}

// TestEvents checks which events of a run say something to clients.
func TestEvents(t *testing.T) {
	t.Parallel()
	silent := []string{ // about requests, and those that the tests of calls check
		"TurnStarted", "ModelInfo", "Thinking", "Finished", "Waiting", "Joined", "ToolRequested", "ToolUpdated", "ToolAsked", "ToolFinished", "Nested", "Citations", "Cancelled",
		"Text", "Thought", // empty ones
	}
	for _, e := range agent.Events() {
		name := strings.TrimPrefix(fmt.Sprintf("%T", e), "agent.")
		task := newTask(&server{}, "", "/", schema.Settings{})
		task.turn = &turn{}
		f := newFollower(json.RawMessage("1"), false, false, maxWaiting)
		task.followers[f] = true
		if slices.Contains([]string{"Citations"}, name) {
			continue // it needs settings
		}
		task.answered(nil, e)
		events, _, _ := f.take()
		if isSilent := slices.Contains(silent, name); isSilent != (len(events) == 0) {
			t.Errorf("%s: %d events: %.200s", name, len(events), events)
		}
	}
	for _, d := range tool.Displays() {
		r := &callResponse{}
		r.add(&tool.Result{Display: d})
	}
	before := "a\n"
	for _, d := range []tool.Display{
		tool.TextDisplay("x"), tool.TerminalDisplay("x"), &tool.DiffDisplay{FilePath: "/a", Before: &before, After: "b\n"}, &tool.ListDisplay{Summary: "x"},
		&tool.MatchDisplay{Summary: "x"}, &tool.AgentDisplay{Result: "x"}, &tool.ProgressDisplay{Done: 1}, &tool.TodoDisplay{Todos: []tool.Todo{{Description: "x"}}},
	} {
		r := &callResponse{}
		if r.add(&tool.Result{Display: d}); r.Display == nil || r.Display == "" {
			t.Errorf("%T shows nothing", d)
		}
	}
}
