package route_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pollux/agent"
	"pollux/agent/route"
	"pollux/llm"
	"pollux/llm/catalog"
)

const pro, flash, pro25, flash25 = "gemini-3.1-pro-preview", "gemini-3.8-flash", "gemini-2.5-pro", "gemini-2.5-flash"

// judge is a small model. It gives its answers in turn, and then the last one again. The
// answer "slow" never arrives.
type judge struct {
	llm.Generator
	answers []string
	err     error

	mu    sync.Mutex
	asked []*llm.Request
}

func (j *judge) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	j.mu.Lock()
	j.asked = append(j.asked, req)
	answer := ""
	if n := len(j.answers); n > 0 {
		answer = j.answers[min(len(j.asked), n)-1]
	}
	j.mu.Unlock()
	if answer == "slow" {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	if j.err != nil {
		return nil, j.err
	}
	return &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(llm.Text(answer))}}}, nil
}

func (j *judge) which(question string) (string, llm.Config, error) {
	if question != "classifier" {
		return "", llm.Config{}, fmt.Errorf("no question %s", question)
	}
	return "small", llm.Config{MaxOutputTokens: 1024}, nil
}

// auto returns options in which the judge selects the model.
func (j *judge) auto() route.Options {
	return route.Options{
		Auto:      func() (route.Choice, bool) { return route.Choice{Pro: pro, Flash: flash, UseClassifier: true}, true },
		Generator: j, ResolveModel: j.which,
	}
}

func asks(model, id string) agent.RouteRequest {
	return agent.RouteRequest{Model: model, PromptID: id, Prompt: llm.User(llm.Text("Rename foo to bar"))}
}

