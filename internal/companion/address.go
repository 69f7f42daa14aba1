package companion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"pollux/internal/config"
	"pollux/internal/mcp"
	"pollux/internal/process"
	"pollux/internal/project"
)

// addresses returns how to reach a companion, the best way first: by its file, then by the environment of the terminal.
func (l listing) addresses(env *config.Env) (list []mcp.Config, err error) {
	token := l.Token
	if token == "" {
		token = env.Get("GEMINI_CLI_IDE_AUTH_TOKEN")
	}
	if c, ok := service(l.Port.String(), token); ok {
		list = append(list, c)
	}
	if l.Stdio != nil && l.Stdio.Command != "" {
		list = append(list, mcp.Config{Name: serverName, Command: l.Stdio.Command, Args: l.Stdio.Args})
	}
	if port := env.Get("GEMINI_CLI_IDE_SERVER_PORT"); port != "" && (port != l.Port.String() || env.Get("GEMINI_CLI_IDE_AUTH_TOKEN") != token) {
		c, ok := service(port, env.Get("GEMINI_CLI_IDE_AUTH_TOKEN"))
		if !ok {
			return nil, errors.New("GEMINI_CLI_IDE_SERVER_PORT is no port")
		}
		list = append(list, c)
	}
	if command := env.Get("GEMINI_CLI_IDE_SERVER_STDIO_COMMAND"); command != "" {
		var args []string
		if text := env.Get("GEMINI_CLI_IDE_SERVER_STDIO_ARGS"); text != "" && json.Unmarshal([]byte(text), &args) != nil {
			return nil, errors.New("GEMINI_CLI_IDE_SERVER_STDIO_ARGS is no JSON list of texts")
		}
		list = append(list, mcp.Config{Name: serverName, Command: command, Args: args})
	}
	return list, nil
}

// serverName is the name of the companion among servers, in logs.
const serverName = "ide"

// service returns the configuration of a companion that listens on a port of this machine.
func service(port, token string) (c mcp.Config, ok bool) {
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return c, false
	}
	c = mcp.Config{Name: serverName, HTTPURL: fmt.Sprintf("http://127.0.0.1:%d/mcp", n), TimeoutMS: float64(diffTime.Milliseconds())}
	if token != "" {
		c.Headers = map[string]string{"Authorization": "Bearer " + token}
	}
	return c, true
}

// transport makes requests to the editor: past any proxy, and from a container to the machine outside of it.
func transport() (http.RoundTripper, error) {
	t := &http.Transport{IdleConnTimeout: time.Minute}
	if isInContainer() {
		var d net.Dialer
		t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := d.DialContext(ctx, network, address)
			if err == nil {
				return conn, nil
			}
			if _, port, splitErr := net.SplitHostPort(address); splitErr == nil {
				return d.DialContext(ctx, network, net.JoinHostPort("host.docker.internal", port))
			}
			return nil, err
		}
	}
	return t, nil
}

// isInContainer reports whether Pollux runs in a container. An editor may run in the same one, or outside.
func isInContainer() bool {
	for _, mark := range [...]string{"/.dockerenv", "/run/.containerenv"} {
		if _, err := os.Stat(mark); err == nil {
			return true
		}
	}
	return false
}

// environ returns the environment of a companion that is a program.
func environ(p *project.Project) func(process.Origin) []string {
	return func(origin process.Origin) []string { return project.WithOwn(p, p.ServerEnviron(), origin) }
}
