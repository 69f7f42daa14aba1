package fallback_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/llm"
	"pollux/llm/fallback"
	"pollux/llm/gemini"
	"pollux/llm/llmtest"
)

// fakeModels is a generator of several models. Each model fails with its errors in
// order and then answers with its name.
type fakeModels struct {
	llm.Generator
	errs          map[string][]error
	startedChunks int // chunks before a failure
	asked         []*llm.Request
}

func (h *fakeModels) fails(req *llm.Request) error {
	h.asked = append(h.asked, req)
	errs := h.errs[req.Model]
	if len(errs) == 0 {
		return nil
	}
	h.errs[req.Model] = errs[1:]
	return errs[0]
}

func (h *fakeModels) Stream(_ context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		err := h.fails(req)
		if err == nil {
			_ = yield(answer("I am "), nil) && yield(answer(req.Model), nil)
			return
		}
		for range h.startedChunks {
			if !yield(answer("I "), nil) {
				return
			}
		}
		yield(nil, err)
	}
}

func (h *fakeModels) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	if err := h.fails(req); err != nil {
		return nil, err
	}
	return answer("I am " + req.Model), nil
}

// models returns the names of the models that were asked since the last call.
func (h *fakeModels) models() string {
	var names []string
	for _, r := range h.asked {
		names = append(names, r.Model)
	}
	h.asked = nil
	return strings.Join(names, " ")
}

func answer(s string) *llm.Response {
	return &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(llm.Text(s))}}}
}

func fails(kind llm.ErrorKind) error { return &llm.Error{Kind: kind, Message: kind.String()} }

var methods = []string{"stream", "generate"}

func ask(ctx context.Context, g llm.Generator, how string, req *llm.Request) (string, error) {
	if how == "generate" {
		r, err := g.Generate(ctx, req)
		return r.Text(), err
	}
	text := ""
	for r, err := range g.Stream(ctx, req) {
		if err != nil {
			return text, err
		}
		text += r.Text()
	}
	return text, nil
}

// chain returns the part of the chain a, other/b, c that starts with model.
func chain(model string) fallback.Chain {
	all := []string{"a", "other/b", "c"}
	return fallback.SilentChain(all[slices.Index(all, model):]...)
}

// TestKinds checks for each kind of failure which models are asked in the same
// prompt, in the next one, and after half a minute.
func TestKinds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind               llm.ErrorKind
		asked, again       string
		nextPrompt, inTime string
	}{
		{llm.KindQuota, "a other/b", "other/b", "other/b", "other/b"},
		{llm.KindModelNotFound, "a other/b", "other/b", "other/b", "other/b"},
		{llm.KindForbidden, "a other/b", "other/b", "other/b", "other/b"},
		{llm.KindCapacity, "a other/b", "other/b", "other/b", "a"},
		{llm.KindRateLimit, "a other/b", "other/b", "a", "a"},
		{llm.KindServer, "a other/b", "other/b", "a", "a"},
		{llm.KindNetwork, "a other/b", "other/b", "a", "a"},
		{llm.KindIncomplete, "a other/b", "other/b", "a", "a"},
		{llm.KindOther, "a", "a", "a", "a"},
		{llm.KindBadRequest, "a", "a", "a", "a"},
		{llm.KindUnauthorized, "a", "a", "a", "a"},
		{llm.KindSuspended, "a", "a", "a", "a"},
		{llm.KindValidation, "a", "a", "a", "a"},
		{llm.KindNoTools, "a", "a", "a", "a"},
		{llm.KindContextWindow, "a", "a", "a", "a"},
	} {
		for _, how := range methods {
			t.Run(fmt.Sprint(c.kind, int(c.kind), " ", how), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					h := &fakeModels{errs: map[string][]error{"a": {fails(c.kind)}}}
					g := fallback.Wrap(h, fallback.Options{Chain: chain})
					var switches []llm.Switch
					ask := func(prompt, want string) {
						t.Helper()
						text, err := ask(t.Context(), g, how, &llm.Request{
							Model: "a", PromptID: prompt, OnSwitch: func(s llm.Switch) { switches = append(switches, s) },
						})
						if got := h.models(); got != want {
							t.Errorf("asked %s, want %s", got, want)
						}
						if last := want[strings.LastIndex(want, " ")+1:]; err == nil && text != "I am "+last {
							t.Errorf("answer %q", text)
						}
						for _, s := range switches {
							if s.From != "a" || s.To != "other/b" || s.Err == nil || s.Err.Error() != c.kind.String() {
								t.Errorf("switch %+v", s)
							}
						}
						if switched := strings.HasSuffix(want, "b"); switched != (len(switches) == 1) || switched == (err != nil) && len(switches) > 0 {
							t.Errorf("%d switches, error %v", len(switches), err)
						}
						switches = nil
					}
					ask("1", c.asked)
					ask("1", c.again)
					ask("2", c.nextPrompt)
					time.Sleep(31 * time.Second)
					ask("3", c.inTime)
				})
			})
		}
	}
}

