// Package names answers the questions of confined programs for the names of hosts, by DNS, and only for names in a list:
//
//	s := names.New(names.Options{Hosts: policy.Hosts})
//	reply := s.Answer(ctx, query, client)
//	allowed := s.Allows(address) // whether one of these names has it
//
// A program whose connections can wait for a person's answer gets addresses that stand in for other names: see [Server.NameOf].
//
// Of a question, nothing but a name that the list allows leaves this machine: neither other types of records nor the spelling of the name.
package names

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"pollux/internal/crash"
	"pollux/internal/sandbox/network"
)

// Options configure a [Server].
type Options struct {
	// Hosts are the hosts whose names it answers for.
	Hosts network.Hosts
	// Lookup returns the addresses of a name; nil asks the system's resolver.
	Lookup func(ctx context.Context, name string) ([]netip.Addr, error)
	// File is the file with the names that this machine has itself, which programs read on their own; "" for /etc/hosts. Resolvers is
	// the one with the domains that resolvers complete names with; "" for /etc/resolv.conf.
	File, Resolvers string
}

// Client is a program that asks for names.
type Client struct {
	// Log gets the names that are not in the list. It may be nil.
	Log *network.Log
	// CanWait is set if the program's connections can wait until a person has answered whether it may reach a name.
	CanWait bool
}

// Server answers questions, and remembers the addresses that it has answered with. Its methods may be called from several goroutines
// at once.
type Server struct {
	options Options

	mu        sync.Mutex         // guards the following
	names     map[string]*record // by their keys
	nameOrder []string           // of names, the oldest one first
	addresses map[netip.Addr]network.Hosts
	addrOrder []netip.Addr // of addresses, the oldest one first
	file      map[netip.Addr]network.Hosts
	isRead    bool // file has been read
	standIns  standIns
	domains   []string // that resolvers complete names with; nil before they are read

	learning sync.Mutex // guards the following, see Learn
	learned  time.Time
	asking   chan struct{} // closed when all answers are there; nil if it does not ask
}

const (
	maxNames     = 2048 // that are kept
	maxAddresses = 8192
	maxOfName    = 12 // addresses of each family in a reply, so that it fits in the smallest message
	// keep is how long an answer counts, also for programs.
	keep = time.Minute
	// patience limits the time for a question.
	patience = 10 * time.Second
)

// record is the answer for a name.
type record struct {
	done  chan struct{} // closed when the rest is set
	addrs []netip.Addr
	err   error
	until time.Time
}

// errNoHost means that a name has no address that programs may have.
var errNoHost = errors.New("no such host")

// New returns a server, which has asked and read nothing yet.
func New(o Options) *Server {
	if o.Lookup == nil {
		o.Lookup = func(ctx context.Context, name string) ([]netip.Addr, error) {
			if strings.Contains(name, ".") {
				name += "." // so that no domain of this machine is added
			}
			return net.DefaultResolver.LookupNetIP(ctx, "ip", name)
		}
	}
	o.File, o.Resolvers = cmp.Or(o.File, "/etc/hosts"), cmp.Or(o.Resolvers, "/etc/resolv.conf")
	return &Server{options: o, names: map[string]*record{}, addresses: map[netip.Addr]network.Hosts{}}
}

// Allows reports whether a name in the list has an address, and may be reached on its port.
func (s *Server) Allows(to netip.AddrPort) bool {
	if to.Port() == network.PortDNS {
		return false
	}
	a := to.Addr().Unmap().WithZone("")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readFile()
	return s.addresses[a].HasPort(to.Port()) || s.file[a].HasPort(to.Port())
}

// MayHave reports whether a name of one of these hosts may have an address: one that it had in an answer, or that this machine knows itself.
func (s *Server) MayHave(a netip.Addr, hosts network.Hosts) bool {
	a = a.Unmap().WithZone("")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readFile()
	isFor := func(listed network.Host) bool {
		return slices.ContainsFunc(hosts, func(h network.Host) bool {
			return h.Name != "" && len(network.Hosts{listed}.Named(h.Name)) > 0
		})
	}
	return slices.ContainsFunc(s.addresses[a], isFor) || slices.ContainsFunc(s.file[a], isFor)
}

// ListedAt returns a name in the list that has an address, "" for none.
func (s *Server) ListedAt(a netip.Addr) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readFile()
	for _, h := range slices.Concat(s.addresses[a], s.file[a]) {
		if !h.Subdomains {
			return h.Name
		}
	}
	return ""
}

// fresh is how long a name is not asked for again by [Server.Learn].
const fresh = 5 * time.Second

// Learn asks for the names in the list, for programs that ask elsewhere. It asks for each of them again, in case that a resolver gives programs other
// addresses, but not for a short time. It waits for the answers no longer than patience, and they count when they come.
func (s *Server) Learn(ctx context.Context, patience time.Duration) {
	s.learning.Lock()
	if s.asking == nil && time.Since(s.learned) >= fresh {
		s.asking = make(chan struct{})
		go s.learn(s.asking)
	}
	asking := s.asking
	s.learning.Unlock()
	if asking == nil || patience == 0 {
		return
	}
	select {
	case <-asking:
	case <-time.After(patience):
	case <-ctx.Done():
	}
}

// learn asks for the names in the list, and then closes a channel.
func (s *Server) learn(done chan struct{}) {
	defer crash.Recover()
	var wg sync.WaitGroup
	for _, h := range s.options.Hosts {
		if h.Name == "" || h.Subdomains {
			continue
		}
		wg.Go(func() {
			defer crash.Recover()
			s.resolve(context.Background(), s.listed(h.Name), &record{done: make(chan struct{})})
		})
	}
	wg.Wait()
	s.learning.Lock()
	defer s.learning.Unlock()
	s.learned, s.asking = time.Now(), nil
	close(done)
}

