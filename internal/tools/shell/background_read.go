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

// Effect implements [tool.Foreseeable]: a read takes what is new in the log, so that no two of one command run at the same
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
	lines   int // 0 for what is new
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
	found := c.await(ctx, f, p.readTo)
	p, _ = c.ps.findByPID(c.pid)
	text, to, seen, err := c.read(f, &p)
	if err != nil {
		return tool.Fail(tool.ErrExecutionFailed, fmt.Sprintf("Error reading background log: %v", err))
	}
	c.ps.noteRead(c.pid, to, seen)
	if p.Exited {
		c.ps.noteKnown(c.pid)
	}
	state, end := p.state()
	head := fmt.Sprintf("[PID %d] %s%s\n", c.pid, state, end)
	if text == emptyLog && !p.Exited {
		text += " A program may keep its output in a buffer: stdbuf -oL PROGRAM writes each line at once."
	}
	return &tool.Result{
		Content: []llm.Part{llm.Text(head + untrustedBegin + found + text + untrustedEnd + p.hint(text))},
		Display: tool.TextDisplay(head + found + text),
	}
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

// await waits for the pattern in the log from a position on, or for the end of the command. It returns the
// result as a line, "" if there was nothing to wait for.
func (c *readCall) await(ctx context.Context, f *os.File, from int64) string {
	if c.wait == 0 {
		return ""
	}
	const step = 50 * time.Millisecond
	tick := time.NewTicker(step)
	defer tick.Stop()
	limit := time.NewTimer(c.wait)
	defer limit.Stop()
	s := &lineScanner{pattern: c.pattern, file: f, at: from}
	for isOver := false; ; {
		p, ok := c.ps.findByPID(c.pid)
		hasEnded := !ok || p.Exited
		if line, ok := s.scan(); ok {
			return "Found: " + ellipsis.Bytes(line, 300) + "\n"
		}
		switch {
		case hasEnded && c.pattern == nil:
			return ""
		case hasEnded:
			return "Not found: the command has ended.\n"
		case isOver && c.pattern == nil:
			return "It still runs after " + describeLimit(c.wait) + ".\n"
		case isOver:
			return "Not found within " + describeLimit(c.wait) + ".\n"
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

// lineScanner looks for a pattern in the lines of a growing log, each of them once, and in the last one as far as it is
// written.
type lineScanner struct {
	pattern *regexp.Regexp // nil matches nothing
	file    *os.File
	at      int64
	editor  lineEditor
	buf     [maxRead]byte
}

func (s *lineScanner) scan() (line string, ok bool) {
	if fi, err := s.file.Stat(); s.pattern == nil || err != nil {
		return "", false
	} else if fi.Size() < s.at {
		s.at, s.editor = 0, lineEditor{} // the log has begun again
	}
	for {
		n, err := s.file.ReadAt(s.buf[:], s.at)
		s.at += int64(n)
		for line := range strings.SplitSeq(string(s.editor.edit(s.buf[:n])), "\n") {
			if line != "" && s.pattern.MatchString(line) {
				return line, true
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
// shows them. to is the end of the last complete line, and seen the size of the log.
func (c *readCall) read(f *os.File, p *Process) (text string, to, seen int64, err error) {
	fi, err := f.Stat()
	if err != nil {
		return "", 0, 0, err
	}
	seen = fi.Size()
	from, lines, what := p.readTo, defaultLines, "new lines"
	if c.lines > 0 || from > seen {
		from = 0
	}
	if c.lines > 0 {
		lines = c.lines
	}
	if from == 0 {
		what = "lines"
	}
	if from > 0 && seen == p.seen {
		return "No new output.", p.readTo, seen, nil
	}
	start := max(from, seen-maxRead)
	end := make([]byte, seen-start)
	n, err := f.ReadAt(end, start)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", 0, 0, err
	}
	end = end[:n]
	if to = seen; bytes.IndexByte(end, '\n') >= 0 {
		to = start + int64(bytes.LastIndexByte(end, '\n')) + 1
	}
	before := 0 // lines before those in end
	if start > from {
		if before, err = countLines(io.NewSectionReader(f, from, start-from)); err != nil {
			return "", 0, 0, err
		}
		if i := bytes.IndexByte(end, '\n'); i >= 0 && i < len(end)-1 {
			end = end[i+1:]
			before++
		}
	}
	return describeLines(end, start > from, before, lines, what), to, seen, nil
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

// describeLines returns the last n lines of the end of a log, with a title. before is the number of lines before that
// end, isCut is true if there is something.
func describeLines(part []byte, isCut bool, before, n int, what string) string {
	e := lineEditor{hold: maxFrame}
	part = append(bytes.Clone(e.edit(part)), e.finish()...)
	text := strings.ToValidUTF8(strings.TrimSuffix(string(part), "\n"), "\uFFFD")
	isNew := what != "lines"
	switch {
	case strings.TrimSpace(text) == "" && isNew:
		return "No new output."
	case strings.TrimSpace(text) == "":
		return emptyLog
	}
	lines := strings.Split(foldDenials(text), "\n")
	total := before + len(lines)
	lines = lines[max(0, len(lines)-n):]
	switch {
	case isCut, len(lines) < total:
		return fmt.Sprintf("Showing last %d of %d %s:\n%s", len(lines), total, what, strings.Join(lines, "\n"))
	case isNew:
		return "New output:\n" + strings.Join(lines, "\n")
	}
	return "Full Log Output:\n" + strings.Join(lines, "\n")
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
