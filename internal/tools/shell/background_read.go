//go:build unix

package shell

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strings"
	"syscall"
	"time"

	"pollux/llm"
	"pollux/llm/ellipsis"
	"pollux/tool"
)

// NewReadTool returns the tool read_background_output.
func NewReadTool(ps *Processes) tool.Tool { return readTool{ps} }

type readTool struct{ ps *Processes }

var readSpec = tool.Spec{
	Name:        "read_background_output",
	DisplayName: "Read Background Output",
	Aliases:     []string{"ReadBackgroundOutputTool"},
	Kind:        tool.KindRead,
	Plain:       true,
	Description: "Returns what a background command has printed since the last read. Waits for a line with pattern, for the end with timeout_seconds alone.",
	Schema: json.RawMessage(`{"type":"object","properties":{` +
		`"pid":{"type":"integer","description":"PID of the command."},` +
		`"pattern":{"type":"string","description":"Regular expression: wait for a new line that matches."},` +
		`"timeout_seconds":{"type":"number","description":"Wait so long at most, up to 600. Default: 30 with pattern."},` +
		`"lines":{"type":"integer","minimum":1,"description":"Return the last lines, read before or not."},` +
		`"delay_ms":{"type":"integer","description":"Wait before reading."}` +
		`},"required":["pid"]}`),
}

const (
	defaultLines = 100
	// defaultWait is how long a read waits for a pattern, maxWait the limit of its timeout_seconds.
	defaultWait, maxWait = 30 * time.Second, 10 * time.Minute
)

func (readTool) Spec() *tool.Spec { return &readSpec }

// Effect implements [tool.Foreseeable]: a read takes the new part of the log, so that no two of one command run at the same
// time.
func (t readTool) Effect(args json.RawMessage) tool.Effect {
	var a struct {
		PID pid `json:"pid"`
	}
	if json.Unmarshal(args, &a) == nil {
		if p, ok := t.ps.findByPID(int(a.PID)); ok {
			return tool.Effect{Reads: true, Paths: []string{p.Log}}
		}
	}
	return tool.Effect{Reads: true}
}

func (t readTool) Build(args json.RawMessage) (tool.Invocation, error) {
	var a struct {
		PID     pid     `json:"pid"`
		Pattern string  `json:"pattern"`
		Timeout seconds `json:"timeout_seconds"`
		Lines   float64 `json:"lines"`
		Delay   millis  `json:"delay_ms"`
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, fmt.Errorf("read arguments: %w", err)
	}
	c := &readCall{ps: t.ps, pid: int(a.PID), lines: int(min(a.Lines, 1<<30)), delay: time.Duration(a.Delay), wait: min(time.Duration(a.Timeout), maxWait)}
	c.Described = tool.Described{Title: "Confirm: " + readSpec.DisplayName, Text: fmt.Sprintf("Read output of background process %d", c.pid)}
	if a.Pattern != "" {
		var err error
		if c.pattern, err = regexp.Compile(a.Pattern); err != nil {
			return nil, fmt.Errorf("pattern is no regular expression: %w", err)
		}
		c.wait = cmp.Or(c.wait, defaultWait)
		c.Text += fmt.Sprintf(", wait for %s", a.Pattern)
	}
	return c, nil
}

type readCall struct {
	tool.Described
	ps      *Processes
	pid     int
	pattern *regexp.Regexp // nil for none
	wait    time.Duration
	lines   int // 0 for all new ones
	delay   time.Duration
}

