package fs

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"pollux/internal/workspace"
	"pollux/llm"
	"pollux/tool"
)

// NewReadMany returns the tool read_many_files (spec/tools.md §3.3). It is not
// declared to models.
func NewReadMany(w *workspace.Workspace) tool.Tool {
	return &readMany{w: w, spec: tool.Spec{
		Name:        "read_many_files",
		DisplayName: "ReadManyFiles",
		Aliases:     []string{"ReadManyFilesTool"},
		Kind:        tool.KindRead,
		Description: "Returns the contents of all files that paths and globs name, one after the other. Media is read only where it is named by " +
			"file name or extension.",
		Schema: json.RawMessage(`{"type":"object","properties":{` +
			`"include":{"type":"array","minItems":1,"items":{"type":"string","minLength":1},"description":"Paths and globs, relative to the working directory."},` +
			`"exclude":{"type":"array","items":{"type":"string","minLength":1},"default":[],"description":"Globs of what to leave out."},` +
			`"recursive":{"type":"boolean","default":true,"description":"Has no effect: use ** in a glob."},` +
			`"useDefaultExcludes":{"type":"boolean","default":true,"description":"Leave out dependencies, build output, archives and the like."},` +
			filteringSchema +
			`},"required":["include"]}`),
	}}
}

type readMany struct {
	w    *workspace.Workspace
	spec tool.Spec
}

func (t *readMany) Spec() *tool.Spec { return &t.spec }

func (t *readMany) Build(raw json.RawMessage) (tool.Invocation, error) {
	args, err := parseArguments(raw)
	if err != nil {
		return nil, err
	}
	s := Selection{Include: args.list("include"), Exclude: args.list("exclude"), DefaultExcludes: true, Filter: args.filter(t.w)}
	args.get("useDefaultExcludes", &s.DefaultExcludes)
	return &readManyCall{w: t.w, Selection: s}, nil
}

type readManyCall struct {
	w *workspace.Workspace
	Selection
}

func (c *readManyCall) Summary() string {
	return fmt.Sprintf("Read files that match %q in %s", c.Include, c.w.Root())
}

func (c *readManyCall) Locations() []tool.Location { return nil }

func (c *readManyCall) Confirmation(context.Context) (tool.Confirmation, error) {
	return &tool.InfoConfirmation{Title: "Confirm: ReadManyFiles", Prompt: c.Summary()}, nil
}

func (c *readManyCall) Run(ctx context.Context, _ tool.Host) *tool.Result {
	got, err := Collect(ctx, c.w, c.Selection)
	if err != nil {
		return tool.Fail(tool.ErrReadManySearch, fmt.Sprintf("Error during file search: %v", err))
	}
	r := &tool.Result{Display: got.Display(c.w), Summary: fmt.Sprintf("%d files", len(got.Files))}
	for _, f := range got.Files {
		if f.Media != nil {
			r.Content = append(r.Content, llm.Part{InlineData: f.Media})
			continue
		}
		r.Content = append(r.Content, llm.Text(fmt.Sprintf("--- %s ---\n\n%s\n\n", f.Path, f.Text)))
	}
	if len(got.Files) == 0 {
		r.Content = []llm.Part{llm.Text("No files matching the criteria were found or all were skipped.")}
		return r
	}
	r.Content = append(r.Content, llm.Text("\n--- End of content ---"))
	return r
}

// The lists that a person sees are cut to these lengths.
const (
	shownFiles   = 10
	shownSkipped = 5
)

// Display returns what a person sees of the collection.
func (c *Collection) Display(w *workspace.Workspace) *tool.ListDisplay {
	var b strings.Builder
	fmt.Fprintf(&b, "### ReadManyFiles Result (Target Dir: `%s`)\n\n", w.Root())
	if len(c.Files) == 0 {
		b.WriteString("No files were read.\n")
	} else {
		fmt.Fprintf(&b, "Read **%d file(s)**.\n", len(c.Files))
	}
	d := &tool.ListDisplay{}
	for i, f := range c.Files {
		d.Items = append(d.Items, w.Rel(f.Path))
		if i < shownFiles {
			fmt.Fprintf(&b, "- `%s`\n", w.Rel(f.Path))
		}
	}
	if more := len(c.Files) - shownFiles; more > 0 {
		fmt.Fprintf(&b, "- ...and %d more.\n", more)
	}
	if len(c.Skipped) > 0 {
		fmt.Fprintf(&b, "\nSkipped %d item(s):\n", len(c.Skipped))
	}
	for i, s := range c.Skipped {
		d.Skipped = append(d.Skipped, tool.Skipped{Path: w.Rel(s.Path), Reason: s.Reason})
		if i < shownSkipped {
			fmt.Fprintf(&b, "- `%s` (%s)\n", w.Rel(s.Path), s.Reason)
		}
	}
	if more := len(c.Skipped) - shownSkipped; more > 0 {
		fmt.Fprintf(&b, "- ...and %d more.\n", more)
	}
	d.Summary = b.String()
	return d
}
