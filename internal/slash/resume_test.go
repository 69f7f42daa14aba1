package slash

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/internal/journal"
	"pollux/internal/sessions"
	"pollux/llm"
)

// record writes n earlier sessions of the project, and a session that is not the project's.
func (d *driver) record(n int) {
	d.t.Helper()
	temp, err := d.Session.Project.Paths.ProjectTemp()
	if err != nil {
		d.t.Fatal(err)
	}
	marker := d.file(filepath.Join(temp, "chats", "other"), "")
	for i := range n {
		at := time.Now().Add(time.Duration(i-n) * time.Hour)
		_, err := journal.Create(filepath.Dir(marker), journal.Header{
			SessionID: fmt.Sprintf("id-%d", i+1), Start: at, Updated: at, Kind: journal.Main, Summary: fmt.Sprintf("Title %d\x1b[31m %s", i+1, strings.Repeat("wide ", 30)),
		}, "", []agent.Entry{
			{Message: agent.Message{ID: "p", Time: at, Content: llm.User(llm.Text(fmt.Sprintf("Prompt %d", i+1))), IsPrompt: true}},
			{Message: agent.Message{ID: "a", Time: at, Content: llm.Model(llm.Text("Answer"))}},
		}, nil)
		if err != nil {
			d.t.Fatal(err)
		}
	}
}

// The list fits on a screen of 24 lines and 80 columns, and has all sessions on its pages.
func TestResumePages(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{recorded: true})
	d.wantText("/resume", "No other sessions in this project.", "No saved conversation checkpoints found.", "/resume save <tag>")
	d.record(33)
	d.answers = []string{"older", "Older", "older", "no such"}
	d.wantFailure("/resume", `There is no session "no such".`)
	if len(d.asked) != 4 || d.asked[3].Text != d.asked[0].Text {
		t.Fatalf("%d questions", len(d.asked))
	}
	for i, want := range [][2]string{{"33   1 hour ago", "For 18 older ones, type older."}, {"18   16 hours ago", "For 3 older ones"}, {"3    1 day ago", "1    1 day ago"}} {
		text := d.asked[i].Text
		if !strings.Contains(text, want[0]) || !strings.Contains(text, want[1]) {
			t.Errorf("page %d is %s", i+1, text)
		}
		if lines := strings.Split(text, "\n"); len(lines) > 20 {
			t.Errorf("page %d has %d lines", i+1, len(lines))
		}
		for line := range strings.Lines(text) {
			if len(line) > 79 || strings.Contains(line, "\x1b") {
				t.Errorf("page %d: %q", i+1, line)
			}
		}
	}
}

// A session is named by its number, its id or "latest", and the conversation continues there.
func TestResume(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{recorded: true, model: threeResponses})
	d.record(3)
	d.prompt("hi")
	for _, tt := range []struct{ identifier, id string }{{"2", "id-2"}, {" id-3", "id-3"}, {" latest", "first"}, {" latest", "id-3"}, {" 4", "first"}} {
		r := d.wantText("/resume " + tt.identifier)
		if r.Recap == nil || d.Session.ID() != tt.id {
			t.Errorf("%s: %s, %+v", tt.identifier, d.Session.ID(), r)
		}
	}
	if got := d.history(); got != "hi | One." {
		t.Errorf("the model gets %s", got)
	}
	for identifier, want := range map[string]string{
		"4": "Session 4 is the one that you are in.", "0": "There is no session", "5": "There is no session", "-1": "There is no session",
		"2x": "There is no session", "../id-1": "There is no session", "first": "Session 4 is the one",
	} {
		d.wantFailure("/resume "+identifier, want)
	}
	d.wantText("/chat save tagged")
	d.wantFailure("/resume tagged", `a saved conversation with this tag`, "/resume resume tagged")
	d.wantText("/resume resume tagged", "Resumed the conversation with tag: tagged")
	d.wantText("/resume", "The conversation stays as it is.") // no answer
	list, err := d.Session.Record.List(t.Context())
	if err != nil || sessions.Index(list, sessions.Latest) != 3 {
		t.Errorf("%v, %v", list, err)
	}
}
