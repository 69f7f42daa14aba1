//go:build linux

package killed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"pollux/internal/process/processtest"
	"pollux/internal/scriptmodel"
)

// check checks the history of earlier runs in a run's requests, and that its record only grew.
func (s *session) check(prompt string) {
	s.t.Helper()
	s.model.mu.Lock()
	defer s.model.mu.Unlock()
	s.checkJournal()
	got := s.model.first
	switch {
	case got == nil:
		return // it ended before it asked
	case s.model.wasShort && strings.Contains(fmt.Sprint(got), "All is well."):
		return // the summary replaces the earlier messages
	}
	want := s.before.last
	if s.wasCancelled {
		want = withoutPrompt(want)
	}
	if s.wasCleared && !slices.ContainsFunc(got, func(p piece) bool { return p.Role != "user" }) {
		return // of the new conversation, nothing was answered
	}
	if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		s.fail(got, "what the model has got before is missing")
		return
	}
	s.checkTail(got[len(want):], prompt)
}

// withoutPrompt returns the kept part of a cancelled request: its results, and no prompt.
func withoutPrompt(request []piece) []piece {
	n := len(request)
	for n > 0 && request[n-1].Role == "user" && strings.HasPrefix(request[n-1].Part, `{"text":"Prompt`) {
		n--
	}
	return request[:n]
}

func (s *session) fail(got []piece, format string, args ...any) {
	s.t.Helper()
	s.t.Errorf("%v: %s\n--- before, %v %v %v ---\n%s\n--- resumed ---\n%s", s.ends, fmt.Sprintf(format, args...),
		s.before.isWhole, s.before.summarised, s.before.answer, list(s.before.last), list(got))
}

func list(pieces []piece) string {
	var b strings.Builder
	for _, p := range pieces[max(0, len(pieces)-6):] {
		fmt.Fprintf(&b, "%s %.300s\n", p.Role, p.Part)
	}
	return b.String()
}

// checkTail checks the new part of a request: the model's last answer, if it was sent, the results
// of the calls in it, and prompts.
func (s *session) checkTail(tail []piece, prompt string) {
	s.t.Helper()
	text, results := "", map[string]string{}
	var calls []string
	for _, p := range tail {
		var part struct {
			Text         string
			Thought      bool
			FunctionCall *struct {
				ID string
			}
			FunctionResponse *struct {
				ID       string
				Response json.RawMessage
			}
		}
		if err := json.Unmarshal([]byte(p.Part), &part); err != nil {
			s.fail(tail, "%v", err)
		}
		switch {
		case part.FunctionCall != nil:
			calls = append(calls, idOf(part.FunctionCall.ID))
		case part.FunctionResponse != nil:
			results[idOf(part.FunctionResponse.ID)] = string(part.FunctionResponse.Response)
		case p.Role == "model" && !part.Thought && !strings.Contains(part.Text, "[The previous response was interrupted"):
			text += part.Text
		case p.Role == "user" && !strings.HasPrefix(part.Text, "Prompt ") && part.Text != prompt:
			s.fail(tail, "the request has a text that is no prompt: %q", part.Text)
		}
	}
	if last := tail[max(0, len(tail)-1):]; len(last) == 0 || !strings.Contains(last[0].Part, prompt) {
		s.fail(tail, "the prompt is not the last")
	}
	said, called := said(s.before.answer)
	ran := s.ran()
	begun, isBrokenOff := strings.CutSuffix(text, "\n\n[This answer was interrupted here.]")
	if isBrokenOff && !strings.HasPrefix(said, begun) {
		s.fail(tail, "the model did not begin with %q, but said %q", begun, said)
	}
	if len(calls) == 0 && (text == "" || isBrokenOff) { // the answer did not arrive, or a part of it
		for _, id := range called {
			if ran[id] > 0 {
				s.fail(tail, "call %s ran, and the model does not hear of it", id)
			}
		}
		return
	}
	if text != said || !slices.Equal(calls, called) || !s.before.isWhole {
		s.fail(tail, "the model did not say that: %q %q, but %q %q", text, calls, said, called)
	}
	for _, id := range calls {
		switch result := results[id]; {
		case result == "":
			s.fail(tail, "call %s has no result", id)
		case strings.Contains(result, "ran-") && ran[id] != 1:
			s.fail(tail, "call %s has ended, and ran %d times", id, ran[id])
		case strings.Contains(result, "It was not run.") && ran[id] > 0:
			s.fail(tail, "call %s did not begin, and ran", id)
		}
	}
}

