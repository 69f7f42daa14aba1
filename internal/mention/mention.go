// Package mention adds the files that a prompt mentions with @ to the message for the model.
package mention

import (
	"context"
	"path/filepath"
	"strings"

	"pollux/internal/exit"
	"pollux/internal/tools/file"
	"pollux/internal/workspace"
	"pollux/llm"
	"pollux/tool"
)

// Expansion is a prompt with the files that it mentions.
type Expansion struct {
	// Parts is the message for the model: the prompt, then the contents of the files.
	Parts []llm.Part
	// Shown is the prompt as the user wrote it.
	Shown string
	// Files are the absolute paths of the files in Parts.
	Files []string
	// Skipped are mentioned files that are not in Parts, with the reason. An @ before
	// something that does not exist is no mention, but plain text.
	Skipped []tool.Skipped
	// Attached are the mentions whose files are in Parts, and Missing those that look like
	// files and name none.
	Attached []Attachment
	Missing  []Missing
	// Cut are files of which Parts holds only some lines, because the model's window has no
	// room for more. The reason is which, such as "lines 1-530 of 20000".
	Cut []tool.Skipped
}

// The text around the files' contents.
const (
	contentBegin = "\n--- Content from referenced files ---"
	contentEnd   = "\n--- End of content ---"
	contentNone  = "No files matching the criteria were found or all were skipped."
)

// Expand finds the files that the prompt mentions and reads them. A mention is an existing path,
// a directory (meaning all files below it), a glob, or a part of a path (meaning its best match).
// If a file that is named cannot be read, the error has the code exit.Input. room returns the
// number of tokens that all texts may have together, 0 for no limit; it is called only if there
// are files to read.
func Expand(ctx context.Context, w *workspace.Workspace, prompt string, room func() int) (Expansion, error) {
	e := Expansion{Shown: prompt, Parts: []llm.Part{llm.Text(prompt)}}
	if !strings.Contains(prompt, "@") {
		return e, nil
	}
	r := resolver{w: w, known: map[string]target{}}
	mentions := parse(prompt)
	if err := r.resolve(ctx, mentions); err != nil {
		return e, err
	}
	e.Missing = r.missing(prompt, mentions)
	if len(r.include) == 0 {
		e.Skipped = r.skipped
		return e, nil
	}
	got, err := file.Collect(ctx, w, file.Selection{Include: r.include, Filter: w.DefaultFilter(), Room: room()})
	if err != nil {
		return e, err
	}
	e.Parts = []llm.Part{llm.Text(r.rewrite(prompt, mentions))}
	e.Skipped = r.skipped
	for _, s := range got.Skipped {
		if s.Err != nil && r.named[s.Path] {
			return e, exit.Errorf(exit.Input, "Exiting due to an error processing the @ command: %w", s.Err)
		}
		e.Skipped = append(e.Skipped, s.Skipped)
	}
	for _, f := range got.Files {
		e.Files = append(e.Files, f.Path)
		if f.Cut != "" {
			e.Cut = append(e.Cut, tool.Skipped{Path: w.Rel(f.Path), Reason: f.Cut})
		}
	}
	e.Attached = r.attachments(mentions, got.Files)
	e.Parts = append(e.Parts, contents(w, got.Files)...)
	return e, nil
}

func contents(w *workspace.Workspace, files []file.File) []llm.Part {
	parts := []llm.Part{llm.Text(contentBegin)}
	if len(files) == 0 {
		return append(parts, llm.Text(contentNone)) // otherwise the model assumes that it was read
	}
	for _, f := range files {
		if f.Media != nil {
			parts = append(parts, llm.Part{InlineData: f.Media})
			continue
		}
		parts = append(parts, llm.Text("\nContent from @"+filepath.ToSlash(w.Rel(f.Path))+":\n"), llm.Text(strings.TrimSpace(f.Text)))
	}
	return append(parts, llm.Text(contentEnd))
}
