package mcp

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/llm"
	"pollux/tool"
)

// person answers the questions of servers in their order, and records them.
type person struct {
	answers []tool.Answer
	asked   []string
}

func (p *person) ask(_ context.Context, details tool.Confirmation) (tool.Answer, error) {
	c := details.(*tool.QuestionConfirmation)
	text := c.Title
	for _, q := range c.Questions {
		text += "\n" + string(q.Kind) + ": " + q.Text
	}
	p.asked = append(p.asked, text)
	if len(p.answers) == 0 {
		return tool.Answer{Outcome: tool.Cancel}, nil
	}
	a := p.answers[0]
	p.answers = p.answers[1:]
	return a, nil
}

func say(words ...string) tool.Answer {
	answers := map[string]string{}
	for i, w := range words {
		if w != "" {
			answers[fmt.Sprint(i)] = w
		}
	}
	return tool.Answer{Outcome: tool.ProceedOnce, Reply: &tool.Reply{Answers: answers}}
}

const signup = `{"message":"Who are you?\u001b[2J","schema":{"type":"object","properties":{` +
	`"name":{"type":"string","title":"Your name"},"age":{"type":"integer","minimum":1},"password":{"type":"string"}},"required":["name"]}}`

// A person answers, declines or leaves a question of a server, and knows which server asks.
func TestElicits(t *testing.T) {
	t.Parallel()
	const first = "MCP server \"toy\" asks\nchoice: Who are you?\nThe server wants: Your name, age, password"
	for _, c := range []struct {
		name, args string
		answers    []tool.Answer
		want       string
		asked      []string
	}{
		{
			name: "answers", answers: []tool.Answer{say("Answer"), say("Ann", "7", "")},
			want: `{"action":"accept","content":{"age":7,"name":"Ann"}}`,
			asked: []string{
				first,
				"MCP server \"toy\" asks\ntext: Your name (required)\ntext: age (optional)\nAnswer: a whole number, at least 1.\n" +
					"secret: password (optional)\nMCP server \"toy\" gets what you type. Servers should not ask for secrets in this way.",
			},
		},
		{
			name: "corrects", answers: []tool.Answer{say("Answer"), say("", "x"), say("Ann", "0"), say("7")},
			want: `{"action":"accept","content":{"age":7,"name":"Ann"}}`,
			asked: []string{
				first, "",
				"MCP server \"toy\" asks\ntext: The server needs an answer.\nYour name (required)\ntext: The answer is not a number.\nage (optional)\nAnswer: a whole number, at least 1.",
				"MCP server \"toy\" asks\ntext: The answer is less than 1.\nage (optional)\nAnswer: a whole number, at least 1.",
			},
		},
		{name: "declines", answers: []tool.Answer{say("Decline")}, want: `{"action":"decline"}`, asked: []string{first}},
		{name: "leaves", answers: []tool.Answer{{Outcome: tool.Cancel}}, want: `{"action":"cancel"}`, asked: []string{first}},
		{name: "leaves later", answers: []tool.Answer{say("Answer"), {Outcome: tool.Cancel}}, want: `{"action":"cancel"}`, asked: []string{first, ""}},
		{name: "is away", answers: []tool.Answer{{Outcome: tool.Cancel, Unattended: true}}, want: `{"action":"decline"}`, asked: []string{first}},
		{
			name: "confirms", args: `{"message":"Sure?","schema":{"type":"object","properties":{}}}`, answers: []tool.Answer{say("Confirm")},
			want: `{"action":"accept"}`, asked: []string{"MCP server \"toy\" asks\nchoice: Sure?"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, r, warned := run(t, Options{Configs: []Config{toy(t, "toy", "asking")}, HasPerson: true})
			p := &person{answers: c.answers}
			args := c.args
			if args == "" {
				args = signup
			}
			got := callTool(t.Context(), t, r, "mcp_toy_ask", args, tool.Host{Ask: p.ask})
			if text := unfence(got); text != c.want {
				t.Errorf("got %s, want %s", text, c.want)
			}
			if len(p.asked) != len(c.asked) {
				t.Fatalf("asked: %q", p.asked)
			}
			for i, want := range c.asked {
				if want != "" && p.asked[i] != want {
					t.Errorf("asked %q, want %q", p.asked[i], want)
				}
			}
			if w := warned(); w != nil {
				t.Errorf("warnings: %q", w)
			}
		})
	}
}

