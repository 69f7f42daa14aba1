package thought

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

// thoughts splits pieces of reasoning as a reply does.
func thoughts(pieces ...string) [][2]string {
	var m Splitter
	var all [][2]string
	end := func() {
		if subject, description, ok := m.End(); ok {
			all = append(all, [2]string{subject, description})
		}
	}
	for _, s := range pieces {
		if m.Starts(s) {
			end()
		}
		for s != "" {
			n, ended := m.Add(s)
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
	two := [][2]string{{"Looking", "At the file."}, {"Next", "Write it."}}
	for _, c := range []struct {
		name   string
		pieces []string
		want   [][2]string
	}{
		{name: "none"},
		{name: "blanks", pieces: []string{" ", "\n"}},
		{"no subject", []string{"hm", " so"}, [][2]string{{"", "hm so"}}},
		{"pieces", []string{"**Lo", "oking", "** ", "At the", " file.", "\n\n", "**", "Next**\n", "Write it."}, two},
		{"a mark in two", []string{"*", "*Looking*", "*\n\nAt the file.\n", "\n*", "*Next**", " Write it.\n"}, two},
		{"whole", []string{"**Looking**\n\nAt the file.\n\n\n", "**Next**\n\nWrite it.\n\n\n"}, two},
		{"whole, without a line between", []string{"**Looking** At the file.", "**Next** Write it."}, two},
		{"whole, with bold words", []string{"**Looking**\n\nAt the file.\n\n**Note:** go on.", "\n\n**Next**\nWrite it."}, [][2]string{{"Looking", "At the file.\n\n**Note:** go on."}, {"Next", "Write it."}}},
		{"whole, and then more", []string{"**Looking**\n\nAt ", "the file.", "**Next**\n\nWrite it."}, two},
		{"a subject behind words", []string{"So: ", "**this**", " way"}, [][2]string{{"this", "So:  way"}}},
		{"bold words in a line", []string{"**Look", "ing**\n\nAt the ", "**file** and", "\n**that**\n\n* item"}, [][2]string{{"Looking", "At the **file** and\n**that**\n\n* item"}}},
		{"stars", []string{"a * b\n\n* c *", " d ***e***"}, [][2]string{{"*e", "a * b\n\n* c * d *"}}},
		{"half a subject", []string{"**Look", "ing"}, [][2]string{{"", "**Looking"}}},
		{"an empty subject", []string{"****", "x"}, [][2]string{{"", "****x"}}},
	} {
		if got := thoughts(c.pieces...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Endless reasoning is reported, but not stored without limit.
func TestEndlessThoughts(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"and so on ", "\n\n**A** b", "*"} {
		var m Splitter
		kept := 0
		for range 10 << 20 / len(piece) {
			for s := piece; s != ""; {
				n, ended := m.Add(s)
				if s = s[n:]; ended {
					subject, description, _ := m.End()
					kept += len(subject) + len(description)
				}
			}
			if cap(m.text) > 2*maxThoughts {
				t.Fatalf("%d bytes are held", cap(m.text))
			}
		}
		subject, description, _ := m.End()
		if kept += len(subject) + len(description); kept > maxThoughts || kept < maxThoughts/16 {
			t.Errorf("%q: %d bytes are kept", piece, kept)
		}
	}
}

// The thoughts do not depend on how the reasoning is split, and only stars and blanks are
// lost.
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
			b.WriteString(t[0] + t[1])
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
		var m Splitter
		for range pieces {
			m.Add("twenty bytes of text")
		}
		m.End()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*pieces), "ns/piece")
}
