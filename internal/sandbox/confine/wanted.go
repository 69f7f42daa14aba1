package confine

import (
	"strconv"
	"strings"

	"pollux/internal/config"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/network"
)

// Wanted returns the name of the sandbox that settings ask for, "" for none.
func Wanted(s *config.Settings) string {
	name := ""
	switch v := config.ToolSandbox.In(s).(type) {
	case bool:
		name = strconv.FormatBool(v)
	case string:
		name = v
	case map[string]any:
		name = strconv.FormatBool(v["enabled"] == true)
		if command, ok := v["command"].(string); ok && v["enabled"] == true {
			name = command
		}
	}
	if name = Name(name); name == "" && config.ToolSandboxing.In(s) {
		return "true"
	}
	return name
}

// Name returns the sandbox that a value of GEMINI_SANDBOX names, "" for none.
func Name(value string) string {
	if value = strings.ToLower(strings.TrimSpace(value)); value == "0" || value == "false" {
		return ""
	}
	return value
}

// IsOwn reports whether a name asks for Pollux's own sandbox.
func IsOwn(name string) bool { return name == "true" || name == "1" || name == "landlock" }

// reachable returns the policy for connections of confined programs. Each place that has settings can switch the network off, so that
// neither a flag nor a project's settings bring it back. A list of hosts switches it off for all others, except one of a project. Where
// isOffline is set, only the user's own settings open it, and a person can be asked about each host.
func reachable(s *config.Settings, isOffline bool) (p network.Policy) {
	if config.SandboxNetworkAccess.In(s) {
		return network.Policy{}
	}
	for _, scope := range [...]config.Scope{config.SystemDefaults, config.User, config.Workspace, config.System, config.CommandLine} {
		in := s.ForScope(scope)
		if v, ok := config.ToolSandbox.In(in).(map[string]any); ok && v["networkAccess"] == false {
			p.Off = true
		}
		if scope != config.Workspace && len(config.SandboxHosts.In(in)) > 0 {
			p.Off = true
		}
	}
	own, _ := config.ToolSandbox.In(s.ForScope(config.User)).(map[string]any)
	if !p.Off && isOffline && own["networkAccess"] != true {
		p.Off, p.NamesHosts = true, true
	}
	if p.Off {
		p.Hosts, _ = network.ParseHosts(config.SandboxHosts.In(s))
	}
	return p
}

// Warning returns a warning about parts of the sandbox that this machine or the settings make useless, "" for none.
func (c *Confinement) Warning() string {
	var list []string
	gap := sandbox.Gap()
	if gap != "" {
		list = append(list, gap)
	}
	s := c.options.Settings()
	hosts, bad := network.ParseHosts(config.SandboxHosts.In(s))
	for _, err := range bad {
		list = append(list, "Pollux ignores a host in pollux.sandboxHosts: "+err.Error()+".")
	}
	switch {
	case len(hosts) == 0:
	case config.SandboxNetworkAccess.In(s):
		list = append(list, "pollux.sandboxHosts has no effect: tools.sandboxNetworkAccess allows the whole network.")
	case gap != "":
		list = append(list, "Commands do not reach the hosts in pollux.sandboxHosts either.")
	}
	return strings.Join(list, "\n")
}
