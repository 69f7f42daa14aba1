package mask_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/agent/mask"
	"pollux/llm"
)

// shelf stores saved outputs.
type shelf struct {
	tools, calls, texts []string
	fail                func(call string) error
}

func (s *shelf) save(tool, call, text string) (string, error) {
	if s.fail != nil {
		if err := s.fail(call); err != nil {
			return "", err
		}
	}
	s.tools, s.calls, s.texts = append(s.tools, tool), append(s.calls, call), append(s.texts, text)
	return fmt.Sprintf("/t/%s_%s.txt", tool, call), nil
}

func message(c *llm.Content) agent.Message { return agent.Message{Content: c} }

// round returns a call and its result.
func round(n int, tool, output string) []agent.Message {
	id := fmt.Sprintf("%s__%d", tool, n)
	return []agent.Message{
		message(llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: tool}})),
		{ID: fmt.Sprintf("m%d", n), Content: llm.User(llm.Part{FunctionResponse: llm.Output(id, tool, output)})},
	}
}

// words returns a text of about n tokens.
func words(n int) string {
	const some = "the first of many words "
	return strings.Repeat(some, n*100/llm.EstimateTokens([]llm.Part{llm.Text(strings.Repeat(some, 100))}))
}

// session returns n rounds of about so many tokens each, and a response.
func session(n, tokens int) []agent.Message {
	history := []agent.Message{message(llm.User(llm.Text("go")))}
	for i := range n {
		history = append(history, round(i, "read_file", words(tokens))...)
	}
	return append(history, message(llm.Model(llm.Text("done"))))
}

func tokens(history []agent.Message) int {
	n := 0
	for _, m := range history {
		n += m.Content.Tokens()
	}
	return n
}

func output(t *testing.T, m agent.Message) string {
	t.Helper()
	var body struct{ Output string }
	if err := json.Unmarshal(m.Content.Parts[0].FunctionResponse.Response, &body); err != nil {
		t.Fatal(err)
	}
	return body.Output
}

func isMasked(m agent.Message) bool {
	r := m.Content.Parts[0].FunctionResponse
	return r != nil && strings.HasPrefix(string(r.Response), `{"output":"<tool_output_masked>\n`)
}

// The outputs that are masked, and when.
func TestWhich(t *testing.T) {
	t.Parallel()
	each := llm.EstimateTokens(round(1, "read_file", words(10_000))[1].Content.Parts)
	big := mask.Options{Protect: 50_000 * each / 10_000, Batch: 30_000 * each / 10_000}
	for _, tt := range []struct {
		name    string
		options mask.Options
		history []agent.Message
		want    []int // of the rounds
	}{
		{"nothing", big, nil, nil},
		{"one message", big, session(0, 0)[:1], nil},
		{"as many as are protected", big, session(5, 10_000), nil},
		{"too few behind them", big, session(7, 10_000), nil},
		{"a batch", big, session(8, 10_000), []int{0, 1, 2}},
		{"the one that crosses the line goes, too", mask.Options{Protect: big.Protect - 1, Batch: big.Batch}, session(7, 10_000), []int{0, 1, 2}},
		{"defaults", mask.Options{}, session(2, 120_000), []int{0, 1}},
		{"the newest message stays", mask.Options{}, session(2, 120_000)[:5], []int{0}},
		{"settings without sense", mask.Options{Protect: -1, Batch: -1}, session(8, 9_000), nil},
		{"a huge one", big, session(1, 300_000), []int{0}},
		{"not worth it", mask.Options{Protect: 1, Batch: 1}, session(50, 40), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var kept shelf
			tt.options.Save = kept.save
			before := slices.Clone(tt.history)
			got, saved := mask.New(tt.options).Mask(t.Context(), tt.history, 0)
			if saved != tokens(before)-tokens(got) || saved < 0 || (saved > 0) != (tt.want != nil) {
				t.Errorf("it says %d tokens are saved, of %d there are %d", saved, tokens(before), tokens(got))
			}
			var which []int
			for i, m := range got {
				switch {
				case m.ID != before[i].ID:
					t.Errorf("message %d is now %q", i, m.ID)
				case isMasked(m):
					n := (i - 2) / 2
					which = append(which, n)
					if want := fmt.Sprintf("/t/read_file_read_file__%d.txt\n</tool_output_masked>", n); !strings.HasSuffix(output(t, m), want) {
						t.Errorf("masked: %q", output(t, m))
					}
				case m.Content != before[i].Content:
					t.Errorf("message %d is a copy", i)
				}
			}
			if !slices.Equal(which, tt.want) || len(kept.texts) != len(tt.want) {
				t.Errorf("rounds %v are masked, want %v; %d files", which, tt.want, len(kept.texts))
			}
			for i := range tt.history {
				if tt.history[i].Content != before[i].Content {
					t.Fatal("the history itself was changed")
				}
			}
		})
	}
}

