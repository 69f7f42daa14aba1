package policy

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"pollux/internal/shellcmd"
	"pollux/internal/shellcmd/readonly"
)

// Decision is a decision about a call.
type Decision string

// The decisions, as written in policy files.
const (
	Allow Decision = "allow"
	Deny  Decision = "deny"
	Ask   Decision = "ask_user"
)

// Rule decides about the calls that it matches. A condition that is not set matches every
// call.
type Rule struct {
	// Tools are the names of the tools, any of which matches: exact names, "*", "mcp_*",
	// "mcp_<server>_*" or "mcp_*_<tool>". If it is empty, the rule matches no call.
	Tools    []string
	Decision Decision
	// Priority is tier + priority/1000. The rule with the highest priority decides.
	Priority float64
	// Server is the MCP server of the call, "*" for any.
	Server string
	// owner is the one MCP server that the rule is about, by the name of its entry, "" if it is about names of
	// tools: those of several servers may begin alike.
	owner string
	// ownerOf is the subagent that has the server owner for itself, "" if it is the session's.
	ownerOf string
	// Args must match the arguments.
	Args *Pattern
	// Prefixes are beginnings of shell commands, any of which matches. The prefix must be
	// followed by a space, a double quote or nothing.
	Prefixes []string
	Modes    Modes
	When     When
	// Subagent is the caller's name, "parent/child" for nested subagents.
	Subagent string
	// Annotations must be equal to those of the tool.
	Annotations map[string]any
	// AllowRedirection permits redirections in an allowed shell command.
	AllowRedirection bool
	// DenyMessage is added to the refusal that the model gets.
	DenyMessage string
	// Source is the origin of the rule, for display.
	Source string

	// Grant is the number of the user's answer in this session that created the rule, 0 for
	// other rules. Saved reports whether that answer is saved in a file.
	Grant int
	Saved bool
	file  string // the policy file of the rule, "" for other rules
	line  int    // the line in file where the rule begins
	// extension and manifest are the name and the manifest of the extension that the rule comes from, "" for other rules.
	extension, manifest string

	only  string // the value that Args requires, for display
	shown *Call  // the call that the user allowed, for an answer that depends on a server's description of a tool
	real  bool   // an allowing rule that also matches a file's real name
	later bool   // matches only files that run or decide later
	reads bool   // matches only shell commands that only read
	free  bool   // counts only where commands run freely, see [Engine.RunsFreely]
	// restricts: the rule only counts where it is stricter than the rules below it. Its source may
	// forbid, but not permit.
	restricts bool
}

// When selects the sessions in which a rule applies.
type When uint8

// The kinds of sessions.
const (
	Always      When = iota
	Interactive      // a user can answer
	Headless         // no user is present
)

// Names of tools that the engine treats specially.
const (
	shellTool       = "run_shell_command"
	legacyShellTool = "ShellTool"
	agentTool       = "invoke_agent"
)

// legacyNames lists former names of tools with their current names.
var legacyNames = [...][2]string{{"search_file_content", "grep_search"}, {legacyShellTool, shellTool}}

// isConditional reports whether the rule has conditions on the arguments.
func (r *Rule) isConditional() bool {
	return r.Args != nil || len(r.Prefixes) > 0 || r.later || r.reads
}

// isBuiltin reports whether the decision of a call is Pollux's own: no rule matches (r is nil), or
// a built-in one.
func (r *Rule) isBuiltin() bool { return r == nil || r.Priority < float64(TierExtension) }

// isUsers reports whether the rule is the user's, the administrator's, or one of a project that
// the user accepted.
func (r *Rule) isUsers() bool { return r != nil && r.Priority >= float64(TierWorkspace) }

// isLastingAnswer reports whether the rule allows with the priority of answers for all future sessions. A rule that someone wrote with this
// priority counts as one, too. An answer never denies or asks, so that a rule that does is not one.
func (r *Rule) isLastingAnswer() bool {
	return r.Decision == Allow && math.Round((r.Priority-math.Floor(r.Priority))*1000) == savedPriority
}

// matches reports whether the rule matches the call.
func (r *Rule) matches(c *query, mode Mode, interactive bool) bool {
	return r.matchesName(c) && r.applies(c, mode, interactive) && r.matchesArgs(c)
}