// TestChain checks that requests go down a chain to its end, and that the last resort
// is asked even if it is known to fail.
func TestChain(t *testing.T) {
	t.Parallel()
	for _, how := range methods {
		h := &fakeModels{errs: map[string][]error{
			"a": {fails(llm.KindQuota)}, "other/b": {fails(llm.KindModelNotFound)}, "c": {fails(llm.KindServer), fails(llm.KindServer)},
		}}
		g := fallback.Wrap(h, fallback.Options{Chain: chain})
		var switches []string
		req := &llm.Request{Model: "a", PromptID: "1", OnSwitch: func(s llm.Switch) { switches = append(switches, s.From+">"+s.To+" "+s.Err.Error()) }}
		for _, c := range []struct{ asked, switches, err string }{
			{"a other/b c", "a>other/b QUOTA_EXCEEDED, other/b>c MODEL_NOT_FOUND", "SERVER_ERROR"},
			{"c", "a>c QUOTA_EXCEEDED", "SERVER_ERROR"},
			{"c", "a>c QUOTA_EXCEEDED", ""},
		} {
			_, err := ask(t.Context(), g, how, req)
			if got := h.models(); got != c.asked || strings.Join(switches, ", ") != c.switches || err == nil != (c.err == "") || err != nil && err.Error() != c.err {
				t.Errorf("%s: asked %s, switches %q, error %v", how, got, switches, err)
			}
			switches = nil
		}
	}
}

// TestNoChain checks that failures are returned unchanged without stand-ins.
func TestNoChain(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]fallback.Options{
		"not configured": {},
		"for others":     {Chain: func(string) fallback.Chain { return nil }},
		"only itself":    {Chain: func(m string) fallback.Chain { return fallback.SilentChain(m, m) }},
	} {
		for _, how := range methods {
			h := &fakeModels{errs: map[string][]error{"a": {fails(llm.KindQuota)}}}
			g := fallback.Wrap(h, o)
			req := &llm.Request{Model: "a"}
			if _, err := ask(t.Context(), g, how, req); err == nil || h.asked[0] != req {
				t.Errorf("%s, %s: error %v", name, how, err)
			}
			if text, err := ask(t.Context(), g, how, req); text != "I am a" {
				t.Errorf("%s, %s: %q, %v", name, how, text, err)
			}
		}
	}
}

