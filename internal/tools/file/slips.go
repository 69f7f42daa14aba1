package file

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// slip is a part of a line that old_string has in another way than the file.
type slip struct {
	from, to         int // elements of the line of old_string, see elements
	fileFrom, fileTo int // elements of the line of the file
	given, file      string
}

// maxCompared is the largest number of elements of two lines that are compared one by one.
const maxCompared = 1 << 20

// elements splits a line into words, runs of white space, and other characters.
func elements(line string) []string {
	var all []string
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRuneInString(line[i:])
		kind := elementKind(r)
		end := i + size
		for kind != 0 && end < len(line) {
			r, size := utf8.DecodeRuneInString(line[end:])
			if elementKind(r) != kind {
				break
			}
			end += size
		}
		all = append(all, line[i:end])
		i = end
	}
	return all
}

// elementKind returns 'w' for a character of a word, ' ' for white space, and 0 for another one.
func elementKind(r rune) byte {
	switch {
	case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
		return 'w'
	case unicode.IsSpace(r):
		return ' '
	}
	return 0
}

func wordByte(b byte) bool { return b >= utf8.RuneSelf || elementKind(rune(b)) == 'w' }

func isWord(s string) bool { r, _ := utf8.DecodeRuneInString(s); return elementKind(r) == 'w' }

// findSlips returns the differences between two lines without their indentation and white
// space at the end.
func findSlips(given, file string) []slip {
	if given == file {
		return nil
	}
	a, b := elements(given), elements(file)
	start, end := commonElements(a, b)
	a1, b1 := a[start:len(a)-end], b[start:len(b)-end]
	var slips []slip
	i, j := 0, 0
	add := func(to, fileTo int) {
		if to > i || fileTo > j {
			slips = append(slips, slip{start + i, start + to, start + j, start + fileTo, strings.Join(a1[i:to], ""), strings.Join(b1[j:fileTo], "")})
		}
	}
	for _, p := range commonPairs(len(a1), len(b1), func(i, j int) bool { return a1[i] == b1[j] }) {
		add(p[0], p[1])
		i, j = p[0]+1, p[1]+1
	}
	add(len(a1), len(b1))
	return slips
}

// commonElements returns the numbers of equal elements at the beginning and the end.
func commonElements(a, b []string) (start, end int) {
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return start, end
}

// commonPairs returns a longest common subsequence of two sequences as pairs of indices. It
// returns none if the sequences are too long to be compared.
func commonPairs(n, m int, equal func(i, j int) bool) [][2]int {
	if n == 0 || m == 0 || n > maxCompared/m {
		return nil
	}
	width := m + 1
	longest := make([]int32, (n+1)*width)
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if equal(i, j) {
				longest[i*width+j] = longest[(i+1)*width+j+1] + 1
			} else {
				longest[i*width+j] = max(longest[(i+1)*width+j], longest[i*width+j+1])
			}
		}
	}
	var pairs [][2]int
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case equal(i, j):
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case longest[(i+1)*width+j] >= longest[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// repeats reports whether text, which new_string adds, may repeat the slip: it has the same
// word, possibly as a part of another one, or the same punctuation. A word with other letter
// case is no part of another one.
func (s slip) repeats(text string) bool {
	sameLetters := strings.EqualFold(s.given, s.file)
	for _, part := range elements(s.given) {
		switch {
		case blank(part):
		case isWord(part) && (len(part) < 3 || sameLetters):
			if slices.Contains(elements(text), part) {
				return true
			}
		case strings.Contains(text, part):
			return true
		}
	}
	return false
}

// mergeLine applies the change from given to changed, two lines without indentation and white
// space at the end, to a line of the file. ok is false if the slips are in the changed part or
// next to it, so that it is not certain what the result is.
func mergeLine(given, changed string, slips []slip) (merged, added string, ok bool) {
	a, b := elements(given), elements(changed)
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a) && end < len(b) && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	// The changed part of given; if the same change can be seen in several places, all of them.
	from, to := min(start, len(a)-end), max(start, len(a)-end)
	last := len(b) - (len(a) - to)
	if last < from {
		return "", changed, false // it repeats a part of given that can be in several places
	}
	added = strings.Join(b[from:last], "")
	var before, after []slip
	for _, s := range slips {
		switch inserts := s.from == s.to; {
		case s.to < from || s.to == from && !inserts:
			before = append(before, s)
		case s.from > to || s.from == to && !inserts:
			after = append(after, s)
		case s.to > to || s.from < from || blank(s.given) || s.repeats(added):
			return "", added, false
		}
	}
	return withSlips(a, 0, from, before) + added + withSlips(a, to, len(a), after), added, true
}

// withSlips returns elements from one index to another with the slips among them as the file
// has them.
func withSlips(a []string, from, to int, slips []slip) string {
	var out strings.Builder
	for _, s := range slips {
		out.WriteString(strings.Join(a[from:s.from], "") + s.file)
		from = s.to
	}
	return out.String() + strings.Join(a[from:to], "")
}

// shortQuote quotes a text of at most about 40 characters, in backticks if it has quotes.
func shortQuote(s string) string {
	if r := []rune(s); len(r) > 40 {
		s = string(r[:37]) + "..."
	}
	if strings.Contains(s, `"`) && !strings.Contains(s, "`") {
		return "`" + s + "`"
	}
	return `"` + s + `"`
}

// describeSlip returns what a line of the file has, and what old_string has in its place.
func describeSlip(given, file string, s slip) (theirs, ours string) {
	theirs, ours = s.file, s.given
	if !blank(theirs) && !blank(ours) {
		return shortQuote(theirs), shortQuote(ours)
	}
	// Add the elements around it.
	a := elements(given)
	before := strings.Join(a[max(0, s.from-1):s.from], "")
	after := strings.Join(a[s.to:min(len(a), s.to+1)], "")
	return shortQuote(before + theirs + after), shortQuote(before + ours + after)
}
