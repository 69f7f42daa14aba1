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
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"pollux/internal/config"
	"pollux/internal/crash"
	"pollux/internal/process"
	"pollux/internal/process/lastwords"
)

// Variable is the variable with the command.
const Variable = config.CommandProxyVariable

// Address returns the URL of the proxy. env has the variables of the user.
func Address(env func(name string) string) *url.URL { return config.CommandProxy(env) }

// Variables returns the variables by which programs find the proxy at an address, as NAME=value. They reach servers on their own machine without it.
func Variables(address *url.URL, env func(name string) string) (list []string) {
	without := cmp.Or(env("NO_PROXY"), env("no_proxy"))
	if !strings.Contains(without, "localhost") && !strings.Contains(without, "*") {
		without = strings.TrimPrefix(without+",localhost,127.0.0.1,::1", ",")
	}
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
	// Start starts the command, with a writer for its output.
	Start func(words *lastwords.Tail) (*process.Process, error)
	// Conceal returns a line of its output without secrets.
	Conceal func(line string) string

	mu     sync.Mutex // guards the following
	latest *attempt   // nil before the first program
}

// attempt is a start of the command, or the use of a proxy that listens already.
type attempt struct {
	running *process.Process // nil if the command was not started
	words   lastwords.Tail
	over    chan struct{}  // is closed when it has ended
	status  process.Status // then
	known   chan struct{}  // is closed when it is known whether the proxy listens
	err     error          // why it does not, then
}

const (
	// patience is how long a proxy has until it listens.
	patience = 30 * time.Second
	// pause is the time between two attempts to reach it.
	pause = 20 * time.Millisecond
)

// Ready returns when the proxy takes connections: that of this session, or one of the person's that listens already, such as that of another session. Else it
// starts the command. The error says why there is none.
func (p *Program) Ready(ctx context.Context) error {
	a := p.attempt()
	select {
	case <-a.known:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if a.err != nil && !a.hasEnded() && p.answers() { // it was slow
		return nil
	}
	return a.err
}

// attempt returns the attempt that counts: the latest one, unless its proxy has ended.
func (p *Program) attempt() *attempt {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.latest == nil || p.latest.hasEnded() || p.latest.running == nil && !p.answers() {
		p.latest = p.begin()
	}
	return p.latest
}

// hasEnded reports whether the command has ended.
func (a *attempt) hasEnded() bool {
	if a.running == nil {
		return a.err != nil
	}
	select {
	case <-a.over:
		return true
	default:
		return false
	}
}

// begin starts the command, unless there is a proxy.
func (p *Program) begin() *attempt {
	a := &attempt{known: make(chan struct{}), over: make(chan struct{})}
	if p.answers() {
		close(a.known)
		return a
	}
	var err error
	if a.running, err = p.Start(&a.words); err != nil {
		a.err = fmt.Errorf("cannot start %s: %w", Variable, err)
		close(a.known)
		return a
	}
	go func() {
		defer crash.Recover()
		defer close(a.over)
		a.status, _ = a.running.Wait() // the error is that of a context, which does not end
	}()
	go func() {
		defer crash.Recover()
		defer close(a.known)
		a.err = p.await(a)
	}()
	return a
}

// await waits until the proxy listens.
func (p *Program) await(a *attempt) error {
	end := time.NewTimer(patience)
	defer end.Stop()
	for !p.answers() {
		select {
		case <-a.over:
			return p.explain(a, ended(a.status))
		case <-end.C:
			return p.explain(a, errors.New("it does not listen at "+p.Address.Host))
		case <-time.After(pause):
		}
	}
	return nil
}

// answers reports whether a proxy listens at the address. A program of the sandbox that does is none: it could have taken the place of one.
func (p *Program) answers() bool {
	conn, err := net.DialTimeout("tcp", p.Address.Host, time.Second)
	if err != nil {
		return false
	}
	_ = conn.Close()
	port, _ := strconv.Atoi(p.Address.Port()) // see parse
	return process.ListensOutside(port)
}

// ended returns the error of a command that has ended.
func ended(s process.Status) error {
	switch {
	case s.Signal != 0:
		return fmt.Errorf("it was ended by %s", s.SignalName())
	case s.Code == 0:
		return errors.New("it ended. It has to stay in the foreground")
	}
	return fmt.Errorf("it ended with exit code %d", s.Code)
}

// explain adds the line of the command's output that says why.
func (p *Program) explain(a *attempt, err error) error {
	if line := a.words.Cause(p.Conceal, false); line != "" {
		err = fmt.Errorf("%w: %s", err, line)
	}
	return fmt.Errorf("the proxy of %s does not run: %w", Variable, err)
}

// Close ends the command.
func (p *Program) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.latest == nil || p.latest.running == nil {
		return
	}
	p.latest.running.Terminate()
	<-p.latest.over
	<-p.latest.known
	p.latest = nil
}
