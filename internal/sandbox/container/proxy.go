package container

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"pollux/internal/crash"
	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/process"
	"pollux/internal/process/lastwords"
	"pollux/internal/sandbox/proxy"
)

// proxyName begins the names of the containers of proxies, as those of Gemini CLI do.
const proxyName = "gemini-cli-sandbox-proxy"

// gateway is the container of a proxy. The machine has its port at a loopback address, which the link leads to.
type gateway struct {
	options *Options
	path    string // of the container program
	name    string
	port    string // where the proxy listens in its container
	address string // where the machine has that port
	words   lastwords.Tail
	running *process.Process
	input   io.Closer // the end of its input ends the proxy
}

func (o *Options) hasProxy() bool { return o.Env(proxy.Variable) != "" }

// proxyURL returns the address of the proxy for programs in the container of the session.
func (o *Options) proxyURL() *url.URL {
	u := *proxy.Address(o.Env)
	u.Host = net.JoinHostPort("localhost", u.Port())
	return &u
}

// asLongAsRead runs the command in its argument, and ends it when the input ends: Pollux holds the other end, also when it is killed. It needs few
// programs of the image.
const asLongAsRead = `exec 3<&0
(cat <&3 >/dev/null; kill -TERM $$; sleep 3; kill -KILL $$) &
exec 3<&- sh -c "$1" </dev/null`

// startGateway starts the container of the proxy, and waits until that takes connections.
func (o *Options) startGateway(ctx context.Context, path, image string) (*gateway, error) {
	g := &gateway{options: o, path: path, name: nameFor(proxyName), port: o.proxyURL().Port()}
	input, end := io.Pipe()
	g.input = end
	var err error
	g.running, err = o.Launcher.Start(context.Background(), &process.Command{
		For: purpose, Path: path, Args: g.command(image), Env: o.Environ, Dir: o.Dir, Stdin: input, Stdout: &g.words, Stderr: &g.words,
		Detach: true, // the container program ends with the proxy: killed earlier, it may leave a container that has not begun
		Grace:  grace,
	})
	if err != nil {
		return nil, exit.Errorf(exit.Sandbox, "Cannot start %s: %w.", o.Client(), durable.Cause(err))
	}
	if err := g.await(ctx); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

// command returns the command line that runs the proxy: in the project if the user trusts that, for it may be a file there.
func (g *gateway) command(image string) command {
	o := g.options
	c := command{"run", "--rm", "--init", "--interactive", "--name", g.name, "--publish", "127.0.0.1::" + g.port}
	if o.Script {
		c.add("--volume", mount{o.Dir, o.Dir, writable}.String(), "--workdir", o.Dir)
	} else {
		c.add("--workdir", "/")
	}
	c.add("--entrypoint", "", image, "sh", "-c", asLongAsRead, "sh", o.Env(proxy.Variable))
	return c
}

const (
	// patience is how long a proxy has until it can be reached.
	patience = 30 * time.Second
	// pause is the time between two attempts.
	pause = 50 * time.Millisecond
	// moment is how long a connection stays, at least, if the proxy has it.
	moment = 100 * time.Millisecond
)

// await waits until the proxy takes connections.
func (g *gateway) await(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for !g.answers(limited) {
		select {
		case <-g.running.Closed():
			return g.explain()
		case <-limited.Done():
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return g.unreachable()
		case <-time.After(pause):
		}
	}
	return nil
}

// answers reports whether the proxy takes connections.
func (g *gateway) answers(ctx context.Context) bool {
	if g.address == "" {
		g.address = g.find(ctx)
	}
	if g.address == "" {
		return false
	}
	conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", g.address)
	if err != nil {
		return false
	}
	defer conn.Close()
	// A program for the port may take a connection, and end it when nothing listens in the container.
	_ = conn.SetReadDeadline(time.Now().Add(moment))
	_, err = conn.Read(make([]byte, 1))
	return err == nil || errors.Is(err, os.ErrDeadlineExceeded)
}

// find returns where the machine has the port of the proxy, "" if it is not there yet.
func (g *gateway) find(ctx context.Context) string {
	text, err := g.options.Launcher.Ask(ctx, &process.Command{For: purpose, Path: g.path, Args: []string{"port", g.name, g.port + "/tcp"}, Env: g.options.Environ})
	if err != nil {
		return ""
	}
	for word := range strings.FieldsSeq(text) { // some versions say more
		if address, err := netip.ParseAddrPort(word); err == nil {
			return address.String()
		}
	}
	return ""
}

// unreachable returns the error of a proxy that does not take connections.
func (g *gateway) unreachable() error {
	return exit.Errorf(exit.Sandbox, "The proxy of %s cannot be reached. It has to listen at port %s of all addresses (0.0.0.0) of its container.", proxy.Variable, g.port)
}

// explain returns the error of a proxy that has ended.
func (g *gateway) explain() error {
	line := g.words.Cause(g.options.Conceal, true) // the container program may say more before
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

// close ends the proxy, and removes its container.
func (g *gateway) close() {
	_ = g.input.Close()
	select {
	case <-g.running.Closed():
	case <-time.After(grace):
		g.running.Terminate()
	}
	_, _ = g.running.Wait()
	g.options.remove(g.path, g.name)
}
