package loopdetect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"pollux/agent"
	"pollux/llm"
)

// sure returns an answer with this confidence.
func sure(confidence float64) string {
	return fmt.Sprintf(`{"unproductive_state_analysis": "It reads the same file.", "unproductive_state_confidence": %v}`, confidence)
}

// talk returns a history of n messages: a prompt, then calls and their results.
func talk(n int) []agent.Message {
	h := []agent.Message{{Content: llm.User(llm.Text("first"))}}
	for i := 1; i < n; i++ {
		id := fmt.Sprint("c", (i+1)/2)
		c := llm.Model(llm.Text("I look."), llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: "look"}})
		if i%2 == 0 {
			c = llm.User(llm.Part{FunctionResponse: llm.Output(id, "look", "nothing")})
		}
		h = append(h, agent.Message{Content: c})
	}
	return h
}

// judges are the models that a detector asks.
type judges struct {
	say   map[string][]any // by question: texts or errors, the last one for ever
	asked []string
}

func (j *judges) options() Options {
	return Options{
		Generator: voice(func(_ context.Context, req *llm.Request) (string, error) {
			name := strings.TrimPrefix(req.Model, "model-for-")
			j.asked = append(j.asked, name)
			say := j.say[name]
			if len(say) > 1 {
				j.say[name] = say[1:]
			}
			if err, ok := say[0].(error); ok {
				return "", err
			}
			return say[0].(string), nil
		}),
		ResolveModel: func(question string) (string, llm.Config, error) {
			if len(j.say[question]) == 0 {
				return "", llm.Config{}, errors.New("no such model")
			}
			return "model-for-" + question, llm.Config{}, nil
		},
	}
}

// turns runs n turns and returns those, from 1, in which a model was asked. It stops at a
// loop.
func (j *judges) turns(t *testing.T, d *Detector, n int) (asked []int, loop agent.Loop) {
	t.Helper()
	for i := range n {
		before := len(j.asked)
		loop, found := d.CheckTurn(t.Context(), talk(40))
		if len(j.asked) > before {
			asked = append(asked, i+1)
		}
		if found {
			return asked, loop
		}
	}
	return asked, agent.Loop{}
}

func TestWhenJudged(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		say    []any
		change func(*Options)
		want   []int
	}{
		"progress":                 {say: []any{sure(0)}, want: []int{30, 45, 60, 75, 90}},
		"doubt":                    {say: []any{sure(0.5)}, want: []int{30, 40, 50, 60, 70, 80, 90, 100}},
		"suspicion":                {say: []any{sure(0.89)}, want: []int{30, 36, 42, 48, 54, 60, 66, 72, 78, 84, 90, 96}},
		"first suspicion":          {say: []any{sure(0.74), sure(0)}, want: []int{30, 38, 53, 68, 83, 98}},
		"no answer":                {say: []any{&llm.Error{Kind: llm.KindForbidden}}, want: []int{30, 40}},
		"an answer in between":     {say: []any{"What?", "What?", sure(0.5), "What?"}, want: []int{30, 40, 50, 60}},
		"no model":                 {want: nil},
		"no answer, by the seeds":  {say: []any{"What?"}, change: func(o *Options) { o.Interval = 3 }, want: []int{30, 33}},
		"no, by the seeds":         {say: []any{`{"unproductive_state_confidence": false}`}, change: func(o *Options) { o.Interval = 3 }, want: []int{30, 45, 60, 75, 90}},
		"other numbers":            {say: []any{sure(0)}, change: func(o *Options) { o.FirstJudgement, o.MaxInterval = 50, 20 }, want: []int{50, 70, 90}},
		"no generator":             {say: []any{sure(1)}, change: func(o *Options) { o.Generator = nil }},
		"a short interval, at 0.9": {say: []any{sure(0.9), sure(0)}, want: []int{30, 45, 60, 75, 90}}, // the second model's 0 counts
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := &judges{say: map[string][]any{firstQuestion: tt.say, secondQuestion: {sure(0)}}}
			o := j.options()
			if tt.change != nil {
				tt.change(&o)
			}
			got, loop := j.turns(t, New(o), 100)
			if diff := cmp.Diff(tt.want, got); diff != "" || loop.Kind != "" {
				t.Errorf("loop %v; asked at (-want +got):\n%s", loop, diff)
			}
		})
	}
}