// The masked form of an output, and the content of its file.
func TestForm(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é→字🎉 ", 100_000)
	lines := func(from, to int) string {
		var b strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&b, "line %d\n", i)
		}
		return b.String()
	}
	many := strings.TrimSuffix(lines(0, 50_000), "\n")
	first, last := lines(0, 10), strings.TrimSuffix(lines(49_990, 50_000), "\n")
	runes := func(s string, from, to int) string {
		r := []rune(s)
		if from < 0 {
			from, to = len(r)+from, len(r)
		}
		return string(r[from:to])
	}
	one := strings.Repeat("all on one line ", 20_000)
	frame := func(s string) string { return "<untrusted_context>\n" + s + "\n</untrusted_context>" }
	const end = "\nExit Code: 2\nProcess Group PGID: 77"
	for _, tt := range []struct {
		name     string
		response *llm.FunctionResponse
		look     string
		saved    string // "" for the output itself
	}{
		{"a text", llm.Output("1", "x", long), runes(long, 0, 250) + "\n... [TRUNCATED] ...\n" + runes(long, -250, 0), long},
		{"a failure", llm.Failure("1", "x", long), "Error: " + runes(long, 0, 243) + "\n... [TRUNCATED] ...\n" + runes(long, -250, 0), "Error: " + long},
		{
			"a command's", llm.Output("1", "x", frame("Output: "+many+end)),
			frame("Output: " + first + "... [49980 lines omitted] ...\n" + last + end), frame("Output: " + many + end),
		},
		{
			"a command's whose first line is indented", llm.Output("1", "x", frame("Output:\n  "+many+"\nExit Codes in the pipe: 1, 0")),
			frame("Output:\n  " + first + "... [49980 lines omitted] ...\n" + last + "\nExit Codes in the pipe: 1, 0"),
			frame("Output:\n  " + many + "\nExit Codes in the pipe: 1, 0"),
		},
		{
			"a command's with a hint and a note behind the frame", llm.Output("1", "x", frame("Output: "+many+end)+"\nHint: Use -y.\n\n[It lacked a permission.]"),
			frame("Output: "+first+"... [49980 lines omitted] ...\n"+last+end) + "\nHint: Use -y.\n\n[It lacked a permission.]",
			frame("Output: "+many+end) + "\nHint: Use -y.\n\n[It lacked a permission.]",
		},
		{
			"a command's with a report that has a frame of its own", llm.Output("1", "x", frame("Output: "+many+end)+"\n\n[Changed files: 1 changed (a)]\n"+frame("-1\n+2")),
			frame("Output: "+first+"... [49980 lines omitted] ...\n"+last+end) + "\n\n[Changed files: 1 changed (a)]\n" + frame("-1\n+2"),
			frame("Output: "+many+end) + "\n\n[Changed files: 1 changed (a)]\n" + frame("-1\n+2"),
		},
		{
			"a command's without a frame", llm.Output("1", "x", "Output: "+many+end),
			"Output: " + first + "... [49980 lines omitted] ...\n" + last + end, "Output: " + many + end,
		},
		{
			"a command's of one line", llm.Output("1", "x", frame("Output: "+one+end)),
			frame("Output: " + one[:250] + "... [TRUNCATED]" + end), frame("Output: " + one + end),
		},
		{
			"a command's that was long from the first", llm.Output("1", "x", "Output too large. Showing first 8,000 and last 32,000 characters. For full output see: /t/f\n"+frame("Output: "+many+end)),
			"Output too large. Showing first 8,000 and last 32,000 characters. For full output see: /t/f\n" + frame("Output: "+first+"... [49980 lines omitted] ...\n"+last+end),
			"Output too large. Showing first 8,000 and last 32,000 characters. For full output see: /t/f\n" + frame("Output: "+many+end),
		},
		{
			"a command's that holds what tells of its end", llm.Output("1", "x", frame("Output: "+many+strings.Repeat("\nSignal: 9", 9)+end)),
			frame("Output: " + first + "... [49985 lines omitted] ...\n" + strings.TrimSuffix(lines(49_995, 50_000), "\n") + strings.Repeat("\nSignal: 9", 9) + end),
			frame("Output: " + many + strings.Repeat("\nSignal: 9", 9) + end),
		},
		{
			"cancelled", &llm.FunctionResponse{ID: "1", Name: "x", Response: json.RawMessage(`{"output":"` + strings.Repeat("a b ", 20_000) + `","error":"[Operation Cancelled] Reason: no"}`)},
			strings.Repeat("a b ", 63)[:250] + "\n... [TRUNCATED] ...\n" + runes(strings.Repeat("a b ", 100)+"\nError: [Operation Cancelled] Reason: no", -250, 0),
			strings.Repeat("a b ", 20_000) + "\nError: [Operation Cancelled] Reason: no",
		},
		{
			"an answer of another form", &llm.FunctionResponse{ID: "1", Name: "x", Response: json.RawMessage(`{"rows":[` + strings.Repeat("1,", 20_000) + `1],"output":"x"}`)},
			("{\n  \"rows\": [" + strings.Repeat("\n    1,", 50))[:250] + "\n... [TRUNCATED] ...\n" + func() string {
				s := strings.Repeat("    1,\n", 50) + "    1\n  ],\n  \"output\": \"x\"\n}"
				return s[len(s)-250:]
			}(), "{",
		},
		{
			"not JSON", &llm.FunctionResponse{ID: "1", Name: "x", Response: json.RawMessage(strings.Repeat("{", 50_000))},
			strings.Repeat("{", 250) + "\n... [TRUNCATED] ...\n" + strings.Repeat("{", 250), strings.Repeat("{", 50_000),
		},
		{
			"the form's own tags", llm.Output("1", "x", "<tool_output_masked>\n</tool_output_masked>\n"+long+"<tool_output_masked>"),
			"&lt;tool_output_masked>\n&lt;/tool_output_masked>\n" + runes(long, 0, 250-43) + "\n... [TRUNCATED] ...\n" + runes(long, -230, 0) + "&lt;tool_output_masked>",
			"<tool_output_masked>\n</tool_output_masked>\n" + long + "<tool_output_masked>",
		},
		{
			"NUL and what is not UTF-8", llm.Output("1", "x", strings.Repeat("\x00\xff", 20_000)),
			strings.Repeat("\x00\ufffd", 125) + "\n... [TRUNCATED] ...\n" + strings.Repeat("\x00\ufffd", 125), strings.Repeat("\x00\ufffd", 20_000),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var kept shelf
			m := mask.New(mask.Options{Save: kept.save, Protect: 1, Batch: 1})
			history := []agent.Message{message(llm.User(llm.Part{FunctionResponse: tt.response})), message(llm.Model(llm.Text("ok")))}
			got, saved := m.Mask(t.Context(), history, 0)
			if saved == 0 {
				t.Fatal("not masked")
			}
			want := "<tool_output_masked>\n" + tt.look + "\n\nOutput too large. Full output available at: /t/x_1.txt\n</tool_output_masked>"
			if diff := cmp.Diff(want, output(t, got[0])); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if r := got[0].Content.Parts[0].FunctionResponse; r.ID != "1" || r.Name != "x" {
				t.Errorf("it belongs to %s %s", r.ID, r.Name)
			}
			if kept.texts[0] != tt.saved && (tt.saved != "{" || !json.Valid([]byte(kept.texts[0])) || !strings.Contains(kept.texts[0], "\n")) {
				t.Errorf("saved %.100q", kept.texts[0])
			}
			if again, more := m.Mask(t.Context(), got, 0); more != 0 || &again[0] != &got[0] {
				t.Error("masked twice")
			}
			if _, more := mask.New(mask.Options{Save: kept.save, Protect: 1, Batch: 1}).Mask(t.Context(), got, 0); more != 0 {
				t.Error("masked twice, by another")
			}
		})
	}
}

