package permit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/network"
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
	const text, private = "\nIt waits to connect to %s, port %d. The sandbox does not let it.", "\nIt waits to connect to %s, port %d. The address is that of a private network. The sandbox does not let it."
	answers := map[string]tool.Outcome{
		fmt.Sprintf(text, "once.example", 443): tool.ProceedOnce, fmt.Sprintf(text, "session.example", 443): tool.ProceedAlways,
		fmt.Sprintf(private, "home.example", 443): tool.ProceedOnce, fmt.Sprintf(text, "192.0.2.1", 22): tool.ProceedOnce,
	}
	ask := func(_ context.Context, details tool.Confirmation) (tool.Outcome, bool) {
		c := details.(*tool.InfoConfirmation)
		asked = append(asked, c.Prompt)
		if isName := !strings.Contains(c.Prompt, "192.0.2.1"); len(c.Servers) == 1 != isName || isName && c.Servers[0].IsLookalike != strings.Contains(c.Prompt, "xn--") {
			t.Errorf("servers %+v for %q", c.Servers, c.Prompt)
		}
		if o := answers[c.Prompt]; o != "" {
			return o, true
		}
		return tool.Cancel, !strings.Contains(c.Prompt, "away.example")
	}
	host := func(text string) network.Host {
		h, err := network.ParseHost(text)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	first, second := &agent.PreparedCall{}, &agent.PreparedCall{}
	if p.hold(t.Context(), first, host("once.example:443"), ask) != sandbox.Refused || len(asked) > 0 {
		t.Error("a question about a call that has ended")
	}
	p.hosts(first)
	p.hosts(second)
	const yes, no, none = sandbox.Allowed, sandbox.Refused, sandbox.Unanswered
	for i, test := range []struct {
		call    *agent.PreparedCall
		host    string
		isAsked bool
		want    sandbox.Answer
	}{
		{first, "once.example:443", true, yes},
		{first, "once.example:443", false, yes},
		{first, "once.example:80", true, no},
		{second, "once.example:443", false, no}, // of another port, but of this host
		{first, "session.example:443", true, yes},
		{second, "session.example:443", false, yes},
		{first, "no.example:443", true, no},
		{first, "no.example:443", false, no},
		{second, "no.example:443", false, no},
		{first, "away.example:443", true, none},
		{second, "away.example:443", true, none},
		{first, "private:home.example:443", true, yes},
		{first, "home.example:443", false, yes},
		{first, "xn--tideine-qjb.example:443", true, no},
		{second, "192.0.2.1:22", true, yes},
		{second, "192.0.2.1:22", false, yes},
	} {
		before := len(asked)
		got := p.hold(t.Context(), test.call, host(test.host), ask)
		if isAsked := len(asked) > before; got != test.want || isAsked != test.isAsked {
			t.Errorf("%d: %s: %v, and asked is %q", i, test.host, got, asked[before:])
		}
	}
	if grant := p.of(second); !slices.Equal(grant.Hosts, []string{"192.0.2.1:22", "session.example:443"}) {
		t.Errorf("the second command has %v", grant.Hosts)
	}
	if h := p.heldOf(first); !h.isRefused("no.example") || h.isRefused("away.example") || p.isWanted("no.example") || !p.isWanted("away.example") {
		t.Errorf("the first command: %+v", h)
	}
	if len(logged) != 4 || logged[0] != "The sandbox does not let it reach once.example:443. This run could. true" {
		t.Errorf("the log has %q", logged)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if before := len(asked); p.hold(ended, first, host("new.example:443"), ask) != none || len(asked) > before {
		t.Error("a question for which nothing waits any more")
	}
	p.forget(first)
	if len(p.held) != 1 || p.hold(t.Context(), first, host("new.example:443"), ask) != no {
		t.Error("a call that has ended is kept")
	}
	for i := range 50 { // made up names
		p.hold(t.Context(), second, host(fmt.Sprintf("n%d.example:443", i)), ask)
	}
	away := &agent.PreparedCall{}
	p.hosts(away)
	before := len(asked)
	for range 50 { // questions that get no answer
		p.hold(t.Context(), away, host("away.example:443"), ask)
	}
	if p.hold(t.Context(), away, host("new.example:443"), ask) != sandbox.Unasked {
		t.Error("one question too many")
	}
	if len(asked) != before+maxAsked || before > 2*maxAsked+2 {
		t.Errorf("%d questions, and %d without an answer", before, len(asked)-before)
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
