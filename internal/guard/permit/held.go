package permit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/guard"
	"pollux/internal/sandbox/confine"
	"pollux/internal/sandbox/network"
	"pollux/llm/ellipsis"
	"pollux/tool"
)

// held are the hosts that a person has been asked about while a command waited for the answers.
type held struct {
	allowed, refused []string // hosts
	waited           time.Duration
}

// maxAsked limits the hosts about which a person is asked while one command runs: it may make up names.
const maxAsked = 12

// maxShown is how many characters of a command the question has. The call itself shows the rest.
const maxShown = 300

// hold asks a person whether a command that waits may reach a host, and returns the answer. A refusal counts for the connections of all commands until
// the session ends. One that fails because of it can still be allowed another run.
func (p *Permits) hold(call *agent.PreparedCall, host string, ask guard.Interrupt) bool {
	p.asking.Lock() // the answer to one question may be that to the next
	defer p.asking.Unlock()
	if isAllowed, isDecided := p.known(call, host); isDecided {
		return isAllowed
	}
	granted := confine.Grant{Hosts: []string{host}}
	command := ellipsis.Runes(strings.Join(strings.Fields(commandOf(call).text), " "), maxShown) // on a line, so that none passes for one of Pollux
	question := "It waits to connect to " + host + ". The sandbox does not let it."
	if name, isPrivate := strings.CutPrefix(host, network.PrivatePrefix); isPrivate {
		question = "It waits to connect to " + name + ", whose address is that of a private network. The sandbox does not let it."
	}
	began := time.Now()
	answer := ask(&tool.InfoConfirmation{
		Title: "A command waits", Prompt: command + "\n" + question, IsWaiting: true, Approval: tool.Approval{Offers: p.offers(&confine.Lack{Grant: granted})},
	})
	isAllowed := p.note(call, granted, answer, time.Since(began))
	if isAllowed { // refusals are logged at the end of the run
		p.options.Log(commandOf(call).text, "The sandbox does not let it reach "+host+". This run could.", true)
	}
	return isAllowed
}

// note keeps the answer about hosts that a person has given after some time, and reports whether the command may reach them.
func (p *Permits) note(call *agent.PreparedCall, granted confine.Grant, answer tool.Answer, waited time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.held[call]
	switch {
	case h == nil: // the call has ended meanwhile
		return false
	case answer.Outcome == tool.ProceedOnce:
		p.runs[call] = p.runs[call].With(granted)
	case answer.Outcome == tool.ProceedAlways:
		p.all = p.all.With(granted)
	default:
		h.refused = append(h.refused, granted.Hosts...)
		if !answer.Unattended {
			p.unwanted = append(p.unwanted, granted.Hosts...)
		}
		return false
	}
	h.allowed, h.waited = append(h.allowed, granted.Hosts...), h.waited+waited
	return true
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

// known returns whether a command that runs may reach a host, if that is decided.
func (p *Permits) known(call *agent.PreparedCall, host string) (isAllowed, isDecided bool) {
	grant := p.of(call)
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.held[call]
	switch {
	case h == nil:
		return false, true
	case slices.Contains(grant.Hosts, host):
		return true, true
	}
	return false, slices.Contains(p.unwanted, host) || len(h.allowed)+len(h.refused) >= maxAsked
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
