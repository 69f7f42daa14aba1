package session

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"pollux/internal/exit"
	"pollux/internal/guard"
	"pollux/internal/guard/policy"
	"pollux/internal/project"
	"pollux/internal/shellcmd"
	"pollux/internal/terminal"
	"pollux/tool"
)

// Rulebook is the policy of a setup without a session: it answers what would be decided about a
// call. Nothing runs, no request is sent, and nothing is accepted.
type Rulebook struct {
	s *Session
}

// OpenRulebook reads the policy files and builds the rules of a session with this setup. files, if
// not nil, replaces the policy files and the rules of settings, as the user's own.
func OpenRulebook(ctx context.Context, p *project.Project, files []string) (*Rulebook, error) {
	s := &Session{Project: p, registry: tool.NewRegistry()}
	s.begin("", false)
	var err error
	r := project.Rules{}
	if files == nil {
		r, err = p.ReadPolicies(p.HasAccepted)
	} else if r.Files, err = policy.Load(policy.Sources{User: files}); err == nil {
		for _, w := range r.Warnings {
			p.Warn(w)
		}
	}
	if err != nil {
		return nil, err
	}
	if s.models, err = s.openModels(ctx, errors.New("the policy needs no model")); err != nil {
		return nil, err
	}
	s.Workspace = project.NewWorkspace(p)
	s.plans = newPlans(p, s.Workspace, s.ID())
	s.policy = s.newPolicy(r, files == nil)
	s.registry.Add("", s.builtinTools(s.models)...)
	return &Rulebook{s}, nil
}

// Rules returns the rules in order of precedence.
func (b *Rulebook) Rules() []policy.Rule { return b.s.Rules() }

// Explain explains the decision about a call in sessions and in scripts.
func (b *Rulebook) Explain(call policy.Call, mode policy.Mode) []policy.Explanation {
	return b.s.Explain(call, mode)
}

// Test returns why a test fails, "" if it passes.
func (b *Rulebook) Test(t *policy.Test) string {
	call := b.s.policyCall(t.Name, t.Args)
	call.Subagent = t.Subagent
	if t.Server != "" {
		call.Server = t.Server
	}
	if t.Annotations != nil {
		call.Annotations = t.Annotations
	}
	return t.Check(b.s.policy.CheckIn(t.Situation, call), b.s.Project.DisplayFile)
}

// Explain explains the decision about a call in sessions and in scripts.
func (s *Session) Explain(call policy.Call, mode policy.Mode) []policy.Explanation {
	trusted := s.Project.IsTrusted()
	return s.policy.Explain(call, policy.Situation{Mode: mode, Interactive: true, Trusted: trusted}, policy.Situation{Mode: mode, Trusted: trusted})
}

// policyCall returns a call in the form that rules check. A tool that this session does not have,
// such as one of a server, is taken as it is called.
func (s *Session) policyCall(name string, args json.RawMessage) policy.Call {
	c := policy.Call{Name: name, Args: args}
	if t, ok := s.registry.Lookup(name); ok {
		c = guard.PolicyCall(t, args)
	} else {
		servers, _ := s.Project.Settings().Lookup("mcpServers")
		names, _ := servers.(map[string]any)
		c.Server = policy.ServerOf(name, slices.Collect(maps.Keys(names)))
	}
	var file struct {
		Path string `json:"file_path"`
	}
	// Rules check the real path also of a call that could not run, such as one without a content.
	if json.Unmarshal(args, &file) == nil && file.Path != "" && len(c.Paths) == 0 {
		c.Paths = []string{s.Workspace.Resolve(file.Path)}
	}
	return c
}

// ParseCall returns a call as a user writes it: the name of a tool, and its arguments as a JSON
// object. The arguments of run_shell_command may be a command.
func (s *Session) ParseCall(name, args string) (policy.Call, error) {
	if _, known := s.registry.Lookup(name); !known {
		if suggestion := policy.SuggestTool(name); suggestion != "" {
			return policy.Call{}, exit.Errorf(exit.Input, "There is no tool %s: %s", terminal.Cut(name, 64), suggestion)
		}
	}
	raw, err := parseArgs(name, args)
	return s.policyCall(name, raw), err
}

// ParseCall returns a call as a user writes it, in words; see [Session.ParseCall].
func (b *Rulebook) ParseCall(words []string) (policy.Call, error) {
	args := strings.Join(words[1:], " ")
	if len(words) > 2 { // words that a shell has split
		args = shellcmd.Join(words[1:])
	}
	return b.s.ParseCall(words[0], args)
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
