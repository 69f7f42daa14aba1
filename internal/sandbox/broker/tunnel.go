package broker

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"pollux/internal/sandbox/network"
)

// tunnel is a way to a host through a proxy of programs, who ask it with CONNECT.
type tunnel struct {
	proxy netip.AddrPort
	ask   []byte // the request of a program, which may have its password for the proxy

	mu    sync.Mutex // guards first
	first *proxyConn // the connection that the proxy has made for the program, nil once it is in use
}

const (
	connectMethod = "CONNECT "
	// maxHead limits the size of a request to a proxy, and of its answer, in bytes.
	maxHead = 64 << 10
)

// serveProxy takes a connection of a program to a proxy. One that is to lead to a host of a credential gets the broker at its end, once the proxy has made it; others
// are passed on as they are.
func (b *Broker) serveProxy(conn *counted, proxy netip.AddrPort) {
	from := bufio.NewReaderSize(conn, maxHead)
	var to *proxyConn
	for {
		_ = conn.SetDeadline(time.Now().Add(shake))
		ask, err := readRequest(from)
		target, port, hosts := b.target(ask)
		if err != nil || len(hosts) == 0 {
			_ = conn.SetDeadline(time.Time{})
			if !errors.Is(err, io.EOF) || len(ask)+from.Buffered() > 0 {
				b.pass(conn, append(ask, buffered(from)...), func(ctx context.Context) (net.Conn, error) { return to.orNew(ctx, proxy) })
			}
			break
		}
		if to == nil {
			to, err = dialProxy(b.ctx, proxy)
		}
		var answer []byte
		if err == nil {
			answer, err = to.connect(b.ctx, ask)
		}
		if err != nil {
			_, _ = io.WriteString(conn, "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
			break
		}
		if isRefusal(answer) { // the program may ask again, with a password
			if !to.passAnswer(conn, answer) {
				break
			}
			continue
		}
		if _, err := conn.Write(answer); err != nil {
			break
		}
		ip, _ := netip.ParseAddr(target) // most are names
		b.secure(conn, from, hosts, &led{port: port, ip: ip, tunnel: &tunnel{proxy: proxy, ask: ask, first: to}})
		return
	}
	_ = conn.Close()
	if to != nil {
		_ = to.Close()
	}
}

// proxyConn is a connection to a proxy, of which the reader may have read ahead.
type proxyConn struct {
	net.Conn
	from *bufio.Reader
}

func dialProxy(ctx context.Context, proxy netip.AddrPort) (*proxyConn, error) {
	conn, err := dialTo(ctx, proxy, maxDial)
	if err != nil {
		return nil, err
	}
	return &proxyConn{conn, bufio.NewReaderSize(conn, maxHead)}, nil
}

// orNew returns the connection, or a new one if it is nil.
func (p *proxyConn) orNew(ctx context.Context, proxy netip.AddrPort) (net.Conn, error) {
	if p != nil {
		return p, nil
	}
	return dialTo(ctx, proxy, maxDial)
}

// connect sends a request with CONNECT, and returns the head of the answer.
func (p *proxyConn) connect(ctx context.Context, ask []byte) (answer []byte, err error) {
	defer context.AfterFunc(ctx, func() { _ = p.SetDeadline(time.Unix(1, 0)) })()
	_ = p.SetDeadline(time.Now().Add(maxDial))
	if _, err = p.Write(ask); err != nil {
		return nil, err
	}
	if answer, err = readHead(p.from); err != nil {
		return nil, err
	}
	return answer, p.SetDeadline(time.Time{})
}

// isRefusal reports whether an answer to CONNECT is another one than that the connection is there.
func isRefusal(answer []byte) bool {
	status, isHTTP := bytes.CutPrefix(answer, []byte("HTTP/1."))
	return !isHTTP || len(status) < 5 || status[2] != '2'
}

// passAnswer gives a program the answer of a proxy that refuses, and reports whether it can ask again.
func (p *proxyConn) passAnswer(to net.Conn, head []byte) bool {
	_ = to.SetDeadline(time.Now().Add(maxDial))
	_ = p.SetDeadline(time.Now().Add(maxDial))
	from := bufio.NewReader(io.MultiReader(bytes.NewReader(head), p.from))
	r, err := http.ReadResponse(from, &http.Request{Method: http.MethodConnect})
	if err != nil {
		return false
	}
	defer r.Body.Close()
	return r.Write(to) == nil && !r.Close
}

func (p *proxyConn) Read(b []byte) (int, error) { return p.from.Read(b) }

// CloseWrite ends the data that Pollux sends.
func (p *proxyConn) CloseWrite() error { return closeWrite(p.Conn) }

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

// buffered takes the bytes out of a reader that it has read ahead.
func buffered(r *bufio.Reader) []byte {
	ahead, _ := r.Peek(r.Buffered())
	_, _ = r.Discard(len(ahead))
	return bytes.Clone(ahead)
}

// dial returns a connection to the host.
func (t *tunnel) dial(ctx context.Context) (net.Conn, error) {
	if conn := t.take(); conn != nil {
		return conn, nil
	}
	conn, err := dialProxy(ctx, t.proxy)
	if err != nil {
		return nil, err
	}
	answer, err := conn.connect(ctx, t.ask)
	if err == nil && isRefusal(answer) {
		line, _, _ := bytes.Cut(answer, []byte{'\r'})
		err = fmt.Errorf("the proxy answers %.80q", line)
	}
	if err != nil {
		_ = conn.Close()
		return nil, &net.OpError{Op: "connect", Net: "tcp", Addr: net.TCPAddrFromAddrPort(t.proxy), Err: err}
	}
	return conn, nil
}

// take returns the connection that the proxy has made for the program, nil if it is in use.
func (t *tunnel) take() *proxyConn {
	t.mu.Lock()
	defer t.mu.Unlock()
	conn := t.first
	t.first = nil
	return conn
}

// closeWrite ends the data that Pollux sends on a connection.
func closeWrite(c net.Conn) error {
	if c, ok := c.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return nil
}

func dialTo(ctx context.Context, to netip.AddrPort, patience time.Duration) (net.Conn, error) {
	return (&net.Dialer{Timeout: patience}).DialContext(ctx, "tcp", to.String())
}
