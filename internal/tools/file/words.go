package file

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

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

func isWordByte(b byte) bool { return b >= utf8.RuneSelf || elementKind(rune(b)) == 'w' }

func isWord(s string) bool { r, _ := utf8.DecodeRuneInString(s); return elementKind(r) == 'w' }

// slip is a part of a line that old_string has in another way than the file.
type slip struct {
	from, to    int    // elements of the line of old_string
	given, file string // the words of both
	inQuotes    bool
}

// findSlips returns the differences between a line of old_string and one of the file.
func findSlips(given, file string) []slip {
	if given == file {
		return nil
	}
	a, b := elements(given), elements(file)
	quoted, quotedInFile := quotedElements(a), quotedElements(b)
	var slips []slip
	i, j := 0, 0
	for _, p := range append(commonPairs(a, b), [2]int{len(a), len(b)}) {
		if p[0] > i || p[1] > j {
			inQuotes := slices.Contains(quoted[i:p[0]], true) || slices.Contains(quotedInFile[j:p[1]], true)
			slips = append(slips, slip{i, p[0], strings.Join(a[i:p[0]], ""), strings.Join(b[j:p[1]], ""), inQuotes})
		}
		i, j = p[0]+1, p[1]+1
	}
	return slips
}

// isSpacing reports whether a slip of a line, which is given as elements, is only white space at a bracket or separator
// outside of quotes: the line means the same with and without it.
func (s slip) isSpacing(line []string) bool {
	if !blank(s.given) || !blank(s.file) || s.from == 0 || s.to == len(line) {
		return false
	}
	open := map[string]bool{}
	for i, e := range line[:s.from] {
		if strings.Contains("\"'`", e) && (i == 0 || line[i-1] != `\`) {
			open[e] = !open[e]
		}
	}
	for _, isOpen := range open {
		if isOpen {
			return false
		}
	}
	return strings.Contains("()[]{},;", line[s.from-1]) || strings.Contains("()[]{},;", line[s.to])
}

// isRest reports whether the file has more words in a slip at the beginning of the first line, or at the end of the last
// one: old_string may begin or end in the middle of a line.
func (s slip) isRest(isFirst, isLast bool, line string) bool {
	return len(words(elements(s.file))) > len(words(elements(s.given))) && (isFirst && s.from == 0 || isLast && s.to == len(elements(line)))
}

// changesMeaning reports whether a slip is in something that must not differ: numbers and names
// with digits, operators, and words such as "not" and "true".
func (s slip) changesMeaning() bool {
	for _, e := range append(elements(s.given), elements(s.file)...) {
		if strings.ContainsAny(e, "+-*/%<>=!&|^~?.,") || strings.ContainsFunc(e, unicode.IsDigit) || isLogical[strings.ToLower(e)] {
			return true
		}
	}
	return false
}

var isLogical = map[string]bool{
	"not": true, "and": true, "or": true, "xor": true, "no": true, "never": true, "true": true, "false": true, "yes": true,
	"none": true, "null": true, "nil": true, "undefined": true,
}

// quotedElements reports for each element of a line whether it is text in quotes. An apostrophe
// in a word is no quote, but one after a prefix such as f is.
func quotedElements(line []string) []bool {
	quoted := make([]bool, len(line))
	quote := ""
	for i, e := range line {
		switch isEscaped := i > 0 && line[i-1] == `\`; {
		case quote != "" && e == quote && !isEscaped:
			quote = ""
		case quote != "":
			quoted[i] = !blank(e) && e != `\`
		case !strings.Contains("\"'`", e), isEscaped:
		case e == "'" && i > 0 && isWord(line[i-1]) && (len(line[i-1]) > 2 || strings.Trim(line[i-1], "rbfuRBFU") != ""):
		default:
			quote = e
		}
	}
	if quote != "" { // it has no end, so it may be none
		return make([]bool, len(line))
	}
	return quoted
}

