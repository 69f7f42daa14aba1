// Package broker lets confined programs use credentials that they do not have. They have placeholders. Their connections to the hosts that the
// credentials belong to are led to the broker, which puts the credentials in the places of the placeholders and sends the requests on:
//
//	b, err := broker.New(broker.Options{Credentials: list})
//	if hosts := b.Takes(ctx, address, nil); len(hosts) > 0 {
//		b.Serve(conn, address, hosts, program) // conn is from the program
//	}
//
// The broker speaks TLS with the program as an authority of its own, [Broker.Authority], and with the host as that proves to be it. A
// credential leaves only in headers for authentication of requests to its host, and answers of the host are searched for it.
package broker

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pollux/internal/crash"
	"pollux/internal/sandbox/names"
	"pollux/internal/sandbox/network"
)

// Credential is a secret for hosts.
type Credential struct {
	// Hosts are the names and single addresses that it belongs to. Without a port, they mean that of HTTPS.
	Hosts network.Hosts
	// Placeholder is the text that programs have in its place. It is random, so that only they have it.
	Placeholder string
	// Secret returns the credential. It is called when a program first uses the placeholder, and again after the host has refused the credential.
	Secret func(ctx context.Context, user string) (Secret, error)
	// ByUser is set if Secret differs by the user that a program has in a request with a user and a password.
	ByUser bool
}

// Secret is the text of a credential.
type Secret struct {
	User string // for a request with a user and a password, "" to leave the one that the program has
	Text string
}

// Options configure a [Broker].
type Options struct {
	Credentials []Credential
	// Proxies are the names and single addresses of HTTP proxies by which programs reach the hosts, with ports.
	Proxies network.Hosts
	// Transport connects to the hosts, and knows which authorities they are trusted by. The broker changes it.
	Transport *http.Transport
	// Lookup returns the addresses of a host; nil asks the resolver of this machine.
	Lookup func(ctx context.Context, name string) ([]netip.Addr, error)
}

// Broker takes connections of programs. Its methods may be called from several goroutines at once.
type Broker struct {
	hosts      network.Hosts // of all credentials, with ports
	proxies    network.Hosts
	names      *names.Server // of the hosts
	proxyNames *names.Server
	authority  *authority
	forms      []*form
	transport  *http.Transport // see transportOf
	server     http.Server
	queue      queue
	trust      trust
	ctx        context.Context
	end        context.CancelFunc

	mu   sync.Mutex // guards the following
	open map[*counted]bool
	ways map[netip.AddrPort]*http.Transport // by proxies; the zero value is for connections without one
}

// maxConnections is the number of connections that are open at once, and maxOfProgram that of those of one command.
const (
	maxConnections = 1024
	maxOfProgram   = 512
)

// New returns a broker for credentials, which waits for connections until it is closed.
func New(o Options) (*Broker, error) {
	b := &Broker{transport: o.Transport, open: map[*counted]bool{}, ways: map[netip.AddrPort]*http.Transport{}, queue: queue{conns: make(chan net.Conn), closed: make(chan struct{})}}
	b.ctx, b.end = context.WithCancel(context.Background())
	for _, c := range o.Credentials {
		f := &form{Credential: c, ctx: b.ctx}
		f.Hosts = nil
		for _, h := range c.Hosts {
			if h.Port == 0 {
				h.Port = network.PortHTTPS
			}
			h.MayBePrivate = h.Name != ""
			f.Hosts = append(f.Hosts, h)
		}
		b.forms, b.hosts = append(b.forms, f), append(b.hosts, f.Hosts...)
	}
	var err error
	if b.authority, err = newAuthority(b.hosts); err != nil {
		return nil, err
	}
	for _, h := range o.Proxies {
		h.MayBePrivate = h.Name != ""
		b.proxies = append(b.proxies, h)
	}
	b.names, b.proxyNames = names.New(names.Options{Hosts: b.hosts, Lookup: o.Lookup}), names.New(names.Options{Hosts: b.proxies, Lookup: o.Lookup})
	b.server = http.Server{
		Handler: b.exchange(), DisableGeneralOptionsHandler: true, ErrorLog: silent(), ReadHeaderTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, ledKey{}, c.(*led))
		},
	}
	b.server.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: 100}
	b.server.Protocols = &http.Protocols{} // for the server, a connection has no TLS any more
	b.server.Protocols.SetHTTP1(true)
	b.server.Protocols.SetUnencryptedHTTP2(true)
	go func() {
		defer crash.Recover()
		_ = b.server.Serve(&b.queue)
	}()
	return b, nil
}

// Authority returns the certificate, in PEM, of the authority that programs have to trust. It vouches for the hosts of the credentials only, and for
// their subdomains.
func (b *Broker) Authority() []byte { return b.authority.pem }

