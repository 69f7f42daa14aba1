package permit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/guard"
	"pollux/internal/guard/reach"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/confine"
	"pollux/internal/sandbox/network"
	"pollux/llm/ellipsis"
	"pollux/tool"
)

// held are the hosts that a person has been asked about while a command waited for the answers, for all ports.
type held struct {
	allowed, refused []string
	asked            int
	waited           time.Duration
}

// maxAsked limits the hosts about which a person is asked while one command runs: it may make up names.
const maxAsked = 12

// maxShown is how many characters of a command the question has: they fit on a row, where none pass for a line of Pollux. The call itself shows
// the rest.
const maxShown = 60

// hold asks a person whether a command that waits may reach a host, and returns the answer. A refusal counts for the connections of all commands until
// the session ends. One that fails because of it can still be allowed another run.
func (p *Permits) hold(ctx context.Context, call *agent.PreparedCall, h network.Host, ask guard.Interrupt) sandbox.Answer {
	p.asking.Lock() // the answer to one question may be that to the next
	defer p.asking.Unlock()
	if ctx.Err() != nil {
		return sandbox.Unanswered
	}
	switch answer := p.known(call, h); {
	case answer != sandbox.Unanswered:
		return answer
	case !p.mayAsk(call):
		return sandbox.Unasked
	}
	granted := confine.Grant{Hosts: []string{h.String()}}
	plain := h.AllPorts()
	plain.MayBePrivate = false
	question := fmt.Sprintf("It waits to connect to %s, port %d", plain, h.Port)
	if h.MayBePrivate {
		question += ". The address is that of a private network"
	}
	began := time.Now()
	outcome, isAnswered := ask(ctx, &tool.InfoConfirmation{
		Title: "A command waits", Prompt: ellipsis.Runes(strings.Join(strings.Fields(commandOf(call).text), " "), maxShown) + "\n" + question + ". The sandbox does not let it.",
		IsWaiting: true, Approval: tool.Approval{Offers: p.offers(&confine.Lack{Grant: granted}, commandOf(call).text), Reach: tool.Reach{Servers: servers(granted.Hosts)}},
	})
	answer := sandbox.Unanswered
	if isAnswered {
		if outcome == tool.ProceedAlwaysAndSave {
			p.remember(call, granted, outcome)
			outcome = tool.ProceedOnce // for this run, whose rules are those of its start
		}
		answer = p.note(call, h, outcome, time.Since(began))
	}
	if answer == sandbox.Allowed { // refusals are logged at the end of the run
		p.options.Log(commandOf(call).text, "The sandbox does not let it reach "+h.String()+". This run could.", true)
	}
	return answer
}

// servers returns the servers of hosts with names.
func servers(hosts []string) (list []tool.Server) {
	for _, text := range hosts {
		if h, err := network.ParseHost(text); err == nil && h.Name != "" {
			list = append(list, reach.Server("https://"+h.Name))
		}
	}
	return list
}

// note keeps the answer about a host that a person has given after some time, and returns it.
func (p *Permits) note(call *agent.PreparedCall, h network.Host, o tool.Outcome, waited time.Duration) sandbox.Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	of := p.held[call]
	if of == nil { // the call has ended meanwhile
		return sandbox.Unanswered
	}
	host, granted := h.AllPorts().String(), confine.Grant{Hosts: []string{h.String()}}
	switch o {
	case tool.ProceedOnce:
		p.runs[call] = p.runs[call].With(granted)
	case tool.ProceedAlways:
		p.all = p.all.With(granted)
	default:
		of.refused, p.unwanted = append(of.refused, host), append(p.unwanted, host)
		return sandbox.Refused
	}
	of.allowed, of.waited = append(of.allowed, host), of.waited+waited
	return sandbox.Allowed
}

// isWanted reports whether no person has refused a host while a command waited for it.
func (p *Permits) isWanted(host string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !slices.Contains(p.unwanted, host)
}

// heldOf returns a copy of the answers while a call ran.
func (p *Permits) heldOf(call *agent.PreparedCall) (h held) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.held[call]; known != nil {
		h = *known
	}
	return h
}

// known returns the answer about a host for a command that runs, if there is one without a question.
func (p *Permits) known(call *agent.PreparedCall, h network.Host) sandbox.Answer {
	list, _ := network.ParseHosts(p.of(call).Hosts)
	found := list.Containing(h.Addresses.Addr())
	if h.Name != "" {
		found = slices.DeleteFunc(list.Named(h.Name), func(granted network.Host) bool { return h.MayBePrivate && !granted.MayBePrivate })
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	of := p.held[call]
	switch {
	case of == nil: // it has ended
		return sandbox.Refused
	case found.HasPort(h.Port):
		return sandbox.Allowed
	case slices.Contains(p.unwanted, h.AllPorts().String()):
		return sandbox.Refused
	}
	return sandbox.Unanswered
}

// mayAsk counts a question about a call, and reports whether there are not too many. Those that were withdrawn count, too: a program can cause them.
func (p *Permits) mayAsk(call *agent.PreparedCall) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	of := p.held[call]
	if of == nil || of.asked >= maxAsked {
		return false
	}
	of.asked++
	return true
}

// isRefused reports whether the person has refused a host while the command ran.
func (h *held) isRefused(host string) bool { return slices.Contains(h.refused, host) }

// minHeld is how long a command has to wait for its own limits of time to be a likely cause of its failure.
const minHeld = 3 * time.Second

// notes returns the result of a run with notes for the model about the hosts that it has waited for.
func (h *held) notes(r *tool.Result, missing []string) *tool.Result {
	var notes []string
	if len(missing) > 0 {
		notes = append(notes, "The sandbox has found no address for "+strings.Join(missing, ", ")+".")
	}
	if len(h.allowed) > 0 && h.waited >= minHeld && hasFailed(r) {
		notes = append(notes, fmt.Sprintf("The command waited %d s until the user allowed it to reach %s. If that was too long for a time limit of its own, run it again.",
			int(h.waited.Seconds()), strings.Join(h.allowed, ", ")))
	}
	if len(notes) == 0 {
		return r
	}
	return guard.AppendText(r, "\n\n["+strings.Join(notes, " ")+"]")
}
