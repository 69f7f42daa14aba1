package policy

import (
	"fmt"
	"slices"
	"strings"

	"pollux/internal/shellcmd"
	"pollux/tool"
)

// Confirmed is the Source of rules that users' answers create.
const Confirmed = "Dynamic (Confirmed)"

// CanRemember reports whether answers may be remembered. Otherwise faces must not offer
// "always".
func (e *Engine) CanRemember() bool { return e.IsTrusted() && !e.opts.DisableAlways }

// canSave reports whether an answer to a call may be saved for future sessions
// (security.enablePermanentToolApproval). The file has a server's name only, so it cannot distinguish a subagent's
// own server from the session's.
func (e *Engine) canSave(c Call) bool {
	return e.CanRemember() && e.opts.Permanent && e.opts.Saved != nil && c.ServerOf == ""
}

// Offers returns the lasting answers to a call, beginning with the one for the shortest time.
// It is empty if answers cannot be remembered.
func (e *Engine) Offers(c Call) []tool.Offer {
	outcomes := []tool.Outcome{tool.ProceedAlways, tool.ProceedAlwaysAndSave}
	if newQuery(c).Server != "" {
		outcomes = []tool.Outcome{tool.ProceedAlwaysTool, tool.ProceedAlwaysServer, tool.ProceedAlwaysAndSave}
	}
	var runners []string
	if q := newQuery(c); q.shell() {
		list, _ := prefixes(q.command())
		for _, p := range list {
			if name := runner(p); name != "" {
				runners = append(runners, name)
			}
		}
	}
	var offers []tool.Offer
	for _, o := range outcomes {
		save := o == tool.ProceedAlwaysAndSave
		if text := e.Preview(c, o); text != "" && (!save || e.canSave(c)) {
			offer := tool.Offer{Outcome: o, Rule: text, Runners: runners}
			if save {
				offer.SavedIn, offer.IsFirst = e.display(e.opts.Saved.File), e.opts.SaveFirst && !newQuery(c).shell()
			}
			offers = append(offers, offer)
		}
	}
	return offers
}

// Preview returns a short description of the calls that an answer would allow, "" if it would
// not be remembered.
func (e *Engine) Preview(c Call, answer tool.Outcome) string {
	if !e.CanRemember() {
		return ""
	}
	if e.switches(c, answer) {
		return "all edits of files (mode " + AutoEdit.Name() + ")"
	}
	r, ok := e.answered(c, answer)
	if !ok {
		return ""
	}
	return r.short()
}

// Remember creates a rule from a user's answer to a call, and reports whether it did. "Always"
// for an edit switches to autoEdit mode instead. Answers that cannot be restricted to the shown
// call, and answers in an untrusted folder, are not remembered. If an answer cannot be saved,
// it is valid for this session.
func (e *Engine) Remember(c Call, answer tool.Outcome) bool {
	if !e.CanRemember() {
		return false
	}
	if e.switches(c, answer) {
		return e.SetMode(AutoEdit) == nil
	}
	r, ok := e.answered(c, answer)
	if !ok {
		return false
	}
	if answer == tool.ProceedAlwaysAndSave && e.canSave(c) {
		r.Saved = e.save(c.Name, r)
	}
	if r.Saved {
		r.shown = nil // the file, which Gemini CLI reads too, has names only
		r.Priority = e.opts.Saved.Tier.priority(savedPriority)
	}
	e.add(r)
	return true
}

// save writes a rule to the file, and reports whether the file contains it.
func (e *Engine) save(name string, r Rule) bool {
	note, err := e.opts.Saved.add(r)
	if report := e.opts.Report; report != nil {
		if note != "" {
			report(note)
		}
		if err != nil {
			report(fmt.Sprintf("Failed to persist policy for %s: %v", name, err))
		}
	}
	return err == nil
}

// switches reports whether an answer is about all edits, for which there is a mode. In that mode, an
// edit that needs approval is one of a protected file, and the answer is about this file.
func (e *Engine) switches(c Call, answer tool.Outcome) bool {
	return answer == tool.ProceedAlways && (c.Name == "write_file" || c.Name == "replace") && e.Mode() < AutoEdit
}

// answered returns the rule that an answer to a call creates, false if it creates none.
func (e *Engine) answered(c Call, answer tool.Outcome) (Rule, bool) {
	q := newQuery(c)
	if e.isRemoteAgent(q) {
		return Rule{}, false
	}
	return rule(q, answer, e.Mode())
}

