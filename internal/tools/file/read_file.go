package file

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"pollux/internal/wording"
	"pollux/internal/workspace"
	"pollux/llm"
	"pollux/tool"
)

// NewReadFile returns the tool read_file, which adds what it reads to seen.
func NewReadFile(w *workspace.Workspace, seen *Seen) tool.Tool {
	return &readFile{w: w, seen: seen, spec: tool.Spec{
		Name:        "read_file",
		DisplayName: "ReadFile",
		Aliases:     []string{"ReadFileTool"},
		Kind:        tool.KindRead,
		Description: "Returns the content of one file. Text comes without line numbers, at most 2000 lines at a time (of a file with more than 5000, the first 200 unless you name the lines) and lines of at most 2000 " +
			"characters; before a part of the file stands which lines it is and how to go on. To look at a part of a large file, " +
			"name the lines, or ask for its outline. Images (PNG, JPEG, GIF, WEBP, BMP, SVG), PDF, audio (MP3, WAV, AIFF, AAC, OGG, FLAC) and video are returned as media " +
			"you can look at or listen to; other binary files cannot be read.",
		Brief:   "Returns the content of one file: text (up to 2000 lines at a time, the first 200 of more than 5000; name the lines for a part), an image, a PDF, audio or video.",
		Compact: compactRead,
		Schema: json.RawMessage(`{"type":"object","properties":{` +
			`"file_path":{"type":"string","description":"The file, absolute or relative to the working directory."},` +
			`"start_line":{"type":"integer","minimum":1,"description":"The first line to return, counted from 1. Optional."},` +
			`"end_line":{"type":"integer","minimum":1,"description":"The last line to return, itself included. Optional."},` +
			`"outline":{"type":"boolean","description":"Return the declarations (or headings, keys) with their line numbers, not the text."}` +
			`},"required":["file_path"]}`),
	}}
}

type readFile struct {
	w    *workspace.Workspace
	seen *Seen
	spec tool.Spec
}

func (t *readFile) Spec() *tool.Spec { return &t.spec }

func (t *readFile) Build(raw json.RawMessage) (tool.Invocation, error) {
	args, err := parseArguments(raw)
	if err != nil {
		return nil, err
	}
	c := &readFileCall{w: t.w, seen: t.seen}
	c.first, c.last = args.lines()
	c.isOutline = args.flag("outline")
	path := args.str("file_path")
	if blank(path) {
		return nil, fail(tool.ErrInvalidParams, "The 'file_path' parameter must be non-empty.")
	}
	abs, reading := t.w.ResolveAs(path)
	c.abs, c.path = abs, path
	c.Described = tool.Described{Title: "Confirm: ReadFile", Text: t.w.Rel(c.abs)}
	if reading != "" {
		c.taken = fmt.Sprintf("%q was taken for %s.\n", path, reading)
	}
	if err := t.w.CheckRead(c.abs); err != nil {
		return nil, err
	}
	if c.first > 0 && c.last > 0 && c.first > c.last {
		return nil, fail(tool.ErrInvalidParams, "start_line cannot be greater than end_line")
	}
	if t.w.Ignored(c.abs, false, t.w.DefaultFilter()) {
		return nil, fail(tool.ErrInvalidParams, "File path '%s' is ignored by configured ignore patterns.%s", c.abs, t.whyIgnored(c.abs))
	}
	return c, nil
}

// whyIgnored returns which rule hides a file from this tool, and the next step for the model,
// with a space before it; "" if no rule is found.
func (t *readFile) whyIgnored(abs string) string {
	file, rule, isGit := t.w.IgnoredBy(abs, t.w.DefaultFilter())
	if rule == "" {
		return ""
	}
	why := fmt.Sprintf(" The rule %q of %s hides it.", rule, t.w.Display(file))
	if !isGit || strings.HasPrefix(filepath.Base(abs), ".env") {
		return why + " If the task needs it, ask the user."
	}
	return why + " If the task needs it, grep_search with no_ignore or a shell command shows it."
}

// lines returns the first and the last line to read, 0 if none is given. Models that were
// trained with other tools, or with former releases of this one, use offset, the number of
// lines to skip, and limit, the number of lines to read.
func (a arguments) lines() (first, last int) {
	first, last = a.line("start_line"), a.line("end_line")
	if offset := a.line("offset"); first == 0 && offset > 0 {
		first = offset + 1
	}
	if limit := a.line("limit"); last == 0 && limit > 0 {
		last = max(first, 1) + limit - 1
	}
	return first, last
}

type readFileCall struct {
	tool.Described
	w           *workspace.Workspace
	seen        *Seen
	abs         string
	path        string // as the model wrote it
	taken       string // a line for the model if its path was not taken as it is
	encoding    string // the line that names the encoding of the file
	first, last int
	isOutline   bool
}

