package network

import (
	"slices"
	"strings"
	"sync"
)

// Log collects the hosts that programs were refused. A nil Log collects nothing. Its methods may be called from several goroutines at once.
type Log struct {
	mu      sync.Mutex
	refused []string
	missing []string
	servers []string
}

// maxRefused is the number of hosts that a log keeps.
const maxRefused = 50

// Add adds a host, as [ParseHost] reads it.
func (l *Log) Add(host string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.refused) < maxRefused && !slices.Contains(l.refused, host) {
		l.refused = append(l.refused, host)
	}
}

// Remove removes a host that a program reaches after all.
func (l *Log) Remove(host string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused = slices.DeleteFunc(l.refused, func(refused string) bool { return refused == host })
}

// AddMissing adds a name that a program may reach, and for which no such address was found.
func (l *Log) AddMissing(name string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.missing) < maxRefused && !slices.Contains(l.missing, name) {
		l.missing = append(l.missing, name)
	}
}

// Missing returns the names of [Log.AddMissing].
func (l *Log) Missing() []string {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.missing)
}

// Refused returns the hosts, the first refused one first. It leaves out names that a resolver has made from another one in the list and a
// domain of this machine.
func (l *Log) Refused() (list []string) {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, host := range l.refused {
		if !slices.ContainsFunc(l.refused, func(other string) bool { return strings.HasPrefix(host, other+".") }) {
			list = append(list, host)
		}
	}
	return list
}

// AddServer adds the address of a server of this machine that programs may not connect to.
func (l *Log) AddServer(address string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.servers) < maxRefused && !slices.Contains(l.servers, address) {
		l.servers = append(l.servers, address)
	}
}

// Servers returns the addresses of [Log.AddServer].
func (l *Log) Servers() []string {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.servers)
}
