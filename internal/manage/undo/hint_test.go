package undo

import (
	"os"
	"testing"

	"pollux/internal/exit"
	"pollux/internal/manage/managetest"
)

// TestNextStep undoes changes of which a file was changed since, and then runs the commands that the undo has named.
func TestNextStep(t *testing.T) {
	t.Parallel()
	for line, check := range map[string]func(run func(line, want, content string)){
		"undo": func(run func(line, want, content string)) {
			run("2", "run pollux undo '#3' --merge, which", "mine\n")
			run("#3 --merge", "the same lines", "mine\n")
			run("#3 --overwrite", "Undone #3", "old\n")
		},
		"in a session": func(run func(line, want, content string)) {
			run("/ 2 --merge", "run /undo #3 --overwrite.", "mine\n")
			run("/ #3 --overwrite", "Undone #3", "old\n")
		},
		"restore": func(run func(line, want, content string)) {
			run("2", "run pollux undo", "mine\n")
			run("restore c", "add --merge", "mine\n")
			run("restore c --overwrite", "Brought back #3", "old\n")
		},
		"nothing undone": func(run func(line, want, content string)) {
			run("", "add --merge, which", "mine\n")
			run("--overwrite", "Undone #3", "old\n")
		},
		"dry run": func(run func(line, want, content string)) {
			run("2 --dry-run", "add --merge, which", "mine\n")
			run("2 --overwrite", "Undone #3, #2", "old\n")
		},
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			p := managetest.New(t, `{"general": {"defaultApprovalMode": "auto_edit"}}`)
			p.Script = `
turn
  call write_file {"file_path": "a", "content": "new\n"}
turn
  call write_file {"file_path": "b", "content": "new\n"}
turn
  call write_file {"file_path": "c", "content": "new\n"}
turn
  text Written.
`
			p.Write("a", "old\n")
			p.Write("b", "old\n")
			path := p.Write("c", "old\n")
			p.Prompt("Write.")
			if err := os.WriteFile(path, []byte("mine\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			check(func(line, want, content string) {
				t.Helper()
				code := exit.OK
				if content == "mine\n" && line != "2" && line != "/ 2 --merge" && line != "2 --dry-run" {
					code = exit.General
				}
				p.Check(Commands()[0], []managetest.Case{{Line: line, Want: want, Code: code}})
				if data, err := os.ReadFile(path); err != nil || string(data) != content {
					t.Errorf("%s: content %q, error %v", line, data, err)
				}
			})
		})
	}
}
