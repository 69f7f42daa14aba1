// Package mention puts the files that a prompt mentions with @ into what the
// model gets (spec/cli.md §6.8, spec/tools.md §3.3).
package mention

import (
	"context"
	"path/filepath"
	"strings"

	"pollux/internal/exit"
	"pollux/internal/tools/fs"
	"pollux/internal/workspace"
	"pollux/llm"
	"pollux/tool"
)

// Expansion is a prompt with the files that it mentions.
type Expansion struct {
	// Parts is what the model gets: the prompt, then the contents of the files.
	Parts []llm.Part
	// Shown is the prompt as the user wrote it.
	Shown string
	// Files are the files whose contents are in Parts, absolute.
	Files []string
	// Skipped are what was mentioned and is not in Parts, and why. (What does
	// not exist is no mention: it stays as text and is not told.)
	Skipped []tool.Skipped
}

// The begin and the end of the files' contents.
const (
	contentBegin = "\n--- Content from referenced files ---"
	contentEnd   = "\n--- End of content ---"
	contentNone  = "No files matching the criteria were found or all were skipped."
)

// Expand finds the files that prompt mentions and reads them, as
// read_many_files does. Only what exists is a mention: a path, a directory
// (all below it), a glob or a piece of a path (its best match). A file that is
// named and cannot be read is an error, of the code exit.Input.
func Expand(ctx context.Context, w *workspace.Workspace, prompt string) (Expansion, error) {
	e := Expansion{Shown: prompt, Parts: []llm.Part{llm.Text(prompt)}}
	if !strings.Contains(prompt, "@") {
		return e, nil
	}
	r := resolver{w: w, known: map[string]target{}}
	mentions := parse(prompt)
	if err := r.resolve(ctx, mentions); err != nil {
		return e, err
	}
	if len(r.include) == 0 {
		e.Skipped = r.skipped
		return e, nil
	}
	got, err := fs.Collect(ctx, w, fs.Selection{Include: r.include, DefaultExcludes: true, Filter: w.DefaultFilter()})
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
	}
	e.Parts = append(e.Parts, contents(w, got.Files)...)
	return e, nil
}

func contents(w *workspace.Workspace, files []fs.File) []llm.Part {
	parts := []llm.Part{llm.Text(contentBegin)}
	if len(files) == 0 {
		return append(parts, llm.Text(contentNone)) // or the model would take what was mentioned for read
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
