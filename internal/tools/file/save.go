package file

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"pollux/internal/durable"
	"pollux/internal/workspace"
	"pollux/tool"
)

// save writes the new version, and notes which directories it creates, and how an editor changes the text.
func (r *revision) save(ctx context.Context, w *workspace.Workspace) error {
	for dir := filepath.Dir(r.path); ; dir = filepath.Dir(dir) {
		if _, err := w.Disk().Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		r.newDirs++
	}
	if err := r.after.save(w, r.path); err != nil || !w.HasBuffers() {
		return err
	}
	switch now, err := open(ctx, w, r.path); {
	case err != nil || !now.exists: // the text was written, and the result says so
	case now.text == r.after.text:
		r.after = now // its line ends may be others
	default:
		r.formatted = now
	}
	return nil
}

// now returns the version of the file after the call.
func (r *revision) now() *document {
	if r.formatted != nil {
		return r.formatted
	}
	return r.after
}

// formatNote tells the model how the editor has changed the text that it got, "" if it has not.
func (r *revision) formatNote() string {
	if r.formatted == nil {
		return ""
	}
	saved := revision{path: r.path, after: r.formatted}
	return "\nThe editor has formatted the file when it saved it. The difference from your version:\n" + saved.review(r.after.text)
}

// save writes d to abs, and creates missing directories. Errors are [*tool.Error].
func (d *document) save(w *workspace.Workspace, abs string) error {
	err := w.Disk().Mkdir(filepath.Dir(abs))
	if err == nil {
		err = w.Disk().Write(abs, d.data)
	}
	switch {
	case err == nil, isRefusal(err):
		return err
	case errors.Is(err, syscall.EACCES):
		return fail(tool.ErrPermissionDenied, "Permission denied writing to file: %s (EACCES)", abs)
	case durable.IsFull(err):
		return fail(tool.ErrNoSpaceLeft, "No space left on device: %s (ENOSPC)", abs)
	case errors.Is(err, syscall.EISDIR):
		return fail(tool.ErrTargetIsDirectory, "Target is a directory, not a file: %s (EISDIR)", abs)
	}
	suffix := ""
	if c := code(err); c != "" {
		suffix = " (" + c + ")"
	}
	return fail(tool.ErrFileWrite, "Error writing to file '%s': %s%s", abs, describe(err, "open", abs), suffix)
}

// omits reports whether text contains a placeholder for omitted code, such as "// rest of the
// methods ...". Writing it to a file would delete the omitted code.
func omits(text string) bool { return len(omissions(text)) > 0 }

// omissions returns such lines in normalized form.
func omissions(text string) map[string]bool {
	if !strings.Contains(text, "...") {
		return nil
	}
	found := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "//"))
		if strings.HasPrefix(line, "(") && strings.HasSuffix(line, ")") {
			line = strings.TrimSpace(line[1 : len(line)-1])
		}
		words := strings.TrimRight(line, ".")
		if len(line)-len(words) < 3 || len(words) > 100 {
			continue
		}
		switch words = strings.ToLower(strings.Join(strings.Fields(words), " ")); words {
		case "rest of", "rest of method", "rest of methods", "rest of code", "unchanged code", "unchanged method", "unchanged methods":
			found[words] = true
		}
	}
	return found
}
