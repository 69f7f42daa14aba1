package confine

import (
	"pollux/internal/config"
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
	var allowed limits.Permissions
	if by := c.ruled.Load(); by != nil && by.rules != nil {
		if r.limit, allowed = by.rules.For(by.mode(), r.Command); r.limit.IsFinal {
			r.Grant, r.Ask = Grant{}, nil
			return
		}
	}
	saved := c.saved(r.Command)
	for _, path := range append(allowed.Paths, saved.Paths...) {
		r.Grant = r.Grant.With(Grant{Paths: []string{c.options.Paths.Expand(path)}})
	}
	r.Grant = r.Grant.With(Grant{Hosts: saved.Hosts})
}

// saved returns the permissions of a command in the settings.
func (c *Confinement) saved(command string) limits.Permissions {
	list := config.SandboxPermissions(c.options.Settings())
	if len(list) == 0 {
		return limits.Permissions{}
	}
	rules := limits.Rules{Programs: map[string]limits.Permissions{}}
	for name, p := range list {
		rules.Programs[name] = limits.Permissions{Paths: p.Paths, Hosts: p.Hosts}
	}
	_, p := rules.For("", command)
	return p
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
