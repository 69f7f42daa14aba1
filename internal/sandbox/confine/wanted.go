package confine

import (
	"strconv"
	"strings"

	"pollux/internal/config"
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
// neither a flag nor a project's settings bring it back. Where isOffline is set, only the user's own settings open it.
func reachable(s *config.Settings, isOffline bool) network.Policy {
	if config.SandboxNetworkAccess.In(s) {
		return network.Policy{}
	}
	for _, scope := range [...]config.Scope{config.SystemDefaults, config.User, config.Workspace, config.System, config.CommandLine} {
		if v, ok := config.ToolSandbox.In(s.ForScope(scope)).(map[string]any); ok && v["networkAccess"] == false {
			return network.Policy{Off: true}
		}
	}
	own, _ := config.ToolSandbox.In(s.ForScope(config.User)).(map[string]any)
	return network.Policy{Off: isOffline && own["networkAccess"] != true}
}
