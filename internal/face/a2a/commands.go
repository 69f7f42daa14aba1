package a2a

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"pollux/internal/a2a/protocol"
	"pollux/internal/config"
	"pollux/internal/extension/install"
	"pollux/internal/face/a2a/schema"
	"pollux/internal/face/kit"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/session"
	"pollux/internal/slash"
	"pollux/internal/terminal"
	"pollux/tool"
)

// command is a command that clients can run, in the directory of the server.
type command struct {
	name, summary string
	line          string // of the / command that it is
	takesText     bool   // the arguments stand behind it
	needsFolder   bool   // it needs CODER_AGENT_WORKSPACE_PATH
	isStream      bool   // it is the turn of a new task
	isHidden      bool   // Gemini CLI does not list it
	subs          []command
}

// commandList returns the commands of Gemini CLI's server. Commands that are not among them, such as the one that trusts a
// folder, are for people.
func commandList() []command {
	return []command{
		{name: "extensions", summary: "Extensions of Pollux", line: listExtensions, subs: []command{
			{name: "extensions list", summary: "List the installed extensions", line: listExtensions},
		}},
		{name: "restore", summary: "Bring files back to a checkpoint", line: "/restore", takesText: true, needsFolder: true, subs: []command{
			{name: "restore list", summary: "List the checkpoints of this project", line: "/restore"},
		}},
		{name: "memory", summary: "Context files such as GEMINI.md", line: "/memory show", needsFolder: true, subs: []command{
			{name: "memory show", summary: "Show the text of the context files", line: "/memory show"},
			{name: "memory refresh", summary: "Read the context files again", line: "/memory reload"},
			{name: "memory list", summary: "List the paths of the context files", line: "/memory list"},
			{name: "memory add", summary: "Add a text to the memory", line: "/memory add", takesText: true},
		}},
		{name: "init", summary: "Write a GEMINI.md for the project", line: "/init", needsFolder: true, isStream: true, isHidden: true},
	}
}

// listExtensions is the line of the command whose result is data.
const listExtensions = "/extensions list"

// findCommand returns a command by its name.
func findCommand(name string) (command, bool) {
	for _, c := range commandList() {
		for _, one := range append([]command{c}, c.subs...) {
			if one.name == name {
				return one, true
			}
		}
	}
	return command{}, false
}

// shownCommand is a command as clients see it.
type shownCommand struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Arguments   []any          `json:"arguments"`
	Subs        []shownCommand `json:"subCommands"`
}

func (s *server) serveCommandList(w http.ResponseWriter, _ *http.Request) {
	list := []shownCommand{}
	for _, c := range commandList() {
		if !c.isHidden {
			list = append(list, shownCommandOf(c))
		}
	}
	reply(w, http.StatusOK, struct {
		Commands []shownCommand `json:"commands"`
	}{list})
}

func shownCommandOf(c command) shownCommand {
	shown := shownCommand{Name: c.name, Description: c.summary, Arguments: []any{}, Subs: []shownCommand{}}
	for _, sub := range c.subs {
		shown.Subs = append(shown.Subs, shownCommandOf(sub))
	}
	return shown
}

// parseCommand reads the body of a request that runs a command.
func parseCommand(body []byte) (name string, args []string, problem string) {
	var wire struct {
		Command *string         `json:"command"`
		Args    json.RawMessage `json:"args"`
	}
	if json.Unmarshal(body, &wire) != nil || wire.Command == nil {
		return "", nil, `Invalid "command" field.`
	}
	if wire.Args != nil && (json.Unmarshal(wire.Args, &args) != nil) {
		return "", nil, `"args" field must be an array.`
	}
	return *wire.Command, args, ""
}

// serveCommand runs a command.
func (s *server) serveCommand(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	name, args, problem := parseCommand(body)
	if problem != "" {
		refuse(w, http.StatusBadRequest, problem)
		return
	}
	c, isKnown := findCommand(name)
	switch {
	case !isKnown:
		refuse(w, http.StatusNotFound, "Command not found: "+terminal.Cut(terminal.Line(name), 100))
	case c.needsFolder && !s.IsFixed:
		refuse(w, http.StatusBadRequest, `Command "`+name+`" requires a workspace, but CODER_AGENT_WORKSPACE_PATH is not set.`)
	case c.isStream:
		s.streamCommand(w, r, c)
	default:
		data, err := s.runCommand(r.Context(), c, args)
		if err != nil {
			refuse(w, statusOf(err), failure(err).Message)
			return
		}
		reply(w, http.StatusOK, commandResult{c.resultName(), data})
	}
}

// commandResult is the result of a command.
type commandResult struct {
	Name string `json:"name"`
	Data any    `json:"data"`
}

// resultName returns the name under which the result of a command goes: that of the subcommand that it stands for.
func (c *command) resultName() string {
	if c.name == "extensions" || c.name == "memory" {
		return c.subs[0].name
	}
	return c.name
}

// message is a result in words.
type message struct {
	Type    string `json:"type"`
	Kind    string `json:"messageType"`
	Content string `json:"content"`
}

