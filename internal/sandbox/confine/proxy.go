package confine

import (
	"context"
	"strings"
	"time"

	"pollux/internal/exit"
	"pollux/internal/process"
	"pollux/internal/process/lastwords"
	"pollux/internal/sandbox/proxy"
	"pollux/internal/secret"
)

// proxied is the proxy of a session, by which commands reach the network.
type proxied struct {
	program   *proxy.Program
	variables []string // of programs that use it
	isOnlyWay bool     // else the network is open besides
}

// useProxy has commands use the proxy that the user's variable names, if it does. It is called before the sandbox is opened.
func (c *Confinement) useProxy() {
	command := c.options.Env(proxy.Variable)
	if command == "" || c.proxied != nil {
		return
	}
	address := proxy.Address(c.options.Env)
	c.proxied = &proxied{
		program: &proxy.Program{
			Address: address,
			Start:   func(words *lastwords.Tail) (*process.Process, error) { return c.startProxy(command, words) },
			Conceal: secret.NewEraser(secret.Values(c.options.Host.Environ(), c.secrets()...)),
		},
		variables: proxy.Variables(address, c.options.Env), isOnlyWay: true,
	}
}

// hasOnlyProxy reports whether commands reach others only by a proxy.
func (c *Confinement) hasOnlyProxy() bool { return c.proxied != nil && c.proxied.isOnlyWay }

// grace is how long a proxy has for its end after a signal.
const grace = 2 * time.Second

// startProxy starts the command of a proxy, outside of the sandbox: in the project if the user trusts that, for it may be a file there.
func (c *Confinement) startProxy(command string, words *lastwords.Tail) (*process.Process, error) {
	dir := c.options.Paths.Home()
	if c.options.Host.IsTrusted() {
		dir = c.options.Paths.Dir()
	}
	return c.options.Host.Launcher.Start(context.Background(), &process.Command{
		For: process.Purpose{Kind: process.KindProxy, Origin: process.OriginUser}, Name: proxy.Variable, Path: "/bin/sh", Args: []string{"-c", command},
		Env: c.options.Host.Environ(), Dir: dir, Stdout: words, Stderr: words, Grace: grace,
	})
}

// leadToProxy returns the environment of a command that uses the proxy, once that runs. One with a permission for the network does not need it, and one that
// the approval mode takes the network from gets none.
func (c *Confinement) leadToProxy(ctx context.Context, env []string, a access) ([]string, error) {
	if c.proxied == nil || a.Network || a.limit.IsOffline {
		return env, nil
	}
	if err := c.proxied.program.Ready(ctx); err != nil {
		return nil, exit.Errorf(exit.Sandbox, "%w", err)
	}
	names := []string{proxy.Variable} // a command of the person's
	for _, pair := range c.proxied.variables {
		name, _, _ := strings.Cut(pair, "=")
		names = append(names, name)
	}
	return append(secret.Without(env, names), c.proxied.variables...), nil
}

// closeProxy ends the proxy.
func (c *Confinement) closeProxy() {
	if c.proxied != nil {
		c.proxied.program.Close()
	}
}