// learning limits the time that a connection waits for the addresses of the hosts.
const learning = 300 * time.Millisecond

// Learn asks for the addresses of the hosts and proxies, for programs that ask a resolver for them. It does not wait.
func (b *Broker) Learn() {
	b.names.Learn(context.Background(), 0)
	b.proxyNames.Learn(context.Background(), 0)
}

// Takes returns the hosts of credentials and the proxies that have an address; connections to it are for the broker if there are any. known has answered the
// programs that ask Pollux for names, and is nil for those that ask a resolver: then the broker asks, too.
func (b *Broker) Takes(ctx context.Context, to netip.AddrPort, known *names.Server) network.Hosts {
	found := takes(ctx, atPort(b.hosts, to.Port()), to.Addr(), b.names, known)
	return append(found, takes(ctx, atPort(b.proxies, to.Port()), to.Addr(), b.proxyNames, known)...)
}

// takes returns those of some hosts that have an address, as own knows them.
func takes(ctx context.Context, hosts network.Hosts, to netip.Addr, own, known *names.Server) network.Hosts {
	find := func() (found network.Hosts) {
		for _, h := range hosts {
			one := network.Hosts{h}
			if len(one.Containing(to)) > 0 || own.MayHave(to, one) || known != nil && known.MayHave(to, one) {
				found = append(found, h)
			}
		}
		return found
	}
	found := find()
	if len(found) == 0 && len(hosts) > 0 && known == nil && !to.Unmap().IsLoopback() { // which no resolver gives
		own.Learn(ctx, learning)
		found = find()
	}
	return found
}

// TakesName is [Broker.Takes] for a connection to a name.
func (b *Broker) TakesName(name string, port uint16) network.Hosts {
	return atPort(slices.Concat(b.hosts, b.proxies).Named(name), port)
}

// atPort returns those of some hosts that have a port.
func atPort(hosts network.Hosts, port uint16) (found network.Hosts) {
	for _, h := range hosts {
		if h.Port == port {
			found = append(found, h)
		}
	}
	return found
}

// Program is a program whose connections are led to a broker.
type Program struct {
	File string
	// Open counts the open connections of the command that it belongs to.
	Open *atomic.Int32
}

// shake limits the time until a program has said which host it means.
const shake = 30 * time.Second

// Serve takes a connection of a program to an address, which these hosts have. One to another host it passes on as it is,
// and that of a program that does not trust the broker. It returns when such a connection ends, or when the rest is done elsewhere.
func (b *Broker) Serve(from net.Conn, to netip.AddrPort, hosts network.Hosts, p Program) {
	conn := &counted{Conn: from, broker: b, program: p}
	switch {
	case !b.add(conn):
		_ = from.Close()
	case slices.ContainsFunc(hosts, b.isProxy):
		b.serveProxy(conn, to, slices.DeleteFunc(slices.Clone(hosts), b.isProxy))
	default:
		b.secure(conn, conn, hosts, &led{to: to, ip: to.Addr(), port: to.Port()})
	}
}

// secure begins TLS with a program that means one of these hosts, and hands it to the server. from has the data of the connection.
func (b *Broker) secure(conn *counted, from io.Reader, hosts network.Hosts, l *led) {
	p := conn.program
	tape := &tape{Conn: conn, from: from}
	_ = conn.SetDeadline(time.Now().Add(shake))
	secured := tls.Server(tape, &tls.Config{
		NextProtos: []string{"h2", "http/1.1"},
		GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			if l.host = hostOf(hosts, hello.ServerName, l.ip); l.host == "" || b.trust.isRefusedBy(p.File, l.host) {
				return nil, errors.New("not for the broker") // ends the handshake
			}
			tape.isOwn = true
			return nil, nil
		},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return b.authority.certify(l.host) },
	})
	if err := secured.Handshake(); err != nil {
		defer conn.Close()
		defer l.drop()
		switch {
		case tape.isOwn:
			b.trust.note(p.File, l.host, err)
		case len(tape.bytes) > 0: // another host, or no TLS
			_ = conn.SetDeadline(time.Time{})
			_ = b.pass(conn, io.MultiReader(bytes.NewReader(tape.bytes), from), l.dialAsMeant)
		}
		return
	}
	_ = conn.SetDeadline(time.Time{})
	l.Conn = secured
	b.queue.add(l)
}

// add adds a connection, unless there are too many or the broker is closed.
func (b *Broker) add(c *counted) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == nil || len(b.open) >= maxConnections {
		return false
	}
	if c.program.Open != nil && c.program.Open.Add(1) > maxOfProgram {
		c.program.Open.Add(-1)
		return false
	}
	b.open[c] = true
	return true
}

// remove removes a connection once.
func (b *Broker) remove(c *counted) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c.isRemoved {
		return
	}
	c.isRemoved = true
	delete(b.open, c)
	if c.program.Open != nil {
		c.program.Open.Add(-1)
	}
}

