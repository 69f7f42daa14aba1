package merge

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// diff returns the edits between two texts, at line boundaries, none of which touches the next. The search of udiff ends
// after some fifty differences, and takes all the rest for one: so lines that both texts have once divide them first, as in
// a patience diff.
func diff(before, after string) (edits []udiff.Edit) {
	x, y := offsets(before), offsets(after)
	i, j := 0, 0 // lines
	gap := func(to, other int) {
		start := x[i]
		for _, e := range udiff.Lines(before[start:x[to]], after[y[j]:y[other]]) {
			edits = append(edits, udiff.Edit{Start: start + e.Start, End: start + e.End, New: e.New})
		}
	}
	for _, a := range anchors(before, after) {
		gap(a.before, a.after)
		i, j = a.before+1, a.after+1
	}
	gap(len(x)-1, len(y)-1)
	return edits
}

// offsets returns where the lines of a text begin, and its end.
func offsets(text string) []int {
	list := []int{0}
	at := 0
	for line := range strings.Lines(text) {
		at += len(line)
		list = append(list, at)
	}
	return list
}

// anchor is a line that two texts have once each, by its numbers from 0 on.
type anchor struct{ before, after int }

// anchors returns the longest list of them in the order of both texts.
func anchors(before, after string) []anchor {
	const several = -1
	count := func(text string) map[string]int {
		at, n := map[string]int{}, 0
		for line := range strings.Lines(text) {
			if _, found := at[line]; found {
				at[line] = several
			} else {
				at[line] = n
			}
			n++
		}
		return at
	}
	x, y := count(before), count(after)
	var list []anchor
	for line, i := range x {
		if j, found := y[line]; found && i != several && j != several {
			list = append(list, anchor{i, j})
		}
	}
	slices.SortFunc(list, func(a, b anchor) int { return a.before - b.before })
	return increasing(list)
}

// increasing returns the longest part of a list in which the second numbers increase, too.
func increasing(list []anchor) []anchor {
	var last []int                     // by length-1: the anchor with the least number that ends a part of that length
	previous := make([]int, len(list)) // in the part that ends with an anchor, the one before it
	for i, a := range list {
		n, _ := slices.BinarySearchFunc(last, a.after, func(k, after int) int { return list[k].after - after })
		if n > 0 {
			previous[i] = last[n-1]
		}
		if n == len(last) {
			last = append(last, i)
		} else {
			last[n] = i
		}
	}
	out := make([]anchor, len(last))
	at := 0
	for n := len(last) - 1; n >= 0; n-- {
		if n == len(last)-1 {
			at = last[n]
		}
		out[n] = list[at]
		at = previous[at]
	}
	return out
}
