package journal

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// history returns the history that records describe, in the form in which it is sent. Gemini CLI
// stores results beside their calls, and on each resume also as messages; each result is taken once.
//
// isExact reports whether each message is a record with the same id and content. open has the calls of the last response.
func history(records []*record) (entries []agent.Entry, isExact bool, open openCalls) {
	b := builder{answered: map[string]bool{}, isExact: true, open: newOpenCalls(&record{}, nil)}
	for i, r := range records {
		switch r.kind {
		case "user":
			b.addUser(r, i+1 < len(records) && records[i+1].kind == "gemini")
		case "gemini":
			b.addModel(r)
		case begunRecord:
			b.open.begun[r.begun] = true
		default:
			b.addCalls(r)
		}
	}
	return b.entries, b.isExact, b.open
}

type builder struct {
	entries  []agent.Entry
	answered map[string]bool // calls that have a result, by id
	isExact  bool
	open     openCalls
}

// addUser adds a prompt or the results of tools. Gemini CLI also records messages that it does
// not send: commands, and the one that opens a session.
func (b *builder) addUser(r *record, isAnswered bool) {
	parts := slices.DeleteFunc(slices.Clone(r.parts), func(p llm.Part) bool {
		return p.FunctionResponse != nil && p.FunctionResponse.ID != "" && b.answered[p.FunctionResponse.ID]
	})
	if len(parts) < len(r.parts) {
		b.isExact = false
		if !hasResult(parts) {
			return // only parts of the results are left
		}
	}
	text := strings.TrimSpace(llm.PartsText(parts))
	if isCommand(r, text) && !isAnswered || isNoPrompt(text) || len(parts) == 0 {
		return
	}
	if text == "" && len(parts) == 1 && parts[0].IsText() {
		return
	}
	for _, p := range parts {
		if p.FunctionResponse != nil {
			b.answered[p.FunctionResponse.ID] = true
		}
	}
	shown := r.shown
	if strings.TrimSpace(shown) == "" {
		shown = ""
	}
	isPrompt := !hasResult(parts)
	if r.isPrompt != nil {
		isPrompt = *r.isPrompt
	}
	b.entries = append(b.entries, agent.Entry{Message: agent.Message{ID: r.id, Content: llm.User(parts...), Shown: shown, IsPrompt: isPrompt, Time: r.time}})
}

// isCommand reports whether the text of a user's message is a command rather than a prompt. Gemini CLI
// records both, Pollux only prompts.
func isCommand(r *record, text string) bool {
	isKnownPrompt := r.isPrompt != nil && *r.isPrompt
	return (strings.HasPrefix(text, "/") || strings.HasPrefix(text, "?")) && !isKnownPrompt
}

func hasResult(parts []llm.Part) bool {
	return slices.ContainsFunc(parts, func(p llm.Part) bool { return p.FunctionResponse != nil })
}

// hasResultOf reports whether there is the result of a call.
func hasResultOf(parts []llm.Part, id string) bool {
	return slices.ContainsFunc(parts, func(p llm.Part) bool { return p.FunctionResponse != nil && p.FunctionResponse.ID == id })
}

// addModel adds a response, and the results of its calls if they are in the same record.
func (b *builder) addModel(r *record) {
	parts := r.parts
	if hasResult(parts) { // of a damaged record
		parts = slices.DeleteFunc(slices.Clone(parts), func(p llm.Part) bool { return p.FunctionResponse != nil })
	}
	if !slices.ContainsFunc(parts, func(p llm.Part) bool { return p.FunctionCall != nil }) {
		parts = slices.Clone(parts)
		for _, c := range r.calls {
			parts = append(parts, llm.Part{FunctionCall: &llm.FunctionCall{ID: c.ID, Name: c.Name, Args: c.Args}})
		}
	}
	if len(parts) == 0 || len(parts) == 1 && parts[0].IsText() && parts[0].Text == "" && parts[0].ThoughtSignature == "" {
		return
	}
	b.isExact = b.isExact && len(parts) == len(r.parts)
	b.entries = append(b.entries, agent.Entry{Message: agent.Message{
		ID: r.id, Content: llm.Model(parts...), Time: r.time, Thoughts: r.thoughts, Usage: r.usage, Model: r.model,
	}})
	made := b.entries[len(b.entries)-1].Content.FunctionCalls()
	for _, c := range made { // some providers use the ids of earlier calls again
		delete(b.answered, c.ID)
	}
	b.open = newOpenCalls(r, made)
	results := &llm.Content{Role: llm.RoleUser}
	var calls []agent.CallRecord
	for _, c := range r.calls {
		if b.answered[c.ID] {
			continue
		}
		if got := resultParts(c); hasResult(got) {
			results.Parts = append(results.Parts, got...)
			calls = append(calls, c.record())
			b.answered[c.ID] = true
		}
	}
	if len(calls) > 0 {
		b.isExact = false
		b.entries = append(b.entries, agent.Entry{Message: agent.Message{ID: r.id + "_response", Content: results, Time: r.time}, Calls: calls})
	}
}

