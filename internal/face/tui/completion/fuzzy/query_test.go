package fuzzy

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// best returns the texts that match a query, the best first.
func best(query string, texts ...string) (found []string) {
	type hit struct {
		t    Text
		rank uint64
	}
	q := New(query)
	top := Top[hit]{Limit: 100, Compare: func(a, b hit) int { return cmp.Or(cmp.Compare(b.rank, a.rank), strings.Compare(a.t.Shown, b.t.Shown)) }}
	for _, s := range texts {
		t := NewText(s)
		if m, ok := q.Match(&t); ok {
			top.Add(hit{t, m.Rank(&t)})
		}
	}
	for _, h := range top.Items {
		found = append(found, h.t.Shown)
	}
	return found
}

func TestOrder(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long/", 20)
	for _, c := range []struct{ query, want, others string }{
		{"list", "completion/list.go", "src/playlist/x.go calm/is/bt"}, // a word, a part of one, scattered bytes
		{"clg", "completion/list.go", "xclxg.go"},                      // starts of elements
		{"hc", "src/HandlerChain.ts", "src/hexcode.ts"},                // humps
		{"t2", "table2.go", "tax42.go"},                                // numbers
		{"test", "tests/a_test.go", "tests/protest/alpha.go"},          // the last element
		{"main", "main.go", "cmd/main.go cmd/domain.go"},               // shorter
		{"main.go", "main.go", "cmd/main.go a/b/main.go"},              // depth
		{"a/b", "a/b", "a/b/c a/xb"},                                   // the end
		{"README", "readme.md", "doc/readme.md re/add/me.md"},          // case
		{"Müll", "müll.txt", "m/üxxllx.txt"},                           // not ASCII
		{long, long + "a", long + "b"},                                 // longer than what is matched with gaps
		{"src/", "src/", "src/x src/y/z"},                              // a directory
		{"x", "x", "ax bx cx"},                                         // one byte
		{"go", "a.go", "bb.go ccc.go"},                                 // equal scores
		{"ab", "z/ab-cd", "z/xyz-ab"},
		{"ab", "xyzz/ab", "x/ab-c"},                                                    // nearer the end                                                  // begins the last element
		{"foobar", "foo/bar.go", "fooo/b/a/r"},                                         // across elements
		{"cfg", "internal/cfg/load.go", "internal/config_fg/load.go internal/c/f/g/l"}, // a run
		{"İ", "İ", "xİ"},                                                               // whose lower case has another length
		{"ab", "a_b", "a1b"},                                                           // behind a separator
	} {
		texts := append(strings.Fields(c.others), c.want)
		got := best(c.query, texts...)
		if len(got) == 0 || got[0] != c.want {
			t.Errorf("%q: %q", c.query, got)
		}
		slices.Reverse(texts)
		if again := best(c.query, texts...); !slices.Equal(again, got) {
			t.Errorf("%q: %q, and %q in another order", c.query, got, again)
		}
	}
	for _, c := range []struct{ query, text string }{
		{"abc", "acb"},
		{"aa", "a"},
		{"é", "\u00e8\u0029"},
		{"é", "è©"},
		{strings.Repeat("a", 65), strings.Repeat("a", 64)},
		{strings.Repeat("a", 65), strings.Repeat("ab", 65)},
		{"7", "z"},
		{"-", "_"},
	} {
		if got := best(c.query, c.text); len(got) > 0 {
			t.Errorf("%q matches %q", c.query, c.text)
		}
	}
	if got := best("", "b", "a/"); !slices.Equal(got, []string{"b", "a/"}) {
		t.Errorf("the empty query: %q", got)
	}
}

func TestPositions(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 70)
	for _, c := range []struct {
		query, text string
		want        []int
	}{
		{"clg", "completion/list.go", []int{0, 11, 16}},
		{"list", "li/st/list.go", []int{6, 7, 8, 9}},
		{"é", "éé.go", []int{0, 1}},
		{"x", "abc", nil},
		{"q", "aqaq", []int{3}},
		{"ab", "axa/b", []int{0, 4}},
		{"", "abc", nil},
		{"b", "aBb", []int{1}},
	} {
		text := NewText(c.text)
		if got := New(c.query).Positions(&text); !slices.Equal(got, c.want) {
			t.Errorf("%q in %q: %d", c.query, c.text, got)
		}
	}
	text := NewText("b" + long)
	if got := New(long).Positions(&text); len(got) != 70 || got[0] != 1 || got[69] != 70 {
		t.Errorf("%d", got)
	}
}

