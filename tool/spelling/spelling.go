// Package spelling finds the name that a misspelled word probably means, for "Did you mean"
// messages.
package spelling

import (
	"cmp"
	"iter"
	"strings"
)

// maxWord is the length of the longest word that [Closest] compares, in bytes.
const maxWord = 100

// Closest returns the name with the smallest [Distance] from word, regardless of upper and lower
// case. Of two names with the same distance, it returns the one whose length is closer to that
// of word, else the first. It returns "" if no name differs in at most a third of the letters of
// word, and in at most three.
func Closest(word string, names iter.Seq[string]) string {
	if len(word) > maxWord {
		return ""
	}
	lower := strings.ToLower(word)
	length := len([]rune(word))
	best, distance, lengths := "", 1+min(3, length/3), 0
	for name := range names {
		difference := abs(len([]rune(name)) - length)
		if name == "" || difference > distance {
			continue
		}
		d := Distance(lower, strings.ToLower(name))
		if order := cmp.Or(cmp.Compare(d, distance), cmp.Compare(difference, lengths)); order < 0 {
			best, distance, lengths = name, d, difference
		}
	}
	return best
}

// Distance returns the smallest number of edits that turn a into b: a letter inserted, deleted
// or replaced, or two neighboring letters swapped. No letter is edited twice.
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	// Rows of the table of distances between the beginnings of x and y.
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range y {
			replaced := last[j]
			if x[i] != y[j] {
				replaced++
			}
			row[j+1] = min(replaced, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(y)]
}

func abs(n int) int { return max(n, -n) }
