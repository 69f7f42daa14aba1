package servers

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"pollux/internal/guard/policy"
	"pollux/internal/mcp"
	"pollux/internal/terminal"
	"pollux/tool/spelling"
)

// warnMisspelled warns, once each, of policy rules that name a tool which its MCP server does not have, if the server has
// one with nearly the same name.
func (s *Servers) warnMisspelled() {
	if s.misspelled == nil {
		s.misspelled = map[string]bool{}
	}
	for _, st := range s.live.Load().Status() {
		for _, text := range misspelledTools(st, s.parts.Rules()) {
			if s.misspelled[text] {
				continue
			}
			s.misspelled[text] = true
			s.parts.Project.Warn(terminal.Line("Warning: " + text))
		}
	}
}

// misspelledTools describes the tools of a server that rules name wrongly.
func misspelledTools(st mcp.Status, rules []policy.Rule) (list []string) {
	begin := mcp.ToolName(st.Config.Name, "")
	names := sync.OnceValue(func() (names []string) {
		for _, t := range st.Tools {
			names = append(names, strings.TrimPrefix(mcp.ToolName(st.Config.Name, t.Name), begin))
		}
		return names
	})
	for _, r := range rules {
		for _, full := range r.Tools {
			name, isTheirs := strings.CutPrefix(full, begin)
			isTheirs = isTheirs || r.Server == st.Config.Name
			if !isTheirs || strings.Contains(name, "*") || slices.Contains(names(), name) || name == mcp.ReadResource {
				continue
			}
			if near := spelling.Closest(name, slices.Values(names())); near != "" {
				list = append(list, fmt.Sprintf("Unrecognized MCP tool %q for server %q (from %s). Did you mean %q?", name, st.Config.Name, r.Source, near))
			}
		}
	}
	return list
}