// slowScore returns the score of the best match that [Query.Match] promises, with a table of all pairs of positions;
// false if there is no match.
func slowScore(query string, t *Text) (int32, bool) {
	q := fold(query)
	const none = math.MinInt32 / 2
	score := make([][]int32, len(q))
	run := make([][]int32, len(q))
	result := int32(none)
	for i := range len(q) {
		score[i], run[i] = make([]int32, len(t.folded)), make([]int32, len(t.folded))
		for j := range len(t.folded) {
			score[i][j] = none
			if q[i] != t.folded[j] {
				continue
			}
			place := points(t.Shown, j)
			value := perByte + place
			if j >= t.base {
				value += inBase
			}
			if i == 0 {
				score[i][j], run[i][j] = value+place, place
			} else {
				if j > 0 && score[i-1][j-1] > none {
					r := run[i-1][j-1]
					if place >= atHump {
						r = max(r, place)
					}
					score[i][j], run[i][j] = score[i-1][j-1]+value-place+max(r, minRun), r
				}
				isContinued := q[i] >= 0x80 && q[i] < 0xC0
				for p := 0; p < j-1 && !isContinued; p++ {
					if score[i-1][p] == none {
						continue
					}
					if s := score[i-1][p] + value - gapStart - int32(j-p-1); s > score[i][j] {
						score[i][j], run[i][j] = s, place
					}
				}
			}
			if i == len(q)-1 {
				result = max(result, score[i][j])
			}
		}
	}
	return result, result > none
}

// TestScore compares scores with those of a slow search, and checks the positions.
func TestScore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringMatching(`[abAB2/_.éü-]{0,14}`), 1, 4).Draw(t, "texts")
		query := rapid.StringMatching(`[abA2/é]{1,5}`).Draw(t, "query")
		q := New(query)
		for _, s := range texts { // one query, whose state must not leak from one text into the next
			text := NewText(s)
			m, ok := q.Match(&text)
			score, want := slowScore(query, &text)
			if ok != want || ok && m.Score != score {
				t.Fatalf("%q in %q: %v %v, slowly %d %v", query, s, m, ok, score, want)
			}
			at := q.Positions(&text)
			if !ok {
				if at != nil {
					t.Fatalf("%q in %q: %d", query, s, at)
				}
				continue
			}
			if len(at) != len(q.text) || at[len(at)-1] != int(m.End)-1 {
				t.Fatalf("%q in %q: %v %d", query, s, m, at)
			}
			for i, p := range at {
				if text.folded[p] != q.text[i] || i > 0 && p <= at[i-1] {
					t.Fatalf("%q in %q: %d", query, s, at)
				}
			}
			if sum := scoreOf(&text, q.text, at); sum != m.Score {
				t.Fatalf("%q in %q: the positions %d have the score %d, not %d", query, s, at, sum, m.Score)
			}
		}
	})
}

// scoreOf returns the score of a match at these positions.
func scoreOf(t *Text, query string, at []int) (score int32) {
	run := int32(0)
	for i, p := range at {
		place := points(t.Shown, p)
		if score += perByte; p >= t.base {
			score += inBase
		}
		switch {
		case i == 0:
			score += 2 * place
			run = place
		case p == at[i-1]+1:
			if place >= atHump {
				run = max(run, place)
			}
			score += max(run, minRun)
		default:
			score += place - gapStart - int32(p-at[i-1]-1)
			run = place
		}
	}
	return score
}

func TestFold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"ABC/é": "abc/é", "ÀÉ": "àé", "İA": "İa", "A\xff": "a\xff", "[Z@": "[z@",
	} {
		if got := fold(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestTop(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		type item struct{ key, number int }
		keys := rapid.SliceOf(rapid.IntRange(0, 5)).Draw(t, "keys")
		compare := func(a, b item) int { return a.key - b.key }
		top := Top[item]{Limit: rapid.IntRange(0, 4).Draw(t, "limit"), Compare: compare}
		var all []item
		for i, k := range keys {
			all = append(all, item{k, i})
			top.Add(item{k, i})
		}
		slices.SortStableFunc(all, compare)
		if want := all[:min(len(all), top.Limit)]; !slices.Equal(top.Items, want) {
			t.Fatalf("%v, not %v", top.Items, want)
		}
	})
}

func FuzzQuery(f *testing.F) {
	f.Add("ab", "a/B")
	f.Add("\xff\x80", "\x80")
	f.Add("*a?", "xaé")
	f.Fuzz(func(t *testing.T, query, s string) {
		text := NewText(s)
		q := New(query)
		m, ok := q.Match(&text)
		if at := q.Positions(&text); (len(at) > 0) != (ok && query != "") {
			t.Errorf("%q in %q: %v, %d", query, s, m, at)
		}
		if g, ok := NewGlob(query); ok {
			g.Match(&text)
		}
	})
}
