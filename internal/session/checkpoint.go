package session

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/terminal"
	"pollux/llm"
	"pollux/tool"
)

// Checkpoint is the state of the conversation before a tool call that has run, or may have, or that the
// end of Pollux kept from running, and that may change something. The record of the call is the checkpoint: there is no other file.
type Checkpoint struct {
	// Name is "<time>-<file or program>-<tool>", unique in the session. It is what Gemini CLI calls
	// its checkpoints.
	Name string
	Tool string
	// Target is the file that the call names, or its command; "" for neither.
	Target string
	Time   time.Time // of the end of the call
	Status agent.Status

	results string // id of the message with the result
	callID  string
}

// Checkpoints returns the checkpoints of the conversation, the oldest first. A compression removes
// those of the calls that it summarizes. There are none if the conversation is not recorded.
func (s *Session) Checkpoints() []Checkpoint {
	if s.journal == nil {
		return nil
	}
	calls := s.journal.Calls()
	var list []Checkpoint
	used := map[string]int{} // of names
	history := s.History()
	for i, m := range history {
		for _, c := range calls[m.ID] {
			if i == 0 || !c.HasRun && !c.IsInterrupted {
				continue
			}
			ran := c.Ran()
			n := slices.IndexFunc(ran, func(x agent.Execution) bool { return s.mayChange(x.Name) })
			if n < 0 {
				continue
			}
			if ran[n].Args == nil {
				ran[n].Args = argumentsOf(history[i-1], c.ID)
			}
			p := newCheckpoint(m.ID, c, ran[n])
			if used[p.Name]++; used[p.Name] > 1 {
				p.Name += fmt.Sprintf("-%d", used[p.Name])
			}
			list = append(list, p)
		}
	}
	return list
}

// newCheckpoint returns the checkpoint before a call for which x ran, or may have.
func newCheckpoint(results string, c agent.CallRecord, x agent.Execution) Checkpoint {
	var a struct {
		FilePath string `json:"file_path"`
		Path     string `json:"path"` // a usual mistake
		Command  string `json:"command"`
	}
	_ = json.Unmarshal(x.Args, &a) // a call without arguments has no target
	p := Checkpoint{
		Tool: x.Name, Target: cmp.Or(a.FilePath, a.Path, a.Command), Time: c.Ended.Truncate(time.Millisecond),
		Status: c.Status, results: results, callID: c.ID,
	}
	words := []string{strings.NewReplacer(":", "-", ".", "_").Replace(p.Time.UTC().Format("2006-01-02T15:04:05.000Z"))}
	program, _, _ := strings.Cut(strings.TrimSpace(p.Target), " ")
	if a.FilePath+a.Path != "" {
		program = p.Target
	}
	for _, word := range []string{path.Base(strings.ReplaceAll(program, `\`, "/")), x.Name} {
		if word = fileNameOf(word); word != "" {
			words = append(words, word)
		}
	}
	p.Name = strings.Join(words, "-")
	return p
}

// fileNameOf returns a text as a part of a file name: "_" stands for other characters than letters,
// digits and a few signs.
func fileNameOf(text string) string {
	const most = 60
	text = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '_'
	}, text)
	return strings.Trim(text[:min(len(text), most)], ".")
}

// argumentsOf returns the arguments of a call in a response, nil if it does not have the call.
func argumentsOf(m agent.Message, id string) json.RawMessage {
	for _, c := range m.Content.FunctionCalls() {
		if c.ID == id {
			return c.Args
		}
	}
	return nil
}

// mayChange reports whether calls of a tool may change something beside the conversation. What is not
// known to change nothing counts as changing something.
func (s *Session) mayChange(name string) bool {
	t, ok := s.registry.Lookup(name)
	if !ok {
		t, ok = s.registry.Hidden(name)
	}
	if !ok {
		return true
	}
	switch kind := t.Spec().Kind; kind {
	case tool.KindOther:
		remote, ok := tool.As[tool.Remote](t)
		return t.Spec().Name != "write_todos" && (!ok || remote.Annotations()["readOnlyHint"] != true)
	case tool.KindAgent:
		return true
	default:
		return kind.Mutates()
	}
}

// Undone returns the number of prompts and of calls that may have changed something, this one
// included, which the conversation loses when [Session.Restore] returns to a checkpoint.
func (s *Session) Undone(p Checkpoint) (prompts, changes int) {
	hasBegun := false
	for _, m := range s.History() {
		if hasBegun && m.IsPrompt {
			prompts++
		}
		hasBegun = hasBegun || m.ID == p.results
	}
	for _, q := range s.Checkpoints() {
		if changes > 0 || q.results == p.results && q.callID == p.callID {
			changes++
		}
	}
	return prompts, changes
}

// Restore returns to a checkpoint, proposes its call again, and yields the events of the run that
// follows: see [agent.Agent.Redo]. A person is asked before the call runs.
func (s *Session) Restore(ctx context.Context, p Checkpoint) iter.Seq2[agent.Event, error] {
	if s.journal == nil {
		return func(yield func(agent.Event, error) bool) { yield(nil, agent.ErrNoCall) }
	}
	return func(yield func(agent.Event, error) bool) {
		defer s.endTurn()
		records := s.journal.Calls()[p.results]
		run := func(ctx context.Context, prompt agent.Prompt) iter.Seq2[agent.Event, error] {
			return s.agent.Redo(ctx, agent.Proposal{Results: p.results, CallID: p.callID, Records: records, PromptID: prompt.ID})
		}
		prompt := agent.Prompt{ID: s.agent.NewPromptID(), Parts: []llm.Part{llm.Text("/restore " + p.Name)}}
		s.records.Run(ctx, prompt, run)(yield)
	}
}

// Describe returns what the call of a checkpoint did, on one line.
func (p Checkpoint) Describe() string {
	text := terminal.Line(p.Target)
	switch p.Status {
	case agent.Failed:
		text += " (failed)"
	case agent.CallCancelled:
		text += " (interrupted)"
	}
	return strings.TrimSpace(text)
}
