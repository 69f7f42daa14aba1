//go:build unix

package shell

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"pollux/internal/shellcmd"
	"pollux/tool"
)

// Rehearse implements [tool.Rehearsable] for commands that delete or move a file: it must be there, and a moved file
// must not replace another one. Of other commands nothing is known before they run.
func (c *call) Rehearse(_ context.Context, draft tool.Draft) *tool.Result {
	script, err := shellcmd.Parse(c.command)
	if err != nil || !script.IsList {
		return nil
	}
	exists := func(path string) bool {
		if file, isChanged := draft[path]; isChanged {
			return file != nil
		}
		_, err := os.Lstat(path)
		return err == nil
	}
	for _, command := range script.Commands {
		words := command.Args()
		if len(words) < 2 || slices.ContainsFunc(command.Words, func(w shellcmd.Word) bool { return !w.Static }) {
			return nil
		}
		name, from, to := words[0], c.path(words[1]), c.path(words[len(words)-1])
		isMove := name == "mv" && len(words) == 3
		switch {
		case !isMove && !(name == "rm" && len(words) == 2):
			continue
		case !exists(from):
			return tool.Fail(tool.ErrFileNotFound, fmt.Sprintf("%s: no such file: %s. Nothing was changed.", name, from))
		case isMove && exists(to):
			return tool.Fail(tool.ErrExecutionFailed, fmt.Sprintf("mv: %s exists already. Nothing was changed.", to))
		}
		draft[from] = nil
		if isMove {
			draft[to] = true
		}
	}
	return nil
}

// path returns the absolute path of a word of the command.
func (c *call) path(word string) string {
	if filepath.IsAbs(word) {
		return filepath.Clean(word)
	}
	return filepath.Join(c.dir, word)
}