// Each strategy applies in its order.
func TestStrategies(t *testing.T) {
	t.Parallel()
	newer := route.Choice{Pro: pro, Flash: flash, UseClassifier: true}
	older := route.Choice{Pro: pro25, Flash: flash25, UseClassifier: true}
	unasked := newer
	unasked.UseClassifier = false
	const high, low = `{"complexity_reasoning":"much","complexity_score":90}`, `{"complexity_reasoning":"little","complexity_score":89}`
	for _, c := range []struct {
		name   string
		choice *route.Choice // nil: the user has named the model
		model  string
		ill    map[string]string
		stage  route.Stage
		answer string
		change func(*route.Options)
		prompt *llm.Content
		want   string // source model
		asked  int
		err    string
	}{
		{name: "named", model: "claude-opus-5", answer: high, want: "override claude-opus-5"},
		{name: "named, planning", model: pro, stage: route.Planning, answer: low, want: "override " + pro},
		{name: "named, and ill", model: pro, ill: map[string]string{pro: flash}, want: "fallback " + flash},
		{name: "auto, and ill", choice: &newer, model: pro, ill: map[string]string{pro: "gemini-3-flash-preview"}, answer: high, want: "fallback gemini-3-flash-preview"},
		{name: "planning", choice: &newer, model: pro, stage: route.Planning, answer: low, want: "approval-mode " + pro},
		{name: "implementing", choice: &newer, model: pro, stage: route.Implementing, answer: high, want: "approval-mode " + flash},
		{name: "not to be asked", choice: &unasked, model: pro, answer: low, want: "default " + pro},
		{name: "no generator", choice: &newer, model: pro, change: func(o *route.Options) { o.Generator = nil }, want: "default " + pro},

		{name: "a high score", choice: &newer, model: pro, answer: high, want: "NumericalClassifier (Default) " + pro, asked: 1},
		{name: "a low score", choice: &newer, model: pro, answer: low, want: "NumericalClassifier (Default) " + flash, asked: 1},
		{name: "in words around it", choice: &newer, model: pro, answer: "Here:\n```json\n" + low + "\n```", want: "NumericalClassifier (Default) " + flash, asked: 1},
		{
			name: "another threshold", choice: &newer, model: pro, answer: low, change: func(o *route.Options) { o.Threshold = 50 },
			want: "NumericalClassifier (Settings) " + pro, asked: 1,
		},
		{name: "no score", choice: &newer, model: pro, answer: `{"complexity_reasoning":"x"}`, want: "default " + pro, asked: 1, err: "form"},
		{name: "no reasoning", choice: &newer, model: pro, answer: `{"complexity_score":5}`, want: "default " + pro, asked: 1, err: "form"},
		{name: "a score of 0", choice: &newer, model: pro, answer: `{"complexity_reasoning":"x","complexity_score":0}`, want: "default " + pro, asked: 1, err: "form"},
		{name: "a score of 101", choice: &newer, model: pro, answer: `{"complexity_reasoning":"x","complexity_score":101}`, want: "default " + pro, asked: 1, err: "form"},
		{name: "a score in words", choice: &newer, model: pro, answer: `{"complexity_reasoning":"x","complexity_score":"high"}`, want: "default " + pro, asked: 1, err: "form"},
		{name: "a list", choice: &newer, model: pro, answer: `[90]`, want: "default " + pro, asked: 1, err: "form"},
		{name: "no JSON", choice: &newer, model: pro, answer: `I think it is easy.`, want: "default " + pro, asked: 2, err: "not JSON"},
		{name: "nothing", choice: &newer, model: pro, answer: ``, want: "default " + pro, asked: 2, err: "not JSON"},
		{name: "cut off", choice: &newer, model: pro, answer: `{"complexity_reasoning":"x`, want: "default " + pro, asked: 2, err: "not JSON"},
		{
			name: "what it chose is ill", choice: &newer, model: pro, answer: low, ill: map[string]string{flash: pro},
			want: "default " + pro, asked: 1, err: flash + ", which cannot answer",
		},

		{name: "pro", choice: &older, model: pro25, answer: `{"reasoning":"hard","model_choice":"pro"}`, want: "Classifier " + pro25, asked: 1},
		{name: "flash", choice: &older, model: pro25, answer: `{"reasoning":"easy","model_choice":"flash"}`, want: "Classifier " + flash25, asked: 1},
		{name: "some other model", choice: &older, model: pro25, answer: `{"reasoning":"easy","model_choice":"ultra"}`, want: "default " + pro25, asked: 1, err: "form"},
		{name: "a choice without a reason", choice: &older, model: pro25, answer: `{"model_choice":"flash"}`, want: "default " + pro25, asked: 1, err: "form"},
		{
			name: "one or the other for Gemini 3", choice: &newer, model: pro, answer: `{"reasoning":"easy","model_choice":"flash"}`,
			change: func(o *route.Options) { o.Binary = true }, want: "Classifier " + flash, asked: 1,
		},
		{
			name: "results of tools", choice: &older, model: pro25, answer: `{"reasoning":"easy","model_choice":"flash"}`,
			prompt: llm.User(llm.Part{FunctionResponse: llm.Output("1", "ls", "a")}), want: "default " + pro25,
		},
		{
			name: "only one to choose", choice: &route.Choice{Pro: pro25, Flash: pro25, UseClassifier: true}, model: pro25,
			answer: `{"reasoning":"easy","model_choice":"flash"}`, want: "default " + pro25,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j := &judge{answers: []string{c.answer}}
			var told []route.Decision
			o := route.Options{
				Auto: func() (route.Choice, bool) {
					if c.choice == nil {
						return route.Choice{}, false
					}
					return *c.choice, true
				},
				Stage: func() route.Stage { return c.stage },
				Select: func(model, id string) string {
					if id != "p" {
						t.Errorf("prompt %q", id)
					}
					if to := c.ill[model]; to != "" {
						return to
					}
					return model
				},
				Generator: j, ResolveModel: j.which,
				OnDecision: func(id string, d route.Decision) { told = append(told, d) },
			}
			if c.change != nil {
				c.change(&o)
			}
			q := asks(c.model, "p")
			if c.prompt != nil {
				q.Prompt = c.prompt
			}
			d := route.New(o).Decide(t.Context(), q)
			if got := d.Source + " " + d.Model; got != c.want || len(j.asked) != c.asked || d.Reasoning == "" {
				t.Errorf("%s (%s), asked %d times; want %s", got, d.Reasoning, len(j.asked), c.want)
			}
			if (d.Err != nil) != (c.err != "") || d.Err != nil && !strings.Contains(d.Err.Error(), c.err) {
				t.Errorf("error %v, want %q", d.Err, c.err)
			}
			if len(told) != 1 || told[0] != d {
				t.Errorf("told %+v", told)
			}
		})
	}
	if got := route.New(route.Options{}).Route(t.Context(), asks("m", "")); got != "m" {
		t.Errorf("without options: %s", got)
	}
}

