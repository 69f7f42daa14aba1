package project

import (
	"strings"

	"pollux/internal/config"
	"pollux/internal/process"
	"pollux/internal/tools/discovered"
)

// DiscoversTools reports whether the user has a command that lists tools.
func (p *Project) DiscoversTools() bool {
	return config.ToolsDiscovery.In(p.Settings()) != "" && p.IsTrusted() && !p.LacksCallCommand()
}

// LacksCallCommand reports whether the user has a command that lists tools, and none that calls
// them.
func (p *Project) LacksCallCommand() bool {
	return config.ToolsDiscovery.In(p.Settings()) != "" && p.IsTrusted() && strings.TrimSpace(config.ToolsCall.In(p.Settings())) == ""
}

// NoCallCommand is the warning for [Project.LacksCallCommand].
const NoCallCommand = "Warning: tools.discoveryCommand has no effect without tools.callCommand. Set both, or neither."

// Discovery returns the options for the user's command that lists tools, and the one that calls them.
func (p *Project) Discovery() discovered.Options {
	s := p.Settings()
	origin, others := process.OriginUser, s.WithoutWorkspace()
	if config.ToolsDiscovery.In(s) != config.ToolsDiscovery.In(others) || config.ToolsCall.In(s) != config.ToolsCall.In(others) {
		origin = process.OriginProject
	}
	return discovered.Options{
		Launcher: p.Launcher, Origin: origin,
		Discovery: config.ToolsDiscovery.In(p.Settings()), Call: config.ToolsCall.In(p.Settings()),
		Dir: p.Paths.Dir(), Environ: p.CommandEnviron(), Secrets: p.keyVariables,
	}
}