// resultParts returns the result of a call in a record of Gemini CLI's: a text, a part or a list of
// parts, of which those of other calls are left out.
func resultParts(c callJSON) []llm.Part {
	if len(c.Result) == 0 || string(c.Result) == "null" {
		return nil
	}
	parts, err := llm.ParseParts(c.Result)
	if err != nil {
		return nil
	}
	if len(parts) > 0 && !hasResult(parts) {
		return []llm.Part{{FunctionResponse: llm.Output(c.ID, c.Name, llm.PartsText(parts))}}
	}
	isOurs := false
	return slices.DeleteFunc(parts, func(p llm.Part) bool {
		if p.FunctionResponse != nil {
			isOurs = p.FunctionResponse.ID == c.ID
		}
		return !isOurs // media follow their result
	})
}

// addCalls adds the displays of calls to the message with their results. A repair may have
// removed results.
func (b *builder) addCalls(r *record) {
	if len(r.calls) == 0 || len(b.entries) == 0 {
		return
	}
	last := &b.entries[len(b.entries)-1]
	if callsID(last.ID) != r.id {
		b.open.add(r)
		return
	}
	last.Calls = nil
	for _, c := range r.calls {
		c.Timestamp = cmp.Or(c.Timestamp, r.time)
		if hasResultOf(last.Content.Parts, c.ID) {
			last.Calls = append(last.Calls, c.record())
		}
	}
}

func (c *callJSON) record() agent.CallRecord {
	return agent.CallRecord{
		ID: c.ID, Name: c.Name, Args: c.Args, Status: agent.Status(c.Status), Description: c.Description,
		Display: readDisplay(c.Display), Plain: c.IsMarkdown != nil && !*c.IsMarkdown, AgentID: c.AgentID, Ended: c.Timestamp, Active: time.Duration(c.Millis) * time.Millisecond,
		HasRun: c.HasRun || c.Status == string(agent.Success), IsInterrupted: c.IsInterrupted, Executions: c.executions(),
	}
}

// executions returns the executions in the record of a call, as far as they are complete.
func (c *callJSON) executions() []agent.Execution {
	var list []agent.Execution
	for i, one := range c.Executions {
		x := one.Execution
		x.Result, x.Active = &tool.Result{Display: readDisplay(one.Display)}, time.Duration(one.Millis)*time.Millisecond
		if i == 0 {
			x.Summary = c.Description
		}
		if i == len(c.Executions)-1 {
			x.Result.Display = readDisplay(c.Display)
		}
		list = append(list, x)
	}
	return list
}

// readDisplay returns the display in a record, as far as it is complete; nil for unknown kinds.
func readDisplay(v any) tool.Display {
	switch v := v.(type) {
	case string:
		return tool.TextDisplay(v)
	case map[string]any:
		data, err := json.Marshal(v)
		if err != nil {
			return nil
		}
		var d struct {
			FileDiff           string
			FileName, FilePath string
			OriginalContent    *string
			NewContent         string
			DiffStat           tool.DiffStat
			IsNewFile          *bool
			NewDirectories     int
			Todos              []tool.Todo
			AgentName          string
			RecentActivity     []tool.Activity
			State              tool.AgentState
			Result             string
			TerminateReason    string
		}
		if json.Unmarshal(data, &d) != nil {
			return nil
		}
		if d.OriginalContent == nil && d.IsNewFile != nil && !*d.IsNewFile {
			d.OriginalContent = new(string) // it is not recorded
		}
		switch {
		case d.FileDiff != "" || d.FilePath != "":
			return &tool.DiffDisplay{Diff: d.FileDiff, FileName: d.FileName, FilePath: d.FilePath, Before: d.OriginalContent, After: d.NewContent, NewDirs: d.NewDirectories, Stat: d.DiffStat}
		case d.Todos != nil:
			return &tool.TodoDisplay{Todos: d.Todos}
		case d.AgentName != "":
			return &tool.AgentDisplay{Agent: d.AgentName, State: d.State, Activity: d.RecentActivity, Result: d.Result, Reason: d.TerminateReason}
		}
	}
	return nil
}

