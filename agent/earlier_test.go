package agent

import (
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pollux/llm"
)

// TestEarlierResults checks which results of a history a tool gets.
func TestEarlierResults(t *testing.T) {
	t.Parallel()
	call := func(id, name, args string) llm.Part {
		return llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: name, Args: json.RawMessage(args)}}
	}
	result := func(r *llm.FunctionResponse) llm.Part { return llm.Part{FunctionResponse: r} }
	media := llm.Output("m", "read", "a picture")
	media.Parts = []llm.Part{{InlineData: &llm.Blob{MIMEType: "image/png"}}}
	c := &conversation{}
	for _, content := range []*llm.Content{
		llm.User(llm.Text(strings.Repeat("earlier ", 20000))),
		llm.Model(call("1", "read", `{"n":1}`)),
		llm.User(result(llm.Output("1", "read", "one"))),
		llm.Model(call("1", "read", `{"n":2}`), call("x", "other", `{}`), call("f", "read", `{"n":3}`), call("m", "read", `{"n":4}`)),
		llm.User(result(llm.Output("1", "read", "two")), result(llm.Output("x", "other", "no")), result(llm.Failure("f", "read", "failed")), result(media)),
		llm.User(result(llm.Output("gone", "read", "no call"))),
		llm.Model(call("9", "read", `{"n":9}`)),
	} {
		c.history.add(Message{Content: content})
	}
	for tokens, want := range map[int]string{100_000: `{"n":2}two {"n":1}one `, 5000: `{"n":2}two {"n":1}one `, 0: ""} {
		got := ""
		for args, text := range successful(earlierResults(c.lastResults(tokens), "read", func(name string) bool { return name == "edit" })) {
			got += string(args) + text + " "
		}
		if got != want {
			t.Errorf("%d tokens: got %q, want %q", tokens, got, want)
		}
	}
	c.history.add(Message{Content: llm.Model(call("e", "edit", `{}`), call("10", "read", `{"n":10}`))})
	c.history.add(Message{Content: llm.User(result(llm.Failure("e", "edit", "failed")), result(llm.Output("10", "read", "ten")))})
	got := ""
	for args, text := range successful(earlierResults(c.lastResults(5000), "read", func(name string) bool { return name == "edit" })) {
		got += string(args) + text
	}
	if want := `{"n":10}ten`; got != want {
		t.Errorf("after an edit: got %q, want %q", got, want)
	}
	if n := len(c.lastResults(5000)); n != 8 {
		t.Errorf("%d results at the end", n)
	}
}

// successful yields the texts of the results that have one.
func successful(results iter.Seq2[json.RawMessage, func() (string, bool)]) iter.Seq2[json.RawMessage, string] {
	return func(yield func(json.RawMessage, string) bool) {
		for args, textOf := range results {
			if text, ok := textOf(); ok && !yield(args, text) {
				return
			}
		}
	}
}

// TestEarlierIndex compares the index with a search through the messages, for random histories.
func TestEarlierIndex(t *testing.T) {
	t.Parallel()
	mayChange := func(name string) bool { return name == "edit" }
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 0))
		var h history
		for range 90 {
			id, name := fmt.Sprint("id", rng.IntN(8)), []string{"read", "read", "read", "look", "edit"}[rng.IntN(4+rng.IntN(2))]
			args := json.RawMessage(fmt.Sprintf(`{"n":%d}`, rng.IntN(1000)))
			content := llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: name, Args: args}})
			switch rng.IntN(6) {
			case 0, 1, 2:
				h.add(Message{Content: content})
				content = llm.User(llm.Part{FunctionResponse: llm.Output(id, name, strings.Repeat("word ", rng.IntN(3000)))})
			case 3:
				content = llm.User(llm.Part{FunctionResponse: llm.Failure(id, name, "failed")})
			case 4:
				content = llm.User(llm.Text(strings.Repeat("word ", rng.IntN(3000))))
			}
			h.add(Message{Content: content})
			if rng.IntN(30) == 0 {
				h.cut(rng.IntN(len(h.all)))
			}
		}
		c := &conversation{history: h}
		for _, tokens := range []int{0, 1000, 10_000, maxEarlier} {
			var got, want []string
			for args, text := range successful(earlierResults(c.lastResults(tokens), "read", mayChange)) {
				got = append(got, string(args)+text)
			}
			for args, text := range searchEarlier(h.all, tokens, "read", mayChange) {
				want = append(want, string(args)+text)
			}
			if !slices.Equal(got, want) {
				t.Errorf("seed %d, %d tokens: %d results, want %d", seed, tokens, len(got), len(want))
			}
		}
		if first := c.lastResults(math.MaxInt); len(first) > 0 && h.tokens-first[0].start > maxEarlier+5000 {
			t.Errorf("seed %d: a result of %d tokens ago is still in the index", seed, h.tokens-first[0].start)
		}
	}
}

// searchEarlier yields the same as earlierResults, without an index.
func searchEarlier(messages []Message, tokens int, name string, mayChange func(name string) bool) iter.Seq2[json.RawMessage, string] {
	first := len(messages)
	for first > 0 && tokens >= messages[first-1].Content.Tokens() {
		tokens -= messages[first-1].Content.Tokens()
		first--
	}
	messages = messages[first:]
	return func(yield func(json.RawMessage, string) bool) {
		for i, m := range slices.Backward(messages) {
			for _, p := range slices.Backward(m.Content.Parts) {
				switch r := p.FunctionResponse; {
				case r == nil:
				case mayChange(r.Name):
					return
				case r.Name == name:
					text, ok := textOf(r)
					for _, before := range slices.Backward(messages[max(0, i-callDistance):i]) {
						at := slices.IndexFunc(before.Content.Parts, func(p llm.Part) bool { return p.FunctionCall != nil && p.FunctionCall.ID == r.ID })
						if ok && at >= 0 {
							if !yield(before.Content.Parts[at].FunctionCall.Args, text) {
								return
							}
							break
						}
					}
				}
			}
		}
	}
}

// BenchmarkEarlier measures the search for an earlier result among 40,000 tokens of results, which
// each call of a tool that reads does.
func BenchmarkEarlier(b *testing.B) {
	c := &conversation{}
	for i := range 20 {
		id := fmt.Sprint(i)
		c.history.add(Message{Content: llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: "read", Args: []byte(`{"n":1}`)}})})
		c.history.add(Message{Content: llm.User(llm.Part{FunctionResponse: llm.Output(id, "read", strings.Repeat("a line of a file\n", 400))})})
	}
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for range earlierResults(c.lastResults(maxEarlier), "read", func(string) bool { return false }) {
			n++
		}
		if n < 10 {
			b.Fatal(n)
		}
	}
}