// count returns how often lines have a word or other character of old_string, also as a part of
// other words. A word with other letter case is no part of another one.
func (s slip) count(lines ...string) (n int) {
	isCase := strings.EqualFold(s.given, s.file)
	for _, given := range elements(s.given) {
		for _, e := range elements(strings.Join(lines, "\n")) {
			if !blank(given) && (e == given || len(given) > 2 && !isCase && strings.Contains(e, given)) {
				n++
			}
		}
	}
	return n
}

// maxCompared is the largest number of pairs of elements that are compared.
const maxCompared = 1 << 20

// commonPairs returns a longest common subsequence of two sequences as pairs of indices, with
// the equal elements at their beginnings and ends. Of sequences that are too long to be compared
// it has only these.
func commonPairs[T comparable](a, b []T) [][2]int {
	start, end := 0, 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	var pairs [][2]int
	for i := range start {
		pairs = append(pairs, [2]int{i, i})
	}
	for _, p := range longestCommon(a[start:len(a)-end], b[start:len(b)-end]) {
		pairs = append(pairs, [2]int{start + p[0], start + p[1]})
	}
	for i := end; i > 0; i-- {
		pairs = append(pairs, [2]int{len(a) - i, len(b) - i})
	}
	return pairs
}

// longestCommon implements [commonPairs] for the part between the equal ends.
func longestCommon[T comparable](a, b []T) (pairs [][2]int) {
	n, m := len(a), len(b)
	if n == 0 || m == 0 || n > maxCompared/m {
		return nil
	}
	width := m + 1
	longest := make([]int32, (n+1)*width)
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if a[i] == b[j] {
				longest[i*width+j] = longest[(i+1)*width+j+1] + 1
			} else {
				longest[i*width+j] = max(longest[(i+1)*width+j], longest[i*width+j+1])
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case a[i] == b[j]:
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

// mergeWords applies the change from given to changed to a line of the file. ok is false if the
// file differs from given in the changed part or next to it, and not in the same way as changed,
// or if it is not certain which part was changed.
func mergeWords(given, file, changed string) (merged string, ok bool) {
	a, b, c := elements(given), elements(file), elements(changed)
	forward, ok := mergeElements(a, b, c)
	if !ok {
		return "", false
	}
	for _, s := range [][]string{a, b, c} {
		slices.Reverse(s)
	}
	backward, ok := mergeElements(a, b, c)
	slices.Reverse(backward)
	return strings.Join(forward, ""), ok && slices.Equal(forward, backward)
}

// mergeElements merges the changes from a to b and from a to c. Where both differ from a, that of c
// counts if it replaces all of this part.
func mergeElements(a, b, c []string) (merged []string, ok bool) {
	inB, inC := positions(a, b), positions(a, c)
	i, j, k := 0, 0, 0 // all before is merged
	for end := 1; end <= len(a); end++ {
		endB, isClearB := boundary(inB, end, len(b))
		endC, isClearC := boundary(inC, end, len(c))
		if !isClearB || !isClearC {
			continue
		}
		before, theirs, ours := a[i:end], b[j:endB], c[k:endC]
		isReplaced := !slices.ContainsFunc(inC[i:end], func(at int) bool { return at >= 0 })
		switch {
		case slices.Equal(theirs, before), slices.Equal(theirs, ours), isReplaced && len(theirs) > 0:
			merged = append(merged, ours...)
		case slices.Equal(ours, before):
			merged = append(merged, theirs...)
		default:
			return nil, false
		}
		i, j, k = end, endB, endC
	}
	return merged, len(a) > 0
}

// positions returns for each element of a its index in b, or -1.
func positions(a, b []string) []int {
	in := slices.Repeat([]int{-1}, len(a))
	for _, p := range commonPairs(a, b) {
		in[p[0]] = p[1]
	}
	return in
}

// boundary returns the index in another sequence of n elements that is before the element at i. It
// is not clear if both elements around it are changed, or others are inserted there.
func boundary(in []int, i, n int) (at int, isClear bool) {
	switch {
	case i == len(in):
		return n, true
	case in[i] < 0:
		return in[i-1] + 1, in[i-1] >= 0
	}
	return in[i], in[i-1] < 0 || in[i-1]+1 == in[i]
}
