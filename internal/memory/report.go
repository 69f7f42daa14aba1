package memory

import (
	"fmt"
	"path/filepath"
	"strings"

	"pollux/internal/workspace"
	"pollux/tool"
)

// block returns the text of a file as sent to the model.
func block(f *File) string {
	path := workspace.PrintableName(f.Path)
	return fmt.Sprintf("--- Context from: %s ---\n%s\n--- End of Context from: %[1]s ---", path, f.Text)
}

func blocks(files []File) string {
	list := make([]string, len(files))
	for i := range files {
		list[i] = block(&files[i])
	}
	return strings.Join(list, "\n\n")
}

// Note returns a description of the file on one line: its size, the rule by which it was chosen,
// and the files that have the same content.
func (f *File) Note() string {
	note := fmt.Sprintf("%s, %s", size(f.Size), f.Why)
	if n := len(f.Imports); n > 0 {
		note += fmt.Sprintf(", %d imported", n)
	}
	for i, path := range f.Same {
		if i == 0 {
			note += ", also "
		} else {
			note += " "
		}
		note += workspace.PrintableName(filepath.Base(path))
	}
	if f.Cut {
		note += ", cut"
	}
	return note
}

// size returns a number of bytes as text.
func size(n int) string {
	if n < 1024 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f KB", float64(n)/1024)
}

// The texts of `pollux memory` and /memory.

// Show returns the memory that the model gets.
func Show(files []File) string {
	if len(files) == 0 {
		return "Memory is currently empty."
	}
	return fmt.Sprintf("Current memory content from %d file(s):\n\n---\n%s\n---", len(files), blocks(files))
}

// List returns a text that lists the files.
func List(files []File) string {
	if len(files) == 0 {
		return "No GEMINI.md files in use."
	}
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = workspace.PrintableName(f.Path)
		if filepath.Base(f.Path) != defaultName || len(f.Same) > 0 || f.Cut { // other lines are as in Gemini CLI
			paths[i] += " (" + f.Note() + ")"
		}
	}
	return fmt.Sprintf("There are %d GEMINI.md file(s) in use:\n\n%s", len(files), strings.Join(paths, "\n"))
}

// FormatReloaded returns a message about the result of a reload. Characters are counted as UTF-16
// units.
func FormatReloaded(files []File) string {
	if len(files) == 0 {
		return "Memory reloaded successfully. No memory content found"
	}
	n := tool.Units(blocks(files))
	return fmt.Sprintf("Memory reloaded successfully. Loaded %d characters from %d file(s)", n, len(files))
}
