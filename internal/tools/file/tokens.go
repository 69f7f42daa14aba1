package file

import "strings"

// tokens finds lines that have the words and punctuation of old in the same order, with any
// white space between them; Gemini CLI calls this the regex strategy. Around
// brackets, colons and similar characters of code there may be white space even if old has
// none.
func (q *query) tokens() ([]place, error) {
	var spaced strings.Builder
	for _, r := range q.old {
		if strings.ContainsRune("():[]{}><=", r) {
			spaced.WriteString(" " + string(r) + " ")
		} else {
			spaced.WriteRune(r)
		}
	}
	want := strings.Fields(spaced.String())
	if len(want) == 0 || strings.ContainsRune(q.old, '\uFFFD') {
		return nil, nil // old contained invalid UTF-8, which the loop replaced
	}
	var places []place
	work := 0
	for i, number := 0, 0; i < len(q.text); {
		start, end := i, skip(q.text, i, " \t")
		for n, word := range want {
			if n > 0 {
				end = skip(q.text, end, " \t\n\r\f\v")
			}
			if !strings.HasPrefix(q.text[end:], word) {
				work += len(q.text[start:end])
				end = -1
				break
			}
			end += len(word)
		}
		if work++; work > budget || number%1024 == 0 && q.stop() {
			return nil, nil
		}
		if end >= 0 {
			work += end - start
			end = skip(q.text, end, " \t\r\f\v")
		}
		if end >= 0 && (end == len(q.text) || q.text[end] == '\n') {
			p := place{start: start, end: end, first: number}
			p.align = q.alignTokens(q.text[start:end])
			places = append(places, p)
			number += strings.Count(q.text[i:end], "\n")
			i = end
		}
		next := strings.IndexByte(q.text[i:], '\n')
		if next < 0 {
			break
		}
		i += next + 1
		number++
	}
	return places, nil
}

// alignTokens returns the align of a block that has the tokens of old, nil if its lines are
// broken in other places.
func (q *query) alignTokens(block string) []int {
	given, lines := q.oldLines(), strings.Split(block, "\n")
	if len(given) != len(lines) {
		return nil
	}
	align := make([]int, len(given))
	for i := range given {
		if bare(given[i]) != bare(lines[i]) {
			return nil
		}
		align[i] = i
	}
	return align
}

// bare returns s without white space.
func bare(s string) string { return strings.Join(strings.Fields(s), "") }

func skip(s string, i int, set string) int {
	for i < len(s) && strings.IndexByte(set, s[i]) >= 0 {
		i++
	}
	return i
}