// matchesName reports whether the rule is about the call's tool.
func (r *Rule) matchesName(c *query) bool {
	switch {
	case r.owner != "" && (r.owner != c.Server || r.ownerOf != c.ServerOf),
		r.Server == "*" && c.Server == "",
		r.Server != "" && r.Server != "*" && r.Server != c.Server && !r.mayBeOf(r.Server, c):
		return false
	}
	return slices.ContainsFunc(r.Tools, func(t string) bool { return r.hasTool(t, c) })
}

// applies reports whether the rule applies to a call of its tool, without regard to arguments.
func (r *Rule) applies(c *query, mode Mode, interactive bool) bool {
	switch {
	case !r.Modes.Has(mode),
		r.When == Interactive && !interactive,
		r.When == Headless && interactive,
		r.Subagent != "" && r.Subagent != c.Subagent,
		r.isOutdated(c):
		return false
	}
	for key, want := range r.Annotations {
		if got, ok := c.Annotations[key]; !ok || !reflect.DeepEqual(got, want) {
			return false
		}
	}
	return true
}

// isOutdated reports whether the rule is an answer about a tool that the server described
// differently then.
func (r *Rule) isOutdated(c *query) bool {
	return r.shown != nil && (r.shown.Description != c.Description || !bytes.Equal(r.shown.Schema, c.Schema) ||
		!reflect.DeepEqual(r.shown.Annotations, c.Annotations))
}

// hasTool reports whether the name of a tool in the rule is that of the call.
func (r *Rule) hasTool(pattern string, c *query) bool {
	if pattern == "*" || pattern == c.Name || slices.Contains(c.Aliases, pattern) {
		return true
	}
	for _, l := range legacyNames {
		if (pattern == l[0] && c.Name == l[1]) || (pattern == l[1] && c.Name == l[0]) {
			return true
		}
	}
	if c.Name == agentTool && pattern == c.agentName() {
		return true
	}
	if c.Server == "" {
		return false
	}
	rest, mcp := strings.CutPrefix(pattern, "mcp_")
	short := shortName(c)
	switch {
	case pattern == "mcp_*":
		return true
	case mcp && strings.HasPrefix(rest, "*_"):
		return rest[2:] == short || c.guessed && r.Decision != Allow && strings.HasSuffix(c.Name, rest[1:])
	case mcp && strings.HasSuffix(rest, "_*"):
		server := plainName(strings.TrimSuffix(rest, "_*"))
		return server == c.plainServer && (c.RemoteName != "" || strings.HasPrefix(c.Name, "mcp_"+server+"_")) || r.mayBeOf(server, c)
	case r.Server != "" && r.mayBeOf(r.Server, c):
		return c.Name == "mcp_"+plainName(r.Server)+"_"+pattern
	}
	// The short name matches only if the rule names the server: otherwise a server could
	// provide a tool called "read_file" and get permissions of the built-in one.
	return r.Server != "" && pattern == short
}

// mayBeOf reports whether a rule that restricts matches a tool of a server whose name is only known
// from the tool's: in mcp_a_b_c, the server may be a or a_b.
func (r *Rule) mayBeOf(server string, c *query) bool {
	return c.guessed && r.Decision != Allow && strings.HasPrefix(c.Name, "mcp_"+plainName(server)+"_")
}

// ServerOf returns which of the servers has a tool with this name, "" if none.
func ServerOf(tool string, servers []string) string {
	found := ""
	for _, s := range servers {
		if strings.HasPrefix(tool, "mcp_"+plainName(s)+"_") && len(s) > len(found) {
			found = s
		}
	}
	return found
}

// plainName returns an MCP server's name as it is in the names of its tools.
func plainName(server string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("_.:-", r):
			return r
		}
		return '_'
	}, server)
}

