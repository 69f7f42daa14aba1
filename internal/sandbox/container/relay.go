package container

import (
	"encoding/json"
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

// link is the directory that the machine and the container share, and the relays in it: each is a local socket with the port of a server on the
// loopback interface of the machine as its name.
type link struct {
	dir       string
	ports     []int
	listeners []net.Listener
}

// link makes the directory, and begins to relay. Only on Linux, a container reaches the local sockets of its machine: elsewhere the container
// program leads to loopback itself.
func (o *Options) link() (_ *link, err error) {
	l := &link{}
	if l.dir, err = os.MkdirTemp("", "pollux-"); err != nil {
		return nil, err
	}
	for _, address := range o.Loopback {
		_, text, err := net.SplitHostPort(address)
		port, notNumber := strconv.Atoi(text)
		if err != nil || notNumber != nil || slices.Contains(l.ports, port) {
			continue
		}
		l.ports = append(l.ports, port)
		if !o.IsLinux {
			continue
		}
		listener, err := net.Listen("unix", filepath.Join(l.dir, text))
		if err != nil {
			l.close()
			return nil, err
		}
		l.listeners = append(l.listeners, listener)
		go serve(listener, func() (net.Conn, error) { return net.Dial("tcp", address) })
	}
	return l, nil
}

// write writes the file that tells Pollux in the container how it begins.
func (l *link) write(e *entry) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(l.dir, entryName), data, 0o600)
}

func (l *link) close() {
	for _, listener := range l.listeners {
		_ = listener.Close()
	}
	_ = os.RemoveAll(l.dir)
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