func TestJudgements(t *testing.T) {
	t.Parallel()
	const first, second = firstQuestion, secondQuestion
	gone := &llm.Error{Kind: llm.KindQuota}
	busy := &llm.Error{Kind: llm.KindServer}
	one := func(answers ...any) []any { return answers }
	tests := map[string]struct {
		first, second []any
		single        bool
		asked         []string
		loop          bool
	}{
		"progress":                  {first: one(sure(0.2)), asked: []string{first}},
		"not sure enough":           {first: one(sure(0.899)), asked: []string{first}},
		"both are sure":             {first: one(sure(0.9)), second: one(sure(0.9)), asked: []string{first, second}, loop: true},
		"the second is not":         {first: one(sure(1)), second: one(sure(0.89)), asked: []string{first, second}},
		"one is enough":             {first: one(sure(0.9)), single: true, asked: []string{first}, loop: true},
		"there is no second":        {first: one(sure(0.95)), asked: []string{first}, loop: true},
		"the second has no quota":   {first: one(sure(0.95)), second: one(gone), asked: []string{first, second}, loop: true},
		"the second fails":          {first: one(sure(0.95)), second: one(busy), asked: []string{first, second}, loop: true},
		"the second talks":          {first: one(sure(0.95)), second: one("Well."), asked: []string{first, second, second}},
		"the first talks once":      {first: one("Let me see.", sure(0.95)), second: one(sure(1)), asked: []string{first, first, second}, loop: true},
		"the first talks":           {first: one("Let me see."), asked: []string{first, first}},
		"the first fails":           {first: one(busy), asked: []string{first}},
		"the first has no quota":    {first: one(gone), asked: []string{first}},
		"in a fence":                {first: one("Here:\n```json\n" + sure(0.95) + "\n```\n"), single: true, asked: []string{first}, loop: true},
		"by hand":                   {first: one(`{unproductive_state_confidence: 1.0, unproductive_state_analysis: 'stuck',}`), single: true, asked: []string{first}, loop: true},
		"a yes":                     {first: one(`{"unproductive_state_confidence": true}`), single: true, asked: []string{first}, loop: true},
		"in percent":                {first: one(sure(95)), asked: []string{first}},
		"below nothing":             {first: one(sure(-1)), asked: []string{first}},
		"in words":                  {first: one(`{"unproductive_state_confidence": "high"}`), asked: []string{first}},
		"a null":                    {first: one(`null`), asked: []string{first}},
		"a list":                    {first: one(`[1]`), asked: []string{first}},
		"nothing in it":             {first: one(`{}`), asked: []string{first}},
		"nothing at all":            {first: one(""), asked: []string{first, first}},
		"half of it":                {first: one(sure(1)[:60]), asked: []string{first, first}},
		"too large to be a number":  {first: one(`{"unproductive_state_confidence": 1e999}`), asked: []string{first}},
		"an analysis of wrong type": {first: one(`{"unproductive_state_analysis": 1, "unproductive_state_confidence": 1}`), asked: []string{first}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := &judges{say: map[string][]any{first: tt.first, second: tt.second}}
			o := j.options()
			o.FirstJudgement, o.SingleJudge = 1, tt.single
			o.Interval = 1
			loop, found := New(o).CheckTurn(t.Context(), talk(5))
			if found != tt.loop || found != (loop.Kind == Judged) {
				t.Errorf("found %v: %+v", found, loop)
			}
			if diff := cmp.Diff(tt.asked, j.asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
}

// OnJudgement gets the confidence of each model.
func TestJudgementsAreTold(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		first, second []any
		want          []Judgement
	}{
		"progress":             {[]any{sure(0.2)}, nil, []Judgement{{0.2, -1, ""}}},
		"both are sure":        {[]any{sure(0.95)}, []any{sure(1)}, []Judgement{{0.95, 1, "model-for-" + secondQuestion}}},
		"the second is not":    {[]any{sure(0.95)}, []any{sure(0.1)}, []Judgement{{0.95, 0.1, "model-for-" + secondQuestion}}},
		"the second fails":     {[]any{sure(0.95)}, []any{&llm.Error{Kind: llm.KindQuota}}, []Judgement{{0.95, -1, ""}}},
		"the first is no JSON": {[]any{"What?"}, nil, nil},
	} {
		j := &judges{say: map[string][]any{firstQuestion: tt.first, secondQuestion: tt.second}}
		var got []Judgement
		o := j.options()
		o.FirstJudgement, o.Interval = 1, 1
		o.OnJudgement = func(id string, one Judgement) {
			if id != "p" {
				t.Errorf("%s: the prompt is %q", name, id)
			}
			got = append(got, one)
		}
		d := New(o)
		d.Observe(request("look", ""))
		d.CheckTurn(t.Context(), talk(5))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Reset restarts the count of turns.
func TestJudgedAgain(t *testing.T) {
	t.Parallel()
	j := &judges{say: map[string][]any{firstQuestion: {sure(1)}, secondQuestion: {sure(1)}}}
	d := New(j.options())
	for range 2 {
		asked, loop := j.turns(t, d, 100)
		want := agent.Loop{Kind: Judged, Detail: "the latest turns made no progress: It reads the same file."}
		if diff := cmp.Diff([]int{30}, asked) + cmp.Diff(want, loop); diff != "" {
			t.Error(diff)
		}
		d.Reset("again")
	}
}

func TestJudgeIsShown(t *testing.T) {
	t.Parallel()
	var got *llm.Request
	cfg := llm.Config{Temperature: new(0.0), MaxOutputTokens: 99}
	d := New(Options{
		FirstJudgement: 1, Interval: 1,
		Generator:    voice(func(_ context.Context, req *llm.Request) (string, error) { got = req; return sure(0), nil }),
		ResolveModel: func(string) (string, llm.Config, error) { return "m", cfg, nil },
	})
	d.Reset("repair the build")
	d.Observe(request("look", ""))
	history := talk(40) // ends with a call
	d.CheckTurn(t.Context(), history)

	if got.Model != "m" || got.Use != llm.UseLoopDetector || got.PromptID != "p" ||
		got.Config.MaxOutputTokens != 99 || got.Config.ResponseMIMEType != "application/json" || got.Config.SystemInstruction == nil {
		t.Errorf("the request is %+v", got)
	}
	// Of the last 20, the first is a result and the last is a call.
	want := make([]*llm.Content, 0, 18)
	for _, m := range history[21:39] {
		want = append(want, m.Content)
	}
	n := len(got.Contents)
	if text := got.Contents[0].Text(); text != "<original_user_request>\nrepair the build\n</original_user_request>" {
		t.Errorf("the first message is %q", text)
	}
	if !slices.Equal(want, got.Contents[1:n-1]) {
		t.Errorf("%d messages between, want the history's own %d", n-2, len(want))
	}
	if last := got.Contents[n-1]; last.Role != llm.RoleUser || last.Text() == "" {
		t.Error("the last message does not ask")
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(got.Config.ResponseJSONSchema, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, fits := range map[string]bool{sure(0.5): true, sure(2): false, `{}`: false} {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(v); (err == nil) != fits {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestEvidence(t *testing.T) {
	t.Parallel()
	h := talk(9)
	empty := agent.Message{Content: llm.Model()}
	tests := map[string]struct {
		history []agent.Message
		window  int
		want    int // messages of the history; -1 for no question
	}{
		"none":                 {nil, 20, -1},
		"only a prompt":        {h[:1], 20, 1},
		"only a result":        {h[2:3], 20, -1},
		"only a call":          {h[1:2], 20, -1},
		"all":                  {h, 20, 9},
		"a window":             {h, 4, 4},
		"a result first":       {h, 3, 2},
		"a call last":          {h[:8], 4, 2}, // and a result first
		"nothing said":         {append(slices.Clone(h[:1]), empty), 20, 1},
		"nothing said, ever":   {[]agent.Message{empty, empty}, 20, -1},
		"no window to look at": {h, 0, -1},
	}
	for name, tt := range tests {
		for _, prompt := range []string{"", "do it"} {
			want := tt.want
			if want >= 0 && prompt != "" {
				want++
			}
			if got := len(evidence(prompt, tt.history, tt.window)) - 1; got != want {
				t.Errorf("%s, prompt %q: %d messages, want %d", name, prompt, got, want)
			}
		}
	}
}

// A question sends long results without their middle, and the history stays as it is.
func TestJudgeIsShownLongResults(t *testing.T) {
	t.Parallel()
	history, size := talk(41), 0
	for i, m := range history {
		if r := m.Content.Parts[0].FunctionResponse; r != nil {
			long := *r
			long.Response, _ = json.Marshal(map[string]string{"output": fmt.Sprintf("first %d\n%slast %d", i, strings.Repeat("line\n", 2000), i)})
			history[i].Content = llm.User(llm.Part{FunctionResponse: &long})
			size += len(long.Response)
		}
	}
	var got *llm.Request
	d := New(Options{
		FirstJudgement: 1, Interval: 1,
		Generator:    voice(func(_ context.Context, req *llm.Request) (string, error) { got = req; return sure(0), nil }),
		ResolveModel: func(string) (string, llm.Config, error) { return "m", llm.Config{}, nil },
	})
	d.Reset("go on")
	d.CheckTurn(t.Context(), history)
	shown := 0
	for _, c := range got.Contents {
		for _, p := range c.Parts {
			if r := p.FunctionResponse; r != nil {
				shown += len(r.Response)
				if text := string(r.Response); !strings.Contains(text, "first ") || !strings.Contains(text, "last ") {
					t.Errorf("shown: %.200s", text)
				}
			}
		}
	}
	if shown == 0 || shown > 5*maxEvidence || size < 20*shown {
		t.Errorf("%d of %d bytes are shown", shown, size)
	}
	if r := history[len(history)-1].Content.Parts[0].FunctionResponse; len(r.Response) < 10_000 {
		t.Error("the history has changed")
	}
}

// A cancelled run gets no judgement.
func TestJudgeCancelled(t *testing.T) {
	t.Parallel()
	for _, at := range []string{firstQuestion, secondQuestion} {
		ctx, cancel := context.WithCancel(t.Context())
		asked := 0
		d := New(Options{
			FirstJudgement: 1, Interval: 1,
			Generator: voice(func(ctx context.Context, req *llm.Request) (string, error) {
				asked++
				if req.Model == at {
					cancel()
					return "", context.Cause(ctx)
				}
				return sure(1), nil
			}),
			ResolveModel: func(question string) (string, llm.Config, error) { return question, llm.Config{}, nil },
		})
		if loop, found := d.CheckTurn(ctx, talk(5)); found || asked > 2 {
			t.Errorf("cancelled at %s: found %v after %d questions", at, loop, asked)
		}
	}
}

// A model that does not answer costs five seconds, whichever question it is, and a failed request
// is not repeated by the generator.
func TestJudgeIsBounded(t *testing.T) {
	t.Parallel()
	for _, silent := range []string{firstQuestion, secondQuestion} {
		synctest.Test(t, func(t *testing.T) {
			d := New(Options{
				FirstJudgement: 1, Interval: 1,
				Generator: voice(func(ctx context.Context, req *llm.Request) (string, error) {
					if req.MaxAttempts != 1 {
						t.Errorf("%d attempts", req.MaxAttempts)
					}
					if req.Model == silent {
						<-ctx.Done()
						return "", context.Cause(ctx)
					}
					return sure(1), nil
				}),
				ResolveModel: func(question string) (string, llm.Config, error) { return question, llm.Config{}, nil },
			})
			began := time.Now() // of the bubble
			if loop, found := d.CheckTurn(t.Context(), talk(5)); found {
				t.Errorf("%s is silent: found %v", silent, loop)
			}
			if waited := time.Since(began); waited != 5*time.Second {
				t.Errorf("%s is silent: waited %v", silent, waited)
			}
		})
	}
}

// If one model would answer both questions, it is asked once.
func TestOneModel(t *testing.T) {
	t.Parallel()
	asked := 0
	d := New(Options{
		FirstJudgement: 1, Interval: 1,
		Generator:    voice(func(context.Context, *llm.Request) (string, error) { asked++; return sure(1), nil }),
		ResolveModel: func(string) (string, llm.Config, error) { return "m", llm.Config{}, nil },
	})
	if loop := d.judgeHistory(t.Context(), talk(5)); loop.Kind != Judged || asked != 1 {
		t.Errorf("%+v, asked %d times", loop, asked)
	}
}

// For any answer of a model, the next judgement is due within the intervals.
func FuzzJudgement(f *testing.F) {
	f.Add(sure(0.5))
	f.Add("```json\n{'unproductive_state_confidence': True}")
	f.Add(`{"a":{"b":[`)
	f.Fuzz(func(t *testing.T, text string) {
		d := New((&judges{say: map[string][]any{firstQuestion: {text}, secondQuestion: {sure(0)}}}).options())
		if loop := d.judgeHistory(t.Context(), talk(5)); loop.Kind != "" || d.judge.interval < 5 || d.judge.interval > 15 {
			t.Errorf("%q: %+v, the next after %d turns", text, loop, d.judge.interval)
		}
	})
}

// The cost of a turn does not depend on the length of the history.
func BenchmarkTurn(b *testing.B) {
	for _, n := range []int{10, 1000, 10_000} {
		history := talk(n + 1)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := New(Options{
				FirstJudgement: 1, Interval: 1, MinInterval: 1, MaxInterval: 1, // asks at every turn
				Generator:    voice(func(context.Context, *llm.Request) (string, error) { return sure(0), nil }),
				ResolveModel: func(string) (string, llm.Config, error) { return "m", llm.Config{}, nil },
			})
			b.ReportAllocs()
			for b.Loop() {
				d.CheckTurn(b.Context(), history)
			}
		})
	}
}