// A failure of the small model costs one request and no wait.
func TestFailure(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]error{
		"busy": &llm.Error{Kind: llm.KindRateLimit, Message: "busy"}, "no such model": &llm.Error{Kind: llm.KindModelNotFound, Message: "gone"},
	} {
		j := &judge{err: failure}
		d := route.New(j.auto()).Decide(t.Context(), asks(pro, "p"))
		if d.Source != "default" || !errors.Is(d.Err, failure) || len(j.asked) != 1 || j.asked[0].MaxAttempts != 1 {
			t.Errorf("%s: %+v", name, d)
		}
	}
	j := &judge{}
	o := j.auto()
	unknown := errors.New("no small model")
	o.ResolveModel = func(string) (string, llm.Config, error) { return "", llm.Config{}, unknown }
	if d := route.New(o).Decide(t.Context(), asks(pro, "p")); d.Source != "default" || !errors.Is(d.Err, unknown) || len(j.asked) != 0 {
		t.Errorf("%+v", d)
	}
}

// A slow small model, or two unusable answers, delay the prompt no longer than the timeout.
func TestPatience(t *testing.T) {
	t.Parallel()
	const low = `{"complexity_reasoning":"little","complexity_score":3}`
	for _, c := range []struct {
		answers []string
		took    []time.Duration // of each prompt
		asked   int
	}{
		{[]string{"slow"}, []time.Duration{3 * time.Second, 3 * time.Second, 0, 0}, 2},
		{[]string{"no JSON", "slow"}, []time.Duration{3 * time.Second, 3 * time.Second, 0}, 3},
		{[]string{"slow", low, "slow", "slow", low}, []time.Duration{3 * time.Second, 0, 3 * time.Second, 3 * time.Second, 0}, 4},
		{[]string{"no JSON"}, []time.Duration{0, 0, 0}, 4},
	} {
		synctest.Test(t, func(t *testing.T) {
			j := &judge{answers: c.answers}
			r := route.New(j.auto())
			for i, want := range c.took {
				if d := r.Decide(t.Context(), asks(pro, fmt.Sprint(i))); d.Latency != want || d.Model == "" {
					t.Errorf("%q, prompt %d: %+v, want %v", c.answers, i, d, want)
				}
			}
			if len(j.asked) != c.asked {
				t.Errorf("%q: asked %d times, want %d", c.answers, len(j.asked), c.asked)
			}
			time.Sleep(10 * time.Minute)
			r.Decide(t.Context(), asks(pro, "later"))
			if len(j.asked) == c.asked {
				t.Errorf("%q: never asked again", c.answers)
			}
		})
	}
}

// A cancelled prompt is routed at once, and its decision is not stored.
func TestCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := &judge{answers: []string{"slow", "slow", "slow", `{"complexity_reasoning":"little","complexity_score":3}`}}
		r := route.New(j.auto())
		for range 3 { // which is not held against the small model
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			if d := r.Decide(ctx, asks(pro, "p")); d.Model != pro || d.Latency != time.Second {
				t.Errorf("%+v", d)
			}
			cancel()
		}
		if d := r.Decide(t.Context(), asks(pro, "p")); d.Model != flash {
			t.Errorf("%+v", d)
		}
	})
}

