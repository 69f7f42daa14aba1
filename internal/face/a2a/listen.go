package a2a

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"pollux/internal/sandbox/private"
)

const defaultHost = "127.0.0.1"

// door is where the server listens.
type door struct {
	listeners []net.Listener
	mark      io.Closer // keeps commands in the sandbox away
	unmarked  error     // why there is no mark
}

// hosts returns the addresses to listen on. Clients look for localhost at two of them: at the one where the server did not listen, another program could
// take its place, and get the token.
func (o *Options) hosts() []string {
	if o.Host != "" && !strings.EqualFold(o.Host, "localhost") {
		return []string{o.Host}
	}
	hosts := []string{defaultHost}
	if l, err := net.Listen("tcp", "[::1]:0"); err == nil { // this machine has IPv6
		_ = l.Close()
		hosts = append(hosts, "::1")
	}
	return hosts
}

// maxFree is how many free ports are tried: each can be in use at another address.
const maxFree = 20

// open begins to listen.
func (o *Options) open(ctx context.Context) (d *door, err error) {
	hosts := o.hosts()
	if o.Port != 0 {
		return openAt(ctx, hosts, o.Port)
	}
	for range maxFree {
		free, failed := net.Listen("tcp", net.JoinHostPort(hosts[0], "0"))
		if failed != nil {
			return nil, failed
		}
		port := free.Addr().(*net.TCPAddr).Port
		_ = free.Close() // the port gets its mark before a program can connect
		if d, err = openAt(ctx, hosts, port); err == nil {
			return d, nil
		}
	}
	return nil, err
}

// openAt listens at a port of all hosts.
func openAt(ctx context.Context, hosts []string, port int) (*door, error) {
	d := &door{}
	d.mark, d.unmarked = private.Mark(port)
	for _, host := range hosts {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err != nil {
			return nil, errors.Join(err, d.close())
		}
		d.listeners = append(d.listeners, l)
	}
	return d, nil
}

// port returns the port as a text.
func (d *door) port() string {
	_, port, _ := net.SplitHostPort(d.listeners[0].Addr().String())
	return port
}

func (d *door) close() (err error) {
	for _, l := range d.listeners {
		_ = l.Close() // again, after the server
	}
	if d.mark != nil {
		err = d.mark.Close()
	}
	return err
}

// localName returns the name of the server for clients on this machine.
func (o *Options) localName() string {
	if ip, err := netip.ParseAddr(o.Host); err == nil && !ip.IsUnspecified() {
		return o.Host
	}
	return "localhost"
}