// In a message with several results only the masked ones change. Media, signatures and other
// parts stay.
func TestOneOfSeveral(t *testing.T) {
	t.Parallel()
	image := llm.Part{InlineData: &llm.Blob{MIMEType: "image/png", Data: []byte("data")}}
	big := llm.Output("2", "look", words(5000))
	big.Parts = []llm.Part{image}
	parts := []llm.Part{
		{FunctionResponse: llm.Output("1", "activate_skill", words(5000))},
		{FunctionResponse: big, ThoughtSignature: "sig", Extra: map[string]json.RawMessage{"k": json.RawMessage(`1`)}},
		{FunctionResponse: llm.Output("3", "look", "small")},
		image, llm.Text("User hints: none"),
	}
	var kept shelf
	history := []agent.Message{{ID: "a", Shown: "shown", Content: llm.User(parts...)}, message(llm.Model(llm.Text("ok")))}
	got, saved := mask.New(mask.Options{Save: kept.save, Protect: 1, Batch: 1}).Mask(t.Context(), history, 0)
	if saved == 0 || saved != tokens(history)-tokens(got) || !slices.Equal(kept.calls, []string{"2"}) {
		t.Fatalf("%d tokens, saved %q", saved, kept.calls)
	}
	c := got[0].Content
	for i, p := range c.Parts {
		if i != 1 && !cmp.Equal(p, parts[i], cmp.AllowUnexported(llm.Part{})) {
			t.Errorf("part %d has changed", i)
		}
	}
	p := c.Parts[1]
	if p.ThoughtSignature != "sig" || len(p.Extra) != 1 || len(p.FunctionResponse.Parts) != 1 || p.FunctionResponse.ID != "2" ||
		!strings.HasPrefix(string(p.FunctionResponse.Response), `{"output":"<tool_output_masked>`) || got[0].ID != "a" || got[0].Shown != "shown" {
		t.Errorf("%+v", p)
	}
	if big.Response[11] != 't' || c.Role != llm.RoleUser {
		t.Error("the result itself was changed")
	}
}

