package policy

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// Decision is what becomes of a call.
type Decision string

// The decisions, as policy files write them.
const (
	Allow Decision = "allow"
	Deny  Decision = "deny"
	Ask   Decision = "ask_user"
)

// Rule decides about the calls it matches (spec/safety.md §2.2). A condition
// that is not set holds for every call.
type Rule struct {
	// Tools are the names it is about, any of them: exact names, "*",
	// "mcp_*", "mcp_<server>_*" or "mcp_*_<tool>". None is no call.
	Tools    []string
	Decision Decision
	// Priority orders the rules: tier + priority/1000, the highest first.
	Priority float64
	// Server is the MCP server of the call, "*" for any.
	Server string
	// Args must be found in the arguments.
	Args *Pattern
	// Prefixes are beginnings of shell commands, any of them. What follows is
	// a space, a double quote or nothing.
	Prefixes []string
	Modes    Modes
	When     When
	// Subagent is the caller's name, "parent/child" for nested ones.
	Subagent string
	// Annotations must equal those of the tool.
	Annotations map[string]any
	// AllowRedirection lets an allowed shell command redirect.
	AllowRedirection bool
	// DenyMessage is added to what the model hears.
	DenyMessage string
	// Source says where the rule comes from, for a person.
	Source string

	// Grant numbers the rules that are a person's answers in this session; Saved
	// are those of them that are in a file.
	Grant int
	Saved bool
	only  string // what Args pins, in plain words
	real  bool   // an allowing rule that goes by a file's real name, too
}

// When says in which sessions a rule holds.
type When uint8

// The kinds of sessions.
const (
	Always      When = iota
	Interactive      // a person is there to answer
	Headless         // nobody is
)

// Names of the tools that the engine knows more about.
const (
	shellTool       = "run_shell_command"
	legacyShellTool = "ShellTool"
	agentTool       = "invoke_agent"
)

// legacyNames are former names of tools and what they are called now.
var legacyNames = [...][2]string{{"search_file_content", "grep_search"}, {legacyShellTool, shellTool}}

// conditional reports whether the rule looks at the arguments.
func (r *Rule) conditional() bool { return r.Args != nil || len(r.Prefixes) > 0 }

// matches reports whether the rule is about the call (spec/safety.md §2.4).
func (r *Rule) matches(c *query, mode Mode, interactive bool) bool {
	return r.matchesTool(c, mode, interactive) && r.matchesArgs(c)
}

// matchesTool reports whether the rule is about the call, arguments aside.
func (r *Rule) matchesTool(c *query, mode Mode, interactive bool) bool {
	switch {
	case !r.Modes.Has(mode),
		r.When == Interactive && !interactive,
		r.When == Headless && interactive,
		r.Subagent != "" && r.Subagent != c.Subagent,
		r.Server == "*" && c.Server == "",
		r.Server != "" && r.Server != "*" && r.Server != c.Server:
		return false
	}
	if !slices.ContainsFunc(r.Tools, func(t string) bool { return r.matchesName(t, c) }) {
		return false
	}
	for key, want := range r.Annotations {
		if got, ok := c.Annotations[key]; !ok || !reflect.DeepEqual(got, want) {
			return false
		}
	}
	return true
}

func (r *Rule) matchesName(pattern string, c *query) bool {
	if pattern == "*" || pattern == c.Name || slices.Contains(c.Aliases, pattern) {
		return true
	}
	for _, l := range legacyNames {
		if (pattern == l[0] && c.Name == l[1]) || (pattern == l[1] && c.Name == l[0]) {
			return true
		}
	}
	if c.Name == agentTool && pattern == c.agent() {
		return true
	}
	if c.Server == "" {
		return false
	}
	rest, mcp := strings.CutPrefix(pattern, "mcp_")
	short := strings.TrimPrefix(c.Name, "mcp_"+plainName(c.Server)+"_")
	switch {
	case pattern == "mcp_*":
		return true
	case mcp && strings.HasPrefix(rest, "*_"):
		return rest[2:] == short
	case mcp && strings.HasSuffix(rest, "_*"):
		server := plainName(strings.TrimSuffix(rest, "_*"))
		return server == plainName(c.Server) && strings.HasPrefix(c.Name, "mcp_"+server+"_")
	}
	// A tool's short name counts only where the rule names the server: a
	// server must not pass as "read_file" because it has a tool of that name.
	return r.Server != "" && pattern == short
}

// plainName writes an MCP server's name as it is in the names of its tools.
func plainName(server string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("_.:-", r):
			return r
		}
		return '_'
	}, server)
}

