package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"pollux/tool"
)

// remote is a tool of a server.
type remote struct {
	server *server
	listed listed
	spec   tool.Spec
}

func newTool(s *server, l *listed) *remote {
	kind := tool.KindOther
	if readOnly, _ := l.Annotations["readOnlyHint"].(bool); readOnly {
		kind = tool.KindRead
	}
	return &remote{server: s, listed: *l, spec: tool.Spec{
		Name:        ToolName(s.config.Name, l.Name),
		DisplayName: fmt.Sprintf("%s (%s MCP Server)", l.Name, s.config.Name),
		Description: cmp.Or(l.Description, "Tool "+l.Name), // providers refuse a tool without one
		Schema:      l.Schema,
		Kind:        kind,
		Plain:       true,
	}}
}

func (r *remote) Spec() *tool.Spec { return &r.spec }

func (r *remote) Server() string              { return r.server.config.Name }
func (r *remote) RemoteName() string          { return r.listed.Name }
func (r *remote) Annotations() map[string]any { return r.listed.Annotations }

func (r *remote) Subagent() string { return r.server.all.o.Subagent }

func (r *remote) Build(args json.RawMessage) (tool.Invocation, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, args); err != nil {
		return nil, fmt.Errorf("params must be valid JSON: %w", err)
	}
	return &call{remote: r, args: compact.Bytes()}, nil
}

// Names of tools are limited because providers limit them.
const (
	maxName  = 63
	namePart = 30
)

// ToolName returns the name under which a model calls a tool of a server. Two tools may get the same.
func ToolName(server, tool string) string {
	name := server + "_" + tool
	if !strings.HasPrefix(server, "mcp_") {
		name = "mcp_" + name
	}
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("_.:-", r):
			return r
		}
		return '_'
	}, name)
	if len(name) > maxName {
		name = name[:namePart] + "..." + name[len(name)-namePart:]
	}
	return name
}