// The model of a prompt does not change; the next prompt gets a new decision.
func TestSticky(t *testing.T) {
	t.Parallel()
	j := &judge{answers: []string{`{"complexity_reasoning":"little","complexity_score":3}`, `{"complexity_reasoning":"much","complexity_score":99}`}}
	r := route.New(j.auto())
	for _, c := range []struct{ id, want string }{{"1", flash}, {"1", flash}, {"2", pro}, {"1", flash}, {"2", pro}, {"", pro}, {"", pro}} {
		if got := r.Route(t.Context(), asks(pro, c.id)); got != c.want {
			t.Errorf("prompt %q: %s", c.id, got)
		}
	}
	if len(j.asked) != 4 {
		t.Errorf("asked %d times", len(j.asked))
	}

	var wg sync.WaitGroup
	got := make([]string, 40)
	j = &judge{answers: []string{`{"complexity_reasoning":"little","complexity_score":3}`, `{"complexity_reasoning":"much","complexity_score":99}`}}
	r = route.New(j.auto())
	for i := range got {
		wg.Go(func() { got[i] = r.Route(t.Context(), asks(pro, "same")) })
	}
	wg.Wait()
	for _, m := range got {
		if m != got[0] {
			t.Errorf("prompts with one id got %s and %s", got[0], m)
		}
	}
}

// said returns a history with one message for each line: "u" or "m" for a text of the user or
// the model, "c" for a call and "r" for a result.
func said(lines ...string) []agent.Message {
	var history []agent.Message
	for i, line := range lines {
		who, text, _ := strings.Cut(line, " ")
		c := llm.User(llm.Text(text))
		switch who {
		case "m":
			c = llm.Model(llm.Text(text))
		case "c":
			c = llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{ID: fmt.Sprint(i), Name: text}})
		case "r":
			c = llm.User(llm.Part{FunctionResponse: llm.Output(fmt.Sprint(i), text, strings.Repeat("secret ", 1000))})
		}
		history = append(history, agent.Message{Content: c})
	}
	return history
}

// The part of the conversation that the small model gets.
func TestShown(t *testing.T) {
	t.Parallel()
	long := []string{"u one", "m two", "u three", "m four", "u five", "c ls", "r ls", "m six", "u seven"} // nine
	for _, c := range []struct {
		name    string
		model   string
		history []string
		want    string
	}{
		{"first prompt", pro, nil, ""},
		{"what opens the session", pro, []string{"u <session_context>secret</session_context>"}, ""},
		{"score: the last eight", pro, long, "agent: two user: three agent: four user: five agent: [calls ls] user: [result of ls] agent: six user: seven"},
		{"score: no tools before the first words", pro, []string{"u one", "c ls", "r ls", "c ls", "r ls", "m two", "u three", "m four", "u five", "m six"}, "agent: two user: three agent: four user: five agent: six"},
		{"score: tools only", pro, []string{"c ls", "r ls", "c ls", "r ls", "c ls", "r ls", "c ls", "r ls"}, ""},
		{"choice: the last four, no tools", pro25, long, "agent: four user: five agent: six user: seven"},
		{"choice: out of the last twenty", pro25, append([]string{"u far"}, strings.Split(strings.Repeat("c ls,r ls,", 9)+"u near,m six", ",")...), "user: near agent: six"},
	} {
		j := &judge{answers: []string{`{"reasoning":"x","model_choice":"pro"}`}}
		o := j.auto()
		o.Auto = func() (route.Choice, bool) {
			return route.Choice{Pro: c.model, Flash: flash, UseClassifier: true}, true
		}
		q := asks(c.model, "p")
		q.History = said(c.history...)
		route.New(o).Decide(t.Context(), q)
		req := j.asked[0]
		text := req.Contents[0].Text()
		earlier, request, _ := strings.Cut(text, "<request>")
		got := strings.Join(strings.Fields(strings.NewReplacer("<conversation>", "", "</conversation>", "").Replace(earlier)), " ")
		if got != c.want || strings.Contains(text, "secret") || request != "\nRename foo to bar\n</request>" {
			t.Errorf("%s: %s, want %s; request %q", c.name, got, c.want, request)
		}
		if req.Model != "small" || req.Use != llm.UseRouter || req.PromptID != "p" || len(req.Contents) != 1 || req.Config.MaxOutputTokens != 1024 ||
			req.Config.ResponseMIMEType != "application/json" || !json.Valid(req.Config.ResponseJSONSchema) || req.Config.SystemInstruction.Text() == "" {
			t.Errorf("%s: %+v", c.name, req)
		}
	}
}

