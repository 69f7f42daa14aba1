package file

import "strings"

// partial finds an old of several lines that begins or ends in the middle of a line of the file, apart from the
// indentation of its other lines. It completes old and new with the rest of these lines, and makes no change if there are
// several such places.
func (q *query) partial() (match, error) {
	given, lines := q.oldLines(), q.lines()
	if q.multiple || len(given) < 2 || blank(given[0]) || blank(given[len(given)-1]) || len(lines) > maxLines {
		return match{}, nil
	}
	var places []place
	whole := *q // with the rest of the lines of the file around old and new
	work := 0
	for i := 0; i+len(given) <= len(lines); i++ {
		if work++; work > compareBudget || i%1024 == 0 && q.stop() {
			return match{}, nil
		}
		head, isEnd := q.headOf(q.line(i), given[0])
		if !isEnd || !q.hasLines(i+1, given[1:len(given)-1], &work) {
			continue
		}
		last := i + len(given) - 1
		tail, isStart := q.tailOf(q.line(last), given[len(given)-1])
		if !isStart {
			continue
		}
		places = append(places, place{lines[i].start, lines[last].end, i, sequence(len(given))})
		whole.old, whole.new, whole.isCut = head+q.old+tail, head+q.new+tail, head != ""
	}
	return whole.replaceAll(places)
}

// headOf returns the part of a line of the file before the first line of old, which is its end; "" if that is all of the
// line but its indentation.
func (q *query) headOf(line, given string) (head string, ok bool) {
	if strings.TrimSpace(line) == strings.TrimSpace(given) {
		return "", true
	}
	head, ok = strings.CutSuffix(line, given)
	return head, ok && !blank(head) && !isWithinWord(line, len(head))
}

// tailOf returns the part of a line of the file after the last line of old, which is its beginning.
func (q *query) tailOf(line, given string) (tail string, ok bool) {
	if strings.TrimSpace(line) == strings.TrimSpace(given) {
		return "", true
	}
	tail, ok = strings.CutPrefix(strings.TrimLeft(line, " \t"), strings.TrimLeft(given, " \t"))
	return tail, ok && !strings.HasSuffix(q.old, "\n") && !isWithinWord(line, len(line)-len(tail))
}

// hasLines reports whether the file has these lines from a number on, apart from their indentation. It adds the bytes that
// it compares to work.
func (q *query) hasLines(from int, given []string, work *int) bool {
	for i, line := range given {
		*work += len(line)
		if strings.TrimSpace(q.line(from+i)) != strings.TrimSpace(line) {
			return false
		}
	}
	return true
}
