package confine

import (
	"context"
	"slices"
	"strings"

	"pollux/internal/sandbox"
)

// maxPaths is the number of refused paths that the advice about one command names.
const maxPaths = 5

// Advise returns advice about the output of the command that ctx is for, "" for none. One that has not failed gets it only for files that its
// output says it was refused, and for hosts once in a session. [Confinement.Refused] has the refusals from then on.
func (c *Confinement) Advise(ctx context.Context, output string, hasFailed bool) string {
	denials, hosts := c.refusals(ctx, output, hasFailed)
	if hosts.Kind != sandbox.NotDenied && (hasFailed || c.isFirst(hosts)) {
		denials = append(denials, hosts)
	}
	return adviseOn(denials)
}

// Note adds the refusals of the command that ctx is for, with its output, to [Confinement.Refused], where no one reads advice.
func (c *Confinement) Note(ctx context.Context, output string, hasFailed bool) {
	c.refusals(ctx, output, hasFailed)
}

// refusals returns the denials that the output of a command names, that of servers of Pollux, and that of the hosts which it has not reached, if it does not name them. The
// list of refusals has them from then on.
func (c *Confinement) refusals(ctx context.Context, output string, hasFailed bool) (list []sandbox.Denial, hosts sandbox.Denial) {
	if !c.IsOn() {
		return nil, hosts
	}
	var run Run
	if granted := c.granted.Load(); granted != nil {
		run = (*granted)(ctx)
	}
	run.Grant = Grant{}
	c.limited(&run)
	if hasFailed {
		d, _ := c.denial(output, true, &run)
		list = append(list, d)
	}
	paths, _ := c.paths(output, &run)
	list = append(append(list, paths...), sandbox.DenialOfServers(run.Log.Servers()))
	if !slices.ContainsFunc(list, func(d sandbox.Denial) bool { return d.Kind == sandbox.NotListed }) {
		hosts = c.refusedHosts(&run)
	}
	for _, d := range append(slices.Clip(list), hosts) {
		c.note(d.Wish(c.options.Paths.Display))
	}
	return list, hosts
}

// isFirst reports whether advice has not yet named these hosts, and notes that it does now.
func (c *Confinement) isFirst(hosts sandbox.Denial) bool {
	name := hosts.Wish(c.options.Paths.Display).Text
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.told[name] || len(c.told) >= maxWishes {
		return false
	}
	if c.told == nil {
		c.told = map[string]bool{}
	}
	c.told[name] = true
	return true
}

// refusedHosts returns the denial of the hosts that a command was refused, or of the network if it is off for all.
func (c *Confinement) refusedHosts(r *Run) sandbox.Denial {
	d := sandbox.DenialOf(r.Log.Refused())
	if d.Kind == sandbox.NotDenied {
		return d
	}
	if allowed := c.granting(r.access()); !allowed.Network.IsByName() {
		return allowed.NoNetwork()
	}
	return d
}

// adviseOn returns advice about the first of the denials that is one, and names the others.
func adviseOn(denials []sandbox.Denial) (text string) {
	var named, others []string
	for i := range denials {
		d := &denials[i]
		wish := d.Wish(func(path string) string { return path }).Text
		if d.Kind == sandbox.NotDenied || slices.Contains(named, wish) {
			continue
		}
		if named = append(named, wish); len(named) == 1 {
			text = d.Advice()
		} else {
			others = append(others, wish)
		}
	}
	if len(others) > 0 {
		text += " The sandbox also refused the command " + strings.Join(others, ", ") + "."
	}
	return text
}

// paths returns the denials of paths that the output of a command names, and the profile that denies them: the first one of a command that looks
// at many. It makes no profile for an output that says of no refusal.
func (c *Confinement) paths(output string, r *Run) ([]sandbox.Denial, sandbox.Profile) {
	if !sandbox.SaysDenied(output) {
		return nil, sandbox.Profile{}
	}
	most := maxPaths
	if r.IsWalk() {
		most = 1
	}
	allowed := c.ranWith(r)
	return allowed.DenialsOfPaths(c.ending(output, r), most), allowed
}

// maxWishes limits the list of refused permissions.
const maxWishes = 20

// note adds a wish to the list of refused permissions, unless it is the zero Wish.
func (c *Confinement) note(wish sandbox.Wish) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if wish.Text != "" && len(c.wishes) < maxWishes && !slices.Contains(c.wishes, wish) {
		c.wishes = append(c.wishes, wish)
	}
}

// Refused returns the permissions that commands were refused, such as "to change ~/notes", as far as the output showed that: the first of each command, and the
// first 20 different ones.
func (c *Confinement) Refused() []sandbox.Wish {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.wishes)
}