func (c *readCall) Run(ctx context.Context, _ tool.Host) *tool.Result {
	if c.delay > 0 {
		select {
		case <-time.After(c.delay):
		case <-ctx.Done():
		}
	}
	p, ok := c.ps.findByPID(c.pid)
	if !ok && c.ps.wasLeft(c.pid) {
		return tool.Fail(tool.ErrExecutionFailed, fmt.Sprintf(
			"PID %d was started with &: its output is not kept. Start a command with is_background to read what it prints.", c.pid))
	}
	if !ok {
		return tool.Fail(tool.ErrExecutionFailed, fmt.Sprintf(
			"Background process history lookup failed for PID %d. list_background_processes has the PIDs of this session.", c.pid))
	}
	f, err := openLog(p.Log)
	if errors.Is(err, os.ErrNotExist) {
		return tool.Fail(tool.ErrExecutionFailed, "Log file not found at "+p.Log)
	}
	if err != nil {
		return tool.Fail(tool.ErrExecutionFailed, fmt.Sprintf("Error reading background log: %v", err))
	}
	defer f.Close()
	waited, read := c.await(ctx, f, p.read)
	p, _ = c.ps.findByPID(c.pid)
	p.read = read
	output, next, err := c.read(f, &p)
	if err != nil {
		return tool.Fail(tool.ErrExecutionFailed, fmt.Sprintf("Error reading background log: %v", err))
	}
	c.ps.noteRead(c.pid, next)
	if p.Exited {
		c.ps.noteKnown(c.pid)
	}
	if output.title == emptyLog {
		output.title += p.whyEmpty()
	}
	state, end := p.state()
	head := fmt.Sprintf("[PID %d] %s%s", c.pid, state, end)
	return &tool.Result{
		Content: []llm.Part{llm.Text(head + waited.forModel() + output.forModel() + p.hint(output.text))},
		Display: tool.TextDisplay(head + waited.forPeople() + output.forPeople()),
	}
}

// section is a part of the text about a log: a sentence of Pollux, and the lines of the program that it is about, "" for none.
type section struct{ title, text string }

// forModel returns the section as a part of a text for the model: the lines of the program stand in a frame, which they cannot end.
func (s section) forModel() string {
	if s.text == "" {
		return s.forPeople()
	}
	return "\n" + s.title + "\n" + untrustedBegin + strings.ReplaceAll(s.text, string(closingTag), string(closingTagOut)) + untrustedEnd
}

// forPeople returns the section as a part of a text for people.
func (s section) forPeople() string {
	text := ""
	for _, part := range []string{s.title, s.text} {
		if part != "" {
			text += "\n" + part
		}
	}
	return text
}

// hint returns the line for the model about a command, as [execution.hint] does. text is the output that it reads while the command runs.
func (p *Process) hint(text string) string {
	const last = 50 // lines
	switch {
	case p.execution == nil:
		return ""
	case !p.hasEnded:
		return p.execution.hintSoFar(text)
	}
	lines, _ := p.LastLines(last) // the log has just been read
	return p.execution.hint(strings.Join(lines, "\n"))
}