func (c *readFileCall) Locations() []tool.Location {
	return []tool.Location{{Path: c.abs, Line: c.first}}
}

func (c *readFileCall) Run(ctx context.Context, host tool.Host) *tool.Result {
	if err := c.w.CheckRead(c.abs); err != nil {
		return outside(err)
	}
	first, last := c.first, c.last
	if c.isOutline {
		first, last = 1, maxLine
	}
	got, err := read(ctx, c.w, c.abs, first, last)
	if e := (*tool.Error)(nil); errors.As(err, &e) && e.Type == tool.ErrFileNotFound {
		return tool.Fail(e.Type, e.Message+c.w.AsLink(c.path, c.abs)+c.w.DidYouMean(ctx, c.abs, false))
	}
	if err != nil {
		return failed(err)
	}
	if got.isText() && c.first > max(got.total, 1) {
		return tool.Fail(tool.ErrInvalidParams, fmt.Sprintf("start_line %d is past the end of %s, which has %s.", c.first, c.abs, plural(got.total, "line")))
	}
	if got.isText() && c.isOutline {
		return c.outlined(got, host.Room)
	}
	if got.isText() && c.first == 0 && c.last == 0 && (got.total > largeLines || got.size > largeSize) {
		got.keep(largeShown)
	}
	if note := c.repeated(ctx, host, got); note != "" {
		c.seen.noteWindow(ctx, c.abs, got.version, &got.window)
		return &tool.Result{Content: []llm.Part{llm.Text(note)}, Display: tool.TextDisplay("Unchanged since it was read: " + c.w.Rel(c.abs)), Summary: "unchanged"}
	}
	below := ""
	if got.isText() {
		below = c.fitOutlined(ctx, got, host.Room)
	}
	c.seen.noteWindow(ctx, c.abs, got.version, &got.window)
	r := &tool.Result{
		Content: []llm.Part{got.part()},
		// If everything was read, there is no message; scripts see an empty text.
		Display: tool.TextDisplay(got.describe(c.w.Rel(c.abs))),
		Summary: got.summary(),
	}
	if got.isText() {
		r.Content = []llm.Part{llm.Text(c.taken + got.encodingLine() + c.header(got, below != "") + got.text + below)}
	} else if c.taken != "" {
		r.Content = append([]llm.Part{llm.Text(strings.TrimSuffix(c.taken, "\n"))}, r.Content...)
	}
	return r
}

// headerTokens is the size of the header before a part of a file, wholeHeader that of one which only names its lines.
const headerTokens, wholeHeader = 80, 20

// Of a file with more than largeLines lines or largeSize bytes, a call that asks for no lines gets
// the first largeShown.
const (
	largeLines = 5000
	largeSize  = 250_000
	largeShown = 200
)

// tailLines is the number of lines that the header of a long file suggests to see its end.
const tailLines = 100

// encodingLine returns the line that names the encoding of a text, "" for UTF-8.
func (c *content) encodingLine() string {
	if c.enc.IsUTF8() || !c.enc.IsText() {
		return ""
	}
	return encodingStart + c.enc.Name() + ".\n"
}

// encodingStart begins the line that names the encoding of a text.
const encodingStart = "Encoding: "

// header returns the line before the text of a file that names its lines; "" for the whole file
// if the call asked for no lines.
func (c *readFileCall) header(got *content, hasOutline bool) string {
	if got.total == 0 {
		return "The file is empty."
	}
	isRange := c.first > 0 || c.last > 0
	if !isRange && !got.partial() {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Lines %d-%d of %d", got.first, got.last, got.total)
	end := got.total // the end of the requested part
	if c.last > 0 {
		end = min(c.last, got.total)
	}
	switch {
	case got.last < end:
		fmt.Fprintf(&b, " (the file has %s). Not shown: lines %d-%d", wording.Bytes(got.size), got.last+1, end)
		if hasOutline {
			b.WriteString(" (outline below)")
		}
		fmt.Fprintf(&b, "; read on with start_line: %d", got.last+1)
		if end < got.total {
			fmt.Fprintf(&b, ", end_line: %d", end)
		} else if tail := got.total - tailLines + 1; tail > got.last+1 {
			fmt.Fprintf(&b, ", or see the end with start_line: %d", tail)
		}
		if !isRange {
			b.WriteString("; grep_search finds a text in it")
			if hasOutline {
				b.WriteString(", outline: true the lines of all declarations")
			}
		}
		b.WriteByte('.')
	case c.last > got.total:
		b.WriteString(", where the file ends.")
	}
	if got.shortened {
		if got.last >= end && c.last <= got.total {
			b.WriteByte('.')
		}
		b.WriteString(" " + shortenedNote)
	}
	return strings.TrimSuffix(b.String(), ".") + ":\n"
}
