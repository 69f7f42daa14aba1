package sessions

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
	"pollux/internal/terminal"
)

// resume goes on with the selected session. The current one needs nothing.
func (p *Pane) resume() pane.Outcome {
	e := p.list.current()
	switch {
	case e == nil:
		return pane.Changed{}
	case e.ID == p.o.Current:
		return p.close(pane.Closed{})
	}
	name := e.ID
	if !isPlain(name) || !strings.Contains(name, "-") { // it could be the name of a subcommand
		name = strconv.Itoa(e.number)
	}
	return p.close(pane.Chosen{Command: "/chat " + name})
}

// fork copies the selected session.
func (p *Pane) fork() pane.Outcome {
	e := p.list.current()
	if e == nil || !p.canName(e) {
		return pane.Changed{}
	}
	return p.run("Copying…", "/sessions fork "+e.ID)
}

// askToDelete asks whether to delete the selected session.
func (p *Pane) askToDelete() {
	e := p.list.current()
	switch {
	case e == nil:
	case e.ID == p.o.Current:
		p.notice = "You are in this session. To exit and delete it, run /quit --delete."
	case p.canName(e):
		p.state = confirming
	}
}

// pressConfirming takes the key that decides about deleting the selected session.
func (p *Pane) pressConfirming(k keys.Key) pane.Outcome {
	p.state = browsing
	e := p.list.current()
	if k.Text != "y" || e == nil {
		return pane.Changed{}
	}
	p.deletes = e.ID
	return p.run("Deleting…", "/sessions delete "+e.ID)
}

// run runs a command, and keeps the pane open.
func (p *Pane) run(text, command string) pane.Outcome {
	p.state, p.running = waiting, text
	return pane.Chosen{Command: command, Stays: true}
}

// Done implements [pane.Waiter].
func (p *Pane) Done(problem string) {
	if p.state != waiting { // the result of another command
		return
	}
	deleted := p.deletes
	p.state, p.running, p.deletes = browsing, "", ""
	switch {
	case problem != "":
		p.notice = styled.Text(problem)
	case deleted != "":
		p.list.remove(deleted)
		p.arrange("")
	default:
		p.state, p.running = waiting, "Copied."
		p.o.Background(p.Load)
	}
}

// canName reports whether a command can name a session by its ID. Its number would name another one if the sessions
// before it are deleted.
func (p *Pane) canName(e *entry) bool {
	if isPlain(e.ID) {
		return true
	}
	p.notice = fmt.Sprintf("This session has an unusual ID. To manage it, run pollux sessions in a terminal: its number is %d.", e.number)
	return false
}

// isPlain reports whether an ID is a word that no command takes for something else.
func isPlain(id string) bool {
	_, err := strconv.Atoi(id)
	isSign := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	}
	const most = 100
	return err != nil && id != "" && len(id) <= most && id[0] != '-' && !strings.ContainsFunc(id, isSign) && !slices.Contains([]string{"latest"}, id)
}

// question asks about deleting the selected session.
func (p *Pane) question() string {
	const most = 60 // bytes of the title
	return "Delete “" + terminal.Cut(styled.Text(p.list.current().Title), most) + "” permanently?"
}
