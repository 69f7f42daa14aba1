package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"pollux/llm"
	"pollux/tool"
)

// bench is a requester for tests of one recovery, and the names of the events that it emits.
type bench struct {
	*requester
	events []string
}

func newBench(t *testing.T, change func(*Config)) *bench {
	t.Helper()
	b := &bench{}
	cfg := Config{
		Tools: tool.NewRegistry(), Model: "m", Retry: StreamRetry{Delay: time.Nanosecond}, Limit: func(string) int { return 1000 },
		Now: func() time.Time { return time.Unix(1700000000, 0) },
	}
	if change != nil {
		change(&cfg)
	}
	out := consumer{cancel: func(error) {}, yield: func(e Event, _ error) bool {
		b.events = append(b.events, strings.TrimPrefix(fmt.Sprintf("%T%v", e, e), "agent."))
		return true
	}}
	b.requester = &requester{Agent: New(cfg), out: out, model: "m", promptID: "p"}
	return b
}

// sent returns a turn whose message is in the history.
func (b *bench) sent(ctx context.Context, parts ...llm.Part) *turn {
	t := &turn{message: outgoing{content: llm.User(parts...), isPrompt: true, shown: "typed"}, attempt: 1, tools: b.cfg.Tools.Snapshot()}
	b.conv.join(ctx, &t.message)
	t.reply = b.newReply(false)
	return t
}

// result is a tool result.
func result(text string) llm.Part {
	return llm.Part{FunctionResponse: llm.Output("id", "look", text)}
}

// answers is a model that gives the next of its answers to each request, or an error for nil.
type answers struct {
	llm.Generator
	list     []*llm.Response
	requests []*llm.Request
}

func (a *answers) Stream(_ context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	a.requests = append(a.requests, req)
	return func(yield func(*llm.Response, error) bool) {
		next := a.list[len(a.requests)-1]
		if next == nil {
			yield(nil, errors.New("no answer"))
			return
		}
		yield(next, nil)
	}
}

func answer(parts ...llm.Part) *llm.Response {
	return &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(parts...), FinishReason: llm.FinishStop}}}
}

// TestRecoveryOrder checks which recoveries see a problem, and in which order they examine it.
func TestRecoveryOrder(t *testing.T) {
	t.Parallel()
	everything := func(c *Config) {
		c.StandIn = func(string, string, error) bool { return true }
		c.Unfinished = func(Ending) bool { return true }
		c.Tools = tool.NewRegistry(named{})
	}
	broken := &llm.Error{Kind: llm.KindNetwork}
	loop := Loop{Kind: "again"}
	complete := func(t *turn) { t.reply.reason, t.reply.parts = llm.FinishStop, []llm.Part{llm.Text("I will.")} }
	for name, tt := range map[string]struct {
		change func(*turn)
		want   string
	}{
		"nothing":                     {func(*turn) {}, ""},
		"announced work":              {complete, "unfinished"},
		"a request that is too long":  {func(t *turn) { t.err = fmt.Errorf("ask: %w", &llm.Error{Kind: llm.KindContextWindow}) }, "overflow"},
		"a request that is refused":   {func(t *turn) { t.err = &llm.Error{Kind: llm.KindBadRequest} }, ""},
		"a broken stream":             {func(t *turn) { t.err, t.problem = broken, &InvalidStream{} }, "cutOff"},
		"the last broken stream":      {func(t *turn) { t.err, t.problem, t.isLast = broken, &InvalidStream{}, true }, "standIn"},
		"an unusable response":        {func(t *turn) { t.problem = &InvalidStream{} }, "unusable"},
		"the last unusable response":  {func(t *turn) { t.problem, t.isLast = &InvalidStream{}, true }, "unusable"},
		"no finish reason":            {func(t *turn) { t.problem = &InvalidStream{Type: noFinishReason} }, "unusable"},
		"no finish reason at last":    {func(t *turn) { t.problem, t.isLast = &InvalidStream{Type: noFinishReason}, true }, "standIn unusable"},
		"a loop in a response":        {func(t *turn) { complete(t); t.reply.loop = loop }, "loopBreaker"},
		"a loop in the turns":         {func(t *turn) { t.reply, t.loop = nil, loop }, "loopBreaker"},
		"a loop in calls":             {func(t *turn) { complete(t); t.loop = loop }, "loopBreaker"},
		"announced work, and a call":  {func(t *turn) { complete(t); t.reply.parts = append(t.reply.parts, callPart()) }, ""},
		"a response that was blocked": {func(t *turn) { complete(t); t.reply.reason = llm.FinishSafety }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, everything)
			turn := b.sent(t.Context(), llm.Text("hi"))
			tt.change(turn)
			var got []string
			for _, rec := range newRun(b.requester, "hi").recoveries {
				if rec.sees(turn) {
					got = append(got, strings.TrimPrefix(strings.TrimPrefix(fmt.Sprintf("%T", rec), "*"), "agent."))
				}
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%v, want %s", got, tt.want)
			}
		})
	}
}

func callPart() llm.Part { return llm.Part{FunctionCall: &llm.FunctionCall{ID: "c", Name: "look"}} }

// named is a tool without a function.
type named struct{ tool.Tool }

func (named) Spec() *tool.Spec { return &tool.Spec{Name: "look", Kind: tool.KindSearch} }

// fixed is a recovery with a fixed result, which counts its calls.
type fixed struct {
	how   remedy
	err   error
	blind bool
	calls int
}

func (f *fixed) sees(*turn) bool { return !f.blind }

func (f *fixed) repairs(context.Context, *turn) (remedy, error) {
	f.calls++
	return f.how, f.err
}

// TestRepair checks how far the list of recoveries is tried.
func TestRepair(t *testing.T) {
	t.Parallel()
	failed, ended := errors.New("failed"), errors.New("ended")
	for name, tt := range map[string]struct {
		list  []*fixed
		how   remedy
		err   error
		calls string
	}{
		"none":                        {nil, stand, failed, ""},
		"one that does not see it":    {[]*fixed{{how: resend, blind: true}}, stand, failed, "0"},
		"the first that sees it":      {[]*fixed{{how: resend, blind: true}, {how: nextTurn}, {how: resend}}, nextTurn, nil, "010"},
		"the next if the first fails": {[]*fixed{{}, {how: resend}, {}}, resend, nil, "110"},
		"none repairs it":             {[]*fixed{{}, {}}, stand, failed, "11"},
		"an error":                    {[]*fixed{{err: ended}, {how: resend}}, stand, ended, "10"},
	} {
		r := &run{}
		for _, f := range tt.list {
			r.recoveries = append(r.recoveries, f)
		}
		how, err := r.repair(t.Context(), &turn{err: failed})
		calls := ""
		for _, f := range tt.list {
			calls += fmt.Sprint(f.calls)
		}
		if how != tt.how || !errors.Is(err, tt.err) || calls != tt.calls {
			t.Errorf("%s: %v, %v after calls %s", name, how, err, calls)
		}
	}
}

// TestBudget checks that continuations are limited, and that one repair is free for a prompt.
func TestBudget(t *testing.T) {
	t.Parallel()
	b := budget{continuations: 2}
	if !b.spendOnce() || b.spendOnce() || !b.spend() || b.spend() {
		t.Errorf("%+v", b)
	}
	if b = (budget{}); b.spendOnce() || b.hasRecovered {
		t.Error("nothing was left")
	}
}
