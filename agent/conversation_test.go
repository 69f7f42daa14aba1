package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// chaos is a model, a set of hooks, a compressor, a masker and an IDE that all act at random.
type chaos struct {
	dice *rand.Rand
}

func (c *chaos) odds(n int) bool { return c.dice.IntN(n) == 0 }

func (c *chaos) answer(ctx context.Context, yield func(*llm.Response, error) bool) {
	usage := &llm.Usage{Prompt: c.dice.IntN(5000)}
	switch c.dice.IntN(12) {
	case 0:
		breaks(&llm.Error{Kind: llm.KindBadRequest, Message: "no"})(ctx, yield)
	case 1:
		breaks(&llm.Error{Kind: llm.KindContextWindow, Size: llm.RequestSize{Prompt: 1030, Window: 1000}})(ctx, yield)
	case 2:
		breaks(&llm.Error{Kind: llm.KindIncomplete, Message: "cut"}, chunk("", llm.Text("half")))(ctx, yield)
	case 3:
		says(chunk(llm.FinishStop))(ctx, yield) // nothing
	case 4:
		says(chunk(llm.FinishStop, llm.Text(""), llm.Part{FunctionCall: &llm.FunctionCall{Name: "look"}}))(ctx, yield)
	case 5:
		says(chunk("", thought("**A** hm")), chunk(llm.FinishStop, llm.Text("done")))(ctx, yield)
	case 6, 7:
		r := text("done")
		r.Usage = usage
		says(r)(ctx, yield)
	default:
		names := []string{"look", "look", "stop", "fail", "unknown"}
		c.dice.Shuffle(len(names), func(i, k int) { names[i], names[k] = names[k], names[i] })
		r := calls(names[:1+c.dice.IntN(3)]...)
		r.Usage = usage
		says(r)(ctx, yield)
	}
}

func (c *chaos) BeforeAgent(context.Context, string) agent.Verdict {
	return agent.Verdict{Stop: c.odds(20), Block: c.odds(20), Reason: "so"}
}

func (c *chaos) AfterAgent(context.Context, string, string, bool) agent.Verdict {
	return agent.Verdict{Block: c.odds(8), Reason: "go on", ClearContext: c.odds(20)}
}

func (c *chaos) BeforeModel(context.Context, *llm.Request) (agent.Verdict, *llm.Response) {
	return agent.Verdict{Stop: c.odds(40)}, nil
}

func (c *chaos) AfterModel(context.Context, *llm.Request, *llm.Response) (agent.Verdict, *llm.Response) {
	return agent.Verdict{Block: c.odds(40)}, nil
}

func (c *chaos) PreCompress(context.Context, agent.CompressTrigger) {}

// Compress replaces some of the older messages by a summary.
func (c *chaos) Compress(_ context.Context, o agent.CompressRequest) ([]agent.Message, agent.Compression) {
	if !o.Force && !c.odds(6) || len(o.History) < 2 {
		return o.History, agent.Compression{Status: agent.CompressNoOp}
	}
	keep := c.dice.IntN(2) // as compressors keep the first messages
	n := keep + c.dice.IntN(len(o.History)-keep)
	for n > keep && o.History[n].Content.HasFunctionResponse() {
		n--
	}
	short := slices.Concat(o.History[:keep], []agent.Message{{Content: llm.User(llm.Text("summary"))}}, o.History[n:])
	return short, agent.Compression{Status: agent.CompressedOK, Before: o.Tokens, After: o.Tokens / 2}
}

func (c *chaos) Mask(ctx context.Context, h []agent.Message, _ int) ([]agent.Message, int) {
	if !c.odds(6) {
		return h, 0
	}
	return blotter{}.Mask(ctx, h, 0)
}

func (c *chaos) Context(bool) string { return map[bool]string{true: "open: a.go"}[c.odds(3)] }

func (c *chaos) Next(context.Context, []agent.Message) llm.Role {
	return map[bool]llm.Role{true: llm.RoleModel}[c.odds(10)]
}

func newChaos(t *testing.T, seed uint64, journal agent.Journal) (*agent.Agent, *chaos) {
	c := &chaos{dice: rand.New(rand.NewPCG(seed, 0))}
	s := &script{}
	for range 2000 {
		s.answers = append(s.answers, c.answer)
	}
	stop := newToy("stop", func(context.Context, tool.Host, json.RawMessage) *tool.Result {
		return tool.Fail(tool.ErrStopExecution, "enough")
	})
	stop.spec.Serial = true
	fail := newToy("fail", func(context.Context, tool.Host, json.RawMessage) *tool.Result {
		return tool.Fail(tool.ErrUnknown, "no")
	})
	return newAgent(t, s, func(cfg *agent.Config) {
		cfg.Journal, cfg.Hooks, cfg.Compressor, cfg.Masker, cfg.IDE, cfg.NextSpeaker = journal, c, c, c, c, c
		cfg.ForgetCancelled, cfg.Retry.Attempts = seed%2 == 0, 2
		cfg.Context = opened("hello")
	}, echo("look"), stop, fail), c
}

