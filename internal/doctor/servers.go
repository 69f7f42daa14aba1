package doctor

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"pollux/internal/config"
	"pollux/internal/mcp"
	"pollux/internal/process"
	"pollux/internal/servers"
	"pollux/internal/wording"
)

// checkServers states which MCP servers are configured and which of them a session starts. It starts none:
// they are programs and services of others. The report leaves out arguments and addresses, which may hold
// keys. Without servers, the section has no checks.
func (x *examination) checkServers() sectionReport {
	s := sectionReport{ID: "servers", Title: "MCP servers", Optional: true}
	set := x.set.WithWarn(func(text string) {
		s.warn("settings", strings.TrimPrefix(text, "Warning: "), "change mcpServers in your settings")
	})
	for _, o := range x.set.Settings().OtherServers() {
		if o.Err == nil { // else the section about settings has it
			s.ok("file", describeOther(&o))
		}
	}
	configs := servers.Configs(set, x.set.Settings())
	if len(configs) == 0 {
		return s
	}
	selection := servers.SelectionOf(set, x.set.Settings())
	for i := range configs {
		c := &configs[i]
		text := fmt.Sprintf("%s, %s", c.Name, describeServer(c))
		switch {
		case !set.IsTrusted():
			s.note("server", text+", which does not start: this folder is not trusted", "to trust the folder, type /permissions trust in a session")
		case selection.State(c.Name) == mcp.Blocked:
			s.note("server", text+", which mcp.allowed or mcp.excluded blocks", "to use it, change these settings")
		case c.Disabled:
			s.note("server", text+", whose entry has disabled: true", "to use it, remove that from mcpServers in the settings")
		case selection.State(c.Name) == mcp.Disabled:
			s.note("server", text+", which you have disabled", "to use it, run: pollux mcp enable "+c.Name)
		case x.lacksProgram(c):
			s.warn("server", text+", whose program is not installed", "install it, or run: pollux mcp "+map[bool]string{true: "remove ", false: "disable "}[c.File == ""]+c.Name)
		default:
			s.ok("server", text+". To test it, run: pollux mcp test "+c.Name)
		}
	}
	return s
}

// describeOther describes the servers in a file of another agent.
func describeOther(o *config.OtherServers) string {
	text := o.File + " has " + wording.Count(len(o.Servers), "server")
	if len(o.Replaced) > 0 {
		text += "; other files of the project replace " + strings.Join(o.Replaced, ", ")
	}
	if len(o.Disabled) > 0 {
		text += "; disabled there: " + strings.Join(o.Disabled, ", ")
	}
	return text
}

// describeServer names the program or the host of a server.
func describeServer(c *mcp.Config) string {
	if c.Kind() == mcp.Stdio {
		return "the program " + filepath.Base(c.Command)
	}
	if u, err := url.Parse(c.Endpoint()); err == nil && u.Host != "" {
		return "a service at " + u.Host
	}
	return "a service whose URL is not valid"
}

// lacksProgram reports whether the program of a server cannot be found.
func (x *examination) lacksProgram(c *mcp.Config) bool {
	if c.Kind() != mcp.Stdio || c.Command != filepath.Base(c.Command) && !filepath.IsAbs(c.Command) {
		return false
	}
	path := x.set.Env().User().Get("PATH")
	if own, ok := c.Env["PATH"]; ok {
		path = own
	}
	_, err := process.LookPath(path, c.Command)
	return err != nil
}
