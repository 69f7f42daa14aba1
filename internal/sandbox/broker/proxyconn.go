package broker

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// proxyConn is a connection to a proxy, which has been asked for a host. nil is one that has not been made yet.
type proxyConn struct {
	net.Conn
	from   *bufio.Reader // it may have read ahead
	answer []byte        // the head of the latest answer
}

// maxAnswer is how long a proxy has for its answer: it may wait for another machine, or for a person.
const maxAnswer = 5 * time.Minute

// connect sends a request with CONNECT to a proxy, and returns the connection once the proxy has answered. It uses the connection again, unless that has ended.
func (p *proxyConn) connect(ctx context.Context, proxy netip.AddrPort, ask []byte) (*proxyConn, error) {
	if p != nil {
		if err := p.send(ctx, ask); err == nil || len(p.answer) > 0 {
			return p, err
		}
		p.drop()
	}
	conn, err := dialTo(ctx, proxy, maxDial)
	if err != nil {
		return nil, err
	}
	p = &proxyConn{Conn: conn, from: bufio.NewReaderSize(conn, maxHead)}
	if err := p.send(ctx, ask); err != nil {
		p.drop()
		return nil, err
	}
	return p, nil
}

// send sends a request, and reads the head of the answer.
func (p *proxyConn) send(ctx context.Context, ask []byte) (err error) {
	defer p.limit(ctx, maxAnswer)()
	p.answer = nil
	if _, err = p.Write(ask); err == nil {
		p.answer, err = readHead(p.from)
	}
	return err
}

// limit limits the time of reading and writing, until the function that it returns is called, or ctx ends.
func (p *proxyConn) limit(ctx context.Context, d time.Duration) func() {
	_ = p.SetDeadline(time.Now().Add(d))
	stop := context.AfterFunc(ctx, func() { _ = p.SetDeadline(time.Unix(1, 0)) })
	return func() {
		if stop() {
			_ = p.SetDeadline(time.Time{})
		}
	}
}

// isRefusal reports whether the answer to CONNECT is another one than that the connection is there.
func (p *proxyConn) isRefusal() bool {
	status, isHTTP := bytes.CutPrefix(p.answer, []byte("HTTP/1."))
	return !isHTTP || len(status) < 5 || status[2] != '2'
}

// passAnswer gives a program the answer of a proxy that refuses, and reports whether it can ask again.
func (p *proxyConn) passAnswer(ctx context.Context, to net.Conn) bool {
	defer p.limit(ctx, maxAnswer)()
	from := bufio.NewReader(io.MultiReader(bytes.NewReader(p.answer), p.from))
	r, err := http.ReadResponse(from, &http.Request{Method: http.MethodConnect})
	if err != nil {
		_, _ = to.Write(p.answer)
		return false
	}
	defer r.Body.Close()
	return r.Write(to) == nil && !r.Close
}

// orNew returns the connection, or a new one if it is nil.
func (p *proxyConn) orNew(ctx context.Context, proxy netip.AddrPort) (net.Conn, error) {
	if p != nil {
		return p, nil
	}
	return dialTo(ctx, proxy, maxDial)
}

// drop ends the connection.
func (p *proxyConn) drop() {
	if p != nil {
		_ = p.Close()
	}
}

func (p *proxyConn) Read(b []byte) (int, error) { return p.from.Read(b) }

// CloseWrite ends the data that Pollux sends.
func (p *proxyConn) CloseWrite() error { return closeWrite(p.Conn) }