// TestRequest checks that a stand-in gets the same request with its own sampling and
// thinking settings.
func TestRequest(t *testing.T) {
	t.Parallel()
	h := &fakeModels{errs: map[string][]error{"a": {fails(llm.KindQuota)}}}
	g := fallback.Wrap(h, fallback.Options{
		Chain: chain,
		Config: func(model string) llm.Config {
			if model != "other/b" {
				t.Errorf("asked how %s wants to be asked", model)
			}
			return llm.Config{Temperature: new(0.5), Thinking: &llm.Thinking{Level: "LOW"}, MaxOutputTokens: 3, Labels: map[string]string{"x": "y"}}
		},
	})
	system, tools := llm.User(llm.Text("Be brief.")), []*llm.ToolSet{{}}
	req := &llm.Request{
		Model: "a", Contents: []*llm.Content{llm.User(llm.Text("hi"))}, Use: llm.UseTool, PromptID: "1",
		Config: llm.Config{
			SystemInstruction: system, Tools: tools, Temperature: new(1.0), TopK: new(64.0), MaxOutputTokens: 100,
			Thinking: &llm.Thinking{Budget: new(8192)}, ResponseMIMEType: "application/json", CachedContent: "cache",
		},
	}
	before := *req
	if _, err := g.Generate(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	want := before
	want.Model, want.Standby = "other/b", true
	want.Config.Temperature, want.Config.TopK, want.Config.CachedContent = new(0.5), nil, ""
	want.Config.Thinking = &llm.Thinking{Level: "LOW"}
	got := h.asked[1]
	if got.Contents[0] != req.Contents[0] || got.Config.SystemInstruction != system || got.Config.Tools[0] != tools[0] {
		t.Error("messages, instruction or tools are copies, which would be encoded again")
	}
	opaque := cmp.Comparer(func(a, b *llm.Content) bool { return a == b })
	sets := cmp.Comparer(func(a, b *llm.ToolSet) bool { return a == b })
	if diff := cmp.Diff(&want, got, opaque, sets); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, *req, opaque, sets); diff != "" {
		t.Errorf("the caller's request has changed:\n%s", diff)
	}
}

// TestStarted checks that no stand-in takes over after the first chunk.
func TestStarted(t *testing.T) {
	t.Parallel()
	h := &fakeModels{errs: map[string][]error{"a": {fails(llm.KindServer)}}, startedChunks: 1}
	g := fallback.Wrap(h, fallback.Options{Chain: chain})
	text, err := ask(t.Context(), g, "stream", &llm.Request{Model: "a", PromptID: "1"})
	if text != "I " || err == nil || h.models() != "a" {
		t.Errorf("%q, %v", text, err)
	}
	for range g.Stream(t.Context(), &llm.Request{Model: "a", PromptID: "1"}) {
		break
	}
	if got := h.models(); got != "a" {
		t.Errorf("asked %s", got)
	}
}

// TestCancelled checks that no stand-in is asked after cancellation, or after an
// error that is not an *llm.Error.
func TestCancelled(t *testing.T) {
	t.Parallel()
	gone, odd := errors.New("gone"), errors.New("odd")
	for _, how := range methods {
		for _, failure := range []error{fails(llm.KindServer), context.Canceled, odd} {
			ctx, cancel := context.WithCancelCause(t.Context())
			want := odd
			if failure != odd {
				cancel(gone)
				want = gone
			}
			h := &fakeModels{errs: map[string][]error{"a": {failure}}}
			g := fallback.Wrap(h, fallback.Options{Chain: chain})
			if _, err := ask(ctx, g, how, &llm.Request{Model: "a", PromptID: "1"}); !errors.Is(err, want) || h.models() != "a" {
				t.Errorf("%s: %v", how, err)
			}
			cancel(nil)
		}
	}
}

