package imports

import (
	"strings"

	"pollux/internal/config"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/terminal"
	"pollux/internal/transfer"
	"pollux/internal/wording"
)

// Found is an agent that a person or a project uses.
type Found struct {
	Agent string `json:"agent"`
	Scope string `json:"scope"`
	Place string `json:"place"` // a file or a directory of the agent
	// Items are the numbers of the things to copy, by kind.
	Items map[string]int `json:"items"`
	Error string         `json:"error,omitempty"` // why its files cannot be read
	text  string
}

// list lists the agents that a person and a project use.
func list(p *project.Project) outcome.Outcome {
	rows := []Found{}
	for _, a := range agents() {
		for _, scope := range []config.Scope{config.User, config.Workspace} {
			isProject := scope == config.Workspace
			if at := place(p, scope); a.in(scope).first(at) == "" || isProject && p.Paths.AtHome() {
				continue
			}
			rows = append(rows, a.found(p, scope))
		}
	}
	if len(rows) == 0 {
		return outcome.Textf("There are no files of other agents. Pollux imports from: %s.", strings.Join(names(), ", ")).WithValue(rows)
	}
	table := outcome.NewTable([]string{"AGENT", "SCOPE", "PLACE", "TO COPY"}, rows, func(f Found) []string {
		return []string{f.Agent, f.Scope, p.DisplayFile(f.Place), f.text}
	})
	next := outcome.Text("To see all of it, run: pollux import --from " + rows[0].Agent + " --scope " + rows[0].Scope)
	return outcome.New(table, next).WithValue(rows)
}

// found describes the files of the agent in a scope.
func (a *agent) found(p *project.Project, scope config.Scope) Found {
	at := place(p, scope)
	f := Found{Agent: a.name, Scope: "user", Place: at.Path(a.in(scope).first(at)), Items: map[string]int{}}
	if scope == config.Workspace {
		f.Scope = "project"
	}
	parts, err := a.parts(p, scope)
	if err != nil {
		f.Error = terminal.Line(err.Error())
		f.text = f.Error
		return f
	}
	var texts []string
	for _, part := range parts {
		if n := part.Count(); n > 0 {
			f.Items[part.Kind] = n
			texts = append(texts, wording.Count(n, part.Kind))
		}
	}
	if f.text = strings.Join(texts, ", "); f.text == "" {
		f.text = "nothing"
	}
	return f
}

// Offer returns a line about how to copy the set-up of the user with a home directory, "" if the user has no other agent. It only looks whether
// files exist.
func Offer(home string) string {
	at := transfer.Place{Dir: home}
	var found []agent
	for _, a := range agents() {
		if a.user.first(at) != "" {
			found = append(found, a)
		}
	}
	switch len(found) {
	case 0:
		return ""
	case 1:
		return "To copy your set-up from " + found[0].title + ", run: pollux import --from " + found[0].name
	}
	return "To copy your set-up from " + found[0].title + " and other agents, run: pollux import"
}