// Addresses returns the addresses of a name in the list.
func (s *Server) Addresses(ctx context.Context, name string) ([]netip.Addr, error) {
	return s.lookup(ctx, s.listed(name))
}

// AddressesOf returns the addresses of a host that a person lets one program reach, of a name. The error is [ErrPrivate] if all are in private
// networks, and the host does not say that they may be. For other programs, this is no answer.
func (s *Server) AddressesOf(ctx context.Context, h network.Host) ([]netip.Addr, error) {
	return s.lookup(ctx, wanted{name: h.Name, hosts: network.Hosts{h}, isForOne: true})
}

// wanted is a name whose addresses are wanted.
type wanted struct {
	name  string
	hosts network.Hosts // the entries for it
	// isForOne means that other programs do not reach the addresses.
	isForOne bool
}

// listed returns a name with its entries in the list.
func (s *Server) listed(name string) wanted {
	return wanted{name: name, hosts: s.options.Hosts.Named(name)}
}

// key identifies the answer for a name.
func (w *wanted) key() string {
	if w.isForOne {
		return "one:" + w.hosts[0].String()
	}
	return w.name
}

// readFile reads the names that this machine has itself. The user or the administrator has written them: their addresses may be
// private. The caller holds the lock.
func (s *Server) readFile() {
	if s.isRead {
		return
	}
	s.isRead, s.file = true, map[netip.Addr]network.Hosts{}
	for _, line := range readHosts(s.options.File) {
		for _, name := range line.names {
			if found := s.options.Hosts.Named(name); len(found) > 0 {
				s.file[line.addr] = append(s.file[line.addr], found...)
			}
		}
	}
}

// lookup returns the addresses of a name that programs may have. Programs that ask for a name at the same time share one question.
func (s *Server) lookup(ctx context.Context, w wanted) ([]netip.Addr, error) {
	s.mu.Lock()
	s.readFile()
	r := s.names[w.key()]
	isNew := r == nil || r.isOver()
	if isNew {
		r = &record{done: make(chan struct{})}
		s.keepName(w.key(), r)
	}
	s.mu.Unlock()
	if isNew {
		s.resolve(ctx, w, r)
	}
	select {
	case <-r.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return r.addrs, r.err
}

// ErrPrivate means that all addresses of a name are in private networks, and that the list does not say that they may be.
var ErrPrivate = errors.New("its addresses are private")

// isOver reports whether the answer does not count any more. The caller holds the server's lock.
func (r *record) isOver() bool {
	select {
	case <-r.done:
		return time.Now().After(r.until)
	default:
		return false
	}
}

// resolve asks for a name, and fills its record.
func (s *Server) resolve(ctx context.Context, w wanted, r *record) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	all, err := s.options.Lookup(ctx, w.name)
	s.mu.Lock()
	defer s.mu.Unlock()
	defer close(r.done)
	r.until = time.Now().Add(keep)
	if err != nil {
		r.err = err
		var dns *net.DNSError
		if !errors.As(err, &dns) || !dns.IsNotFound {
			r.until = time.Time{} // the next question tries again
		}
		return
	}
	hasPrivate := false
	for _, a := range all {
		a = a.Unmap().WithZone("")
		if len(s.options.Hosts.Containing(a)) == 0 && len(s.file[a]) == 0 && !w.hosts.AllowResolved(a) {
			hasPrivate = hasPrivate || network.Hosts{{MayBePrivate: true}}.AllowResolved(a)
			continue
		}
		if s.nameOf(a) != "" {
			continue // it stands in for another name
		}
		if !slices.Contains(r.addrs, a) && count(r.addrs, a.Is4()) < maxOfName {
			r.addrs = append(r.addrs, a)
			if !w.isForOne {
				s.keepAddress(a, w.hosts)
			}
		}
	}
	switch {
	case len(r.addrs) == 0 && hasPrivate:
		r.err = ErrPrivate
	case len(r.addrs) == 0:
		r.err = errNoHost
	}
}

// count returns the number of IPv4 addresses in a list, or that of the others.
func count(list []netip.Addr, is4 bool) (n int) {
	for _, a := range list {
		if a.Is4() == is4 {
			n++
		}
	}
	return n
}

// keepName keeps the record of a name in the place of the oldest one, if there are too many. The caller holds the lock.
func (s *Server) keepName(name string, r *record) {
	if s.names[name] == nil {
		s.nameOrder = append(s.nameOrder, name)
	}
	s.names[name] = r
	if len(s.nameOrder) > maxNames {
		delete(s.names, s.nameOrder[0])
		s.nameOrder = s.nameOrder[1:]
	}
}

// keepAddress lets programs reach an address that a name with these entries has. If there are too many, the one whose name was asked for
// the longest time before leaves. The caller holds the lock.
func (s *Server) keepAddress(a netip.Addr, allowed network.Hosts) {
	if i := slices.Index(s.addrOrder, a); i >= 0 {
		s.addrOrder = slices.Delete(s.addrOrder, i, i+1)
	}
	s.addrOrder = append(s.addrOrder, a)
	for _, h := range allowed {
		if !slices.Contains(s.addresses[a], h) {
			s.addresses[a] = append(s.addresses[a], h)
		}
	}
	if len(s.addrOrder) > maxAddresses {
		delete(s.addresses, s.addrOrder[0])
		s.addrOrder = s.addrOrder[1:]
	}
}
