package confine

import (
	"strconv"
	"strings"

	"pollux/internal/config"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/network"
	"pollux/internal/sandbox/proxy"
	"pollux/internal/workspace"
)

// wanted returns the name of the sandbox that settings ask for, "" for none, and whether they say anything about it.
func wanted(s *config.Settings) (name string, isSet bool) {
	switch v := config.ToolSandbox.In(s).(type) {
	case bool:
		name, isSet = strconv.FormatBool(v), true
	case string:
		name, isSet = v, v != ""
	case map[string]any:
		var enabled any
		enabled, isSet = v["enabled"]
		name = strconv.FormatBool(enabled == true)
		if command, ok := v["command"].(string); ok && enabled == true {
			name = command
		}
	}
	if name = nameOf(name); name != "" {
		return name, true
	}
	own, isOwnSet := s.Lookup(string(config.ToolSandboxing))
	if own == true {
		return sandbox.Name, true
	}
	return "", isSet || isOwnSet
}

// Image returns the image for a container that the settings name, "" for none. That of a project does not count: its programs would
// get the user's keys.
func Image(s *config.Settings) (image string) {
	for _, scope := range [...]config.Scope{config.SystemDefaults, config.User, config.System, config.CommandLine} {
		if v, ok := config.ToolSandbox.In(s.ForScope(scope)).(map[string]any); ok {
			if named, ok := v["image"].(string); ok {
				image = named
			}
		}
	}
	return image
}

// nameOf returns the sandbox that a value of GEMINI_SANDBOX names, "" for none.
func nameOf(value string) string {
	if value = strings.ToLower(strings.TrimSpace(value)); value == "0" || value == "false" {
		return ""
	}
	return value
}

// isOwn reports whether a name asks for Pollux's own sandbox, or for any.
func isOwn(name string) bool { return name == "true" || name == "1" || name == sandbox.Name }

// reachable returns the policy for connections of confined programs. Each place that has settings can switch the network off, so that
// neither a flag nor a project's settings bring it back. A list of hosts switches it off for all others, except one of a project. Where
// the approval mode switches it off, only the user's own settings open it, if they can, and a person can be asked about each host.
func reachable(s *config.Settings, by offline) (p network.Policy) {
	switch {
	case by == isolated:
		return network.Policy{Off: true}
	case config.SandboxNetworkAccess.In(s) && by != shut:
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
	if by == shut || !p.Off && by == openable && own["networkAccess"] != true {
		p.Off, p.NamesHosts = true, true
	}
	if p.Off {
		p.Hosts, _ = network.ParseHosts(config.SandboxHosts.In(s))
	}
	return p
}

// Warning returns a warning about parts of the sandbox that this machine or the settings make useless, "" for none.
func (c *Confinement) Warning() string {
	return strings.Trim(sandbox.Gap()+"\n"+c.settingsWarning(), "\n")
}

// leftOut returns the paths that the user allows and that do not count: see [profile.Place.LeftOut].
func (c *Confinement) leftOut() []string {
	if len(config.SandboxPaths(c.options.Settings())) == 0 {
		return nil
	}
	place := c.place((*c.dirs.Load())(), access{})
	return place.LeftOut(place.Write)
}

// settingsWarning returns a warning about settings of the sandbox that have no effect, "" for none.
func (c *Confinement) settingsWarning() string {
	var list []string
	s := c.options.Settings()
	for _, key := range [...]string{"pollux.sandboxMemory", "pollux.sandboxProcesses"} {
		if _, isSet := s.Lookup(key); isSet && !sandbox.LimitsResources {
			list = append(list, key+" has no effect: Pollux limits neither memory nor processes on this system.")
		}
	}
	for _, path := range c.leftOut() {
		list = append(list, "Commands cannot change "+c.options.Paths.Display(path)+" of tools.sandboxAllowedPaths: a link that commands could have made leads there. List "+
			c.options.Paths.Display(workspace.RealPath(path))+".")
	}
	hosts, bad := network.ParseHosts(config.SandboxHosts.In(s))
	for _, err := range bad {
		list = append(list, "Pollux ignores a host in pollux.sandboxHosts: "+err.Error()+".")
	}
	switch {
	case len(hosts) == 0:
	case config.SandboxNetworkAccess.In(s) && !c.hasOnlyProxy():
		list = append(list, "pollux.sandboxHosts has no effect: tools.sandboxNetworkAccess allows the whole network.")
	case !sandbox.KnowsHosts():
		list = append(list, "Commands do not reach the hosts in pollux.sandboxHosts: on this machine, Pollux cannot decide about connections.")
	}
	if c.hasOnlyProxy() && !sandbox.KnowsHosts() && !sandbox.ByPath {
		list = append(list, "Commands do not reach the proxy of "+proxy.Variable+": on this machine, Pollux cannot decide about connections.")
	}
	return strings.Join(append(list, c.credentialWarnings()...), "\n")
}
