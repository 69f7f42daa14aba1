package acceptance

import (
	"encoding/json"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"pollux/internal/companion/companiontest"
)

// companionWord starts an editor with the companion extension, which has the script's directory open. The lines of the file are the
// actions of the person there: "share" and JSON shares the open files, and then, for each change that the editor shows, "accept", "edit" and the
// new text, "reject", or "retype" and the new text without an answer, or "leave" for nothing.
func companionWord(ts *testscript.TestScript, args []string) bool {
	if len(args) != 1 {
		return false
	}
	w := of(ts)
	e := companiontest.Start(nil)
	ts.Defer(e.Stop)
	_, err := e.List(ts.Getenv("TMPDIR"), os.Getpid(), w.work)
	ts.Check(err)
	var plan [][2]string
	for line := range strings.Lines(strings.ReplaceAll(ts.ReadFile(args[0]), "$WORK", w.work)) {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if verb == "share" {
			var state any
			ts.Check(json.Unmarshal([]byte(rest), &state))
			e.Share(state)
			continue
		}
		plan = append(plan, [2]string{verb, rest})
	}
	go func() { // until the script ends
		for _, step := range plan {
			change := <-e.Opened()
			switch step[0] {
			case "accept":
				e.Accept(change.Path)
			case "edit":
				e.Edit(change.Path, step[1]+"\n")
				e.Accept(change.Path)
			case "retype":
				e.Edit(change.Path, step[1]+"\n")
			case "reject":
				e.Reject(change.Path)
			}
		}
	}()
	return true
}
