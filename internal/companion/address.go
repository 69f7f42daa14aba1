package companion

import (
	"cmp"
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
	"pollux/internal/sandbox/listener"
)

// address is an address of a companion.
type address struct {
	mcp.Config
	port   int  // 0 for a program
	isSure bool // the environment of the terminal says it, which no command can change
}

// addresses returns how to reach a companion, the best way first: by its file, then by the environment of the terminal.
func (l listing) addresses(env *config.Env) (list []address, err error) {
	port, theirs := env.Get("GEMINI_CLI_IDE_SERVER_PORT"), env.Get("GEMINI_CLI_IDE_AUTH_TOKEN")
	token := cmp.Or(l.Token, theirs)
	isSame := port == l.Port.String() && token == theirs
	if a, ok := service(l.Port.String(), token); ok {
		a.isSure = isSame
		list = append(list, a)
	}
	if port != "" && !isSame {
		a, ok := service(port, theirs)
		if !ok {
			return nil, errors.New("GEMINI_CLI_IDE_SERVER_PORT is no port")
		}
		a.isSure = true
		list = append(list, a)
	}
	if command := env.Get("GEMINI_CLI_IDE_SERVER_STDIO_COMMAND"); command != "" {
		var args []string
		if text := env.Get("GEMINI_CLI_IDE_SERVER_STDIO_ARGS"); text != "" && json.Unmarshal([]byte(text), &args) != nil {
			return nil, errors.New("GEMINI_CLI_IDE_SERVER_STDIO_ARGS is no JSON list of texts")
		}
		list = append(list, address{Config: mcp.Config{Name: serverName, Command: command, Args: args}, isSure: true})
	}
	return list, nil
}

// check returns why an address must not be used. A command in the sandbox can write the file of a companion, and listen at the port of an editor that
// has gone: as the editor, it would accept changes.
func (a *address) check() error {
	if a.port == 0 {
		return nil
	}
	switch kind := listener.At(a.port); {
	case kind == listener.Confined:
		return fmt.Errorf("a command in the sandbox listens at port %d in its place", a.port)
	case kind == listener.Unknown && listener.Sees && !a.isSure:
		return fmt.Errorf("it is not visible which program listens at port %d. Begin a new terminal in the editor", a.port)
	}
	return nil
}

// serverName is the name of the companion among servers, in logs.
const serverName = "ide"

// service returns the configuration of a companion that listens on a port of this machine.
func service(port, token string) (a address, ok bool) {
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return a, false
	}
	c := mcp.Config{Name: serverName, HTTPURL: fmt.Sprintf("http://127.0.0.1:%d/mcp", n), TimeoutMS: float64(diffTime.Milliseconds())}
	if token != "" {
		c.Headers = map[string]string{"Authorization": "Bearer " + token}
	}
	return address{Config: c, port: int(n)}, true
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
