//go:build amd64 || arm64

package sandbox

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"pollux/internal/crash"
	"pollux/internal/sandbox/names"
	"pollux/internal/sandbox/network"
	"pollux/internal/sandbox/seccomp"
)

// connectLimited answers a call of connect(2) of a program that reaches some hosts, if it is about a datagram socket or about a resolver.
// isDone is false for other calls.
func (p *program) connectLimited(c *seccomp.Call, to netip.AddrPort, address []byte) (errno unix.Errno, isDone bool) {
	socket, err := c.File(int(int32(c.Args[0])))
	if err != nil {
		return errnoOf(err), true
	}
	defer unix.Close(socket)
	if s := p.datagrams.of(socket); s != nil {
		return p.datagrams.connect(s, address), true
	}
	if to.Port() != network.PortDNS {
		return 0, false
	}
	return p.connectResolver(socket, int(binary.NativeEndian.Uint16(address))), true
}

const (
	streamAccept = 2 * time.Second // how long a connection may take on this machine
	streamIdle   = 20 * time.Second
)

// connectResolver connects a TCP socket of a program, of a family, with a server for it alone, which answers like the one of [datagrams].
func (p *program) connectResolver(socket, family int) unix.Errno {
	select {
	case p.datagrams.slots <- struct{}{}:
	default:
		return unix.ECONNREFUSED
	}
	free := func() { <-p.datagrams.slots }
	return meet(socket, family, free, p.serveStream)
}

// meet connects a TCP socket of a program, of a family, with serve, which gets the other end. In the end it calls free.
func meet(socket, family int, free func(), serve func(net.Conn)) unix.Errno {
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		free()
		return unix.ECONNREFUSED
	}
	errno := connect(socket, network.FormatAddress(family, l.Addr().(*net.TCPAddr).AddrPort()))
	local, err := unix.Getsockname(socket)
	if errno != 0 && errno != unix.EINPROGRESS || err != nil {
		free()
		_ = l.Close()
		return errno
	}
	go func() {
		defer crash.Recover()
		defer free()
		if conn := accept(l, portOf(local)); conn != nil {
			serve(conn)
		}
	}()
	return errno
}

// portOf returns the port of an address, 0 for none.
func portOf(a unix.Sockaddr) int {
	switch a := a.(type) {
	case *unix.SockaddrInet4:
		return a.Port
	case *unix.SockaddrInet6:
		return a.Port
	}
	return 0
}

// accept takes the connection from a port, and closes the listener. It returns nil if there is none: other programs of this machine
// get no answers.
func accept(l *net.TCPListener, port int) net.Conn {
	defer l.Close()
	_ = l.SetDeadline(time.Now().Add(streamAccept))
	for {
		conn, err := l.AcceptTCP()
		if err != nil {
			return nil
		}
		if conn.RemoteAddr().(*net.TCPAddr).Port == port {
			return conn
		}
		_ = conn.Close()
	}
}

// serveStream answers the questions on a connection, each of which begins with its size.
func (p *program) serveStream(conn net.Conn) {
	defer conn.Close()
	for {
		_ = conn.SetDeadline(time.Now().Add(streamIdle))
		var size [2]byte
		if _, err := io.ReadFull(conn, size[:]); err != nil {
			return
		}
		query := make([]byte, min(int(binary.BigEndian.Uint16(size[:])), names.MaxQuery+1))
		if _, err := io.ReadFull(conn, query); err != nil {
			return
		}
		reply := p.names.Answer(context.Background(), query, p.client())
		if reply == nil {
			return
		}
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...)); err != nil {
			return
		}
	}
}