// hostOf returns the one of hosts that a program means by a name, "" for none. A program that names none means an address.
func hostOf(hosts network.Hosts, name string, to netip.Addr) string {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if name == "" && to.IsValid() && len(hosts.Containing(to)) > 0 {
		return to.Unmap().String()
	}
	if len(hosts.Named(name)) > 0 {
		return name
	}
	return ""
}

// led is a connection of a program that has shown itself to be for a host.
type led struct {
	net.Conn
	host   string
	ip     netip.Addr // of the host, if the program has named that
	port   uint16     // of the host
	to     netip.AddrPort
	tunnel *tunnel // the way to the host in place of to, nil for none
}

// dialAsMeant connects to the address or by the tunnel that the program chose.
func (l *led) dialAsMeant(ctx context.Context) (net.Conn, error) {
	if l.tunnel != nil {
		return l.tunnel.dial(ctx)
	}
	return dialTo(ctx, l.to, maxDial)
}

// traced returns a context for a request. One that goes on a connection of an earlier one does not need the one of the tunnel, which would grow old.
func (l *led) traced(ctx context.Context) context.Context {
	if l.tunnel == nil {
		return ctx
	}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(g httptrace.GotConnInfo) {
		if g.Reused {
			l.tunnel.drop()
		}
	}})
}

// drop ends the connection of the tunnel that no request has used.
func (l *led) drop() {
	if l.tunnel != nil {
		l.tunnel.drop()
	}
}

// Close ends the connection with the program.
func (l *led) Close() error {
	defer l.drop()
	return l.Conn.Close()
}

type ledKey struct{}

// counted is a connection that counts as open until it is closed.
type counted struct {
	net.Conn
	broker    *Broker
	program   Program
	isRemoved bool // guarded by the broker's mu
}

func (c *counted) Close() error {
	defer c.broker.remove(c)
	return c.Conn.Close()
}

// CloseWrite ends the data that Pollux sends.
func (c *counted) CloseWrite() error { return closeWrite(c.Conn) }

// Close ends the broker and its connections.
func (b *Broker) Close() error {
	b.end()
	b.mu.Lock()
	open, ways := b.open, b.ways
	b.open, b.ways = nil, nil
	b.mu.Unlock()
	for c := range open {
		_ = c.Conn.Close()
	}
	for _, t := range ways {
		t.CloseIdleConnections()
	}
	return b.server.Close()
}

// queue is the connections that the server gets.
type queue struct {
	conns  chan net.Conn
	closed chan struct{}
	close  sync.Once
}

// add hands a connection to the server, or closes it.
func (q *queue) add(c net.Conn) {
	select {
	case q.conns <- c:
	case <-q.closed:
		_ = c.Close()
	}
}

// Accept returns the next connection.
func (q *queue) Accept() (net.Conn, error) {
	select {
	case c := <-q.conns:
		return c, nil
	case <-q.closed:
		return nil, net.ErrClosed
	}
}

// Addr returns an address that says nothing.
func (*queue) Addr() net.Addr { return &net.TCPAddr{} }

// Close has Accept return, always.
func (q *queue) Close() error {
	q.close.Do(func() { close(q.closed) })
	return nil
}

// tape keeps the first data of a program until it is clear whether it goes elsewhere.
type tape struct {
	net.Conn
	from  io.Reader // its data
	bytes []byte
	isOwn bool // the program has named a host of the broker
}

func (t *tape) Read(b []byte) (int, error) {
	n, err := t.from.Read(b)
	if t.isOwn {
		t.bytes = nil
	} else {
		t.bytes = append(t.bytes, b[:n]...)
	}
	return n, err
}

// Write leaves out the alert with which TLS refuses another host: the program has to hear that one instead.
func (t *tape) Write(b []byte) (int, error) {
	if !t.isOwn {
		return len(b), nil
	}
	return t.Conn.Write(b)
}

const (
	firstDial = 5 * time.Second // for the address that the program chose
	maxDial   = 30 * time.Second
)

// dial connects to the address that a program chose, or else to another one of the host: the program cannot try that itself any more.
func (b *Broker) dial(ctx context.Context, l *led) (net.Conn, error) {
	if l.tunnel != nil {
		return l.tunnel.dial(ctx)
	}
	conn, err := dialTo(ctx, l.to, firstDial)
	if err == nil {
		return conn, nil
	}
	others, _ := b.names.Addresses(ctx, l.host) // the first error says more
	others = slices.DeleteFunc(others, func(a netip.Addr) bool { return a == l.to.Addr().Unmap() })
	for _, a := range others {
		if conn, again := dialTo(ctx, netip.AddrPortFrom(a, l.to.Port()), firstDial); again == nil {
			return conn, nil
		}
	}
	return nil, err
}