// runCommand runs a command in a session of its own, which is not recorded and has no servers.
func (s *server) runCommand(ctx context.Context, c command, args []string) (data any, err error) {
	dir, err := s.workspace(nil)
	if err != nil {
		return nil, err
	}
	if err := s.tasks.takeSeat(); err != nil {
		return nil, err
	}
	defer s.tasks.leaveSeat()
	o := s.Session
	p := &o.Project
	p.Dir, p.Flags = dir, maps.Clone(p.Flags)
	if p.Flags == nil {
		p.Flags = map[string]any{}
	}
	p.Flags[string(config.MCPAllowed)] = []any{}
	p.Asker, p.Host.LacksForms, p.Host.OpenPage = kit.AskFunc(consent), true, noBrowser
	p.Warn = func(text string) { s.Log.Warn(terminal.Line(text), "command", c.name) }
	o.Offline, o.IDE = true, kit.NoCompanion
	if _, err := kit.Adapt(ctx, p, s.MustTrust); err != nil {
		return nil, err
	}
	live, err := session.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer live.Close()
	rest := terminal.Line(strings.TrimSpace(strings.Join(args, " ")))
	switch {
	case c.name == "restore list":
		return checkpointsOf(live)
	case c.name == "restore" && rest == "":
		return message{"message", "error", "Name a checkpoint: see restore list."}, nil
	case c.name == "restore":
		names, err := live.Checkpoints.Files().List()
		if err != nil || !slices.Contains(names, strings.TrimSuffix(rest, ".json")) {
			return message{"message", "error", "File not found: " + terminal.Cut(strings.TrimSuffix(rest, ".json"), 100) + ".json"}, err
		}
		rest = strings.TrimSuffix(rest, ".json")
	case c.line == listExtensions:
		return extensionsOf(ctx, live.Project)
	}
	line := c.line
	if c.takesText {
		line = strings.TrimSpace(line + " " + rest)
	}
	r, _, err := (&slash.Runner{Session: live, Terminal: s.Terminal}).Run(ctx, line)
	if err != nil {
		return nil, err
	}
	return c.dataOf(r), nil
}

// checkpointsOf returns the checkpoints in files, as a text with JSON.
func checkpointsOf(live *session.Session) (any, error) {
	type checkpoint struct {
		Name string `json:"checkpoint"`
	}
	names, err := live.Checkpoints.Files().List()
	if err != nil {
		return nil, err
	}
	list := []checkpoint{}
	for _, name := range names {
		list = append(list, checkpoint{name})
	}
	data, err := json.Marshal(list)
	return message{"message", "info", string(data)}, err
}

// extensionsOf returns the installed extensions, or that there are none.
func extensionsOf(ctx context.Context, p *project.Project) (any, error) {
	m := p.ExtensionManager(nil, func(string) {}) // it installs nothing
	installed, err := m.List(ctx)
	if err != nil {
		return nil, err
	}
	list := []install.JSON{}
	for _, e := range installed {
		list = append(list, m.DescribeJSON(e))
	}
	if len(list) == 0 {
		return "No extensions installed.", nil
	}
	return list, nil
}

// dataOf returns the result of a command, in the form of Gemini CLI.
func (c *command) dataOf(r slash.Result) any {
	text := strings.TrimSpace(plainText(r.Outcome))
	switch {
	case c.name == "restore":
		m := message{"message", "info", text}
		if r.Failed || r.Err != nil {
			m.Kind = "error"
		}
		return m
	case r.Failed || r.Err != nil:
		return "Error: " + text
	}
	return text
}

// plainText returns an outcome as text.
func plainText(o outcome.Outcome) string { return terminal.Text(o.Plain(0)) }

// consent answers the questions of commands: the client that has sent the command has decided.
func consent(_ context.Context, details tool.Confirmation) (tool.Answer, error) {
	q := kit.NewQuestion(details, false, nil)
	if q == nil || len(q.Form) != 1 || !slices.ContainsFunc(q.Form[0].Choices, func(o kit.Option) bool { return o.Label == "Yes" }) {
		return tool.Answer{Outcome: tool.Cancel}, nil
	}
	return q.Reply([]string{"Yes"}), nil
}

// streamCommand runs a command as the turn of a new task, and sends its events.
func (s *server) streamCommand(w http.ResponseWriter, r *http.Request, c command) {
	t, err := s.newTask("", nil)
	if err != nil {
		refuse(w, statusOf(err), failure(err).Message)
		return
	}
	id, err := json.Marshal(t.id)
	if err != nil {
		refuse(w, http.StatusInternalServerError, failure(err).Message)
		return
	}
	f := newFollower(id, false, false, s.tasks.waiting)
	t.mu.Lock()
	t.followers[f] = true
	t.publish(t.current(nil))
	t.begin(input{line: c.line}, false)
	t.mu.Unlock()
	x := &exchange{server: s, w: w, r: r, request: schema.Request{ID: id, Method: protocol.Stream.Old}}
	x.follow(t, f)
}
