package compress

import (
	"fmt"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/llm"
)

// letters returns a history: u a prompt, m a text of the model, c a call, r its result.
func letters(kinds string) []agent.Message {
	var messages []agent.Message
	for i, k := range kinds {
		var c *llm.Content
		id := fmt.Sprint("id", i)
		switch k {
		case 'u':
			c = llm.User(llm.Text("words"))
		case 'm':
			c = llm.Model(llm.Text("words"))
		case 'c':
			c = llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: "f"}})
		case 'r':
			c = llm.User(llm.Part{FunctionResponse: llm.Output(fmt.Sprint("id", i-1), "f", "words")})
		}
		messages = append(messages, agent.Message{Content: c})
	}
	return messages
}

// split returns the first prompt that has the fraction before it.
func TestSplit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kinds    string
		lengths  []int // nil: all equal
		fraction float64
		want     int
	}{
		{"", nil, 0.7, 0},
		{"u", nil, 0.7, 0},
		{"u", nil, 0.99, 0},
		{"um", nil, 0.7, 2},
		{"umumu", nil, 0.5, 4},
		{"umumu", nil, 0.9, 4},
		{"umum", nil, 0.8, 4},       // none past it, the model has had the last word
		{"umuc", nil, 0.99, 2},      // none past it, a call waits: the last there is
		{"uc", nil, 0.7, 0},         // and there is none
		{"ucrm", nil, 0.7, 4},       // a result is no place
		{"ucrcrcr", nil, 0.7, 0},    // nor the end behind one
		{"ucrmucr", nil, 0.7, 4},    //
		{"umumumumum", nil, 0.7, 8}, // 7 is no prompt
		{"umumumumum", nil, 0.3, 4}, //
		{"uuuuuuuuuu", nil, 0.7, 7}, // exactly there
		{"umumumumum", []int{70, 10, 2, 2, 2, 2, 3, 3, 3, 3}, 0.7, 2}, // most of it at the head
		{"umumum", []int{1, 1, 1, 1, 90, 6}, 0.7, 6},                  // most of it at the end
		{"umumuc", []int{1, 1, 1, 1, 90, 6}, 0.7, 4},                  //
		{"mumum", nil, 0.7, 5},                                        // it begins with the model
	} {
		messages, lengths := letters(tt.kinds), tt.lengths
		if lengths == nil {
			for range messages {
				lengths = append(lengths, 100)
			}
		}
		if got := split(messages, lengths, callSpans(messages), tt.fraction); got != tt.want {
			t.Errorf("%s at %v: %d, want %d", tt.kinds, tt.fraction, got, tt.want)
		}
	}
}

// split never returns a position between a call and its result.
func TestSplitNeverBetweenCallAndResult(t *testing.T) {
	t.Parallel()
	messages := letters("umcummmmmm")
	messages[5].Content = llm.User(llm.Part{FunctionResponse: llm.Output("id2", "f", "late")})
	b := callSpans(messages)
	for i, open := range b {
		if want := i >= 3 && i <= 5; open != want {
			t.Errorf("before message %d: %v", i, open)
		}
	}
	// Without ids, names tell.
	messages[2].Content = llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{Name: "f"}})
	messages[5].Content = llm.User(llm.Part{FunctionResponse: llm.Output("", "f", "late")})
	if b := callSpans(messages); !b[3] || !b[5] || b[6] {
		t.Errorf("%v", b)
	}
}

// If split keeps most of the history, the cut is between two rounds of calls.
func TestCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kinds  string
		at     int
		prompt int
	}{
		{"u" + strings.Repeat("cr", 50) + "c", 73, 0}, // the results are the longer half
		{"umum" + "u" + strings.Repeat("cr", 50) + "c", 75, 4},
		{strings.Repeat("um", 30) + "u" + strings.Repeat("cr", 3) + "c", 54, -1},
		{"uc", 0, -1},
		{"ucrc", 3, 0},
	} {
		w := New(Options{}).newCompression(agent.CompressRequest{History: letters(tt.kinds)})
		if c := w.cut(w.body); c.at != tt.at || c.prompt != tt.prompt {
			t.Errorf("%.20s: at %d, prompt %d; want %d, %d", tt.kinds, c.at, c.prompt, tt.at, tt.prompt)
		}
	}
}

// Lengths are counted as in JavaScript.
func TestUnits(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int{"": 0, "abc": 3, "é": 1, "日本": 2, "😀": 2} {
		if got := countUnits([]byte(s)); got != want {
			t.Errorf("units(%q) = %d, want %d", s, got, want)
		}
	}
}

func BenchmarkCut(b *testing.B) {
	for _, n := range []int{10, 1_000, 10_000} {
		w := New(Options{}).newCompression(agent.CompressRequest{History: letters(strings.Repeat("umucr", n/5))})
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w.cut(w.body)
			}
		})
	}
}
