package broker

import (
	"context"
	"io"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"pollux/internal/crash"
)

// pass connects a program with the address that it means. from has the data of the program. It returns an error if nothing is there.
func (b *Broker) pass(conn *counted, from io.Reader, dial func(context.Context) (net.Conn, error)) error {
	to, err := dial(b.ctx)
	if err != nil {
		return err
	}
	other := &passed{Conn: to}
	defer other.Close()
	defer context.AfterFunc(b.ctx, func() { _ = other.Close() })()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer crash.Recover()
		_, _ = io.Copy(other.Conn, from)
		_ = closeWrite(other.Conn)
		other.isEnding.Store(true) // the program may have gone
		_ = other.SetReadDeadline(time.Now().Add(lastAnswer))
	}()
	_, _ = io.Copy(net.Conn(conn), other)
	_ = conn.CloseWrite()
	<-done // at the latest when the broker is closed
	return nil
}

// lastAnswer is how long a host may be silent after the end of a request that is passed on.
const lastAnswer = 2 * time.Minute

// passed is a connection to the host of a program.
type passed struct {
	net.Conn
	isEnding atomic.Bool // the program sends nothing more
}

func (p *passed) Read(b []byte) (int, error) {
	if p.isEnding.Load() {
		_ = p.SetReadDeadline(time.Now().Add(lastAnswer))
	}
	return p.Conn.Read(b)
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
