package confine

import (
	"context"
	"fmt"
	"strings"

	"pollux/internal/config"
	"pollux/internal/project"
	sandbox "pollux/internal/sandbox/confine"
	"pollux/internal/sandbox/limits"
	"pollux/internal/shellcmd"
	"pollux/internal/terminal"
)

// govern has the sandbox restrict commands as in the approval mode that a session begins in, where there is none.
func govern(p *project.Project) error {
	if !config.ToolSandboxing.In(p.Settings()) {
		return nil
	}
	rules, err := p.ReadPolicies(p.HasAccepted)
	if err != nil {
		return err
	}
	mode, err := p.InitialMode(p.Options.ApprovalMode)
	if err == nil {
		p.Sandbox.Govern(rules.Sandbox, mode.String)
	}
	return err
}

// runAs has the sandbox treat programs as started by a command of these words.
func runAs(p *project.Project, words []string) {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = shellcmd.Quote(word)
	}
	run := sandbox.Run{Command: strings.Join(quoted, " ")}
	p.Sandbox.Ask(func(context.Context) sandbox.Run { return run })
}

// describeLimit says how the approval mode restricts commands, "" for no restrictions.
func describeLimit(l limits.Limit) string {
	var list []string
	if l.IsOffline {
		list = append(list, "have no network")
	}
	if l.IsReadOnly {
		list = append(list, "change no files of the workspace")
	}
	if l.IsFinal {
		list = append(list, "get no more permissions")
	}
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf("In this approval mode, commands %s: see %s.", strings.Join(list, ", "), terminal.Line(l.Source))
}
