package command

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"pollux/internal/tools/file"
	"pollux/internal/workspace"
	"pollux/llm"
)

// readFiles reads the files of a template, and returns the replacement of each @{path}, by path: nothing
// for an ignored file, and the template's text for an unreadable one. The user sees a note about both.
func readFiles(ctx context.Context, list []segment, s Session) (map[string][]llm.Part, error) {
	r := reader{Session: s, replaced: map[string][]llm.Part{}}
	var include []string
	var targets []target
	for _, part := range list {
		if _, isKnown := r.replaced[part.text]; part.kind != fileSegment || isKnown {
			continue
		}
		r.replaced[part.text] = nil
		t, reason := r.find(part.text)
		switch {
		case reason != "":
			r.keep(part.text, part.written, reason)
			continue
		case s.Workspace.Ignored(t.abs, t.isDir, s.Workspace.DefaultFilter()):
			s.Note(fmt.Sprintf("File '%s' was ignored by .gitignore or .geminiignore and was not included in the prompt.", part.written))
			continue
		}
		t.written = part.written
		targets, include = append(targets, t), append(include, t.pattern())
	}
	if len(targets) == 0 {
		return r.replaced, nil
	}
	got, err := file.Collect(ctx, s.Workspace, file.Selection{Include: include, Filter: s.Workspace.DefaultFilter(), Room: s.Room()})
	if err != nil {
		return nil, err
	}
	for _, t := range targets {
		r.replace(t, got)
	}
	if got.More > 0 {
		s.Note(fmt.Sprintf("The prompt names too many files: the last %d of them are left out.", got.More))
	}
	return r.replaced, nil
}

type reader struct {
	Session
	replaced map[string][]llm.Part // by path
}

// target is a file or a directory that a template names.
type target struct {
	path    string // in the template
	written string // with the braces
	abs     string
	isDir   bool
}

// find returns the file or directory that a path names in a directory of the workspace, or why there is
// none.
func (r *reader) find(path string) (t target, reason string) {
	reason = "Path not found in workspace: " + path
	if path == "" {
		return t, "The path is empty"
	}
	for _, dir := range r.Workspace.Dirs() {
		abs := path
		if !filepath.IsAbs(abs) {
			abs = filepath.Join(dir, path)
		}
		if err := r.Workspace.CheckRead(abs); err != nil {
			reason = err.Error()
			continue
		}
		if info, err := r.Workspace.Disk().Stat(abs); err == nil {
			return target{path: path, abs: abs, isDir: info.IsDir()}, ""
		}
	}
	return t, reason
}

// pattern returns the pattern that selects the files of the target.
func (t target) pattern() string {
	if t.isDir {
		return workspace.EscapeGlob(t.abs) + "/**"
	}
	return t.abs
}

// keep leaves a path as it is written in the template.
func (r *reader) keep(path, written, reason string) {
	r.replaced[path] = []llm.Part{llm.Text(written)}
	r.Note(fmt.Sprintf("Failed to inject content for '%s': %s", written, reason))
}

// replace sets the replacement of a path: the file, or the files of the directory between two
// marks.
func (r *reader) replace(t target, got *file.Collection) {
	if !t.isDir {
		for _, f := range got.Files {
			if f.Path == filepath.Clean(t.abs) {
				r.noteCut(f)
				r.replaced[t.path] = []llm.Part{content(f)}
				return
			}
		}
		r.keep(t.path, t.written, reasonFor(t, got))
		return
	}
	parts := []llm.Part{llm.Text("--- Start of content for directory: " + t.path + " ---\n")}
	for _, f := range got.Files {
		rel, err := filepath.Rel(t.abs, f.Path)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		r.noteCut(f)
		parts = append(parts, llm.Text("--- "+filepath.ToSlash(rel)+" ---\n"), content(f), llm.Text("\n"))
	}
	r.replaced[t.path] = append(parts, llm.Text("--- End of content for directory: "+t.path+" ---"))
}

// noteCut adds a note for the user about a file that is too long for the model.
func (r *reader) noteCut(f file.File) {
	if f.Cut != "" {
		r.Note(fmt.Sprintf("%s is too long for the context window. The prompt contains %s.", r.Workspace.Rel(f.Path), f.Cut))
	}
}

func content(f file.File) llm.Part {
	if f.Media != nil {
		return llm.Part{InlineData: f.Media}
	}
	return llm.Text(f.Text)
}

// reasonFor returns why a file was not read.
func reasonFor(t target, got *file.Collection) string {
	for _, s := range got.Skipped {
		if s.Path == filepath.Clean(t.abs) {
			return strings.TrimSuffix(s.Reason, ".")
		}
	}
	return "it cannot be read"
}
