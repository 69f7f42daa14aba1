package agent

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pollux/llm"
	"pollux/tool"
)

// failedEdits asks a model once for each prompt about edits that it ends without: the last edit of a file has failed,
// and nothing has changed the file since. The request is not part of the history and has no event, see
// [unfinished]. If edits are still left at the end of the run, EditsLeft reports them.
type failedEdits struct {
	*requester
	files    []string // absolute paths
	hasAsked bool
}

// note adds the results of calls.
func (f *failedEdits) note(finished []ToolFinished) {
	for _, call := range finished {
		changes := call.Changes()
		f.files = slices.DeleteFunc(f.files, func(path string) bool { return mayHave(changes, path) })
		t, ok := f.cfg.Tools.Lookup(call.Call.Name)
		if !ok || len(f.files) == 0 && !isNotFound(call) {
			continue
		}
		effect := tool.EffectOf(t, call.Call.Args)
		switch {
		case isNotFound(call):
			f.drop(effect.Paths)
			f.files = append(f.files, effect.Paths...)
		case call.Status != Success || effect.Reads:
		case t.Spec().Kind == tool.KindEdit && len(effect.Paths) > 0:
			f.drop(effect.Paths)
		default: // such as a command that names the file: not all changes are known
			f.files = slices.DeleteFunc(f.files, func(path string) bool {
				return bytes.Contains(call.Call.Args, []byte(filepath.Base(path)))
			})
		}
	}
}

// mayHave reports whether changes, which may be nil, have the file at this absolute path or do not name all files.
func mayHave(changes *tool.Changes, path string) bool {
	return changes != nil && (changes.Total() > len(changes.Files) ||
		slices.ContainsFunc(changes.Files, func(file tool.FileChange) bool {
			return strings.HasSuffix("/"+filepath.ToSlash(path), "/"+file.Path)
		}))
}

// isNotFound reports whether a call was an edit whose place was not found.
func isNotFound(f ToolFinished) bool {
	return f.Status == Failed && f.Result.Error != nil &&
		slices.Contains([]tool.ErrorType{tool.ErrEditNoOccurrence, tool.ErrEditOccurrenceMismatch}, f.Result.Error.Type)
}

func (f *failedEdits) drop(paths []string) {
	f.files = slices.DeleteFunc(f.files, func(path string) bool { return slices.Contains(paths, path) })
}

func (f *failedEdits) sees(t *turn) bool {
	limit := f.cfg.MaxTurns
	switch {
	case len(f.files) == 0, f.hasAsked, f.cfg.Unfinished == nil, t.err != nil, t.problem != nil, t.loop.Kind != "":
		return false
	}
	text := t.reply.visibleText()
	return !saysSo(text) && t.reply.reason == llm.FinishStop && t.reply.loop.Kind == "" && !t.reply.hasCall() && hasVisibleText(text) &&
		!f.conv.hasWaiting() && (limit == nil || f.conv.turnCount < *limit)
}

// saysSo reports whether an answer may say that something was not done.
func saysSo(answer string) bool {
	answer = strings.ToLower(answer)
	return slices.ContainsFunc([]string{"not ", "n't", "fail", "unable", "unchanged"}, func(word string) bool { return strings.Contains(answer, word) })
}

func (f *failedEdits) repairs(ctx context.Context, t *turn) (remedy, error) {
	f.hasAsked = true
	text := fmt.Sprintf("[System: Your last edit of %s failed, and the file was not changed since. If the task needs the edit, make it now. "+
		"If not, tell the user in one sentence that it was not made.]", strings.Join(f.files, ", "))
	return f.goOn(ctx, t, t.reply.visibleText(), append(f.conv.history.contents(), llm.Model(t.reply.parts...), llm.User(llm.Text(text))))
}
