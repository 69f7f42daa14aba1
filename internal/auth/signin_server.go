package auth

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"pollux/llm/catalog"
	"pollux/llm/provider"
	"pollux/tool"
)

// localServer is a model server on this machine that answers.
type localServer struct {
	provider.Access
	models []catalog.Model
}

// pickServer asks for a server on this machine and one of its models. problem is a text for
// the person if there is no server or no model.
func (s *signIn) pickServer() (done SignIn, problem string, err error) {
	servers := s.accounts.localServers(s.ctx)
	switch {
	case s.ctx.Err() != nil:
		return SignIn{}, "", context.Cause(s.ctx)
	case len(servers) == 0:
		return SignIn{}, "No model server answers on this machine. Pollux asked:\n" + s.accounts.localPorts() + "\n" +
			"To start one: ollama serve, then: ollama pull qwen3\n", nil
	}
	server := &servers[0]
	if len(servers) > 1 {
		q := tool.Question{Text: "Which server do you want to use?", Header: "Server", Kind: tool.ChoiceQuestion, Closed: true}
		for _, one := range servers {
			q.Options = append(q.Options, tool.Option{Label: one.Name, Description: provider.RedactAddress(one.BaseURL)})
		}
		answer, err := s.next(q)
		if err != nil {
			return SignIn{}, "", err
		}
		server = &servers[slices.IndexFunc(servers, func(one localServer) bool { return one.Name == answer })]
	}
	address := provider.RedactAddress(server.BaseURL)
	var model string
	switch len(server.models) {
	case 0:
		return SignIn{}, server.Name + " at " + address + " has no models. Download one first.\n", nil
	case 1:
		model = server.models[0].Name
	default:
		q := tool.Question{Text: server.Name + " has these models. Which one do you want to use?", Header: "Model", Kind: tool.ChoiceQuestion, Closed: true}
		for _, m := range server.models {
			q.Options = append(q.Options, tool.Option{Label: m.Name})
		}
		if model, err = s.next(q); err != nil {
			return SignIn{}, "", err
		}
	}
	return SignIn{
		Type: Type(server.ID), ID: server.ID, Model: server.ID + "/" + model,
		Text: fmt.Sprintf("Using the model %s of %s at %s.", model, server.Name, address),
	}, "", nil
}

// localServers returns the model servers on this machine that answer: those that the
// environment names, and those on the usual ports.
func (a *Accounts) localServers(ctx context.Context) []localServer {
	var candidates []provider.Access
	for p := range a.Table().All() {
		if access, found := a.plain(p); found && p.Local != nil {
			candidates = append(candidates, access)
		}
	}
	for _, access := range a.Table().Discover(ctx, time.Second) {
		if !slices.ContainsFunc(candidates, func(known provider.Access) bool { return known.ID == access.ID }) {
			candidates = append(candidates, access)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var servers []localServer
	for _, access := range candidates {
		client, err := provider.Open(access, a.Network)
		if err != nil || a.permit(Type(access.ID)) != nil {
			continue
		}
		if models, err := client.Models(ctx); err == nil {
			servers = append(servers, localServer{access, models})
		}
	}
	return servers
}

// localPorts lists the servers on this machine that Pollux looks for, with their ports.
func (a *Accounts) localPorts() string {
	var list []string
	for p := range a.Table().All() {
		switch access, found := a.plain(p); {
		case p.Local == nil:
		case found:
			list = append(list, cmp.Or(p.Name, p.ID)+" ("+provider.RedactAddress(access.BaseURL)+")")
		default:
			list = append(list, fmt.Sprintf("%s (port %d)", cmp.Or(p.Name, p.ID), p.Local.Port))
		}
	}
	half := (len(list) + 1) / 2
	return strings.Join(list[:half], ", ") + ",\n" + strings.Join(list[half:], ", ") + "."
}
