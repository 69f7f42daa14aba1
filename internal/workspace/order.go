package workspace

import (
	"cmp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// CompareNames compares names in the order that people expect: punctuation, digits, letters.
// Case and accents matter only between names that are otherwise equal: lower case first, and
// letters without accents first. It returns -1, 0 or 1.
func CompareNames(a, b string) int {
	for x, y := a, b; ; {
		if x == "" || y == "" {
			return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(strings.ToLower(a), strings.ToLower(b)), cmp.Compare(b, a))
		}
		r, n := utf8.DecodeRuneInString(x)
		s, m := utf8.DecodeRuneInString(y)
		if c := cmp.Compare(weight(r), weight(s)); c != 0 {
			return c
		}
		x, y = x[n:], y[m:]
	}
}

// CompareAge compares files for lists of files that were found by name: those modified in the
// 24 hours before now come first, the newest of them first, then the others by path. It
// returns a number below 0 if a comes before b, and above 0 if b comes before a.
func CompareAge(now, aModified, bModified time.Time, aPath, bPath string) int {
	recent := now.Add(-24 * time.Hour)
	switch a, b := aModified.After(recent), bModified.After(recent); {
	case a && b:
		return cmp.Or(bModified.Compare(aModified), cmp.Compare(aPath, bPath))
	case a:
		return -1
	case b:
		return 1
	}
	return cmp.Compare(aPath, bPath)
}

// unaccented lists the base letters of U+00C0 to U+017F, "." for those that have none.
const unaccented = "aaaaaa.ceeeeiiii.nooooo..uuuuy..aaaaaa.ceeeeiiii.nooooo..uuuuy.y" +
	"aaaaaaccccccccdd..eeeeeeeeeegggggggghh..iiiiiiiii...jjkk.llllll....nnnnnn...oooooo..rrrrrrsssssssstttt..uuuuuuuuuuuuwwyyyzzzzzz."

// weight sorts punctuation before digits and digits before letters, as the Unicode collation
// algorithm does.
func weight(r rune) int {
	switch {
	case r >= 0xC0 && int(r) < 0xC0+len(unaccented) && unaccented[r-0xC0] != '.':
		return 2<<24 + int(unaccented[r-0xC0])
	case unicode.IsLetter(r):
		return 2<<24 + int(unicode.ToLower(r))
	case unicode.IsDigit(r):
		return 1<<24 + int(r)
	}
	if i := strings.IndexRune(" _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$", r); i >= 0 {
		return i
	}
	return 1<<8 + int(r)
}
