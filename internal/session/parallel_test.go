package session_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/scriptmodel/scripttest"
	"pollux/internal/session"
	"pollux/llm"
)

// TestParallelCalls checks that calls of one response, some of which run at the same time, leave the same files and
// return the same results as if they run one after the other.
func TestParallelCalls(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		rnd := rand.New(rand.NewPCG(seed, 26))
		var calls []map[string]any
		for range 5 + rnd.IntN(12) {
			calls = append(calls, mixedCall(rnd))
		}
		serial, parallel := playCalls(t, calls, true), playCalls(t, calls, false)
		if diff := cmp.Diff(serial, parallel); diff != "" {
			t.Errorf("seed %d: %v (-serial +parallel):\n%s", seed, calls, diff)
		}
	}
}

// mixedCall returns a call that reads or changes one of a few files.
func mixedCall(rnd *rand.Rand) map[string]any {
	file := []string{"a.txt", "b.txt", "sub/a.txt", "link.txt"}[rnd.IntN(4)] // the link leads to a.txt
	command := func(format string) map[string]any {
		return map[string]any{"tool": "run_shell_command", "command": fmt.Sprintf(format, file)}
	}
	switch rnd.IntN(8) {
	case 0:
		return map[string]any{"tool": "write_file", "file_path": file, "content": fmt.Sprintf("new %d\nsecond\n", rnd.IntN(100))}
	case 1:
		return map[string]any{"tool": "replace", "file_path": file, "old_string": "second", "new_string": fmt.Sprintf("second\nmore %d", rnd.IntN(100))}
	case 2:
		return map[string]any{"tool": "read_file", "file_path": file}
	case 3:
		return command("cat %s | sort")
	case 4:
		return command("sleep 0.01; wc -c %s; git status --short")
	case 5:
		return command("echo appended >> %s")
	case 6:
		return command("mkdir -p sub; cp a.txt %s.copy; rm -f b.txt.copy")
	}
	return command("ls; head -1 %s")
}

// playCalls has a model make the calls in one response, and returns the files and the results. waits makes each call wait
// for those before it.
func playCalls(t *testing.T, calls []map[string]any, waits bool) map[string]string {
	t.Helper()
	h := newHome(t)
	h.file(h.dir+"/a.txt", "first\nsecond\n")
	h.file(h.dir+"/b.txt", "first\nsecond\n")
	if err := os.Symlink("a.txt", h.dir+"/link.txt"); err != nil {
		t.Fatal(err)
	}
	script := "turn\n"
	for _, c := range calls {
		args := maps.Clone(c)
		delete(args, "tool")
		if waits {
			args["wait_for_previous"] = true
		}
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		script += fmt.Sprintf("  call %s %s\n", c["tool"], raw)
	}
	s, err := session.Open(t.Context(), session.Options{
		Project:   project.Options{Dir: h.dir, Env: h.env, Folder: trust.Trusted, ApprovalMode: "yolo"},
		Generator: scripttest.Gemini(t, script+"turn\n  text Done.\n"),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	found := map[string]string{}
	pid := regexp.MustCompile(`(PGID|PIDs?): \d+`)
	for e, err := range s.Run(t.Context(), agent.TextPrompt("Go.")) {
		if err != nil {
			t.Fatal(err)
		}
		if f, ok := e.(agent.ToolFinished); ok {
			text := strings.ReplaceAll(llm.PartsText(f.Result.Content), h.dir, "")
			found[f.Call.ID] = fmt.Sprint(f.Call.Name, " ", f.Status, " ", pid.ReplaceAllString(text, ""))
		}
	}
	err = filepath.WalkDir(h.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.Contains(path, "/.gemini") {
			found[strings.TrimPrefix(path, h.dir)] = h.read(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
