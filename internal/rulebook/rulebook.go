// Package rulebook builds the rules of a session, and answers questions about decisions, in a session and without one.
package rulebook

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"pollux/internal/assembly"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard"
	"pollux/internal/guard/policy"
	"pollux/internal/project"
	"pollux/internal/records"
	"pollux/internal/shellcmd"
	"pollux/internal/subagent"
	"pollux/internal/terminal"
	"pollux/internal/tools/plan"
	"pollux/internal/tools/topic"
	"pollux/internal/toolset"
	"pollux/internal/workspace"
	"pollux/tool"

	"github.com/google/uuid"
)

// Parts are the parts of a session that a rulebook uses. Emit and Changed are nil without one.
type Parts struct {
	Project   *project.Project
	Workspace *workspace.Workspace
	Engine    *policy.Engine
	Tools     *tool.Registry
	// Emit records switches of the mode, and Changed is called when calls are decided on in another way.
	Emit    func(records.Record)
	Changed func()
}

// Rulebook has the rules by which calls are decided on. It explains decisions: nothing then runs, no request is sent,
// and nothing is accepted.
type Rulebook struct{ parts Parts }

// New returns the rulebook of a session with these parts.
func New(p Parts) *Rulebook { return &Rulebook{p} }

// Open reads the policy files and builds the rules of a session in this project, which has none. files, if
// not nil, replaces the policy files and the rules of settings, as the user's own.
func Open(ctx context.Context, p *project.Project, files []string) (*Rulebook, error) {
	var err error
	r := project.Rules{}
	if files == nil {
		if r, err = p.ReadPolicies(p.HasAccepted); errors.Is(err, config.ErrLost) {
			err = nil // the warnings say which rules are missing
		}
	} else if r.Files, err = policy.Load(policy.Sources{User: files}); err == nil {
		for _, w := range r.Warnings {
			p.Warn(w)
		}
	}
	if err != nil {
		return nil, err
	}
	m, err := assembly.Models(ctx, p, assembly.Source{Unreachable: errors.New("the policy needs no model")}, "")
	if err != nil {
		return nil, err
	}
	ws := project.NewWorkspace(p)
	plans, err := plan.Open(ws, p.PlanDirectory(), uuid.NewString())
	if err != nil {
		p.Warn("Warning: " + err.Error())
	}
	tools := tool.NewRegistry()
	b := New(Parts{
		Project: p, Workspace: ws, Tools: tools,
		Engine: NewEngine(EngineOptions{Project: p, Workspace: ws, Plans: plans, Rules: r, FilesOnly: files != nil}),
	})
	tools.Add("", toolset.NewBuiltin(toolset.Parts{
		Project: p, Models: m, Generator: m, Registry: tools, Workspace: ws, Topic: new(topic.Topic),
		// Rules check the arguments of a call, whichever subagents there are.
		Agents: subagent.NewTool(subagent.Options{Agents: func() *subagent.Set { return new(subagent.Set) }}),
		Plan:   plan.Options{Workspace: ws, Dir: plans.Dir, Mode: b.ModeName},
	}).Tools...)
	return b, nil
}

// Rules returns the rules in order of precedence. It may be called during a run.
func (b *Rulebook) Rules() []policy.Rule { return b.parts.Engine.Rules() }

// Test returns why a test fails, "" if it passes.
func (b *Rulebook) Test(t *policy.Test) string {
	call := b.call(t.Name, t.Args)
	call.Subagent = t.Subagent
	if t.Server != "" {
		call.Server = t.Server
	}
	if t.Annotations != nil {
		call.Annotations = t.Annotations
	}
	return t.Check(b.parts.Engine.CheckIn(t.Situation, call), b.parts.Project.DisplayFile)
}

// Explain explains the decision about a call in sessions and in scripts.
func (b *Rulebook) Explain(call policy.Call, mode policy.Mode) []policy.Explanation {
	trusted := b.parts.Engine.IsTrusted()
	return b.parts.Engine.Explain(call, policy.Situation{Mode: mode, Interactive: true, Trusted: trusted}, policy.Situation{Mode: mode, Trusted: trusted})
}

// call returns a call in the form that rules check. A tool that is not known, such as
// one of a server, is taken as it is called.
func (b *Rulebook) call(name string, args json.RawMessage) policy.Call {
	c := policy.Call{Name: name, Args: args}
	if t, ok := b.parts.Tools.Lookup(name); ok {
		c = guard.PolicyCall(t, args)
	} else {
		servers, _ := b.parts.Project.Settings().Lookup("mcpServers")
		names, _ := servers.(map[string]any)
		c.Server = policy.ServerOf(name, slices.Collect(maps.Keys(names)))
	}
	var file struct {
		Path string `json:"file_path"`
	}
	// Rules check the real path also of a call that could not run, such as one without a content.
	if json.Unmarshal(args, &file) == nil && file.Path != "" && len(c.Paths) == 0 {
		c.Paths = []string{b.parts.Workspace.Resolve(file.Path)}
	}
	return c
}

// ParseCall returns a call as a user writes it: the name of a tool, and its arguments as a JSON
// object. The arguments of run_shell_command may be a command.
func (b *Rulebook) ParseCall(name, args string) (policy.Call, error) {
	if _, known := b.parts.Tools.Lookup(name); !known {
		if suggestion := policy.SuggestTool(name); suggestion != "" {
			return policy.Call{}, exit.Errorf(exit.Input, "There is no tool %s: %s", terminal.Cut(name, 64), suggestion)
		}
	}
	raw, err := parseArgs(name, args)
	return b.call(name, raw), err
}

// ParseWords is [Rulebook.ParseCall] for the words of a command line.
func (b *Rulebook) ParseWords(words []string) (policy.Call, error) {
	args := strings.Join(words[1:], " ")
	if len(words) > 2 { // words that a shell has split
		args = shellcmd.Join(words[1:])
	}
	return b.ParseCall(words[0], args)
}

func parseArgs(name, args string) (json.RawMessage, error) {
	args = strings.TrimSpace(args)
	isObject := strings.HasPrefix(args, "{") && json.Valid([]byte(args))
	switch {
	case isObject:
		return json.RawMessage(args), nil
	case name == "run_shell_command" || name == "ShellTool":
		return json.Marshal(map[string]string{"command": args})
	case args == "":
		return json.RawMessage("{}"), nil
	}
	return nil, exit.Errorf(exit.Input, `The arguments of %s must be a JSON object, such as {"file_path": "main.go"}.`, name)
}