// idOf returns the id of a call as the answer has it, to which the server has added a number.
func idOf(id string) string {
	id, _, _ = strings.Cut(id, "-")
	return id
}

// said returns the text and the ids of the calls of an answer.
func said(steps []scriptmodel.Step) (text string, calls []string) {
	for _, step := range steps {
		switch step := step.(type) {
		case scriptmodel.Text:
			text += step.Text
		case scriptmodel.Call:
			calls = append(calls, step.ID)
		}
	}
	return text, calls
}

// ran returns how many times commands ran, by the ids of their calls.
func (s *session) ran() map[string]int {
	times := map[string]int{}
	log, err := os.ReadFile(filepath.Join(s.root, "project", "log"))
	if err != nil && !os.IsNotExist(err) {
		s.t.Error(err)
	}
	for _, line := range strings.Fields(string(log)) {
		times["run_shell_command_"+strings.Replace(line, ".", "_", 1)]++
	}
	return times
}

// checkJournal checks that session files grow and do not change otherwise.
func (s *session) checkJournal() {
	s.t.Helper()
	now := s.files(func(path string) bool {
		return strings.HasPrefix(filepath.Base(path), "session-") && filepath.Ext(path) == ".jsonl"
	})
	for path, old := range s.journal {
		if !bytes.HasPrefix(now[path], old) {
			s.t.Errorf("%v: %s has changed:\n--- before ---\n%s\n--- now ---\n%s", s.ends, path, old, now[path])
		}
	}
	s.journal = now
}

// checkFiles checks the files that the calls have written.
func (s *session) checkFiles(kills int) {
	s.t.Helper()
	for id, times := range s.ran() {
		if times > 1 {
			s.t.Errorf("%v: call %s ran %d times", s.ends, id, times)
		}
	}
	doc, err := os.ReadFile(filepath.Join(s.root, "project", "doc"))
	line, _, _ := strings.Cut(string(doc), "\n")
	step, _ := strconv.Atoi(strings.TrimPrefix(line, "version ")) // 0 fits no file
	if err == nil && string(doc) != version(step) {
		s.t.Errorf("%v: doc is half written: %d bytes, %.100q", s.ends, len(doc), doc)
	}
	counter, err := os.ReadFile(filepath.Join(s.root, "project", "counter"))
	if err != nil || !regexp.MustCompile(`^0(\d*9)?\n$`).Match(counter) {
		s.t.Errorf("%v: counter: %q, %v", s.ends, counter, err)
	}
	edits := strings.SplitAfter(strings.Trim(string(counter), "0\n"), "9")
	slices.Sort(edits)
	if len(slices.Compact(slices.Clone(edits))) < len(edits) {
		s.t.Errorf("%v: an edit was made twice: %q", s.ends, counter)
	}
	temporary := s.files(func(path string) bool { return filepath.Ext(path) == ".tmp" })
	if len(temporary) > kills {
		s.t.Errorf("%v: temporary files: %d", s.ends, len(temporary))
	}
	for path, data := range temporary {
		s.t.Logf("%v left %s with %d bytes", s.ends, path, len(data))
	}
}

// checkProcesses checks that nothing runs that a run has started.
func (s *session) checkProcesses() {
	s.t.Helper()
	pids := processtest.WithVariable(s.mark)
	for deadline := time.Now().Add(20 * time.Second); len(pids) > 0 && time.Now().Before(deadline); pids = processtest.WithVariable(s.mark) {
		time.Sleep(20 * time.Millisecond)
	}
	for _, pid := range pids {
		command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		s.t.Errorf("%v: a process still runs: %q", s.ends, command)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}
