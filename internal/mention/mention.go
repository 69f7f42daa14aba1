// Package mention adds the files that a prompt mentions with @ to the message for the model.
package mention

import (
	"context"
	"path/filepath"
	"slices"
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
	// Agents are the names of the subagents that the prompt mentions.
	Agents []string
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

// Resources are texts that a prompt can mention beside files, such as those of MCP servers.
type Resources interface {
	// Has reports whether there is a resource with this id.
	Has(id string) bool
	// Text returns the text of a resource for the model.
	Text(ctx context.Context, id string) (string, error)
}

// Known has the resources that a prompt can mention beside files.
type Known struct {
	// IsAgent reports whether there is a subagent with this name; nil knows none.
	IsAgent func(name string) bool
	// Resources are nil if there are none.
	Resources Resources
	// Seen, if set, learns the files that the prompt mentions.
	Seen *file.Seen
}

// Expand finds the files that the prompt mentions and reads them. A mention is the name of a subagent, the id of a resource, an
// existing path, a directory (meaning all files below it), a glob, or a part of a path (meaning its best
// match). If a resource or a file that is named cannot be read, the error has the code exit.Input. room
// returns the number of tokens that all texts may have together, 0 for no limit; it is called only if
// there are files to read.
func Expand(ctx context.Context, w *workspace.Workspace, prompt string, room func() int, known Known) (Expansion, error) {
	e := Expansion{Shown: prompt, Parts: []llm.Part{llm.Text(prompt)}}
	if !strings.Contains(prompt, "@") {
		return e, nil
	}
	r := resolver{w: w, known: map[string]target{}}
	mentions, agents := parse(prompt), []string(nil)
	if known.IsAgent != nil {
		mentions, agents = split(mentions, known.IsAgent)
	}
	var ids []string
	if known.Resources != nil {
		mentions, ids = split(mentions, known.Resources.Has)
	}
	if note := agentNote(agents); note != "" {
		e.Agents = agents
		e.Parts = append(e.Parts, llm.Text(note))
	}
	r.choose(mentions)
	if err := r.resolve(ctx, mentions); err != nil {
		return e, err
	}
	e.Missing = r.missing(prompt, mentions)
	e.Skipped = r.skipped
	if len(r.include)+len(ids) == 0 {
		return e, nil
	}
	content, err := readResources(ctx, known.Resources, ids)
	if err != nil {
		return e, err
	}
	e.Parts[0] = llm.Text(r.rewrite(prompt, mentions))
	e.Parts = append(e.Parts, llm.Text(contentBegin))
	if len(r.include) > 0 {
		files, err := e.collect(ctx, &r, mentions, file.Selection{Room: room(), Seen: known.Seen})
		if err != nil {
			return e, err
		}
		content = append(content, files...)
	}
	if len(content) == 0 {
		e.Parts = append(e.Parts, llm.Text(contentNone)) // otherwise the model assumes that it was read
		return e, nil
	}
	e.Parts = append(append(e.Parts, content...), llm.Text(contentEnd))
	return e, nil
}

// agentNote asks the model to delegate to the subagents that the user has named, "" if there are
// none.
func agentNote(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "\n<system_note>\nThe user has explicitly selected the following agent(s): " + strings.Join(names, ", ") +
		". Delegate the task to them with `invoke_agent`.\n</system_note>\n"
}

// split separates the mentions that are something else than files, of which it returns the names, each once.
func split(all []mention, isOther func(name string) bool) (files []mention, names []string) {
	for _, m := range all {
		for _, e := range m.endings { // text may follow the name without a space
			if e.end < m.end && !isOther(m.path) && isOther(e.path) {
				m.path, m.end = e.path, e.end
			}
		}
		switch {
		case !isOther(m.path):
			files = append(files, m)
		case !slices.Contains(names, m.path):
			names = append(names, m.path)
		}
	}
	return files, names
}

// readResources returns the parts of the message with these resources.
func readResources(ctx context.Context, resources Resources, ids []string) (parts []llm.Part, err error) {
	for _, id := range ids {
		text, err := resources.Text(ctx, id)
		if err != nil {
			return nil, exit.Errorf(exit.Input, "Exiting due to an error processing the @ command: Error reading resource %s: %w", id, err)
		}
		parts = append(parts, llm.Text("\nContent from @"+id+":\n"), llm.Text(text))
	}
	return parts, nil
}

// collect reads the files of the mentions, and returns the parts of the message with them.
func (e *Expansion) collect(ctx context.Context, r *resolver, mentions []mention, s file.Selection) ([]llm.Part, error) {
	w := r.w
	s.Include, s.Filter = r.include, w.DefaultFilter()
	got, err := file.Collect(ctx, w, s)
	if err != nil {
		return nil, err
	}
	for _, s := range got.Skipped {
		if s.Err != nil && r.named[s.Path] {
			return nil, exit.Errorf(exit.Input, "Exiting due to an error processing the @ command: %w", s.Err)
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
	return contents(w, got.Files), nil
}

func contents(w *workspace.Workspace, files []file.File) (parts []llm.Part) {
	for _, f := range files {
		if f.Media != nil {
			parts = append(parts, llm.Part{InlineData: f.Media})
			continue
		}
		parts = append(parts, llm.Text("\nContent from @"+filepath.ToSlash(w.Rel(f.Path))+":\n"), llm.Text(strings.TrimSpace(f.Text)))
	}
	return parts
}
