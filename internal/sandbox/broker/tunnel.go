package broker

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"pollux/internal/sandbox/network"
)

const (
	connectMethod = "CONNECT "
	// maxHead limits the size of a request to a proxy, and of its answer, in bytes.
	maxHead = 64 << 10
)

// serveProxy takes a connection of a program to a proxy. One that is to lead to a host of a credential gets the broker at its end, once the proxy has made it; others
// are passed on as they are. direct are hosts of credentials that have the address of the proxy, too.
func (b *Broker) serveProxy(conn *counted, proxy netip.AddrPort, direct network.Hosts) {
	from := bufio.NewReaderSize(conn, maxHead)
	var to *proxyConn
	defer func() { to.drop() }()
	for {
		begin, err := from.Peek(1) // a program may connect long before it asks
		if err == nil && begin[0] == tlsRecord && len(direct) > 0 && to == nil {
			b.secure(conn, from, direct, &led{to: proxy, ip: proxy.Addr(), port: proxy.Port()})
			return
		}
		var ask []byte
		if err == nil {
			_ = conn.SetDeadline(time.Now().Add(shake))
			ask, err = readRequest(from)
			_ = conn.SetDeadline(time.Time{})
		}
		target, port, hosts := b.target(ask)
		if err != nil || len(hosts) == 0 {
			defer conn.Close()
			if len(ask)+from.Buffered() > 0 {
				dial := func(ctx context.Context) (net.Conn, error) { return to.orNew(ctx, proxy) }
				if b.pass(conn, io.MultiReader(bytes.NewReader(ask), from), dial) != nil && len(ask) > 0 {
					_, _ = io.WriteString(conn, noAnswer)
				}
			}
			return
		}
		to, err = to.connect(b.ctx, proxy, ask)
		if err != nil {
			_, _ = io.WriteString(conn, noAnswer)
			_ = conn.Close()
			return
		}
		if to.isRefusal() { // the program may ask again, with a password
			if to.passAnswer(b.ctx, conn) {
				continue
			}
			_ = conn.Close()
			return
		}
		if _, err := conn.Write(to.answer); err != nil {
			_ = conn.Close()
			return
		}
		ip, _ := netip.ParseAddr(target) // most are names
		t := &tunnel{proxy: proxy, ask: ask, first: to, since: time.Now()}
		to = nil
		b.secure(conn, from, hosts, &led{port: port, ip: ip, tunnel: t})
		return
	}
}

// tlsRecord is the first byte of a connection with TLS.
const tlsRecord = 0x16

// noAnswer tells a program that its proxy cannot be reached.
const noAnswer = "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

// target returns the host and the port to which a request has a proxy connect, and the hosts of credentials that it is, nil for none.
func (b *Broker) target(ask []byte) (host string, port uint16, hosts network.Hosts) {
	rest, isConnect := bytes.CutPrefix(ask, []byte(connectMethod))
	if !isConnect {
		return "", 0, nil
	}
	address, _, _ := bytes.Cut(rest, []byte{' '})
	host, text, err := net.SplitHostPort(string(address))
	number, notNumber := strconv.ParseUint(text, 10, 16)
	if err != nil || notNumber != nil {
		return "", 0, nil
	}
	host, port = strings.ToLower(strings.TrimSuffix(host, ".")), uint16(number)
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().String(), port, atPort(b.hosts.Containing(ip.Unmap()), port)
	}
	return host, port, atPort(b.hosts.Named(host), port)
}

// readRequest returns the first request of a program to a proxy, with its headers, if it has the method CONNECT. Else it returns what it has read so far: of another
// protocol, programs may send only a few bytes before they wait for an answer.
func readRequest(r *bufio.Reader) ([]byte, error) {
	for n := 1; n <= len(connectMethod); n++ {
		begin, err := r.Peek(n)
		if err != nil || string(begin) != connectMethod[:n] {
			return nil, err
		}
	}
	return readHead(r)
}

var errHead = errors.New("its answer is no valid HTTP")

// readHead reads up to the empty line that ends the head of a request or an answer.
func readHead(r *bufio.Reader) (head []byte, err error) {
	for {
		line, err := r.ReadSlice('\n')
		if head = append(head, line...); err != nil {
			return head, err
		}
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			return head, nil
		}
		if len(head) > maxHead {
			return head, errHead
		}
	}
}

// tunnel is a way to a host through a proxy of programs, who ask it with CONNECT.
type tunnel struct {
	proxy netip.AddrPort
	ask   []byte // the request of a program, which may have its password for the proxy

	mu    sync.Mutex // guards the following
	first *proxyConn // the connection that the proxy has made for the program, nil once it is in use
	since time.Time  // when it was made
}

// maxUnused is how long the connection that the proxy has made for a program is kept without a request: its other end may not wait long.
const maxUnused = 5 * time.Second

// errRefused means that a proxy does not accept the request of a program once more. A password may hold for one time or for one connection.
var errRefused = errors.New("the proxy has refused")

// dial returns a connection to the host.
func (t *tunnel) dial(ctx context.Context) (net.Conn, error) {
	if conn := t.take(maxUnused); conn != nil {
		return conn, nil
	}
	conn, err := (*proxyConn)(nil).connect(ctx, t.proxy, t.ask)
	if err == nil && conn.isRefusal() {
		line, _, _ := bytes.Cut(conn.answer, []byte{'\r'})
		conn.drop()
		err = fmt.Errorf("%w: %.80q", errRefused, line)
	}
	if err != nil {
		return nil, &net.OpError{Op: "connect", Net: "tcp", Addr: net.TCPAddrFromAddrPort(t.proxy), Err: err}
	}
	return conn, nil
}

// take returns the connection that the proxy has made for the program, nil if it is in use or older than a limit.
func (t *tunnel) take(limit time.Duration) *proxyConn {
	t.mu.Lock()
	defer t.mu.Unlock()
	conn := t.first
	t.first = nil
	if time.Since(t.since) > limit {
		conn.drop()
		return nil
	}
	return conn
}

// drop ends the connection that the proxy has made for the program if no request has used it.
func (t *tunnel) drop() { t.take(maxUnused).drop() }

// isProxy reports whether a host is a proxy of programs.
func (b *Broker) isProxy(h network.Host) bool { return slices.Contains(b.proxies, h) }
