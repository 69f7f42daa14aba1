package auth

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/llm/provider"
)

// nothingSetUp returns the error if no provider is set up: a list of the ways to do so.
func (a *Accounts) nothingSetUp() error {
	var text strings.Builder
	text.WriteString("No model is set up. Do one of these:\n")
	line := func(do, about string) { fmt.Fprintf(&text, "  %-29s %s\n", do, about) }
	var variables []string
	for _, id := range EverydayProviders() {
		p := provider.Builtin().Find(id)
		line("export "+p.KeyVars[0]+"=...", "https://"+p.KeyPage)
		variables = append(variables, p.KeyVars[0])
	}
	line("pollux auth set", "store a key (in a session: /auth)")
	ports, looked := a.askedPorts()
	about := "or another server on this machine"
	if looked {
		about += ";"
	}
	line("ollama serve", about)
	if looked {
		line("", "none answered on ports "+ports[0])
		for _, more := range ports[1:] {
			line("", more)
		}
	}
	line("pollux doctor", "check everything, list all providers")
	summary := "No model is set up. Set " + strings.Join(variables[:len(variables)-1], ", ") + " or " + variables[len(variables)-1] +
		", run 'pollux auth set', or start a model server on this machine"
	if looked {
		summary += " (none answered on ports " + strings.Join(ports, " ") + ")"
	}
	return &exit.Error{Code: exit.Auth, Message: strings.TrimSuffix(text.String(), "\n"), Summary: summary + ". 'pollux doctor' checks everything."}
}

// askedPorts returns the ports of this machine on which [Accounts.Discover] has looked for model
// servers, in lines of a few ports. looked is false if it has not looked.
func (a *Accounts) askedPorts() (lines []string, looked bool) {
	if !a.looked.Load() || !config.LocalServers.In(a.in.Settings) {
		return nil, false
	}
	var ports []string
	for p := range a.Table().All() {
		if p.Local == nil {
			continue
		}
		if port := strconv.Itoa(p.Local.Port); !slices.Contains(ports, port) {
			ports = append(ports, port)
		}
	}
	const perLine = 4
	for part := range slices.Chunk(ports, perLine) {
		lines = append(lines, strings.Join(part, ", "))
	}
	for i := range len(lines) - 1 {
		lines[i] += ","
	}
	return lines, len(lines) > 0
}
