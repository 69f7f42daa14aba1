package project

import (
	"pollux/internal/config"
	"pollux/internal/tools/discovered"
	"strings"
)

// discoversTools reports whether the user has a command that lists tools.
func (p *Project) DiscoversTools() bool {
	return config.ToolsDiscovery.In(p.Settings()) != "" && p.IsTrusted() && !p.LacksCallCommand()
}

// lacksCallCommand reports whether the user has a command that lists tools, and none that calls
// them.
func (p *Project) LacksCallCommand() bool {
	return config.ToolsDiscovery.In(p.Settings()) != "" && p.IsTrusted() && strings.TrimSpace(config.ToolsCall.In(p.Settings())) == ""
}

const NoCallCommand = "Warning: tools.discoveryCommand has no effect without tools.callCommand. Set both, or neither."

func (p *Project) Discovery() discovered.Options {
	return discovered.Options{
		Discovery: config.ToolsDiscovery.In(p.Settings()), Call: config.ToolsCall.In(p.Settings()),
		Dir: p.Paths.Dir(), Environ: p.CommandEnviron(), Secrets: p.keyVariables,
	}
}
