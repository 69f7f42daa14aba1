package agents

import (
	"testing"

	"pollux/internal/exit"
	"pollux/internal/manage/managetest"
)

func TestAgents(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	p.Write(p.Home+"/.gemini/agents/helper.md", "---\nname: helper\ndescription: Helps\n---\nHelp.\n")
	p.Check(Command(), []managetest.Case{
		{Line: "/", Want: "NAME                   KIND"},
		{Line: "/list", Want: "helper                 local  user      enabled  Helps"},
		{Line: "/enable", Want: "Usage: /agents enable <agent-name>", Code: exit.Input},
		{Line: "/enable helper", Want: "Agent 'helper' is already enabled."},
		{Line: "/disable none", Want: `There is no agent "none". /agents list lists them.`, Code: exit.Input},
		{Line: "/disable helper", Want: "Agent 'helper' disabled. Changed: ~/.gemini/settings.json"},
		{Line: "/list", Want: "helper                 local  user      disabled  Helps"},
		{Line: "/disable helper", Want: "Agent 'helper' is already disabled."},
		{Line: "/enable helper", Want: "Agent 'helper' enabled."},
		{Line: "/config helper max_turns 7", Want: "Set max_turns of helper to 7 in ~/.gemini/settings.json."},
		{Line: "/config helper max_turns default", Want: "Removed max_turns of helper"},
		{Line: "/config helper", Want: "The agent is unchanged."},
		{Line: "/reload", Want: "Loaded 4 agents."},
	})
	p.Answers = []string{"max_turns", "9"}
	p.Check(Command(), []managetest.Case{
		{Line: "/config helper", Want: "Set max_turns of helper to 9 in"},
		{Line: "/config", Want: "Usage: /agents config <agent-name> [<setting> <value>]", Code: exit.Input},
		{Line: "/config helper color red", Want: `has no setting "color".`, Code: exit.Input},
		{Line: "/config helper enabled", Want: "Enter a value for enabled: true or false, or default.", Code: exit.Input},
		{Line: "/config helper temperature 3", Want: "temperature must be a number from 0 to 2.", Code: exit.Input},
		{Line: "/config helper model inherit", Want: `Set model of helper to "inherit" in ~/.gemini/settings.json.`},
	})
	p.Write(".gemini/settings.json", `{"agents": {"overrides": {"helper": {"enabled": true}}}}`)
	p.Session = nil
	p.Check(Command(), []managetest.Case{
		{Line: "/disable helper", Want: "Agent 'helper' stays as it is, because other settings", Code: exit.General},
	})
	p.Options.Flags = map[string]any{"experimental.enableAgents": false}
	p.Session = nil
	p.Check(Command(), []managetest.Case{
		{Line: "/list", Want: "Subagents are disabled.", Code: exit.General}, {Line: "/reload", Want: "are disabled", Code: exit.General},
	})
}
