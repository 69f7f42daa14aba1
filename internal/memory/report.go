package memory

import (
	"fmt"
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
