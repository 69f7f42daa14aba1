package memory

import (
	"fmt"
	"strings"

	"pollux/tool"
)

// block returns the form in which the model sees a file.
func block(f *File) string {
	path := printable(f.Path)
	return fmt.Sprintf("--- Context from: %s ---\n%s\n--- End of Context from: %[1]s ---", path, f.Text)
}

func blocks(files []File) string {
	list := make([]string, len(files))
	for i := range files {
		list[i] = block(&files[i])
	}
	return strings.Join(list, "\n\n")
}

// The texts of the commands about memory (spec/agent.md §23), which pollux
// memory and /memory have in common.

// Show returns what the model is told, as text.
func Show(files []File) string {
	if len(files) == 0 {
		return "Memory is currently empty."
	}
	return fmt.Sprintf("Current memory content from %d file(s):\n\n---\n%s\n---", len(files), blocks(files))
}

// List names the files.
func List(files []File) string {
	if len(files) == 0 {
		return "No GEMINI.md files in use."
	}
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = printable(f.Path)
	}
	return fmt.Sprintf("There are %d GEMINI.md file(s) in use:\n\n%s", len(files), strings.Join(paths, "\n"))
}

// Reloaded says what a reload has found. Characters are UTF-16 units.
func Reloaded(files []File) string {
	if len(files) == 0 {
		return "Memory reloaded successfully. No memory content found"
	}
	n := tool.Units(blocks(files))
	return fmt.Sprintf("Memory reloaded successfully. Loaded %d characters from %d file(s)", n, len(files))
}
