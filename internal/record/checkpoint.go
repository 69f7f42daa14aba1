package record

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/terminal"
	"pollux/internal/tools/file"
	"pollux/internal/undo/store"
	"pollux/internal/workspace"
	"pollux/tool"
)

// Checkpoint is the state of the conversation before a tool call that has run, or may have, or that the
// end of Pollux kept from running, and that may change something. The record of the call is the checkpoint: there is no other file.
type Checkpoint struct {
	// Name is "<time>-<file or program>-<tool>", unique in the session. Gemini CLI names its
	// checkpoints the same way.
	Name string
	Tool string
	// Target is the file that the call names, or its command; "" for neither.
	Target string
	Time   time.Time // of the end of the call
	Status agent.Status

	Results string // id of the message with the result
	CallID  string
}

// Changes finds the calls of a conversation that may have changed something, and undoes the changes of files. Its
// methods may be called during a run.
type Changes struct {
	Record *Record
	// History returns the conversation.
	History func() []agent.Message
	// Tool returns the tool with a name, hidden or not.
	Tool      func(name string) (tool.Tool, bool)
	Workspace *workspace.Workspace
	// Denies reports whether a policy denies to write a file.
	Denies func(path string) bool
	// Seen, if set, learns the files that were brought back, for the conversation.
	Seen         *file.Seen
	Conversation func() tool.Conversation
	// UndoLog returns the log of the changes of all calls; nil if there is none.
	UndoLog func() (*store.Store, error)
}

// Checkpoints returns the checkpoints of the conversation, the oldest first. A compression removes
// those of the calls that it summarizes. There are none if the conversation is not recorded.
func (g *Changes) Checkpoints() []Checkpoint {
	calls := g.Record.Calls()
	if calls == nil {
		return nil
	}
	var list []Checkpoint
	used := map[string]int{} // of names
	history := g.History()
	for i, m := range history {
		for _, c := range calls[m.ID] {
			if i == 0 || !c.HasRun && !c.IsInterrupted {
				continue
			}
			ran := c.Ran()
			n := slices.IndexFunc(ran, func(x agent.Execution) bool { return g.mayChange(x.Name) })
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

// InFile returns the checkpoint that a file of Gemini CLI has, as far as its name tells. It belongs to no result.
func InFile(name string) Checkpoint {
	const stamp = "2006-01-02T15-04-05_000Z"
	p := Checkpoint{Name: name, Tool: "checkpoint", Target: name}
	if len(name) <= len(stamp) {
		return p
	}
	at, err := time.Parse("2006-01-02T15-04-05.000Z", strings.Replace(name[:len(stamp)], "_", ".", 1))
	if i := strings.LastIndexByte(name, '-'); err == nil && i > len(stamp) {
		p.Time, p.Tool, p.Target = at, name[i+1:], name[len(stamp)+1:i]
	}
	return p
}

// IsInFile reports whether the checkpoint is in a file of Gemini CLI, with the whole conversation.
func (p *Checkpoint) IsInFile() bool { return p.Results == "" }

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
		Status: c.Status, Results: results, CallID: c.ID,
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

// mayChange reports whether calls of a tool may change something beside the conversation. A tool that
// is not known to change nothing counts as changing something.
func (g *Changes) mayChange(name string) bool {
	t, ok := g.Tool(name)
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
// included, which the conversation loses when it returns to a checkpoint.
func (g *Changes) Undone(p Checkpoint) (prompts, changes int) {
	hasBegun := false
	for _, m := range g.History() {
		if hasBegun && m.IsPrompt {
			prompts++
		}
		hasBegun = hasBegun || m.ID == p.Results
	}
	for _, q := range g.Checkpoints() {
		if changes > 0 || q.Results == p.Results && q.CallID == p.CallID {
			changes++
		}
	}
	return prompts, changes
}

// Describe describes the call of a checkpoint, on one line.
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