// step makes one random change to a conversation.
func (c *chaos) step(t *testing.T, a *agent.Agent) string {
	ctx := t.Context()
	switch n := c.dice.IntN(16); n {
	case 0:
		a.Restart(ctx, fmt.Sprintf("session %d", c.dice.IntN(100)), opened("good day"))
		return "restart"
	case 1:
		a.ReplaceContext(ctx, opened("hello again"))
		return "reopen"
	case 2:
		a.AddMessage(ctx, agent.Message{Content: llm.User(llm.Text("news"))})
		return "tell"
	case 3:
		_, _ = a.Compress(ctx, "")
		return "compress"
	case 4:
		h := a.History()
		a.SetHistory(ctx, h[:c.dice.IntN(len(h)+1)])
		return "load"
	case 5:
		for range a.RunTool(ctx, agent.ToolCall{Name: "look"}, nil) {
			if c.odds(4) {
				break
			}
		}
		a.AddMessage(ctx, agent.Message{Content: llm.User(llm.Text("I have run this."))})
		return "typed"
	default:
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		ends := c.dice.IntN(40)
		if c.odds(3) {
			a.Steer(prompt("steer"))
		}
		for range a.Run(ctx, agent.Prompt{Parts: []llm.Part{llm.Text("prompt")}, Shown: "shown"}) {
			if c.odds(10) {
				a.Steer(prompt("steer"))
			}
			if ends--; ends == 0 && n%2 == 0 {
				cancel()
			} else if ends == 0 {
				break
			}
		}
		return "prompt"
	}
}

// After any sequence of changes, the journal holds the same history as the agent.
func TestJournalTellsAll(t *testing.T) {
	t.Parallel()
	for seed := range uint64(150) {
		b := &book{}
		a, c := newChaos(t, seed, b)
		var done []string
		for range 30 {
			done = append(done, c.step(t, a))
			same := func(m, n agent.Message) bool { return reflect.DeepEqual(m, n) }
			if history := a.History(); !slices.EqualFunc(history, b.history(), same) || len(b.failures) > 0 {
				t.Fatalf("seed %d, after %s: %v\nhistory:\n%s\njournal:\n%s", seed, strings.Join(done, ", "),
					errors.Join(b.failures...), words(history), words(b.history()))
			}
		}
	}
}

// The journal receives all data that a session's record shows.
func TestJournalEntries(t *testing.T) {
	t.Parallel()
	look := newToy("look", func(context.Context, tool.Host, json.RawMessage) *tool.Result {
		return &tool.Result{Content: []llm.Part{llm.Text("long")}, Display: tool.TextDisplay("short"), AgentID: "sub"}
	})
	look.spec.Plain = true
	answer := chunk(llm.FinishStop, thought("**Plan** first"), call("1", "look", `{"at":"it"}`), call("2", "none", `{}`))
	answer.Usage = &llm.Usage{Prompt: 7}
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(answer), says(text("done"))}}
	b := &book{}
	var seconds atomic.Int64
	a := newAgent(t, s, func(c *agent.Config) {
		c.Journal = b
		c.Now = func() time.Time { return time.Unix(1700000000+seconds.Add(1), 0) }
	}, look)
	for range a.Run(t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text("read it, all of it")}, Shown: "read @it"}) {
	}
	if len(b.entries) != 4 {
		t.Fatalf("%d entries", len(b.entries))
	}
	prompt, model, results := b.entries[0], b.entries[1], b.entries[2]
	if prompt.Shown != "read @it" || prompt.Time.IsZero() || b.session != "s" {
		t.Errorf("prompt: %+v, session %s", prompt, b.session)
	}
	if model.Usage != answer.Usage || model.Model != "gemini-2.5-pro" || len(model.Thoughts) != 1 || !model.Thoughts[0].Time.After(prompt.Time) {
		t.Errorf("answer: %+v", model)
	}
	got := slices.Clone(results.Calls)
	for i, r := range got {
		if r.Active <= 0 || !r.Ended.Add(-r.Active).After(model.Time) || r.Ended.After(results.Time) {
			t.Errorf("call %s ended %v, took %v", r.ID, r.Ended, r.Active)
		}
		got[i].Ended, got[i].Active = time.Time{}, 0
		for n := range got[i].Executions {
			x := &got[i].Executions[n]
			x.Began, x.Duration, x.Active = time.Time{}, 0, 0
		}
	}
	want := []agent.CallRecord{
		{
			ID: "look__1", Name: "look", Args: json.RawMessage(`{"at":"it"}`), Status: agent.Success, HasRun: true, Description: "look at work",
			Display: tool.TextDisplay("short"), Plain: true, AgentID: "sub",
			Executions: []agent.Execution{{
				Name: "look", Args: json.RawMessage(`{"at":"it"}`), Summary: "look at work", Status: agent.Success, HasRun: true,
				Decision: agent.Decision{By: agent.DecidedByPolicy, Outcome: tool.ProceedOnce}, Result: &tool.Result{Display: tool.TextDisplay("short")},
			}},
		},
		{
			ID: "none__2", Name: "none", Args: json.RawMessage(`{}`), Status: agent.Failed,
			Display: tool.TextDisplay(`Tool "none" not found. Did you mean "look"?`),
			Executions: []agent.Execution{{
				Name: "none", Args: json.RawMessage(`{}`), Status: agent.Failed,
				Result: &tool.Result{Display: tool.TextDisplay(`Tool "none" not found. Did you mean "look"?`)},
			}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}
