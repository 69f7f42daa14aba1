package container

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"pollux/internal/crash"
)

// relays lead from the container to servers on the loopback interface of the machine. Each is a local socket in a directory that the
// container gets, with the port as its name.
type relays struct {
	dir       string // "" if there are none
	ports     []int
	listeners []net.Listener
}

// listen begins to relay. Only on Linux, a container reaches the local sockets of its machine: elsewhere the container program leads
// to loopback itself.
func (o *Options) listen() (_ *relays, err error) {
	r := &relays{}
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	for _, address := range o.Loopback {
		_, text, err := net.SplitHostPort(address)
		port, notNumber := strconv.Atoi(text)
		if err != nil || notNumber != nil || slices.Contains(r.ports, port) {
			continue
		}
		r.ports = append(r.ports, port)
		if !o.IsLinux {
			continue
		}
		if r.dir == "" {
			if r.dir, err = os.MkdirTemp("", "pollux-"); err != nil {
				return nil, err
			}
		}
		l, err := net.Listen("unix", filepath.Join(r.dir, text))
		if err != nil {
			return nil, err
		}
		r.listeners = append(r.listeners, l)
		go serve(l, func() (net.Conn, error) { return net.Dial("tcp", address) })
	}
	return r, nil
}

func (r *relays) close() {
	for _, l := range r.listeners {
		_ = l.Close()
	}
	if r.dir != "" {
		_ = os.RemoveAll(r.dir)
	}
}

// serve joins each connection that comes in with one of dial, until the listener is closed.
func serve(l net.Listener, dial func() (net.Conn, error)) {
	defer crash.Recover()
	for {
		in, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			go join(in, dial)
		}
	}
}

// join copies both ways until both sides have ended.
func join(in net.Conn, dial func() (net.Conn, error)) {
	defer crash.Recover()
	defer in.Close()
	out, err := dial()
	if err != nil {
		return // the program inside sees that the connection ends
	}
	defer out.Close()
	var both sync.WaitGroup
	for _, way := range [...][2]net.Conn{{in, out}, {out, in}} {
		both.Go(func() {
			defer crash.Recover()
			_, _ = io.Copy(way[1], way[0])
			if c, ok := way[1].(interface{ CloseWrite() error }); ok {
				_ = c.CloseWrite()
			}
		})
	}
	both.Wait()
}
