package session

import (
	"pollux/internal/config"
	"pollux/internal/tools/discovered"
	"strings"
)

// discoversTools reports whether the user has a command that lists tools.
func (p *Setup) discoversTools() bool {
	return config.ToolsDiscovery.In(p.Settings) != "" && p.IsTrusted() && !p.lacksCallCommand()
}

// lacksCallCommand reports whether the user has a command that lists tools, and none that calls
// them.
func (p *Setup) lacksCallCommand() bool {
	return config.ToolsDiscovery.In(p.Settings) != "" && p.IsTrusted() && strings.TrimSpace(config.ToolsCall.In(p.Settings)) == ""
}

const noCallCommand = "Warning: tools.discoveryCommand has no effect without tools.callCommand. Set both, or neither."

func (p *Setup) discovery() discovered.Options {
	return discovered.Options{
		Discovery: config.ToolsDiscovery.In(p.Settings), Call: config.ToolsCall.In(p.Settings),
		Dir: p.Paths.Dir(), Environ: p.commandEnviron(), Secrets: p.keyVariables,
	}
}
