package file

import (
	"context"
	"encoding/json"
	"fmt"

	"pollux/internal/workspace"
	"pollux/llm"
	"pollux/tool"
)

// NewReadFile returns the tool read_file.
func NewReadFile(w *workspace.Workspace) tool.Tool {
	return &readFile{w: w, spec: tool.Spec{
		Name:        "read_file",
		DisplayName: "ReadFile",
		Aliases:     []string{"ReadFileTool"},
		Kind:        tool.KindRead,
		Description: "Returns the content of one file. Text comes without line numbers, at most 2000 lines at a time and lines of at most 2000 " +
			"characters; if that is not all of the file, the result says which lines it shows and how to go on. To look at a part of a large file, " +
			"name the lines. Images (PNG, JPEG, GIF, WEBP, BMP, SVG), PDF, audio (MP3, WAV, AIFF, AAC, OGG, FLAC) and video are returned as media " +
			"you can look at or listen to; other binary files cannot be read.",
		Brief:   "Returns the content of one file: text (up to 2000 lines at a time; name the lines for a part), an image, a PDF, audio or video.",
		Compact: compactRead,
		Schema: json.RawMessage(`{"type":"object","properties":{` +
			`"file_path":{"type":"string","description":"The file, absolute or relative to the working directory."},` +
			`"start_line":{"type":"integer","minimum":1,"description":"The first line to return, counted from 1. Optional."},` +
			`"end_line":{"type":"integer","minimum":1,"description":"The last line to return, itself included. Optional."}` +
			`},"required":["file_path"]}`),
	}}
}

type readFile struct {
	w    *workspace.Workspace
	spec tool.Spec
}

func (t *readFile) Spec() *tool.Spec { return &t.spec }

func (t *readFile) Build(raw json.RawMessage) (tool.Invocation, error) {
	args, err := parseArguments(raw)
	if err != nil {
		return nil, err
	}
	c := &readFileCall{w: t.w}
	c.first, c.last = args.lines()
	path := args.str("file_path")
	if blank(path) {
		return nil, fail(tool.ErrInvalidParams, "The 'file_path' parameter must be non-empty.")
	}
	c.abs = t.w.Resolve(path)
	if err := t.w.CheckRead(c.abs); err != nil {
		return nil, err
	}
	if c.first > 0 && c.last > 0 && c.first > c.last {
		return nil, fail(tool.ErrInvalidParams, "start_line cannot be greater than end_line")
	}
	if t.w.Ignored(c.abs, false, t.w.DefaultFilter()) {
		return nil, fail(tool.ErrInvalidParams, "File path '%s' is ignored by configured ignore patterns.", c.abs)
	}
	return c, nil
}

// lines returns the first and the last line to read, 0 if none is given. Models that were
// trained with other tools, or with former releases of this one, say offset, the number of
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
	w           *workspace.Workspace
	abs         string
	first, last int
}

func (c *readFileCall) Summary() string { return c.w.Rel(c.abs) }

func (c *readFileCall) Locations() []tool.Location {
	return []tool.Location{{Path: c.abs, Line: c.first}}
}

func (c *readFileCall) Confirmation(context.Context) (tool.Confirmation, error) {
	return &tool.InfoConfirmation{Title: "Confirm: ReadFile", Prompt: c.Summary()}, nil
}

func (c *readFileCall) Run(ctx context.Context, host tool.Host) *tool.Result {
	if err := c.w.CheckRead(c.abs); err != nil {
		return outside(err)
	}
	got, err := read(ctx, c.w, c.abs, c.first, c.last)
	if err != nil {
		return failed(err)
	}
	if got.isText() && host.Room > 0 {
		got.fit(max(1, host.Room-noticeTokens))
	}
	r := &tool.Result{
		Content: []llm.Part{got.part()},
		// If everything was read, there is no message; scripts see an empty text.
		Display: tool.TextDisplay(got.describe(c.w.Rel(c.abs))),
		Summary: got.summary(),
	}
	if got.isText() && got.partial() {
		r.Content = []llm.Part{llm.Text(truncationNotice(&got.window) + got.text)}
	}
	return r
}

// noticeTokens is the size of the notice before a part of a file.
const noticeTokens = 80

// truncationNotice returns the text before the content of a file that is incomplete.
func truncationNotice(w *window) string {
	if w.isPastEnd() {
		return fmt.Sprintf("\nNothing is shown: the file has %d total lines, and line %d is past its end.\n", w.total, w.first)
	}
	action := "Call read_file again with 'start_line' and 'end_line' to see other lines"
	switch {
	case w.hasMore():
		action += fmt.Sprintf("; the next part begins at start_line: %d.", w.last+1)
	case w.first > 1:
		action += "; these are the last ones."
	default:
		action = fmt.Sprintf("These are all lines, but those of more than %d characters are cut there.", lineUnits)
	}
	return fmt.Sprintf(`
IMPORTANT: The file content has been truncated.
Status: Showing lines %d-%d of %d total lines.
Action: %s

--- FILE CONTENT (truncated) ---
`, w.first, w.last, w.total, action)
}
