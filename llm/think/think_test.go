package think_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/llm"
	"pollux/llm/think"
)

func thought(s string) llm.Part { return llm.Part{Text: s, Thought: true} }

func said(s string) llm.Part { return llm.Part{Text: s} }

func TestSplitter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		s      think.Splitter
		answer string
		want   []llm.Part
		// whole, where Split tells more than a stream can.
		whole []llm.Part
	}{
		{name: "text", answer: "a < b && c <thin d", want: []llm.Part{said("a < b && c <thin d")}},
		{name: "nothing"},
		{name: "blanks", answer: " \n", want: []llm.Part{said(" \n")}},
		{name: "many blanks", answer: strings.Repeat(" ", 3000), want: []llm.Part{said(strings.Repeat(" ", 3000))}},
		{name: "leading blanks of text", answer: "  indented", want: []llm.Part{said("  indented")}},
		{name: "a thought", answer: "<think>\nhm\n</think>\n\nyes", want: []llm.Part{thought("hm\n"), said("yes")}},
		{name: "the longer tag", answer: " <thinking>hm</thinking>yes", want: []llm.Part{thought("hm"), said("yes")}},
		{name: "mixed tags", answer: "<thinking>hm</think>yes", want: []llm.Part{thought("hm"), said("yes")}},
		{name: "capitals", answer: "<Think>hm</THINK>yes", want: []llm.Part{thought("hm"), said("yes")}},
		{name: "an empty thought", answer: "<think>\n\n</think>\n\nyes", want: []llm.Part{said("yes")}},
		{name: "a thought between", answer: "first <think>hm</think>\nthen", want: []llm.Part{said("first "), thought("hm"), said("then")}},
		{name: "several", answer: "<think>a</think>b<think>c</think>d", want: []llm.Part{thought("a"), said("b"), thought("c"), said("d")}},
		{name: "no end", answer: "<think>so then", want: []llm.Part{thought("so then")}},
		{name: "half an end", answer: "<think>so then</thi", want: []llm.Part{thought("so then</thi")}},
		{name: "half a beginning", answer: "<thin", want: []llm.Part{said("<thin")}},
		{name: "no nesting", answer: "<think>a<think>b</think>c", want: []llm.Part{thought("a<think>b"), said("c")}},
		{name: "only the end", answer: "\n</think>\nyes", want: []llm.Part{said("yes")}},
		{name: "only the beginning", answer: "<think>"},
		{name: "talked about", answer: "`<think>` and `</think>` are tags", want: []llm.Part{said("`<think>` and `</think>` are tags")}},
		{name: "talked about in a thought", answer: "<think>`</think>`?</think>yes", want: []llm.Part{thought("`</think>`?"), said("yes")}},
		{name: "code ends the thought", answer: "<think>`x`</think>yes", want: []llm.Part{thought("`x`"), said("yes")}},
		{name: "code ends all", answer: "<think>`x`</think>", want: []llm.Part{thought("`x`")}},
		{
			name: "unopened", answer: "hm</think>yes",
			want: []llm.Part{said("hmyes")}, whole: []llm.Part{thought("hm"), said("yes")},
		},
		{
			name: "unopened twice", answer: "hm</think>well</think>yes",
			want: []llm.Part{said("hmwellyes")}, whole: []llm.Part{thought("hmwell"), said("yes")},
		},
		{name: "opened", s: think.Splitter{Opened: true}, answer: "\nhm</think>\nyes", want: []llm.Part{thought("hm"), said("yes")}},
		{name: "opened twice", s: think.Splitter{Opened: true}, answer: "<think>hm</think>yes", want: []llm.Part{thought("<think>hm"), said("yes")}},
		{name: "opened, no thought", s: think.Splitter{Opened: true}, answer: "\n\n</think>\n\nyes", want: []llm.Part{said("yes")}},
		{name: "pairs", s: think.Splitter{PairsOnly: true}, answer: "a</think><thinking>b<think>c</think>d", want: []llm.Part{said("a</think><thinking>b"), thought("c"), said("d")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, cut := range []int{1, 2, 3, 7, 1 << 20} {
				s := c.s
				if diff := cmp.Diff(c.want, feed(&s, pieces(c.answer, cut)), cmp.AllowUnexported(llm.Part{})); diff != "" {
					t.Errorf("in pieces of %d (-want +got):\n%s", cut, diff)
				}
				if s.Unopened() != (c.whole != nil) {
					t.Errorf("in pieces of %d: unopened %v", cut, s.Unopened())
				}
			}
			if c.whole == nil {
				c.whole = c.want
			}
			if diff := cmp.Diff(c.whole, c.s.Split(c.answer), cmp.AllowUnexported(llm.Part{})); diff != "" {
				t.Errorf("whole (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPrompt: nothing that is certain is held back.
func TestPrompt(t *testing.T) {
	t.Parallel()
	var s think.Splitter
	for _, c := range [][2]string{{"a<", "a"}, {"thi", ""}, {"ng", "<thing"}, {"b", "b"}, {"<think>c", "c"}, {"d</", "d"}, {"think", ""}, {"> e", "e"}} {
		var got string
		for _, p := range s.Add(c[0]) {
			got += p.Text
		}
		if got != c[1] {
			t.Errorf("after %q: %q, want %q", c[0], got, c[1])
		}
	}
}

// feed returns all that s makes of the chunks, joined.
func feed(s *think.Splitter, chunks []string) []llm.Part {
	var all []llm.Part
	add := func(parts []llm.Part) {
		for i, p := range parts {
			if i > 0 && parts[i-1].Thought == p.Thought {
				panic("neighbours of the same kind")
			}
			if n := len(all); n > 0 && all[n-1].Thought == p.Thought {
				all[n-1].Text += p.Text
				continue
			}
			all = append(all, p)
		}
	}
	for _, c := range chunks {
		add(s.Add(c))
	}
	add(s.Flush())
	return all
}

func pieces(s string, n int) []string {
	var out []string
	for len(s) > n {
		out, s = append(out, s[:n]), s[n:]
	}
	return append(out, s)
}

// FuzzSplitter: wherever an answer is cut, the same comes out; nothing is
// invented; and what stands between two tags is never text.
func FuzzSplitter(f *testing.F) {
	for _, s := range []string{"", "<think>a</think>b", "a</think>b", " \n<thinking>x", "`<think>`<", "<<think>></think></thinking>`</think>`"} {
		f.Add(s, uint64(0x0123456789abcdef), false, false)
		f.Add(s, uint64(1), true, true)
	}
	f.Fuzz(func(t *testing.T, answer string, cuts uint64, opened, pairs bool) {
		zero := think.Splitter{Opened: opened, PairsOnly: pairs}
		whole := zero
		want := feed(&whole, []string{answer})
		var chunks []string
		for rest, c := answer, cuts; ; c = c>>4 | c<<60 {
			n := int(c & 15)
			if n >= len(rest) {
				chunks = append(chunks, rest)
				break
			}
			if cuts == 0 {
				n = 1
			}
			chunks, rest = append(chunks, rest[:n]), rest[n:]
		}
		cut := zero
		if diff := cmp.Diff(want, feed(&cut, chunks), cmp.AllowUnexported(llm.Part{})); diff != "" {
			t.Fatalf("%q, in one piece and in %q:\n%s", answer, chunks, diff)
		}
		if whole.Unopened() != cut.Unopened() {
			t.Fatalf("%q: unopened %v, then %v", answer, whole.Unopened(), cut.Unopened())
		}

		rest := answer
		for _, p := range want {
			for _, c := range []byte(p.Text) { // what comes out is what went in, with some left out
				n := strings.IndexByte(rest, c)
				if n < 0 {
					t.Fatalf("%q comes out of %q", p.Text, answer)
				}
				rest = rest[n+1:]
			}
		}

		// Thoughts that are marked letter by letter stay thoughts.
		if strings.ContainsAny(answer, "<>`\x01") {
			return
		}
		marked := fmt.Sprintf("%s<think>%s</think>%s", answer, strings.Repeat("\x01", len(answer)%50+1), answer)
		for _, p := range feed(&think.Splitter{PairsOnly: pairs}, pieces(marked, int(cuts&15)+1)) {
			if strings.Contains(p.Text, "\x01") != p.Thought {
				t.Fatalf("%q: part %q, thought %v", marked, p.Text, p.Thought)
			}
		}
	})
}

func BenchmarkSplitter(b *testing.B) {
	chunks := pieces("<think>\n"+strings.Repeat("Let me see whether a < b. ", 400)+"</think>\n\n"+strings.Repeat("The answer is 42. ", 400), 12)
	size := 0
	for _, c := range chunks {
		size += len(c)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		var s think.Splitter
		for _, c := range chunks {
			s.Add(c)
		}
		s.Flush()
	}
}

// BenchmarkHostile is a chunk of nothing but beginnings of tags.
func BenchmarkHostile(b *testing.B) {
	chunk := strings.Repeat("<think></think>a<", 1<<16)
	b.SetBytes(int64(len(chunk)))
	for b.Loop() {
		var s think.Splitter
		s.Add(chunk)
		s.Flush()
	}
}

func ExampleSplitter() {
	var s think.Splitter
	show := func(parts []llm.Part) {
		for _, p := range parts {
			fmt.Printf("thought=%v %q\n", p.Thought, p.Text)
		}
	}
	for _, chunk := range []string{"<thi", "nk>Two and two", "...</th", "ink>\n\nFo", "ur."} {
		show(s.Add(chunk))
	}
	show(s.Flush())
	// Output:
	// thought=true "Two and two"
	// thought=true "..."
	// thought=false "Fo"
	// thought=false "ur."
}
