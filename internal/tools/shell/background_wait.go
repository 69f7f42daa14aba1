//go:build unix

package shell

import (
	"bytes"
	"context"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"pollux/llm/ellipsis"
)

// await waits for a line with the pattern that the model has not read, or for the end of the command. A line that it has read, but has not
// waited for with this pattern, ends the wait, once: the model may mean that line, as with a server which is ready, or the next one. The section is empty if there was
// nothing to wait for. next is read with the line that was found.
func (c *readCall) await(ctx context.Context, f *os.File, read mark) (s section, next mark) {
	if c.wait == 0 {
		return section{}, read
	}
	const step = 50 * time.Millisecond
	tick := time.NewTicker(step)
	defer tick.Stop()
	limit := time.NewTimer(c.wait)
	defer limit.Stop()
	pattern := ""
	if c.pattern != nil {
		pattern = c.pattern.String()
	}
	from := max(read.to, read.found[pattern])
	lines := &lineScanner{pattern: c.pattern, file: f, at: from, next: from}
	for isFirst, isOver := true, false; ; isFirst = false {
		p, ok := c.ps.findByPID(c.pid)
		hasEnded := !ok || p.Exited
		if line, ok := lines.scan(ctx); ok {
			return section{"Found:", ellipsis.Bytes(line, maxFound)}, read.withFound(pattern, lines.next)
		}
		if isFirst && !hasEnded {
			if line := c.lastMatch(f, read.found[pattern], from); line != "" {
				return section{"No new line matches yet. An earlier one does (call again to wait for a new one):", line}, read.withFound(pattern, from)
			}
		}
		switch {
		case hasEnded && c.pattern == nil:
			return section{}, read
		case hasEnded:
			return c.notFound(f, from, ": the command has ended."), read
		case isOver && c.pattern == nil:
			return section{title: "It still runs after " + describeLimit(c.wait) + "."}, read
		case isOver:
			return c.notFound(f, from, " within "+describeLimit(c.wait)+"."), read
		}
		select {
		case <-tick.C:
		case <-limit.C:
			isOver = true
		case <-ctx.Done():
			isOver = true
		}
	}
}

// maxFound is how many bytes of a line that was found are returned.
const maxFound = 300

// notFound returns that no line from a position on has matched, why, and the latest one before it that does.
func (c *readCall) notFound(f *os.File, from int64, why string) section {
	if line := c.lastMatch(f, 0, from); line != "" {
		return section{"No new line matches" + why + " An earlier one does:", line}
	}
	return section{title: "Not found" + why}
}

// lastMatch returns the last line with the pattern between two positions of the log, of which it reads the last MiB, "" for none.
func (c *readCall) lastMatch(f *os.File, from, to int64) (last string) {
	const most = 1 << 20 // bytes
	from = max(from, to-most)
	if c.pattern == nil || from >= to {
		return ""
	}
	text, err := io.ReadAll(io.NewSectionReader(f, from, to-from))
	if err != nil {
		return ""
	}
	var e lineEditor
	text = append(bytes.Clone(e.edit(text)), e.finish()...)
	for line := range strings.SplitSeq(string(text), "\n") {
		if line != "" && c.pattern.MatchString(line) {
			last = line
		}
	}
	return ellipsis.Bytes(last, maxFound)
}

// lineScanner looks for a pattern in the lines of a growing log, each of them once, and in the last one as far as it is
// written.
type lineScanner struct {
	pattern *regexp.Regexp // nil matches nothing
	file    *os.File
	at      int64
	next    int64 // the position of the first line that is not complete
	editor  lineEditor
	buf     [maxRead]byte
}

// scan looks at the log as it is at the beginning of the scan: a program may print faster than it is read.
func (s *lineScanner) scan(ctx context.Context) (line string, ok bool) {
	fi, err := s.file.Stat()
	if s.pattern == nil || err != nil {
		return "", false
	}
	if fi.Size() < s.at {
		s.at, s.next, s.editor = 0, 0, lineEditor{} // the log has begun again
	}
	return s.scanTo(ctx, fi.Size())
}

// scanTo looks at the log up to a position.
func (s *lineScanner) scanTo(ctx context.Context, end int64) (line string, ok bool) {
	for ctx.Err() == nil {
		n, err := s.file.ReadAt(s.buf[:max(0, min(maxRead, end-s.at))], s.at)
		for piece := range bytes.Lines(s.buf[:n]) {
			s.at += int64(len(piece))
			if piece[len(piece)-1] == '\n' {
				s.next = s.at
			}
			for line := range strings.SplitSeq(string(s.editor.edit(piece)), "\n") {
				if line != "" && s.pattern.MatchString(line) {
					return line, true
				}
			}
		}
		if n == 0 || err != nil {
			last := string(s.editor.line)
			return last, last != "" && s.pattern.MatchString(last)
		}
	}
	return "", false
}
