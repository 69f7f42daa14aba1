package a2a

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestTurn checks the events of two turns of a task, and the task between and after them.
func TestTurn(t *testing.T) {
	t.Parallel()
	a := start(t, setup{script: `
turn
  expect prompt Hello
  think **Greeting** the other program.
  text Good
  text " day."
  usage prompt=7 candidates=2
turn
  expect prompt More
  text No more.
`})
	id, words := a.say("", "Hello")
	wants(t, words, `
task submitted
working
thought Greeting|the other program.
text Good
text  day.
input-required final`)
	result, _ := a.rpc("tasks/get", map[string]any{"id": id})
	task := a.parseTask(result)
	if task.Status.State != "input-required" || len(task.History) != 3 || *task.History[2].Parts[0].Text != "Good day." || task.History[0].Role != "user" {
		t.Errorf("%+v", task)
	}
	s := a.stream("message/stream", messageTo(id, "More"))
	wants(t, s.all(), "working\ntext No more.\ninput-required final")
	if last := s.events[len(s.events)-1]; last.Metadata.Model != "gemini-2.5-flash" || last.Metadata.Usage["totalTokenCount"] == 0 {
		t.Errorf("%+v", last.Metadata)
	}
	for n, want := range map[int]int{0: 0, 1: 1, 2: 2, 100: 5} {
		result, _ := a.rpc("tasks/get", map[string]any{"id": id, "historyLength": n})
		if got := a.parseTask(result); len(got.History) != want {
			t.Errorf("%d messages of %d", len(got.History), n)
		}
	}
}

// TestConversationsStay checks that the conversation of a task is a session that can be resumed by the id of the task.
func TestConversationsStay(t *testing.T) {
	t.Parallel()
	a := start(t, setup{script: "turn\n  text Yes.\n"})
	id, _ := a.say("", "Hello")
	if err := a.stop(); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(a.home, ".gemini/tmp/*/chats/*"+id[len(id)-8:]+".jsonl"))
	if err != nil || len(found) != 1 {
		t.Errorf("sessions %q, %v", found, err)
	}
}

// TestSend checks that a message without a stream is answered at the end of the turn, or at once if the client does not wait.
func TestSend(t *testing.T) {
	t.Parallel()
	a := start(t, setup{script: "turn\n  text Yes.\nturn\n  text Later.\n"})
	result, _ := a.rpc("message/send", messageTo("", "Hello"))
	task := a.parseTask(result)
	if n := len(task.History); task.Status.State != "input-required" || n != 2 || *task.History[1].Parts[0].Text != "Yes." {
		t.Errorf("%+v", task)
	}
	p := messageTo(task.ID, "Again")
	p["configuration"] = map[string]any{"blocking": false, "historyLength": 1}
	result, _ = a.rpc("message/send", p)
	if now := a.parseTask(result); now.Status.State != "working" || len(now.History) != 1 {
		t.Errorf("%+v", now)
	}
	s := a.stream("tasks/resubscribe", map[string]any{"id": task.ID})
	for s.next() != nil {
	}
	result, _ = a.rpc("tasks/get", map[string]any{"id": task.ID})
	if now := a.parseTask(result); *now.History[len(now.History)-1].Parts[0].Text != "Later." {
		t.Errorf("%+v", now.History)
	}
}

// TestCard checks the card in both forms.
func TestCard(t *testing.T) {
	t.Parallel()
	a := start(t, setup{})
	var c struct {
		card
		Security []any `json:"security"`
	}
	resp := a.open(t.Context(), http.MethodGet, "/.well-known/agent-card.json", "", nil)
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&c); err != nil {
		t.Fatal(err)
	}
	if c.Name != "Gemini SDLC Agent" || c.ProtocolVersion != "0.3.0" || c.Version != "0.0.2" || c.URL != a.url || !strings.HasPrefix(a.url, "http://localhost:") || !c.Capabilities.Streaming || len(c.Skills) != 1 || c.Skills[0].ID != "code_generation" || c.SecuritySchemes != nil {
		t.Errorf("%+v", c)
	}
	var n map[string]any
	resp = a.open(t.Context(), http.MethodGet, "/.well-known/agent-card.json", "", func(r *http.Request) { r.Header.Set("A2A-Version", "1.0") })
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&n); err != nil {
		t.Fatal(err)
	}
	if n["url"] != nil || n["protocolVersion"] != nil || n["supportedInterfaces"].([]any)[0].(map[string]any)["protocolVersion"] != "1.0" {
		t.Errorf("%v", n)
	}
}
