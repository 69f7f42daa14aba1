package permit

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// TestHold checks that a person is asked about each host once while a command waits, for which commands an answer counts, and which are logged.
func TestHold(t *testing.T) {
	t.Parallel()
	var asked, logged []string
	p := New(Options{
		CanRemember: func() bool { return true },
		Log: func(_, reason string, isGranted bool) {
			logged = append(logged, fmt.Sprintf("%s %v", reason, isGranted))
		},
	})
	answers := map[string]tool.Outcome{"once.example": tool.ProceedOnce, "session.example": tool.ProceedAlways, "private:home.example": tool.ProceedOnce}
	ask := func(details tool.Confirmation) tool.Answer {
		c := details.(*tool.InfoConfirmation)
		asked = append(asked, c.Prompt)
		for host, outcome := range answers {
			if strings.HasSuffix(c.Offers[0].Label, " "+host+" in this session") {
				return tool.Answer{Outcome: outcome}
			}
		}
		return tool.Answer{Outcome: tool.Cancel, Unattended: strings.Contains(c.Prompt, "away.example")}
	}
	first, second := &agent.PreparedCall{}, &agent.PreparedCall{}
	if p.hold(first, "once.example", ask) || len(asked) > 0 {
		t.Error("a question about a call that has ended")
	}
	p.hosts(first)
	p.hosts(second)
	for i, test := range []struct {
		call     *agent.PreparedCall
		host     string
		isAsked  bool
		isToBe   bool
		question string
	}{
		{first, "once.example", true, true, "\nIt waits to connect to once.example. The sandbox does not let it."},
		{first, "once.example", false, true, ""},
		{second, "once.example", true, true, ""},
		{first, "session.example", true, true, ""},
		{second, "session.example", false, true, ""},
		{first, "no.example", true, false, ""},
		{first, "no.example", false, false, ""},
		{second, "no.example", false, false, ""},
		{first, "away.example", true, false, ""},
		{second, "away.example", true, false, ""},
		{first, "private:home.example", true, true, "\nIt waits to connect to home.example, whose address is that of a private network. The sandbox does not let it."},
		{first, "home.example", true, false, ""},
	} {
		before := len(asked)
		got := p.hold(test.call, test.host, ask)
		if isAsked := len(asked) > before; got != test.isToBe || isAsked != test.isAsked || isAsked && test.question != "" && asked[before] != test.question {
			t.Errorf("%d: %s: %v, and asked is %q", i, test.host, got, asked[before:])
		}
	}
	if grant := p.of(second); !slices.Equal(grant.Hosts, []string{"once.example", "session.example"}) {
		t.Errorf("the second command has %v", grant.Hosts)
	}
	if h := p.heldOf(first); !h.isRefused("no.example") || h.isRefused("once.example") || p.isWanted("no.example") || !p.isWanted("away.example") {
		t.Errorf("the first command: %+v", h)
	}
	if len(logged) != 4 || logged[0] != "The sandbox does not let it reach once.example. This run could. true" {
		t.Errorf("the log has %q", logged)
	}
	p.forget(first)
	if len(p.held) != 1 || p.hold(first, "new.example", ask) {
		t.Error("a call that has ended is kept")
	}
	for i := range 50 { // made up names
		p.hold(second, fmt.Sprintf("n%d.example", i), ask)
	}
	if len(asked) > 2*maxAsked {
		t.Errorf("%d questions", len(asked))
	}
}

// TestNotes checks which notes about hosts a model reads.
func TestNotes(t *testing.T) {
	t.Parallel()
	failed, worked := map[string]any{"isError": true}, map[string]any{}
	for _, test := range []struct {
		held    held
		missing []string
		data    map[string]any
		want    string
	}{
		{held{}, nil, failed, "out"},
		{held{}, []string{"a.example", "b.example"}, worked, "out\n\n[The sandbox has found no address for a.example, b.example.]"},
		{held{allowed: []string{"a.example"}, waited: time.Minute}, nil, worked, "out"},
		{held{allowed: []string{"a.example"}, waited: time.Second}, nil, failed, "out"},
		{held{refused: []string{"a.example"}, waited: time.Minute}, nil, failed, "out"},
		{
			held{allowed: []string{"a.example"}, waited: time.Minute},
			nil, failed,
			"out\n\n[The command waited 60 s until the user allowed it to reach a.example. If that was too long for a time limit of its own, run it again.]",
		},
	} {
		r := test.held.notes(&tool.Result{Content: []llm.Part{llm.Text("out")}, Data: test.data}, test.missing)
		if got := llm.PartsText(r.Content); got != test.want {
			t.Errorf("%+v: %q", test.held, got)
		}
	}
}
