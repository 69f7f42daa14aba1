//go:build unix

package shell

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"pollux/llm"
	"pollux/tool"
)

// NewListTool returns the tool list_background_processes.
func NewListTool(ps *Processes) tool.Tool { return listTool{ps} }

// NewReadTool returns the tool read_background_output.
func NewReadTool(ps *Processes) tool.Tool { return readTool{ps} }

type listTool struct{ ps *Processes }

var listSpec = tool.Spec{
	Name:        "list_background_processes",
	DisplayName: "List Background Processes",
	Aliases:     []string{"ListBackgroundProcessesTool"},
	Kind:        tool.KindRead,
	Description: "Lists the commands that were put into the background in this session, each with its PID, whether it still runs, and how it ended.",
	Schema:      json.RawMessage(`{"type":"object","properties":{}}`),
}

func (listTool) Spec() *tool.Spec { return &listSpec }

func (t listTool) Build(json.RawMessage) (tool.Invocation, error) { return listCall(t), nil }

type listCall struct{ ps *Processes }

func (listCall) Summary() string            { return "List background processes" }
func (listCall) Locations() []tool.Location { return nil }
func (c listCall) Confirmation(context.Context) (tool.Confirmation, error) {
	return &tool.InfoConfirmation{Title: "Confirm: " + listSpec.DisplayName, Prompt: c.Summary()}, nil
}

func (c listCall) Run(context.Context, tool.Host) *tool.Result {
	var lines []string
	for _, p := range c.ps.List() {
		state, end := p.state()
		lines = append(lines, fmt.Sprintf("- [PID %d] %s: `%s`%s", p.PID, state, p.Command, end))
	}
	text := "No background processes found."
	if len(lines) > 0 {
		text = strings.Join(lines, "\n")
	}
	return &tool.Result{Content: []llm.Part{llm.Text(text)}, Display: tool.TextDisplay(text)}
}

// state returns whether the command runs, and how it has ended.
func (p *Process) state() (state, end string) {
	switch {
	case p.Exited && p.IsOrphan:
		return "EXITED", " (Pollux has ended meanwhile)"
	case p.Exited && p.Signal != 0:
		return "EXITED", fmt.Sprintf(" (Signal: %d)", p.Signal)
	case p.Exited:
		return "EXITED", fmt.Sprintf(" (Exit Code: %d)", p.Code)
	}
	return "RUNNING", ""
}

type readTool struct{ ps *Processes }

var readSpec = tool.Spec{
	Name:        "read_background_output",
	DisplayName: "Read Background Output",
	Aliases:     []string{"ReadBackgroundOutputTool"},
	Kind:        tool.KindRead,
	Plain:       true,
	Description: "Returns the last lines of what a command in the background has printed. Give it the PID that run_shell_command returned.",
	Schema: json.RawMessage(`{"type":"object","properties":{` +
		`"pid":{"type":"integer","description":"PID of the command."},` +
		`"lines":{"type":"integer","minimum":1,"description":"How many lines to return, counted from the end. Default: 100."},` +
		`"delay_ms":{"type":"integer","description":"How long to wait before reading, in milliseconds, for output that is about to come."}` +
		`},"required":["pid"]}`),
}

func (readTool) Spec() *tool.Spec { return &readSpec }

func (t readTool) Build(args json.RawMessage) (tool.Invocation, error) {
	var a struct {
		PID   float64 `json:"pid"` // JSON Schema's integers include 200.0
		Lines float64 `json:"lines"`
		Delay millis  `json:"delay_ms"`
	}
	a.Lines = 100
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, fmt.Errorf("read arguments: %w", err)
	}
	const maxInt = 1 << 30
	return &readCall{
		ps:    t.ps,
		pid:   int(min(max(a.PID, -maxInt), maxInt)),
		lines: int(min(max(a.Lines, 1), maxInt)),
		delay: time.Duration(a.Delay),
	}, nil
}

type readCall struct {
	ps    *Processes
	pid   int
	lines int
	delay time.Duration
}

func (c *readCall) Summary() string {
	return fmt.Sprintf("Read output of background process %d", c.pid)
}
func (c *readCall) Locations() []tool.Location { return nil }
func (c *readCall) Confirmation(context.Context) (tool.Confirmation, error) {
	return &tool.InfoConfirmation{Title: "Confirm: " + readSpec.DisplayName, Prompt: c.Summary()}, nil
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
	text, err := readLog(p.Log, c.lines)
	if errors.Is(err, os.ErrNotExist) {
		return tool.Fail(tool.ErrExecutionFailed, "Log file not found at "+p.Log)
	}
	if err != nil {
		return tool.Fail(tool.ErrExecutionFailed, fmt.Sprintf("Error reading background log: %v", err))
	}
	state, end := p.state()
	text = fmt.Sprintf("[PID %d] %s%s\n%s", c.pid, state, end, text)
	return &tool.Result{Content: []llm.Part{llm.Text(text)}, Display: tool.TextDisplay(text)}
}

// readLog returns the last n lines of a log, at most those of its last 64 KiB, as a terminal shows
// them.
func readLog(path string, n int) (string, error) {
	const maxRead = 64 << 10
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !fi.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", path)
	}
	start := max(0, fi.Size()-maxRead)
	end := make([]byte, fi.Size()-start)
	k, err := f.ReadAt(end, start)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	end = end[:k]
	before := 0 // lines before those in end
	if start > 0 {
		if before, err = countLines(io.NewSectionReader(f, 0, start)); err != nil {
			return "", err
		}
		if i := bytes.IndexByte(end, '\n'); i >= 0 && i < len(end)-1 {
			end = end[i+1:]
			before++
		}
	}
	var e lineEditor
	end = append(bytes.Clone(e.edit(end)), e.finish()...)
	text := strings.ToValidUTF8(strings.TrimSuffix(string(end), "\n"), "\uFFFD")
	if strings.TrimSpace(text) == "" {
		return "Log is empty.", nil
	}
	lines := strings.Split(text, "\n")
	total := before + len(lines)
	lines = lines[max(0, len(lines)-n):]
	if start == 0 && len(lines) == total {
		return "Full Log Output:\n" + text, nil
	}
	return fmt.Sprintf("Showing last %d of %d lines:\n%s", len(lines), total, strings.Join(lines, "\n")), nil
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
