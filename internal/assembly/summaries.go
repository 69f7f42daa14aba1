package assembly

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/models"
	"pollux/internal/project"
	"pollux/internal/summary"
	"pollux/llm"
	"pollux/tool"
)

// NewSummaries returns the writer of summaries that replace long outputs of tools, nil if the user does not want any.
// What cannot be read of the setting is a warning.
func NewSummaries(p *project.Project, m *models.Directory, g llm.Generator) *summary.Writer {
	var byTool map[string]*struct{ TokenBudget int }
	if err := config.SummarizeToolOutput.Decode(p.Settings(), &byTool); err != nil {
		p.Warn("Warning: " + err.Error())
	}
	budgets := map[string]int{}
	for name, wanted := range byTool {
		if wanted != nil {
			budgets[name] = wanted.TokenBudget
		}
	}
	if len(budgets) == 0 {
		return nil
	}
	return &summary.Writer{
		Generator: g, ResolveModel: m.UtilityConfig, Window: func(model string) int { return m.Describe(model).Input }, Budgets: budgets,
	}
}

// WarnOfSummaries warns of tools whose outputs the user wants summarized, and which this session does not have. The offers
// of servers and of a discovery command are not known yet.
func WarnOfSummaries(p *project.Project, w *summary.Writer, registry *tool.Registry) {
	if w == nil || config.ToolsDiscovery.In(p.Settings()) != "" {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(w.Budgets)) {
		if _, ok := registry.Find(name); !ok && !strings.HasPrefix(name, "mcp_") {
			p.Warn(fmt.Sprintf("Warning: model.summarizeToolOutput names %q, but this session has no such tool", name))
		}
	}
}
