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
	"pollux/internal/durable"
)

// link is the directory that the machine and the container share, and the relays in it: each is a local socket whose name is the port that programs in
// the container connect to. It leads to a server on the loopback interface of the machine, which has the same port, or to the proxy.
type link struct {
	dir       string
	ports     []int
	listeners []net.Listener
}

// maxParent is the length of the directory with links, beyond which the paths of the local sockets in them could be too long for the kernel.
const maxParent = 80

// linkParent returns the directory for links, which is one of Pollux's own: in a directory for temporary files, the commands in the sandbox of other sessions could
// read the keys of this one, and change how it begins. It is "", for temporary files, if its path is too long.
func (o *Options) linkParent() (string, error) {
	if len(o.Staging) > maxParent {
		return "", nil
	}
	return o.Staging, durable.MkdirAll(o.Staging, 0o700)
}

// link makes the directory in another one, with a name that begins with a text, and begins to relay. Only on Linux, a container reaches the local sockets of its machine: elsewhere the container
// program leads to loopback itself.
func (o *Options) link(parent, start string) (_ *link, err error) {
	l := &link{}
	if l.dir, err = os.MkdirTemp(parent, start); err != nil {
		return nil, err
	}
	for _, address := range o.Loopback {
		_, text, err := net.SplitHostPort(address)
		port, notNumber := strconv.Atoi(text)
		switch {
		case err != nil || notNumber != nil || slices.Contains(l.ports, port):
		case o.hasProxy() && text == o.proxyURL().Port(): // the proxy is there
		case !o.IsLinux:
			l.ports = append(l.ports, port)
		default:
			if err := l.lead(text, address); err != nil {
				l.close()
				return nil, err
			}
		}
	}
	return l, nil
}

// lead leads from a port in the container to an address.
func (l *link) lead(port, address string) error {
	number, err := strconv.Atoi(port)
	if err != nil {
		return err
	}
	listener, err := net.Listen("unix", filepath.Join(l.dir, port))
	if err != nil {
		return err
	}
	l.ports, l.listeners = append(l.ports, number), append(l.listeners, listener)
	go serve(listener, func() (net.Conn, error) { return net.Dial("tcp", address) })
	return nil
}

// write writes the file that tells Pollux in the container how it begins, and which ports lead out.
func (l *link) write(e *entry) error {
	e.Leads.Out = l.ports
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
