package confine

import (
	"pollux/internal/sandbox/limits"
)

// ruled is the restrictions of commands by the approval mode.
type ruled struct {
	rules *limits.Rules
	mode  func() string
}

// offlineMode is the approval mode in which the network is off for all confined programs, except hosts that a person allows, unless the user's settings open it.
const offlineMode = "sandboxed"

// Govern sets the restrictions of commands by the approval mode, which mode returns; nil are none. The caller calls Renew when the mode changes.
func (c *Confinement) Govern(rules *limits.Rules, mode func() string) {
	c.ruled.Store(&ruled{rules, mode})
}

// Limit returns the restrictions of a command in the current approval mode.
func (c *Confinement) Limit(command string) limits.Limit {
	run := Run{Command: command}
	c.limited(&run)
	return run.limit
}

// limited restricts the run of a command of the model by the approval mode, and adds the permissions that the user has given its programs permanently.
func (c *Confinement) limited(r *Run) {
	by := c.ruled.Load()
	if by == nil || by.rules == nil {
		return
	}
	limit, allowed := by.rules.For(by.mode(), r.Command)
	if limit.IsFinal {
		r.Grant, r.Ask = Grant{}, nil
	}
	paths := make([]string, len(allowed.Paths))
	for i, path := range allowed.Paths {
		paths[i] = c.options.Paths.Expand(path)
	}
	r.limit, r.Grant = limit, r.Grant.With(Grant{Paths: paths})
}

// offline returns how the network is off by the approval mode.
func (c *Confinement) offline(l limits.Limit) offline {
	by := c.ruled.Load()
	switch {
	case l.IsOffline && l.IsFinal:
		return isolated
	case l.IsOffline && !l.IsBuiltIn:
		return shut
	case l.IsOffline, by != nil && by.mode() == offlineMode:
		return openable
	}
	return online
}

// offline is how the network is off.
type offline uint8

// The ways. A person can allow hosts, except where commands are isolated; settings of the user open the network where it is openable.
const (
	online offline = iota
	openable
	shut
	isolated
)