// TestManyPrompts checks that the number of recorded prompts is limited.
func TestManyPrompts(t *testing.T) {
	t.Parallel()
	h := &fakeModels{errs: map[string][]error{}}
	g := fallback.Wrap(h, fallback.Options{Chain: chain})
	for i := range 1000 {
		h.errs["a"] = []error{fails(llm.KindServer)}
		for range 2 {
			if text, err := ask(t.Context(), g, "generate", &llm.Request{Model: "a", PromptID: fmt.Sprint(i)}); text != "I am other/b" {
				t.Fatalf("prompt %d: %q, %v", i, text, err)
			}
		}
		if got := h.models(); got != "a other/b other/b" {
			t.Fatalf("prompt %d: asked %s", i, got)
		}
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	llmtest.Run(t, llmtest.Vendor{
		Skip: map[string]string{"errors": "a request that fails is sent to the stand-in, too: see TestKinds"},
		New: func(t *testing.T, url string) llm.Generator {
			g, err := gemini.New(gemini.Options{APIKey: "k", BaseURL: url})
			if err != nil {
				t.Fatal(err)
			}
			return fallback.Wrap(g, fallback.Options{Chain: func(m string) fallback.Chain { return fallback.SilentChain(m, "stand-in") }})
		},
		Stream: func(chunks []*llm.Response) [][]byte {
			var out [][]byte
			for _, c := range chunks {
				out = append(out, fmt.Appendf(nil, "data: %s\n\n", c.AppendJSON(nil)))
			}
			return out
		},
		Answer: func(r *llm.Response) []byte { return r.AppendJSON(nil) },
		Error: func(status int, message string) []byte {
			return fmt.Appendf(nil, `{"error":{"code":%d,"message":%q}}`, status, message)
		},
	})
}

// A model whose responses break off has failed for the prompt, if another one is left.
func TestFail(t *testing.T) {
	t.Parallel()
	broken := &llm.Error{Kind: llm.KindNetwork}
	g := fallback.Wrap(&fakeModels{}, fallback.Options{Chain: func(model string) fallback.Chain { return fallback.SilentChain(model, "a", "b") }})
	if g.Fail("a", "1", &llm.Error{Kind: llm.KindBadRequest}) || g.Fail("a", "1", context.Canceled) || g.Select("a", "1") != "a" {
		t.Error("a failure that no other model helps with counts")
	}
	if !g.Fail("a", "1", broken) || g.Select("a", "1") != "b" || g.Select("a", "2") != "a" {
		t.Errorf("%s answers, and %s in another prompt", g.Select("a", "1"), g.Select("a", "2"))
	}
	if g.Fail("b", "1", broken) || g.Select("b", "1") != "b" {
		t.Error("the last model has a stand-in")
	}
	if fallback.Wrap(&fakeModels{}, fallback.Options{}).Fail("a", "1", broken) {
		t.Error("a model without a chain has a stand-in")
	}
}

// TestSmallStandIn checks that a stand-in gets no request that does not fit into its window.
func TestSmallStandIn(t *testing.T) {
	t.Parallel()
	windows := map[string]int{"small": 10, "tiny": 5, "large": 10_000}
	for _, c := range []struct {
		name   string
		chain  []string
		words  int
		asked  string
		text   string // of the switch
		tooBig bool
	}{
		{name: "fits", chain: []string{"small"}, words: 3, asked: "first small", text: "down"},
		{name: "another fits", chain: []string{"small", "tiny", "large"}, words: 100, asked: "first large", text: "down; the conversation does not fit into the context window of small and tiny"},
		{name: "none fits", chain: []string{"small", "tiny"}, words: 100, asked: "first", text: "down", tooBig: true},
		{name: "an unknown window", chain: []string{"other"}, words: 100, asked: "first other", text: "down"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, streamed := range []bool{true, false} {
				var asked []string
				m := &failing{asked: &asked}
				g := fallback.Wrap(m, fallback.Options{
					Chain:  func(model string) fallback.Chain { return fallback.SilentChain(append([]string{model}, c.chain...)...) },
					Window: func(model string) int { return windows[model] },
				})
				var switched llm.Switch
				req := &llm.Request{
					Model: "first", Contents: []*llm.Content{llm.User(llm.Text(strings.Repeat("word ", c.words)))},
					OnSwitch: func(s llm.Switch) { switched = s },
				}
				var err error
				if streamed {
					for _, failed := range g.Stream(t.Context(), req) {
						err = failed
					}
				} else {
					_, err = g.Generate(t.Context(), req)
				}
				var e *llm.Error
				if got := strings.Join(asked, " "); got != c.asked || switched.Err == nil || switched.Err.Error() != c.text {
					t.Errorf("asked %s, switched because of %v", got, switched.Err)
				}
				if c.tooBig != (err != nil) || err != nil && (!errors.As(err, &e) || e.Kind != llm.KindContextWindow || !e.Size.Exceeds() || e.Model != "small") {
					t.Errorf("error %v", err)
				}
			}
		})
	}
}

// failing is a generator whose model "first" is down.
type failing struct {
	llm.Generator
	asked *[]string
}

func (f *failing) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	*f.asked = append(*f.asked, req.Model)
	if req.Model == "first" {
		return nil, &llm.Error{Kind: llm.KindServer, Status: 503, Message: "down"}
	}
	return &llm.Response{}, nil
}

func (f *failing) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) { yield(f.Generate(ctx, req)) }
}