// whyEmpty returns a sentence about a command that runs and whose log is empty, "" for other commands.
func (p *Process) whyEmpty() string {
	switch {
	case p.Exited:
		return ""
	case p.execution != nil && p.execution.out.hasAlternate():
		return " The program shows a full screen, which is not kept."
	}
	return " A program may keep its output in a buffer: stdbuf -oL PROGRAM writes each line at once."
}

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
		if line, ok := lines.scan(); ok {
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

func (s *lineScanner) scan() (line string, ok bool) {
	if fi, err := s.file.Stat(); s.pattern == nil || err != nil {
		return "", false
	} else if fi.Size() < s.at {
		s.at, s.next, s.editor = 0, 0, lineEditor{} // the log has begun again
	}
	for {
		n, err := s.file.ReadAt(s.buf[:], s.at)
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
}

// maxRead is the size of the end of a log, in bytes, that is read at once.
const maxRead = 64 << 10

// openLog opens a log, which must be a regular file.
func openLog(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		_ = f.Close() // it was not read
		return nil, err
	}
	return f, nil
}

// read returns the last lines of the log, or those of them that are new, at most those of its last 64 KiB, as a terminal
// shows them, and how far the model has then read. A number of lines that leaves out new ones does not count as reading, so
// that another read has them.
func (c *readCall) read(f *os.File, p *Process) (s section, next mark, err error) {
	fi, err := f.Stat()
	if err != nil {
		return section{}, mark{}, err
	}
	next = mark{to: fi.Size(), size: fi.Size(), found: p.read.found}
	from, lines, what := p.read.to, defaultLines, "new lines"
	if c.lines > 0 || from > next.size {
		from = 0
	}
	if c.lines > 0 {
		lines = c.lines
	}
	if from == 0 {
		what = "lines"
	}
	if from > 0 && next.size == p.read.size {
		return section{title: "No new output."}, p.read, nil
	}
	part, err := readEnd(f, from, next.size)
	if err != nil {
		return section{}, mark{}, err
	}
	next.to = part.complete
	s, isAll := describeLines(&part, lines, what)
	switch shown := strings.Count(s.text, "\n") + 1; {
	case isAll:
		return s, next, nil
	case shown != c.lines: // it gets less than it wants
		s.title = strings.TrimSuffix(s.title, ":") + ". " + tool.WhereWhole(p.Log)
	}
	if c.lines > 0 && unread(f, p.read.to, &next) > lines {
		next = p.read
	}
	return s, next, nil
}

// unread returns the number of lines in a log from a position on, or from the beginning if the log is shorter. to is its end.
func unread(f *os.File, from int64, to *mark) int {
	if from > to.size {
		from = 0
	}
	n, err := countLines(io.NewSectionReader(f, from, to.size-from))
	if err != nil {
		return math.MaxInt
	}
	if to.to < to.size { // the last line is not complete
		n++
	}
	return n
}

// logEnd is the end of a log.
type logEnd struct {
	text     []byte
	isCut    bool  // there is something before it that is wanted, too
	before   int   // the number of these lines
	complete int64 // the position of the end of its last complete line, or of the log if there is none
}

// readEnd reads the part of a log between two positions, of which the second one is its end, or the last 64 KiB of it.
func readEnd(f *os.File, from, size int64) (part logEnd, err error) {
	start := max(from, size-maxRead)
	text := make([]byte, size-start)
	n, err := f.ReadAt(text, start)
	if err != nil && !errors.Is(err, io.EOF) {
		return logEnd{}, err
	}
	part = logEnd{text: text[:n], isCut: start > from, complete: size}
	if i := bytes.LastIndexByte(part.text, '\n'); i >= 0 {
		part.complete = start + int64(i) + 1
	}
	if !part.isCut {
		return part, nil
	}
	if part.before, err = countLines(io.NewSectionReader(f, from, start-from)); err != nil {
		return logEnd{}, err
	}
	if i := bytes.IndexByte(part.text, '\n'); i >= 0 && i < len(part.text)-1 {
		part.text = part.text[i+1:]
		part.before++
	}
	return part, nil
}

// LastLines returns at most n lines, the last ones of the output in the last 64 KiB of the log, as a terminal shows them. It
// returns none if there is no log.
func (p Process) LastLines(n int) ([]string, error) {
	f, err := openLog(p.Log)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	start := max(0, fi.Size()-maxRead)
	end, err := io.ReadAll(io.NewSectionReader(f, start, maxRead))
	if err != nil {
		return nil, err
	}
	if start > 0 { // a character may be cut
		_, end, _ = bytes.Cut(end, []byte{'\n'})
	}
	e := lineEditor{hold: maxFrame}
	end = append(bytes.Clone(e.edit(end)), e.finish()...)
	text := strings.ToValidUTF8(strings.TrimRight(string(end), "\n"), "\uFFFD")
	if text == "" {
		return nil, nil
	}
	lines := strings.Split(text, "\n")
	return lines[max(0, len(lines)-n):], nil
}

const emptyLog = "Log is empty."

// describeLines returns the last n lines of the end of a log, with a title, and whether these are all lines that are wanted.
func describeLines(part *logEnd, n int, what string) (s section, isAll bool) {
	e := lineEditor{hold: maxFrame}
	shown := append(bytes.Clone(e.edit(part.text)), e.finish()...)
	text := strings.ToValidUTF8(strings.TrimSuffix(string(shown), "\n"), "\uFFFD")
	isNew := what != "lines"
	switch {
	case strings.TrimSpace(text) == "" && isNew:
		return section{title: "No new output."}, true
	case strings.TrimSpace(text) == "":
		return section{title: emptyLog}, true
	}
	lines := strings.Split(foldDenials(text), "\n")
	total := part.before + len(lines)
	lines = lines[max(0, len(lines)-n):]
	s.text = strings.Join(lines, "\n")
	switch {
	case part.isCut, len(lines) < total:
		s.title = fmt.Sprintf("Showing last %d of %d %s:", len(lines), total, what)
		return s, false
	case isNew:
		s.title = "New output:"
	default:
		s.title = "Full Log Output:"
	}
	return s, true
}

// countLines counts the newlines in a log. It reads at most twice maxLogSize.
func countLines(r io.Reader) (int, error) {
	r = io.LimitReader(r, 2*maxLogSize)
	buf := make([]byte, 64<<10)
	for n := 0; ; {
		k, err := r.Read(buf)
		n += bytes.Count(buf[:k], []byte{'\n'})
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
	}
}
