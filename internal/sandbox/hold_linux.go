//go:build amd64 || arm64

package sandbox

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"pollux/internal/crash"
	"pollux/internal/sandbox/names"
	"pollux/internal/sandbox/network"
	"pollux/internal/sandbox/seccomp"
)

// client returns the program as one that asks for names.
func (p *program) client() names.Client { return names.Client{Log: p.log, CanWait: p.questions != nil} }

// isHeld reports whether a connection to an address may have to wait: the address stands in for a name, or the rules do not allow it.
func (p *program) isHeld(to netip.AddrPort) bool {
	return !p.allows(to) || p.names != nil && p.names.NameOf(to.Addr()) != ""
}

// hold has a connection wait until a person has answered whether the program may reach the host, and
// returns the address to connect to: that of the name which the address stands in for, or the address itself. name is that name, "" for none.
func (p *program) hold(c *seccomp.Call, to netip.AddrPort) (_ netip.AddrPort, name string, _ unix.Errno) {
	address := to.Addr().Unmap().WithZone("")
	host := network.Host{Addresses: netip.PrefixFrom(address, address.BitLen()), Port: to.Port()}
	if p.names != nil {
		if name = p.names.NameOf(address); name != "" {
			host = network.Host{Name: name, Port: to.Port()}
		} else if listed := p.names.ListedAt(address); listed != "" { // and not on this port
			host = network.Host{Name: listed, Port: to.Port()}
		}
	}
	isPossible := p.names != nil && p.questions != nil && to.Port() != network.PortDNS && (name != "" || network.IsOfMachine(address))
	isListed := name != "" && p.profile.Network.Hosts.Named(name).HasPort(to.Port()) // and its addresses are private
	switch {
	case !isPossible:
		p.log.Add(host.AllPorts().String())
		return to, name, unix.ENETUNREACH
	case !isListed && !p.mayReach(c, host):
		return to, name, unix.ENETUNREACH
	case name == "":
		return to, name, 0
	}
	addrs, err := p.addresses(c, network.Host{Name: name, Port: to.Port()})
	switch {
	case errors.Is(err, names.ErrPrivate):
		return to, name, unix.ENETUNREACH
	case err != nil:
		p.log.AddMissing(name)
	}
	// Only one of the stand-ins leads to each address: a program that has tried one goes on to the other.
	addrs = slices.DeleteFunc(slices.Clone(addrs), func(a netip.Addr) bool { return a.Is4() != address.Is4() })
	if len(addrs) == 0 {
		return to, name, unix.EHOSTUNREACH
	}
	return netip.AddrPortFrom(addrs[p.questions.turn(len(addrs))], to.Port()), name, 0
}

// mayReach waits until a person has answered whether the program may reach a host. Limits of the program's time do not count the time until then.
func (p *program) mayReach(c *seccomp.Call, h network.Host) bool {
	defer p.pause.Begin()()
	if p.questions.wait(c, h) == Allowed {
		p.log.Remove(h.AllPorts().String())
		return true
	}
	p.log.Add(h.AllPorts().String())
	return false
}

// addresses returns the addresses of a name that a person lets the program reach, or that is in the list. If all are in private networks, it asks
// whether the program may reach these, too.
func (p *program) addresses(c *seccomp.Call, h network.Host) (addrs []netip.Addr, err error) {
	addrs, err = p.names.AddressesOf(context.Background(), h)
	if !errors.Is(err, names.ErrPrivate) {
		return addrs, err
	}
	h.MayBePrivate = true
	if !p.mayReach(c, h) {
		return nil, err
	}
	return p.names.AddressesOf(context.Background(), h)
}

// questions are those about the hosts that connections of a program wait for.
type questions struct {
	ask   Ask
	turns atomic.Uint32

	mu      sync.Mutex // guards the following
	open    map[network.Host]*question
	waiting int // connections
	// unseen are the sockets that were connected when a signal had ended the call.
	unseen map[uint64]bool
}

// question is one about a host.
type question struct {
	done     chan struct{} // closed when the answer is there
	answer   Answer
	waiting  int // connections
	withdraw context.CancelFunc
}

const (
	// maxWaiting is the number of connections of a program that wait at once.
	maxWaiting = 512
	// glance is the time between two looks at whether a program still waits.
	glance = 50 * time.Millisecond
	// linger is how long a question stays open for which no connection waits: a signal may have ended a call that begins again.
	linger = 10 * glance
	// dying limits how long a connection that gets no answer waits for the end of its program, which must not go on as if it had been refused.
	dying = 2 * time.Second
)

func newQuestions(ask Ask) *questions {
	return &questions{ask: ask, open: map[network.Host]*question{}}
}

// turn returns another number below n for each connection, so that programs which try again reach another address.
func (q *questions) turn(n int) int { return int(q.turns.Add(1)-1) % n }

// seen returns the error for a call that has connected a socket. The same call may have done so before: a signal has ended it meanwhile, and it began again.
func (q *questions) seen(c *seccomp.Call, socket int, errno unix.Errno) unix.Errno {
	inode, err := inodeOf(socket)
	if err != nil || errno != 0 && errno != unix.EISCONN {
		return errno
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	wasUnseen := q.unseen[inode]
	delete(q.unseen, inode)
	switch {
	case errno == 0 && !c.IsWaiting() && len(q.unseen) < maxWaiting:
		if q.unseen == nil {
			q.unseen = map[uint64]bool{}
		}
		q.unseen[inode] = true
	case wasUnseen:
		return 0
	}
	return errno
}

// wait waits for the answer about a host as long as the program does. It asks if no other connection waits for the answer.
func (q *questions) wait(c *seccomp.Call, h network.Host) Answer {
	began := time.Now()
	one := q.join(h)
	if one == nil {
		return Unanswered
	}
	defer q.leave(h, one)
	look := time.NewTicker(glance)
	defer look.Stop()
	for {
		select {
		case <-one.done:
			if one.answer == Unanswered && time.Since(began) > glance { // the call is about to end
				for end := time.Now().Add(dying); c.IsWaiting() && time.Now().Before(end); {
					time.Sleep(glance)
				}
			}
			return one.answer
		case <-look.C:
			if !c.IsWaiting() { // the program has ended, or a signal has ended the call
				return Unanswered
			}
		}
	}
}

// join adds a connection to the question about a host, and asks it if it is new. It returns nil if too many wait.
func (q *questions) join(h network.Host) *question {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting >= maxWaiting {
		return nil
	}
	q.waiting++
	one := q.open[h]
	if one == nil {
		ctx, withdraw := context.WithCancel(context.Background())
		one = &question{done: make(chan struct{}), withdraw: withdraw}
		q.open[h] = one
		go func() {
			defer crash.Recover()
			defer withdraw()
			one.answer = q.ask(ctx, h)
			q.mu.Lock()
			defer q.mu.Unlock()
			q.close(h, one)
			close(one.done)
		}()
	}
	one.waiting++
	return one
}

// leave removes a connection from a question, which is withdrawn after the last one.
func (q *questions) leave(h network.Host, one *question) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting--
	if one.waiting--; one.waiting > 0 {
		return
	}
	time.AfterFunc(linger, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if one.waiting == 0 {
			q.close(h, one)
			one.withdraw()
		}
	})
}

// close removes a question from the open ones. The caller holds the lock.
func (q *questions) close(h network.Host, one *question) {
	if q.open[h] == one {
		delete(q.open, h)
	}
}