// The size of the question is bounded.
func TestShownIsBounded(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("wörter ", 1<<17)
	parts, file := []llm.Part{llm.Text("see " + huge)}, &llm.Blob{MIMEType: "image/" + huge}
	for range 1000 {
		parts = append(parts, llm.Part{InlineData: file})
	}
	q := asks(pro, "p")
	q.Prompt = llm.User(parts...)
	for range 20 {
		q.History = append(q.History, agent.Message{Content: llm.Model(parts...)})
	}
	j := &judge{answers: []string{`{"complexity_reasoning":"` + strings.Repeat("ä", 1<<16) + `","complexity_score":3}`}}
	d := route.New(j.auto()).Decide(t.Context(), q)
	if n := len(j.asked[0].Contents[0].Text()); n > 40_000 || n < 8*1000 {
		t.Errorf("%d bytes are asked", n)
	}
	if d.Model != flash || len(d.Reasoning) > 1100 || strings.ContainsRune(d.Reasoning, '\ufffd') {
		t.Errorf("%d bytes of reasoning", len(d.Reasoning))
	}
}

// The cost of a question does not depend on the length of the conversation.
func BenchmarkDecide(b *testing.B) {
	for _, n := range []int{10, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			q := asks(pro, "")
			for range n / 2 {
				q.History = append(q.History, said("u Please rename it.", "m It is renamed.")...)
			}
			r := route.New((&fixed{}).auto())
			b.ReportAllocs()
			for b.Loop() {
				r.Decide(b.Context(), q)
			}
		})
	}
}

// fixed is a small model without state.
type fixed struct{ judge }

func (f *fixed) auto() route.Options {
	o := f.judge.auto()
	o.Generator = f
	return o
}

func (*fixed) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	return &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(llm.Text(`{"complexity_reasoning":"little","complexity_score":3}`))}}}, nil
}

// For any answer of a small model, the prompt gets one of the two models.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{`{"complexity_reasoning":"x","complexity_score":91}`, `{"complexity_score":NaN}`, "```json\n{}\n```", `{'complexity_reasoning':'x','complexity_score':1e400}`, `null`, "{\"a\":\"\xff"} {
		f.Add(s, true)
		f.Add(`{"reasoning":"x","model_choice":"flash"}`, false)
	}
	f.Fuzz(func(t *testing.T, answer string, score bool) {
		j := &judge{answers: []string{answer}}
		o := j.auto()
		o.Binary = !score
		d := route.New(o).Decide(t.Context(), asks(pro, "p"))
		if d.Model != pro && d.Model != flash || len(j.asked) > 2 || (d.Source == "default") != (d.Err != nil) {
			t.Errorf("%q: %+v after %d questions", answer, d, len(j.asked))
		}
	})
}

func TestBetween(t *testing.T) {
	t.Parallel()
	key, old := catalog.KeyAccess(), catalog.Access{Preview: true}
	for _, c := range []struct {
		name       string
		access     catalog.Access
		pro, flash string
	}{
		{"auto", key, pro, flash},
		{"", key, pro, flash},
		{"auto-gemini-3", key, pro, flash},
		{"auto-gemini-3", old, "gemini-3-pro-preview", "gemini-3-flash-preview"},
		{"auto-gemini-2.5", key, pro25, flash},
		{"auto-gemini-2.5", old, pro25, flash25},
		{"auto", catalog.GatewayAccess(), pro25, flash},
		{"pro", key, "", ""},
		{"flash", key, "", ""},
		{"gemini/auto", key, "", ""},
		{pro, key, "", ""},
	} {
		got, ok := route.AutoChoice(c.name, c.access)
		if want := (route.Choice{Pro: c.pro, Flash: c.flash}); got != want || ok != (c.pro != "") {
			t.Errorf("%q: %+v", c.name, got)
		}
	}
}