// matchesArgs reports whether the call's arguments fulfil the rule's
// conditions on them. When an expression can't be evaluated, rules that
// restrict match and rules that permit don't.
func (r *Rule) matchesArgs(c *query) bool {
	if len(r.Prefixes) > 0 && !slices.ContainsFunc(r.Prefixes, func(p string) bool { return c.shell() && hasPrefix(c.command(), p) }) {
		return false
	}
	if r.Args == nil {
		return true
	}
	args := c.stableArgs()
	if args == "" {
		return false
	}
	if r.Decision == Allow && !r.real {
		return r.found(args, c)
	}
	return r.found(args, c) || slices.ContainsFunc(c.renamedArgs(), func(args string) bool { return r.found(args, c) })
}

// found reports whether the arguments have what the rule asks of them.
func (r *Rule) found(args string, c *query) bool {
	if *c.late >= maxLate {
		return r.Decision != Allow
	}
	found, err := r.Args.found(args)
	if err != nil {
		*c.late++
		return r.Decision != Allow
	}
	return found
}

// maxLate is how many expressions may fail, or take too long, in one check
// before no other is tried: a thousand slow ones must not hold up a call for a
// thousand seconds.
const maxLate = 2

func hasPrefix(command, prefix string) bool {
	rest, ok := strings.CutPrefix(command, prefix)
	return ok && prefix != "" && (rest == "" || rest[0] == ' ' || rest[0] == '"')
}

// Call is a tool call to decide about.
type Call struct {
	Name    string
	Aliases []string // other names of the tool, for rules and settings
	// Server and Annotations belong to an MCP tool. Where Server is not set,
	// it is read from the name.
	Server      string
	Annotations map[string]any
	Subagent    string // who calls, "" for the main agent
	Args        json.RawMessage
	// Paths are the files that the call is about, absolute and without links, where
	// the tool says so. In Args they may have any of the names that tools forgive
	// models for; what restricts a call looks at both.
	Paths []string
}

// query is a call, with what was read from its arguments so far.
type query struct {
	Call
	members map[string]json.RawMessage
	args    *string
	renamed []string // nil until they are needed
	root    string   // of the session
	late    *int     // expressions that failed, in the call and in its parts
	// Of a part of a shell command there are no Args, but these.
	cmd *string
	dir string
}

func newQuery(c Call) *query {
	q := &query{Call: c, late: new(int)}
	if q.Server == "" {
		if rest, ok := strings.CutPrefix(c.Name, "mcp_"); ok {
			if server, name, ok := strings.Cut(rest, "_"); ok && server != "" && name != "" {
				q.Server = server
			}
		}
	}
	return q
}

// of returns a query about another command in the place of q's.
func (q *query) of(command string) *query {
	part := &query{Call: q.Call, cmd: &command, dir: q.text("dir_path"), late: q.late}
	part.Args = nil
	return part
}

func (q *query) shell() bool { return q.Name == shellTool || q.Name == legacyShellTool }

func (q *query) command() string {
	if q.cmd == nil {
		s := q.text("command")
		q.cmd = &s
	}
	return *q.cmd
}

func (q *query) agent() string { return q.text("agent_name") }

// text returns a top-level argument, if it is a string.
func (q *query) text(key string) string {
	var s string
	_ = json.Unmarshal(q.member(key), &s) // anything else is no text
	return s
}

func (q *query) member(key string) json.RawMessage {
	if q.members == nil {
		q.members = map[string]json.RawMessage{}
		_ = json.Unmarshal(q.Args, &q.members) // what is no object has no members
		if q.members == nil {
			q.members = map[string]json.RawMessage{}
		}
	}
	return q.members[key]
}

// renamedArgs returns the arguments with the file's own name in the place of what the
// model calls it, from the session's directory and from the root.
func (q *query) renamedArgs() []string {
	called := q.text("file_path")
	if q.renamed != nil || len(q.Paths) != 1 || called == "" {
		return q.renamed
	}
	q.renamed = []string{}
	names := q.Paths[:1:1]
	if rel, err := filepath.Rel(q.root, q.Paths[0]); err == nil && filepath.IsLocal(rel) {
		names = append(names, rel)
	}
	members := maps.Clone(q.members)
	for _, name := range names {
		if name == called {
			continue
		}
		members["file_path"] = json.RawMessage(quote(filepath.ToSlash(name)))
		if args, err := json.Marshal(members); err == nil {
			q.renamed = append(q.renamed, stable(args))
		}
	}
	return q.renamed
}

func (q *query) stableArgs() string {
	if q.args == nil {
		s := stable(q.Args)
		if q.Args == nil && q.cmd != nil {
			s = "{\x00" + `"command":` + quote(*q.cmd) + "\x00"
			if q.dir != "" {
				s += ",\x00" + `"dir_path":` + quote(q.dir) + "\x00"
			}
			s += "}"
		}
		q.args = &s
	}
	return *q.args
}