// unfence returns the text of a result without the marks around it.
func unfence(r *tool.Result) string {
	text := llm.PartsText(r.Content)
	return strings.TrimSuffix(strings.TrimPrefix(text, "<untrusted_context>\n"), "\n</untrusted_context>")
}

// Servers learn that no person is there, and that Pollux does not ask the model for them.
func TestDeclaresAnswered(t *testing.T) {
	t.Parallel()
	_, r, _ := run(t, Options{Configs: []Config{toy(t, "toy", "asking")}})
	for name, want := range map[string]string{
		"mcp_toy_ask": "does not support elicitation", "mcp_toy_sample": `pollux.mcpSampling: "ask"`,
	} {
		if got := unfence(callTool(t.Context(), t, r, name, `{}`, tool.Host{})); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	s := newServer(New(Options{Registry: tool.NewRegistry()}), Config{Name: "toy"})
	//lint:ignore SA1019 servers of today ask for samples
	if c := s.capabilities(); c.Elicitation != nil || c.Sampling != nil {
		t.Errorf("without a person: %+v", c)
	}
	s.all.o.HasPerson = true
	//lint:ignore SA1019 servers of today ask for samples
	if c := s.capabilities(); c.Elicitation == nil || c.Sampling != nil {
		t.Errorf("with a person: %+v", c)
	}
}

// A server that asks without leave gets an answer, and the user one line about it.
func TestAsksWithoutLeave(t *testing.T) {
	t.Parallel()
	var warned warnings
	s := newServer(New(Options{Registry: tool.NewRegistry(), Warn: warned.add}), Config{Name: "toy"})
	ask := func(ctx context.Context) string {
		got, err := s.elicit(ctx, &sdk.ElicitParams{Message: "?", RequestedSchema: map[string]any{"type": "object"}})
		if err != nil {
			t.Error(err)
			return ""
		}
		return got.Action
	}
	for range 1000 {
		if got := ask(t.Context()); got != declined {
			t.Fatal(got)
		}
	}
	_ = s.attended(t.Context(), nil, func(ctx context.Context) error {
		for range 1000 {
			if got := ask(ctx); got != declined {
				t.Fatal(got)
			}
		}
		return nil
	})
	want := "MCP server \"toy\" asked a question, and Pollux declined it: it did so while nothing was asked of it. | " +
		"MCP server \"toy\" asked a question, and Pollux declined it: no person is here to answer."
	if got := strings.Join(warned.all(), " | "); got != want {
		t.Errorf("warnings: %s", got)
	}
}

// However often a server asks during a call, the person is asked a few times, one after the other.
func TestAsksTooOften(t *testing.T) {
	t.Parallel()
	_, r, warned := run(t, Options{Configs: []Config{toy(t, "toy", "asking")}, HasPerson: true})
	var asked, now atomic.Int32
	host := tool.Host{Ask: func(context.Context, tool.Confirmation) (tool.Answer, error) {
		if now.Add(1) > 1 {
			t.Error("two questions at once")
		}
		asked.Add(1)
		time.Sleep(time.Millisecond)
		now.Add(-1)
		return say("Decline"), nil
	}}
	got := callTool(t.Context(), t, r, "mcp_toy_ask", `{"message":"?","schema":{"type":"object","properties":{}},"times":1000}`, host)
	if n := strings.Count(llm.PartsText(got.Content), `{"action":"decline"}`); n != 1000 {
		t.Errorf("%d answers", n)
	}
	if n := asked.Load(); n == 0 || n > maxAsked {
		t.Errorf("asked %d times", n)
	}
	if w := warned(); len(w) == 0 || len(w) > 2 {
		t.Errorf("warnings: %q", w)
	}
}

// While a person thinks, the time of the call stands still. When the call is cancelled, the question ends.
func TestTimeStandsStill(t *testing.T) {
	t.Parallel()
	c := toy(t, "toy", "asking")
	c.TimeoutMS = 2000
	s, r, _ := run(t, Options{Configs: []Config{c}, HasPerson: true})
	host := tool.Host{Ask: func(context.Context, tool.Confirmation) (tool.Answer, error) {
		one := s.list[0].errands.all()[0]
		one.mu.Lock()
		stands := one.waiting == 1 && !one.timer.Stop()
		one.mu.Unlock()
		if !stands {
			t.Error("the clock runs")
		}
		return say("Confirm"), nil
	}}
	const args = `{"message":"?","schema":{"type":"object","properties":{}}}`
	if got := unfence(callTool(t.Context(), t, r, "mcp_toy_ask", args, host)); got != `{"action":"accept"}` {
		t.Error(got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	host.Ask = func(ctx context.Context, _ tool.Confirmation) (tool.Answer, error) {
		cancel()
		<-ctx.Done()
		return tool.Answer{}, context.Cause(ctx)
	}
	if got := callTool(ctx, t, r, "mcp_toy_ask", args, host); got.Error == nil || !strings.Contains(got.Error.Message, "cancelled") {
		t.Errorf("cancelled: %+v", got)
	}
}

// A server may send a person to a page with https, whose address the person sees.
func TestOffersPage(t *testing.T) {
	t.Parallel()
	_, r, warned := run(t, Options{Configs: []Config{toy(t, "toy", "asking")}, HasPerson: true})
	p := &person{answers: []tool.Answer{say("Open the page"), say("Decline")}}
	host := tool.Host{Ask: p.ask}
	for _, c := range []struct{ url, want string }{
		{"https://example.com/x", `{"action":"accept"}`},
		{"http://localhost:1/x", `{"action":"decline"}`},
		{"http://example.com/x", "not that of a page with https"},
		{"https://user@example.com/", "not that of a page with https"},
		{"https://exаmple.com/", "not that of a page with https"}, // with a Cyrillic letter
		{"file:///etc/passwd", "not that of a page with https"},
	} {
		if got := unfence(callTool(t.Context(), t, r, "mcp_toy_page", `{"url":"`+c.url+`"}`, host)); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.url, got, c.want)
		}
	}
	want := "MCP server \"toy\" asks\nchoice: Sign in\nThe server wants you to open this page, which is on example.com:\nhttps://example.com/x"
	if len(p.asked) != 2 || p.asked[0] != want {
		t.Errorf("asked: %q", p.asked)
	}
	if w := warned(); len(w) != 1 || w[0] != "Cannot open a browser: there is no browser. Open the page yourself: https://example.com/x" {
		t.Errorf("warnings: %q", w)
	}
}

// A request to the model needs a setting and a person, and is bounded.
func TestSamples(t *testing.T) {
	t.Parallel()
	var limits []int
	sample := func(_ context.Context, system string, messages []*llm.Content, limit int) (string, string, error) {
		limits = append(limits, limit)
		if system != "Be short." || len(messages) != 1 || messages[0].Parts[0].Text != "What is the capital of Peru?" {
			t.Errorf("%q, %+v", system, messages)
		}
		return "Lima", "model-1", nil
	}
	_, r, _ := run(t, Options{Configs: []Config{toy(t, "toy", "asking")}, HasPerson: true, Sample: sample})
	p := &person{answers: []tool.Answer{say("Send"), say("Decline")}}
	for _, want := range []string{`{"content":{"type":"text","text":"Lima"},"model":"model-1","role":"assistant"}`, "The user refused"} {
		if got := unfence(callTool(t.Context(), t, r, "mcp_toy_sample", `{}`, tool.Host{Ask: p.ask})); !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if len(limits) != 1 || limits[0] != maxSample {
		t.Errorf("limits: %v", limits)
	}
	want := "MCP server \"toy\" asks\nchoice: The server wants to send this to the model, and gets the answer, of at most 4096 tokens:\n" +
		"Instruction: Be short.\nUser: What is the capital of Peru?"
	if p.asked[0] != want {
		t.Errorf("asked %q, want %q", p.asked[0], want)
	}
	s := newServer(New(Options{Registry: tool.NewRegistry(), HasPerson: true}), Config{Name: "toy"})
	//lint:ignore SA1019 servers of today ask for samples
	if _, err := s.sample(t.Context(), &sdk.CreateMessageWithToolsParams{}); err == nil || !strings.Contains(err.Error(), `pollux.mcpSampling: "ask"`) {
		t.Error(err)
	}
}
