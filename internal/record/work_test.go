package record

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/tool"
)

// TestWorkOfCommands adds the changes of commands, also of those that failed, and counts the lines of edits once.
func TestWorkOfCommands(t *testing.T) {
	t.Parallel()
	change := &tool.DiffDisplay{FilePath: "/w/a", Stat: tool.DiffStat{ModelAddedLines: 2, ModelRemovedLines: 1}}
	var w Work
	w.addEntries([]agent.Entry{{Calls: []agent.CallRecord{
		{Name: "replace", Status: agent.Success, HasRun: true, Display: change, Executions: []agent.Execution{
			{Changes: &tool.Changes{Changed: 1, Added: 2, Removed: 1, Files: []tool.FileChange{{Path: "a"}}}, Result: &tool.Result{Display: change}},
		}},
		{Name: "run_shell_command", Description: "make", Status: agent.Failed, HasRun: true, Executions: []agent.Execution{
			{Changes: &tool.Changes{Created: 1, Added: 4, Files: []tool.FileChange{{Path: "b"}}}, Result: &tool.Result{}},
			{Changes: &tool.Changes{Deleted: 1, Removed: 3, Files: []tool.FileChange{{Path: "b"}}}},
		}},
	}}})
	if diff := cmp.Diff(Work{Files: []string{"/w/a", "b"}, Added: 6, Removed: 4}, w); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	many := &tool.Changes{Created: maxFiles + 9}
	for i := range maxFiles {
		many.Files = append(many.Files, tool.FileChange{Path: fmt.Sprint(i)})
	}
	if w.AddChanges(many); len(w.Files) != maxFiles || !w.MoreFiles {
		t.Errorf("%d files, more %v", len(w.Files), w.MoreFiles)
	}
}
