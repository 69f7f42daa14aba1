package viewer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func every(v *Viewer, q query) (all []matchPlace) {
	for item := range v.sheet.conversation.Len() {
		d := v.sheet.open(item)
		for piece := range d.Len() {
			for n := range q.find(d.Rows(piece, &v.sheet.look)) {
				all = append(all, matchPlace{item, piece, n})
			}
		}
	}
	return all
}

func TestFinder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		k := &talk{}
		for i := range rapid.IntRange(1, 12).Draw(t, "items") {
			texts := rapid.SliceOfN(rapid.SampledFrom([]string{"x", "text", "\n", strings.Repeat("filler words\n", 200)}), 0, 12).Draw(t, "texts")
			k.prompt(fmt.Sprint(i, strings.Join(texts, " ")))
		}
		v := New(k.source(), Options{})
		q := newQuery("x")
		all := every(v, q)
		f := newFinder(q, rapid.IntRange(0, v.sheet.conversation.Len()-1).Draw(t, "start"))
		check := func() {
			for _, p := range append(slices.Clone(all), matchPlace{0, 0, -1}, matchPlace{f.start, 0, -1}, matchPlace{f.start, 0, 0}, matchPlace{99, 0, 0}) {
				n, isMatch := slices.BinarySearchFunc(all, p, compareMatches)
				next, before := n, n-1
				if isMatch {
					next++
				}
				checkAnswer(t, "next", &f, all, next, p, f.next)
				checkAnswer(t, "previous", &f, all, before, p, f.previous)
			}
		}
		for !f.isDone {
			check()
			f.step(&v.sheet, rapid.IntRange(1, 9000).Draw(t, "bytes"))
		}
		check()
		if f.total() != len(all) {
			t.Fatalf("%d matches, not %d", f.total(), len(all))
		}
		for i, p := range all {
			if got := f.number(p); got != i+1 {
				t.Fatalf("%v is match %d, not %d", p, got, i+1)
			}
		}
	})
}

func compareMatches(a, b matchPlace) int {
	return slices.Compare([]int{a.item, a.piece, a.n}, []int{b.item, b.piece, b.n})
}

func checkAnswer(t *rapid.T, name string, f *finder, all []matchPlace, index int, p matchPlace, ask func(matchPlace) (matchPlace, knowledge)) {
	got, k := ask(p)
	if len(all) == 0 {
		if k == known || f.isDone && k != absent {
			t.Fatalf("%s of %v is %v (%d), but there are no matches", name, p, got, k)
		}
		return
	}
	want := all[(index+len(all))%len(all)]
	switch {
	case f.isDone && k != known, k == absent:
		t.Fatalf("%s of %v is not known at the end: %d", name, p, k)
	case k == known && got != want:
		t.Fatalf("%s of %v is %v, not %v", name, p, got, want)
	}
}
