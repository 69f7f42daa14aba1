// Package proxy runs the proxy by which alone confined programs reach the network. A command of the user's, in [Variable], is the proxy:
//
//	address := proxy.Address(env)
//	program := &proxy.Program{Address: address, Start: …}
//	defer program.Close()
//	err := program.Ready(ctx) // before each confined program
//	environ = append(environ, proxy.Variables(address, env)...)
package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"pollux/internal/crash"
	"pollux/internal/process"
	"pollux/internal/process/lastwords"
)

// Variable is the variable with the command.
const Variable = "GEMINI_SANDBOX_PROXY_COMMAND"

// DefaultPort is the port that the proxy listens at, unless variables such as HTTPS_PROXY name another one on this machine.
const DefaultPort = "8877"

// loopback is the host of proxies on this machine.
const loopback = "localhost"

// Address returns the URL of the proxy. env has the variables of the user.
func Address(env func(name string) string) *url.URL {
	for _, name := range [...]string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"} {
		if u, err := url.Parse(env(name)); err == nil && u.Port() != "" && isLoopback(u.Hostname()) {
			return u
		}
	}
	return &url.URL{Scheme: "http", Host: net.JoinHostPort(loopback, DefaultPort)}
}

func isLoopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == loopback || err == nil && a.IsLoopback()
}

// Variables returns the variables by which programs find the proxy at an address, as NAME=value. They reach servers on their own machine without it,
// unless the user's NO_PROXY says otherwise.
func Variables(address *url.URL, env func(name string) string) (list []string) {
	without := cmp.Or(env("NO_PROXY"), env("no_proxy"), "localhost,127.0.0.1,::1")
	for _, v := range [...][2]string{
		{"HTTPS_PROXY", address.String()},
		{"https_proxy", address.String()},
		{"HTTP_PROXY", address.String()},
		{"http_proxy", address.String()},
		{"NO_PROXY", without},
		{"no_proxy", without},
	} {
		list = append(list, v[0]+"="+v[1])
	}
	return list
}

// Program is the proxy of a session. Its methods may be called from several goroutines at once.
type Program struct {
	// Address is where it listens.
	Address *url.URL
	// Start starts the command, with these writers for its output.
	Start func(words *lastwords.Tail) (*process.Process, error)
	// Conceal returns a line of its output without secrets.
	Conceal func(line string) string

	mu      sync.Mutex // guards the following
	running *process.Process
	words   *lastwords.Tail
	ended   chan struct{} // is closed when running has ended, with its status
	status  process.Status
}

const (
	// patience is how long a proxy has until it listens.
	patience = 30 * time.Second
	// pause is the time between two attempts to reach it.
	pause = 20 * time.Millisecond
)

// Ready returns when the proxy takes connections: one of this session, or one that listens already, such as that of another session. Else it starts the
// command. The error says why there is none.
func (p *Program) Ready(ctx context.Context) error {
	if p.answers() {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.answers() { // another program has waited for it
		return nil
	}
	if err := p.start(); err != nil {
		return fmt.Errorf("cannot start %s: %w", Variable, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errors.New("it does not listen at "+p.Address.Host))
	defer cancel()
	for !p.answers() {
		select {
		case <-p.ended:
			if p.answers() { // another session's was faster
				return nil
			}
			return p.explain(p.reason())
		case <-ctx.Done():
			return p.explain(context.Cause(ctx))
		case <-time.After(pause):
		}
	}
	return nil
}

// answers reports whether something listens at the address.
func (p *Program) answers() bool {
	conn, err := net.DialTimeout("tcp", p.Address.Host, time.Second)
	if err == nil {
		_ = conn.Close()
	}
	return err == nil
}

// start starts the command, unless it runs.
func (p *Program) start() error {
	if p.running != nil && p.ended != nil {
		select {
		case <-p.ended:
		default:
			return nil
		}
	}
	words, ended := &lastwords.Tail{}, make(chan struct{})
	running, err := p.Start(words)
	if err != nil {
		return err
	}
	p.running, p.words, p.ended = running, words, ended
	go func() {
		defer crash.Recover()
		defer close(ended)
		p.status, _ = running.Wait() // the error is that of the context
	}()
	return nil
}

// reason returns how the command has ended.
func (p *Program) reason() error {
	if p.status.Signal != 0 {
		return fmt.Errorf("it was ended by %s", p.status.SignalName())
	}
	return fmt.Errorf("it ended with exit code %d", p.status.Code)
}

// explain adds the line of the command's output that says why.
func (p *Program) explain(err error) error {
	if line := p.words.Cause(p.Conceal, false); line != "" {
		err = fmt.Errorf("%w: %s", err, line)
	}
	return fmt.Errorf("the proxy of %s does not run: %w", Variable, err)
}

// Close ends the command.
func (p *Program) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running != nil {
		p.running.Terminate()
		<-p.ended
		p.running = nil
	}
}