// matchesArgs reports whether the call's arguments match the rule's conditions. If an
// expression cannot be evaluated, restricting rules match and allowing rules do not.
func (r *Rule) matchesArgs(c *query) bool {
	if len(r.Prefixes) > 0 && !slices.ContainsFunc(r.Prefixes, func(p string) bool { return c.shell() && hasPrefix(c.command(), p) }) {
		return false
	}
	if r.later && !c.runsLater() || r.reads && !c.onlyReads() {
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

// found reports whether the arguments match the rule's pattern.
func (r *Rule) found(args string, c *query) bool {
	if *c.late >= maxLate {
		return r.Decision != Allow
	}
	found, err := c.searches.found(r.Args, args)
	if err != nil {
		*c.late++
		return r.Decision != Allow
	}
	return found
}

// maxLate is the number of expressions that may fail or time out in one check before no others
// are tried: many slow expressions must not delay a call for a long time.
const maxLate = 2

func hasPrefix(command, prefix string) bool {
	rest, ok := strings.CutPrefix(command, prefix)
	return ok && prefix != "" && (rest == "" || rest[0] == ' ' || rest[0] == '"')
}

// Call is a tool call to decide about.
type Call struct {
	Name    string
	Aliases []string // other names of the tool, for rules and settings
	// Server, RemoteName and Annotations belong to an MCP tool: the name of its server, the name of the
	// tool there, and the server's statements about it. If the names are "", they are derived from
	// Name. ServerOf is the subagent that owns the server, "" if the server is the session's.
	Server      string
	ServerOf    string
	RemoteName  string
	Annotations map[string]any
	// Description and Schema are the server's description of an MCP tool and of its arguments.
	Description string
	Schema      json.RawMessage
	Subagent    string // the calling subagent, "" for the main agent
	Args        json.RawMessage
	// Paths are the absolute paths, without links, of the files that the call accesses, if the
	// tool reports them. Args may contain other names for them, which tools accept from
	// models; restricting rules check both.
	Paths []string
}

// query is a call with cached parts of its arguments.
type query struct {
	Call
	members map[string]json.RawMessage
	args    *string
	agent   *string                // nil until needed
	renamed []string               // nil until needed
	root    string                 // the session's directory
	runs    func(path string) bool // see [Options].Runs
	guessed bool                   // Server was derived from Name
	// plainServer is Server as it is in the names of tools.
	plainServer string
	// searches are the results of earlier searches, nil if they are not kept.
	searches searches
	late     *int  // number of failed expressions in the call and its parts
	read     *bool // see onlyReads, nil until needed
	// For a part of a shell command, these replace Args.
	cmd *string
	dir string
}

func newQuery(c Call) *query {
	q := &query{Call: c, late: new(int)}
	if q.Server == "" {
		if rest, ok := strings.CutPrefix(c.Name, "mcp_"); ok {
			if server, name, ok := strings.Cut(rest, "_"); ok && server != "" && name != "" {
				q.Server, q.guessed = server, true
			}
		}
	}
	q.plainServer = plainName(q.Server)
	return q
}

// of returns a query with another command.
func (q *query) of(command string) *query {
	part := &query{Call: q.Call, guessed: q.guessed, plainServer: q.plainServer, searches: q.searches, cmd: &command, dir: q.text("dir_path"), late: q.late}
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

// onlyReads reports whether the call is a shell command that only reads.
func (q *query) onlyReads() bool {
	if q.read == nil {
		script, err := shellcmd.Parse(q.command())
		q.read = new(q.shell() && err == nil && readonly.Script(script, nil))
	}
	return *q.read
}

// programs returns the program of a shell command.
func (q *query) programs() programs {
	if !q.shell() {
		return 0
	}
	return programOf(q.command())
}

// text returns a top-level argument, "" if it is not a string.
func (q *query) text(key string) string {
	raw := q.member(key)
	if raw == nil {
		return ""
	}
	var s string
	_ = json.Unmarshal(raw, &s) // "" for other types
	return s
}

// agentName returns the name of the agent that a call of agents is for. Each rule asks for it.
func (q *query) agentName() string {
	if q.agent == nil {
		q.agent = new(q.text("agent_name"))
	}
	return *q.agent
}

func (q *query) member(key string) json.RawMessage {
	if q.members == nil {
		q.members = map[string]json.RawMessage{}
		_ = json.Unmarshal(q.Args, &q.members) // empty if it is not an object
		if q.members == nil {
			q.members = map[string]json.RawMessage{}
		}
	}
	return q.members[key]
}

// renamedArgs returns the arguments with the file's real name instead of the model's, once
// relative to the session's directory and once absolute.
func (q *query) renamedArgs() []string {
	if q.renamed != nil || len(q.Paths) != 1 {
		return q.renamed
	}
	q.renamed = []string{}
	called := q.text("file_path")
	if called == "" {
		return q.renamed
	}
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