// Images do not count, because they cannot be saved to a text file.
func TestMediaAreNotCounted(t *testing.T) {
	t.Parallel()
	var kept shelf
	var history []agent.Message
	for i := range 100 {
		r := round(i, "look", "Binary content provided (1 item(s)).")
		r[1].Content.Parts[0].FunctionResponse.Parts = []llm.Part{{InlineData: &llm.Blob{MIMEType: "image/png"}}}
		history = append(history, r...)
	}
	if got, saved := mask.New(mask.Options{Save: kept.save}).Mask(t.Context(), history, 0); saved != 0 || &got[0] != &history[0] {
		t.Errorf("%d tokens saved, %d files", saved, len(kept.texts))
	}
}

// The history does not change between two batches, so that the prompt cache stays valid.
func TestBatches(t *testing.T) {
	t.Parallel()
	var kept shelf
	m := mask.New(mask.Options{Save: kept.save})
	history, batches := session(0, 0), []int(nil)
	most := 0
	for i := range 200 {
		history = append(history, round(i, "read_file", words(2000))...)
		got, saved := m.Mask(t.Context(), history, 0)
		if saved > 0 {
			batches = append(batches, i)
		}
		if (saved > 0) == (&got[0] == &history[0]) {
			t.Fatal("a history that does not change is the same one")
		}
		history = got
		most = max(most, tokens(history))
	}
	for i, at := range batches[1:] {
		if since := at - batches[i]; since < 12 || since > 18 { // 30,000 of 2,000
			t.Errorf("masked in rounds %v", batches)
		}
	}
	if len(batches) < 5 || most > 80_000+200*200 {
		t.Errorf("masked in rounds %v; up to %d tokens", batches, most)
	}
}

