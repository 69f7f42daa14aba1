package loopdetect

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// A second implementation of chanting (spec/agent.md §14), simple and slow: whole lines, regular
// expressions, a map of chunks.

var (
	naiveItem    = regexp.MustCompile(`^[ \t\r]*(?:[-*+•]|[0-9]{1,9}[.)])(?:[ \t\r]|$)`)
	naiveQuote   = regexp.MustCompile(`^[ \t\r]*>`)
	naiveDivider = regexp.MustCompile(`^[ \t\r]*[-=*_+]{3,}(?:[ \t\r]|$)`)
	naiveHeading = regexp.MustCompile(`^[ \t\r]*#{1,6}(?:[ \t\r]|$)`)
	naiveTable   = regexp.MustCompile("^[ \t\r]*(?:[|\u2500-\u257F]|[-=*_+]{3,}\\|)")
	naiveTicks   = regexp.MustCompile("^[ \t\r]*(?:```|~~~)")
	naiveFence   = regexp.MustCompile("^[ \t\r]*(?:(`{3,})[^`]*|(~{3,}).*)$")
	naiveClose   = regexp.MustCompile("^[ \t\r>]*(`{3,}|~{3,})[ \t\r]*$")
)

type naive struct {
	o       Options
	history []rune
	chunks  map[string][]int
	dropped int // characters, from the front of history
}

// find returns the number of the line, from 0, that completes a loop, or -1. The text must end
// in a line break.
func (n *naive) find(text string) int {
	n.reset()
	fence := ""
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if fence != "" {
			if m := naiveClose.FindStringSubmatch(line); m != nil && m[1][0] == fence[0] && len(m[1]) >= len(fence) {
				fence = ""
			}
			continue
		}
		rest, opened := n.elements(line + "\n")
		fence = opened
		for _, r := range rest {
			if n.add(r) {
				return i
			}
		}
	}
	return -1
}

// elements resets at all elements that begin in a line and returns the text
// behind them, or the fence that it opens.
func (n *naive) elements(line string) (text, fence string) {
	for {
		bare := strings.TrimSuffix(line, "\n")
		match := func(re *regexp.Regexp) (rest string, ok bool) {
			m := re.FindString(bare)
			if m == "" || utf8.RuneCountInString(m) > maxHead {
				return "", false
			}
			n.reset()
			if len(m) == len(bare) && !strings.ContainsAny(m[len(m)-1:], " \t\r>") {
				return "", true // the line break completed the pattern
			}
			return line[len(m):], true
		}
		if rest, ok := match(naiveQuote); ok {
			line = rest
		} else if rest, ok := match(naiveItem); ok {
			line = rest
		} else if rest, ok := match(naiveDivider); ok {
			line = rest
		} else if rest, ok := match(naiveHeading); ok {
			return rest, ""
		} else if _, ok := match(naiveTable); ok {
			return "", ""
		} else if _, ok := match(naiveTicks); ok {
			if m := naiveFence.FindStringSubmatch(bare); m != nil {
				return "", m[1] + m[2]
			}
			return "", ""
		} else {
			return line, ""
		}
		if line == "" {
			return "", ""
		}
	}
}

func (n *naive) reset() { n.history, n.chunks, n.dropped = nil, map[string][]int{}, 0 }

// add appends a character and looks at the chunk that it completes.
func (n *naive) add(r rune) bool {
	n.history = append(n.history, r)
	if extra := len(n.history) - n.o.Memory; extra > 0 {
		n.history = n.history[extra:]
		n.dropped += extra
	}
	if len(n.history) < n.o.Chunk {
		return false
	}
	at := n.dropped + len(n.history) - n.o.Chunk
	chunk := string(n.history[len(n.history)-n.o.Chunk:])
	n.chunks[chunk] = append(n.chunks[chunk], at)
	all := n.chunks[chunk]
	if len(all) < n.o.Hits {
		return false
	}
	last := all[len(all)-n.o.Hits:]
	if last[0] < n.dropped {
		return false // no longer in the history
	}
	mean := float64(last[len(last)-1]-last[0]) / float64(n.o.Hits-1)
	if mean > float64(n.o.Spacing) {
		return false
	}
	periods := map[string]bool{}
	for i := range last[1:] {
		periods[string(n.history[last[i]-n.dropped:last[i+1]-n.dropped])] = true
	}
	return len(periods) <= n.o.Periods
}
