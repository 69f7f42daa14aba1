package agent

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

// thoughts takes pieces in as an answer does.
func thoughts(pieces ...string) []Thought {
	var m mind
	var all []Thought
	end := func() {
		if t, ok := m.end(); ok {
			all = append(all, t)
		}
	}
	for _, s := range pieces {
		if m.startsAnew(s) {
			end()
		}
		for s != "" {
			n, ended := m.take(s)
			if s = s[n:]; ended {
				end()
			}
		}
	}
	end()
	return all
}

func TestThoughts(t *testing.T) {
	t.Parallel()
	two := []Thought{{"Looking", "At the file."}, {"Next", "Write it."}}
	for _, c := range []struct {
		name   string
		pieces []string
		want   []Thought
	}{
		{name: "none"},
		{name: "blanks", pieces: []string{" ", "\n"}},
		{"no subject", []string{"hm", " so"}, []Thought{{"", "hm so"}}},
		{"pieces", []string{"**Lo", "oking", "** ", "At the", " file.", "\n\n", "**", "Next**\n", "Write it."}, two},
		{"a mark in two", []string{"*", "*Looking*", "*\n\nAt the file.\n", "\n*", "*Next**", " Write it.\n"}, two},
		{"whole", []string{"**Looking**\n\nAt the file.\n\n\n", "**Next**\n\nWrite it.\n\n\n"}, two},
		{"whole, without a line between", []string{"**Looking** At the file.", "**Next** Write it."}, two},
		{"whole, with bold words", []string{"**Looking**\n\nAt the file.\n\n**Note:** go on.", "\n\n**Next**\nWrite it."}, []Thought{{"Looking", "At the file.\n\n**Note:** go on."}, {"Next", "Write it."}}},
		{"whole, and then more", []string{"**Looking**\n\nAt ", "the file.", "**Next**\n\nWrite it."}, two},
		{"a subject behind words", []string{"So: ", "**this**", " way"}, []Thought{{"this", "So:  way"}}},
		{"bold words in a line", []string{"**Look", "ing**\n\nAt the ", "**file** and", "\n**that**\n\n* item"}, []Thought{{"Looking", "At the **file** and\n**that**\n\n* item"}}},
		{"stars", []string{"a * b\n\n* c *", " d ***e***"}, []Thought{{"*e", "a * b\n\n* c * d *"}}},
		{"half a subject", []string{"**Look", "ing"}, []Thought{{"", "**Looking"}}},
		{"an empty subject", []string{"****", "x"}, []Thought{{"", "****x"}}},
	} {
		if got := thoughts(c.pieces...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A model that thinks without end is shown, and not kept.
func TestEndlessThoughts(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"and so on ", "\n\n**A** b", "*"} {
		var m mind
		kept := 0
		for range 10 << 20 / len(piece) {
			for s := piece; s != ""; {
				n, ended := m.take(s)
				if s = s[n:]; ended {
					t, _ := m.end()
					kept += len(t.Subject) + len(t.Description)
				}
			}
			if cap(m.text) > 2*maxThoughts {
				t.Fatalf("%d bytes are held", cap(m.text))
			}
		}
		last, _ := m.end()
		if kept += len(last.Subject) + len(last.Description); kept > maxThoughts || kept < maxThoughts/16 {
			t.Errorf("%q: %d bytes are kept", piece, kept)
		}
	}
}

// Wherever reasoning is cut, the thoughts are the same, and nothing but stars
// and blanks is lost.
func FuzzThoughts(f *testing.F) {
	f.Add("**A** b\n\n**C**\nd * e\n \n**F", uint64(0x1234567))
	f.Add("\n\n**\n\n****\n\n*** x", uint64(1))
	f.Fuzz(func(t *testing.T, s string, cuts uint64) {
		cut := func(cuts uint64) (pieces []string) {
			for rest := s; rest != ""; cuts = cuts>>4 | cuts<<60 {
				n := min(max(1, int(cuts&15)), len(rest))
				pieces, rest = append(pieces, rest[:n]), rest[n:]
			}
			return pieces
		}
		s = strings.ToValidUTF8(s, "?") // as adapters do; halves of a letter may meet another half
		if hasHeading(s) {              // which is a vendor's sign if it comes in one piece
			s = "x" + s
		}
		want, got := thoughts(cut(0)...), thoughts(cut(cuts)...)
		if !slices.Equal(got, want) {
			t.Fatalf("%q in %q: %q, in letters: %q", s, cut(cuts), got, want)
		}
		var b strings.Builder
		for _, t := range got {
			b.WriteString(t.Subject + t.Description)
		}
		if kept, all := letters(b.String()), letters(s); len(kept) != len(all) {
			t.Fatalf("%q: %q", s, got)
		}
	})
}

// letters returns s without stars and blanks.
func letters(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '*' || unicode.IsSpace(r) }), "")
}

func BenchmarkThoughts(b *testing.B) {
	const pieces = 1000
	b.ReportAllocs()
	for b.Loop() {
		var m mind
		for range pieces {
			m.take("twenty bytes of text")
		}
		m.end()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*pieces), "ns/piece")
}