// An output that cannot be saved stays; the others are masked. Mask tries again with the next
// batch.
func TestSaveFails(t *testing.T) {
	t.Parallel()
	asked := map[string]int{}
	full := true
	kept := shelf{fail: func(call string) error {
		asked[call]++
		if full && call == "read_file__1" {
			return errors.New("disk full")
		}
		return nil
	}}
	var warned []string
	m := mask.New(mask.Options{Save: kept.save, Warn: func(w string) { warned = append(warned, w) }})
	history := session(12, 9_000)
	got, saved := m.Mask(t.Context(), history, 0)
	if saved == 0 || !isMasked(got[2]) || isMasked(got[4]) || got[4].Content != history[4].Content || !isMasked(got[6]) {
		t.Errorf("%d tokens saved", saved)
	}
	for range 5 {
		if again, more := m.Mask(t.Context(), slices.Clone(got), 0); more != 0 || again[4].Content != got[4].Content {
			t.Errorf("%d more tokens saved", more)
		}
	}
	if asked["read_file__1"] != 1 || len(warned) != 1 {
		t.Errorf("asked %d times, warned %q", asked["read_file__1"], warned)
	}
	full = false
	for i := range 5 {
		got = append(got, round(100+i, "read_file", words(9_000))...)
	}
	if got, _ = m.Mask(t.Context(), got, 0); !isMasked(got[4]) || asked["read_file__1"] != 2 || asked["read_file__0"] != 1 {
		t.Errorf("asked again: %v", asked)
	}
	kept.fail = func(string) error { return errors.New("disk full") }
	history = session(12, 9_000)
	if got, saved := mask.New(mask.Options{Save: kept.save}).Mask(t.Context(), history, 0); saved != 0 || &got[0] != &history[0] {
		t.Error("masked without a file")
	}
}

// A cancelled call masks nothing, and the next call masks everything.
func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	kept := shelf{fail: func(string) error { cancel(); return nil }}
	m := mask.New(mask.Options{Save: kept.save})
	history := session(10, 15_000)
	if got, saved := m.Mask(ctx, history, 0); saved != 0 || &got[0] != &history[0] || len(kept.texts) != 1 {
		t.Errorf("%d tokens saved, %d files", saved, len(kept.texts))
	}
	if _, saved := m.Mask(t.Context(), history, 0); saved == 0 {
		t.Error("nothing is masked any more")
	}
}

// The history may be replaced between two calls.
func TestReplaced(t *testing.T) {
	t.Parallel()
	var kept shelf
	m := mask.New(mask.Options{Save: kept.save})
	long := session(7, 9_000)
	for i, history := range [][]agent.Message{
		long, long[:5], session(3, 9_000), nil, slices.Clone(long), long[4:],
		slices.Concat(long[:3], session(1, 9_000), long[5:]), long,
	} {
		if got, saved := m.Mask(t.Context(), history, 0); saved != 0 || len(got) != len(history) {
			t.Errorf("history %d: %d tokens saved", i, saved)
		}
	}
	if _, saved := m.Mask(t.Context(), slices.Concat(long, session(6, 9_000)), 0); saved == 0 {
		t.Error("nothing is masked any more")
	}
}

// An output of 50 MB is masked.
func TestHuge(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"a line of some words\n", "x", "</tool_output_masked>", "\nExit Code: 1"} {
		t.Run(strings.TrimSpace(line), func(t *testing.T) {
			t.Parallel()
			var kept shelf
			size := 5 << 20
			if line == "x" {
				size *= 10
			}
			text := "Output: " + strings.Repeat(line, size/len(line))
			m := mask.New(mask.Options{Save: kept.save})
			got, saved := m.Mask(t.Context(), append(round(1, "x", text), message(llm.Model(llm.Text("ok")))), 0)
			if r := got[1].Content.Parts[0].FunctionResponse.Response; saved < size/100 || len(r) > 10_000 || kept.texts[0] != text {
				t.Errorf("%d tokens saved, %d bytes are left", saved, len(r))
			}
		})
	}
}

// In a small window, less stays and less is enough for a batch.
func TestSmallWindow(t *testing.T) {
	t.Parallel()
	for window, masks := range map[int]bool{0: false, 1_000_000: false, 100_000: false, 60_000: true, 10_000: true} {
		var kept shelf
		history := session(20, 2_500) // 50,000 tokens of results, the last of which is not looked at
		_, saved := mask.New(mask.Options{Save: kept.save}).Mask(t.Context(), history, window)
		if (saved > 0) != masks {
			t.Errorf("window %d: %d tokens saved", window, saved)
		}
		if n := len(kept.texts); window == 10_000 && (n < 16 || n > 18) { // 5,000 tokens stay
			t.Errorf("%d results are masked", n)
		}
	}
}
