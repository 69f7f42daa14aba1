package container

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"pollux/internal/crash"
	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/process"
	"pollux/internal/process/lastwords"
	"pollux/internal/sandbox/proxy"
)

// The networks of a session with a proxy have the names that Gemini CLI gives them. The container of the session is in inside, which leads nowhere else, and
// that of the proxy in both. They stay for other sessions.
const (
	inside  = "gemini-cli-sandbox"
	outside = "gemini-cli-sandbox-proxy"
	// proxyHost is the name of the proxy in the container of the session.
	proxyHost = "gemini-cli-sandbox-proxy"
)

// gateway is the container of a proxy.
type gateway struct {
	options *Options
	path    string // of the container program
	name    string
	address string // in the network of the session
	words   lastwords.Tail
	running *process.Process
}

// proxyURL returns the address of the proxy for programs in the container of the session.
func (o *Options) proxyURL() *url.URL {
	u := *proxy.Address(o.Env)
	u.Host = net.JoinHostPort(proxyHost, u.Port())
	return &u
}

// startGateway starts the container of the proxy.
func (o *Options) startGateway(ctx context.Context, path, image, command string) (_ *gateway, err error) {
	g := &gateway{options: o, path: path, name: nameFor(proxyHost)}
	defer func() {
		if err != nil {
			g.close()
		}
	}()
	if err := g.createNetworks(ctx); err != nil {
		return nil, err
	}
	create := []string{
		"create", "--rm", "--init", "--name", g.name, "--network", outside, "--volume", mount{o.Dir, o.Dir, writable}.String(), "--workdir", o.Dir,
		"--entrypoint", "", image, "sh", "-c", command,
	}
	for _, args := range [][]string{create, {"network", "connect", inside, g.name}} {
		if _, err := g.ask(ctx, args...); err != nil {
			return nil, err
		}
	}
	g.running, err = o.Launcher.Start(context.Background(), &process.Command{
		For: purpose, Path: path, Args: []string{"start", "--attach", g.name}, Env: o.Environ, Dir: o.Dir, Stdout: &g.words, Stderr: &g.words, Grace: grace,
	})
	if err != nil {
		return nil, exit.Errorf(exit.Sandbox, "Cannot start %s: %w.", o.Client(), durable.Cause(err))
	}
	return g, g.find(ctx)
}

// createNetworks creates the networks that are not there.
func (g *gateway) createNetworks(ctx context.Context) error {
	for _, args := range [][]string{{"--internal", inside}, {outside}} {
		name := args[len(args)-1]
		isInternal, err := g.ask(ctx, "network", "inspect", "--format", "{{.Internal}}", name)
		if err == nil && name == inside && isInternal != "true" {
			return exit.Errorf(exit.Sandbox, "The network %s of %s is not internal, so that programs would reach others without the proxy. Remove it: %s network rm %s.", name, g.options.Client(), g.options.Client(), name)
		} else if err == nil {
			continue
		}
		if _, err := g.ask(ctx, append([]string{"network", "create"}, args...)...); err != nil {
			if _, missing := g.ask(ctx, "network", "inspect", name); missing != nil { // else another session was faster
				return err
			}
		}
	}
	return nil
}

// ask runs the container program, and returns its output.
func (g *gateway) ask(ctx context.Context, args ...string) (string, error) {
	text, err := g.options.Launcher.Ask(ctx, &process.Command{For: purpose, Path: g.path, Args: args, Env: g.options.Environ, Dir: g.options.Dir})
	if err != nil && ctx.Err() == nil {
		err = exit.Errorf(exit.Sandbox, "Cannot set up the proxy of %s: %s %s: %w.", proxy.Variable, g.options.Client(), args[0], err)
	}
	return text, err
}

const (
	// patience is how long a proxy has until it can be reached.
	patience = 30 * time.Second
	// pause is the time between two attempts.
	pause = 50 * time.Millisecond
)

// find waits until the container has an address in the network of the session.
func (g *gateway) find(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errors.New("it gets no address"))
	defer cancel()
	format := fmt.Sprintf(`{{(index .NetworkSettings.Networks %q).IPAddress}}`, inside)
	for {
		var err error
		if g.address, err = g.ask(ctx, "container", "inspect", "--format", format, g.name); err == nil && net.ParseIP(g.address) != nil {
			return nil
		}
		select {
		case <-g.running.Closed():
			return g.explain()
		case <-ctx.Done():
			return exit.Errorf(exit.Sandbox, "The proxy of %s does not run: %w.", proxy.Variable, context.Cause(ctx))
		case <-time.After(pause):
		}
	}
}

// explain returns the error of a proxy that has ended.
func (g *gateway) explain() error {
	line := g.words.Cause(func(line string) string { return line }, true) // the container program may say more before
	return exit.Errorf(exit.Sandbox, "The proxy of %s has ended: %s.", proxy.Variable, strings.TrimSuffix(cmp.Or(line, g.running.Status().String()), "."))
}

// watch returns a context that ends with the proxy.
func (g *gateway) watch(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		defer crash.Recover()
		select {
		case <-g.running.Closed():
			cancel(g.explain())
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// join adds the session's container to the network of the proxy.
func (g *gateway) join(c *command) {
	if g != nil {
		c.add("--network", inside, "--add-host", proxyHost+":"+g.address)
	}
}

// close removes the container.
func (g *gateway) close() {
	g.options.remove(g.path, g.name)
	if g.running != nil {
		g.running.Terminate()
		_, _ = g.running.Wait()
	}
}
