package conversation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/manage"
	"pollux/internal/record"
	"pollux/internal/terminal"
)

// canRevert reports whether a file of a plan can be brought back.
func canRevert(files []record.FileUndo) bool {
	return slices.ContainsFunc(files, func(f record.FileUndo) bool { return f.Problem == "" })
}

// confirmRevert shows the effects on files, and asks for approval. If none can be brought back, there is
// nothing to ask: [revertFiles] says why.
func confirmRevert(ctx context.Context, c *manage.Call, files []record.FileUndo, isPartial bool) (bool, error) {
	if !canRevert(files) {
		return len(files) > 0, nil
	}
	const most = 30
	lines := []string{"Revert the changes of these files, too?"}
	for i, f := range files {
		if i == most {
			lines = append(lines, fmt.Sprintf("  and %d more", len(files)-most))
			break
		}
		what := ""
		switch {
		case f.Problem != "":
			what = " (stays: " + f.Problem + ")"
		case f.Removes:
			what = " (is removed)"
		}
		lines = append(lines, "  "+nameOf(c, f)+what)
	}
	if isPartial {
		lines = append(lines, "What commands have changed stays.")
	}
	return c.Confirm(ctx, "Revert", strings.Join(lines, "\n"))
}

func nameOf(c *manage.Call, f record.FileUndo) string {
	return terminal.Cut(terminal.Line(c.Live.Workspace.Display(f.Path)), 200)
}

// revertFiles undoes the changes of files. It returns the paths that it changed, and a text for the user.
func revertFiles(ctx context.Context, c *manage.Call, files []record.FileUndo) (paths []string, text string) {
	var names, stay []string
	for _, f := range files {
		problem := f.Problem
		if problem == "" {
			if err := f.Apply(ctx); err != nil {
				problem = err.Error()
			}
		}
		if problem != "" {
			stay = append(stay, nameOf(c, f)+" ("+problem+")")
			continue
		}
		paths, names = append(paths, f.Path), append(names, nameOf(c, f))
	}
	if len(names) > 0 {
		text = "File changes reverted: " + strings.Join(names, ", ") + "."
	}
	if len(stay) > 0 {
		text = strings.TrimSpace(text + "\nNot reverted: " + strings.Join(stay, ", ") + ".")
	}
	return paths, text
}
