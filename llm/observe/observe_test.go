package observe

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"testing"

	"pollux/llm"
)

// model answers with these chunks and then this error, where set.
type model struct {
	llm.Generator
	chunks []string
	err    error
	values []any // of the contexts of requests
}

type key struct{}

func (m *model) Stream(ctx context.Context, _ *llm.Request) iter.Seq2[*llm.Response, error] {
	m.values = append(m.values, ctx.Value(key{}))
	return func(yield func(*llm.Response, error) bool) {
		for _, text := range m.chunks {
			if !yield(answer(text), nil) {
				return
			}
		}
		if m.err != nil {
			yield(nil, m.err)
		}
	}
}

func (m *model) Generate(ctx context.Context, _ *llm.Request) (*llm.Response, error) {
	m.values = append(m.values, ctx.Value(key{}))
	if m.err != nil {
		return nil, m.err
	}
	return answer(strings.Join(m.chunks, "")), nil
}

func (m *model) CountTokens(ctx context.Context, _ *llm.Request) (int, error) {
	m.values = append(m.values, ctx.Value(key{}))
	return 7, nil
}

func (m *model) Embed(ctx context.Context, _ string, _ []string) ([][]float32, error) {
	m.values = append(m.values, ctx.Value(key{}))
	return nil, nil
}

func answer(text string) *llm.Response {
	return &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(llm.Text(text))}}}
}

// notes records the requests and responses it observes; none if blind is set.
type notes struct {
	name  string
	blind bool
	to    *[]string
}

func (n notes) note(format string, args ...any) {
	*n.to = append(*n.to, n.name+" "+fmt.Sprintf(format, args...))
}

func (n notes) Begin(req *llm.Request) Call {
	n.note("begin %s", req.Model)
	if n.blind {
		return nil
	}
	return n
}

func (n notes) See(r *llm.Response, err error) { n.note("see %s %v", r.Text(), err) }

func (n notes) End() { n.note("end") }

// marked puts a value into contexts.
type marked struct{ notes }

func (marked) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, key{}, "marked")
}

func TestWrap(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, tt := range []struct {
		name string
		do   func(g llm.Generator)
		want string
	}{
		{"stream", func(g llm.Generator) {
			for range g.Stream(t.Context(), &llm.Request{Model: "m"}) {
			}
		}, "a begin m, b begin m, a see x <nil>, a see y <nil>, a see  broken, a end"},
		{"left", func(g llm.Generator) {
			for range g.Stream(t.Context(), &llm.Request{Model: "m"}) {
				break
			}
		}, "a begin m, b begin m, a see x <nil>, a end"},
		{"generate", func(g llm.Generator) { _, _ = g.Generate(t.Context(), &llm.Request{Model: "m"}) }, "a begin m, b begin m, a see  broken, a end"},
		{"count", func(g llm.Generator) { _, _ = g.CountTokens(t.Context(), &llm.Request{}) }, ""},
		{"embed", func(g llm.Generator) { _, _ = g.Embed(t.Context(), "", nil) }, ""},
	} {
		var got []string
		m := &model{chunks: []string{"x", "y"}, err: broken}
		g := Wrap(m, notes{"a", false, &got}, marked{notes{"b", true, &got}})
		tt.do(g)
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s: observed %q, want %s", tt.name, got, tt.want)
		}
		if len(m.values) != 1 || m.values[0] != "marked" {
			t.Errorf("%s: the context has %v", tt.name, m.values)
		}
		if u, ok := g.(interface{ Unwrap() llm.Generator }); !ok || u.Unwrap() != llm.Generator(m) {
			t.Errorf("%s: the generator is not found below", tt.name)
		}
	}
	m := &model{}
	if Wrap(m) != llm.Generator(m) {
		t.Error("without observers the generator is wrapped")
	}
}

func TestLog(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == "time" || a.Key == "took" {
			return slog.Attr{}
		}
		return a
	}}))
	req := &llm.Request{Model: "m", Use: llm.UseMain, Contents: []*llm.Content{llm.User(llm.Text("secret"))}}
	for range Wrap(&model{chunks: []string{"secret", "words"}}, Log(log)).Stream(t.Context(), req) {
	}
	_, _ = Wrap(&model{err: errors.New("broken")}, Log(log)).Generate(t.Context(), req)
	want := "level=DEBUG msg=request model=m for=main messages=1\nlevel=DEBUG msg=answer chunks=2\n" +
		"level=DEBUG msg=request model=m for=main messages=1\nlevel=DEBUG msg=\"request failed\" error=broken\n"
	if out.String() != want {
		t.Errorf("the log is\n%s\nwant\n%s", out.String(), want)
	}
}

func BenchmarkStream(b *testing.B) {
	m := &model{chunks: make([]string, 100)}
	var out []string
	g := Wrap(m, notes{"a", true, &out})
	for b.Loop() {
		out, m.values = out[:0], m.values[:0]
		for range g.Stream(b.Context(), &llm.Request{Model: "m"}) {
		}
	}
}