// rule returns the rule for an answer.
func rule(q *query, answer tool.Outcome, mode Mode) (Rule, bool) {
	r := Rule{
		Tools: []string{q.Name}, Decision: Allow, Priority: TierWorkspace.priority(savedPriority), Modes: From(mode),
		Source: Confirmed,
	}
	switch answer {
	case tool.ProceedAlwaysServer:
		r.Tools, r.owner, r.ownerOf = serverTools(q.Server), q.Server, q.ServerOf
		return r, q.Server != ""
	case tool.ProceedAlways, tool.ProceedAlwaysAndSave, tool.ProceedAlwaysTool:
	default:
		return r, false
	}
	if q.Server == "*" {
		return r, false // in a rule, this name stands for all servers
	}
	if q.Server != "" {
		r.Tools, r.Server = []string{shortName(q)}, q.Server
		r.owner, r.ownerOf = q.Server, q.ServerOf
		r.shown = &Call{Description: q.Description, Schema: q.Schema, Annotations: q.Annotations}
		return r, true
	}
	if q.Name == "ask_user" || q.Name == "exit_plan_mode" {
		return r, false // the user's answer is the purpose of these tools
	}
	isNarrow := narrow(&r, q)
	return r, isNarrow && (!r.reads || answer != tool.ProceedAlwaysAndSave) // which a file cannot say
}

// shortName returns the MCP server's own name for the tool.
func shortName(q *query) string {
	if q.RemoteName != "" {
		return q.RemoteName
	}
	return strings.TrimPrefix(q.Name, "mcp_"+q.plainServer+"_")
}

// Grant is an answer that was remembered in this session.
type Grant struct {
	ID   int    // for [Engine.Revoke]
	Text string // short description of the allowed calls
	// File is the file in which it is saved for future sessions, "" if it is not saved.
	File string
}

// Grants returns the answers that were remembered in this session, the oldest first.
func (e *Engine) Grants() []Grant {
	var list []Grant
	for _, r := range e.Rules() {
		if r.Grant == 0 {
			continue
		}
		g := Grant{ID: r.Grant, Text: r.short()}
		if r.Saved {
			g.File = e.opts.Saved.File
		}
		list = append(list, g)
	}
	slices.SortFunc(list, func(a, b Grant) int { return a.ID - b.ID })
	return list
}

// Revoke removes a grant, also from its file. It returns false if there is none; an error
// means that it is still in the file.
func (e *Engine) Revoke(id int) (bool, error) {
	e.change.Lock()
	defer e.change.Unlock()
	old := e.state.Load()
	i := slices.IndexFunc(old.rules.all, func(r Rule) bool { return id != 0 && r.Grant == id })
	if i < 0 {
		return false, nil
	}
	r := old.rules.all[i]
	e.state.Store(&state{mode: old.mode, rules: newRuleset(slices.Delete(slices.Clone(old.rules.all), i, i+1))})
	if !r.Saved {
		return true, nil
	}
	return true, e.opts.Saved.remove(r)
}

// narrow restricts a rule to the call that the user saw. It returns false if the call lacks the
// required argument.
func narrow(r *Rule, q *query) bool {
	key := ""
	switch q.Name {
	case shellTool, legacyShellTool:
		r.Prefixes, r.AllowRedirection = prefixes(q.command())
		r.reads = r.Modes.Has(Plan) && r.Modes != 0
		return len(r.Prefixes) > 0
	case "read_file", "write_file", "replace":
		key = "file_path"
	case "list_directory":
		key = "dir_path"
	case "glob", "grep_search", "search_file_content":
		key = "pattern"
	case agentTool:
		key = "agent_name"
	case "activate_skill":
		key = "name"
	case "read_many_files":
		r.only = stable(q.member("include"))
		r.Args = literal("\x00" + `"include":` + r.only + "\x00")
		return r.only != ""
	default:
		return true
	}
	r.only = q.text(key)
	r.Args = exactArg(key, r.only)
	return r.only != ""
}

// prefixes returns the distinct programs of an approved command, and whether it redirects. For
// a command that cannot be parsed, the prefix is the command itself. It returns none if no rule with
// prefixes would allow the command.
func prefixes(command string) (list []string, redirects bool) {
	if command == "" {
		return nil, false
	}
	command = shellcmd.StripWrapper(command)
	script, err := shellcmd.Parse(command)
	if err != nil {
		return []string{command}, false
	}
	for _, c := range script.Commands {
		if outputDecides(c) {
			return nil, false
		}
		if c.PrintsText {
			continue
		}
		prefix := c.Name
		// "((" and "$CMD" could begin anything.
		if len(c.Words) == 0 || !c.Words[0].Static {
			prefix = c.Text
		}
		if !slices.Contains(list, prefix) {
			list = append(list, prefix)
		}
	}
	return list, len(script.Redirections) > 0
}