// Valid returns a history that any model accepts, of one that comes from elsewhere: each call gets a
// result, and results without a call are left out.
func Valid(history []agent.Message) []agent.Message {
	var entries []agent.Entry
	for _, m := range history {
		entries = append(entries, agent.Entry{Message: m})
	}
	entries, _ = repair(entries, openCalls{})
	valid := make([]agent.Message, len(entries))
	for i, e := range entries {
		valid[i] = e.Message
	}
	return valid
}

// repair returns a valid history: each call has a result in the next message, and each result a call in
// the message before. It returns the calls at the end that have no result, or only the note that Pollux
// ended. IDs of new messages derive from those of the messages before.
func repair(entries []agent.Entry, open openCalls) (valid []agent.Entry, interrupted []Call) {
	for i := 0; i < len(entries); i++ {
		e := entries[i]
		calls := e.Content.FunctionCalls()
		if e.Content.Role != llm.RoleModel {
			if e, ok := withoutOrphans(e, nil); ok {
				valid = append(valid, e)
			}
			continue
		}
		valid = append(valid, e)
		if len(calls) == 0 {
			continue
		}
		missing := slices.Clone(calls)
		results := agent.Entry{Message: agent.Message{ID: e.ID + "_lost", Time: e.Time, Content: llm.User()}}
		if i+1 < len(entries) && hasResult(entries[i+1].Content.Parts) {
			i++
			if next, ok := withoutOrphans(entries[i], calls); ok {
				results = next
			}
			missing = slices.DeleteFunc(missing, func(c *llm.FunctionCall) bool { return hasResultOf(results.Content.Parts, c.ID) })
		}
		if len(missing) > 0 {
			parts, isLast := slices.Clone(results.Content.Parts), i+1 >= len(entries)
			results.Calls = slices.Clone(results.Calls)
			for _, c := range missing {
				result, isInterrupted := unanswered(c, lostText, true, results.Time), false
				if isLast {
					result, isInterrupted = open.settle(c, results.Time)
				}
				if isInterrupted {
					interrupted = append(interrupted, Call{c.ID, c.Name, c.Args, result.Calls[0].HasRun})
				}
				parts = append(parts, result.Content.Parts...)
				results.Calls = append(results.Calls, result.Calls...)
			}
			results.Content = llm.User(parts...)
		}
		valid = append(valid, results)
	}
	if n := len(entries); n > 0 {
		for _, c := range entries[n-1].Calls {
			if c.IsInterrupted {
				interrupted = append(interrupted, Call{c.ID, c.Name, c.Args, c.HasRun})
			}
		}
	}
	return valid, interrupted
}

// withoutOrphans returns a message without results of other calls than these. ok is false if nothing
// is left.
func withoutOrphans(e agent.Entry, calls []*llm.FunctionCall) (_ agent.Entry, ok bool) {
	isOrphan := func(p llm.Part) bool {
		return p.FunctionResponse != nil && !slices.ContainsFunc(calls, func(c *llm.FunctionCall) bool { return c.ID == p.FunctionResponse.ID })
	}
	if !slices.ContainsFunc(e.Content.Parts, isOrphan) {
		return e, true
	}
	parts := slices.DeleteFunc(slices.Clone(e.Content.Parts), isOrphan)
	e.Content = llm.User(parts...)
	e.Calls = slices.DeleteFunc(slices.Clone(e.Calls), func(r agent.CallRecord) bool {
		return !slices.ContainsFunc(calls, func(c *llm.FunctionCall) bool { return c.ID == r.ID })
	})
	return e, len(parts) > 0
}
