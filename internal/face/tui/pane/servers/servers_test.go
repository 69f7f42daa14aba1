package servers

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"pollux/internal/mcp"
	"pollux/internal/oauth"
)

func TestList(t *testing.T) {
	t.Parallel()
	toggles := func(verb string) []string {
		return []string{"/mcp " + verb + " s", "/mcp " + verb + " s --session"}
	}
	for _, c := range []struct {
		status   mcp.Status
		state    string
		about    string
		commands []string
		changes  bool
	}{
		{mcp.Status{State: mcp.Connected, Tools: []mcp.ToolInfo{{Name: "t"}}, Prompts: []string{"p", "q"}}, "Ready, 1 tool, 2 prompts", "", append(toggles("disable"), "Show tools", "Show prompts", "/mcp reload"), false},
		{mcp.Status{State: mcp.Connecting}, "Starting... (first startup may take longer)", "", append(toggles("disable"), "/mcp reload"), true},
		{mcp.Status{State: mcp.Disabled}, "Disabled", "", append(toggles("enable"), "/mcp reload"), false},
		{mcp.Status{State: mcp.Disconnected, Err: errors.New("no\x1b[31m way\nout")}, "Disconnected, error", "Error: no", append(toggles("disable"), "/mcp reload"), false},
		{mcp.Status{State: mcp.Disconnected, Err: mcp.ErrUnauthorized}, "Disconnected, error", "Error:", append(toggles("disable"), "/mcp auth s", "/mcp reload"), false},
		{mcp.Status{State: mcp.Connected, SignIn: oauth.Expired}, "Ready", "Sign-in: OAuth expired", append(toggles("disable"), "/mcp auth s", "/mcp reload"), false},
	} {
		c.status.Config.Name = "s"
		items := List([]mcp.Status{c.status}).Items
		it := items[0]
		var commands []string
		for _, a := range it.Actions {
			switch {
			case a.WhyNot != "":
				t.Errorf("%s: %s", a.Label, a.WhyNot)
			case a.Lists != nil:
				commands = append(commands, a.Label)
			default:
				commands = append(commands, a.Command)
			}
		}
		if it.State != c.state || it.IsChanging != c.changes || !strings.Contains(strings.Join(it.About, "\n"), c.about) || !reflect.DeepEqual(commands, c.commands) {
			t.Errorf("%v: %q, %q, %q", c.status.State, it.State, it.About, commands)
		}
	}
	blocked := List([]mcp.Status{{Config: mcp.Config{Name: "s"}, State: mcp.Blocked}}).Items[0]
	if a := blocked.Actions[0]; a.WhyNot != "the settings block this server" {
		t.Errorf("a blocked server can be switched: %+v", a)
	}
}
