//go:build unix

package shell

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"pollux/llm"
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
