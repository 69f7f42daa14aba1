package policy

import (
	"os"
	"path/filepath"
	"testing"

	"pollux/internal/guard/trust"
	"pollux/tool"
)

// What is allowed for one server does not count for another one whose tools have the same names.
func TestServersAreNotConfused(t *testing.T) {
	t.Parallel()
	of := func(server, name string) Call { return Call{Name: "mcp_a_b_" + name, Server: server, RemoteName: name} }
	for name, rules := range map[string][]Rule{
		"trust":    FromSettings(Settings{TrustedServers: []string{"a b"}}),
		"allowed":  FromSettings(Settings{AllowedServers: []string{"a b"}}),
		"headless": FromSettings(Settings{HeadlessServers: []string{"a b"}}),
	} {
		e := engine(t, Options{Mode: Default, Interactive: name != "headless", Trust: trust.NewLive(trust.Trusted), Rules: rules})
		if got := e.Check(of("a b", "x")).Decision; got != Allow {
			t.Errorf("%s: the server itself: %v", name, got)
		}
		for _, other := range []string{"a_b", "a", "A b", "*"} {
			if got := e.Check(of(other, "x")).Decision; got == Allow {
				t.Errorf("%s: %q may do what \"a b\" may", name, other)
			}
		}
	}
	for _, answer := range []tool.Outcome{tool.ProceedAlwaysServer, tool.ProceedAlwaysTool, tool.ProceedAlwaysAndSave} {
		e := engine(t, Options{Mode: Default, Interactive: true, Trust: trust.NewLive(trust.Trusted)})
		if !e.Remember(of("a b", "x"), answer) || e.Check(of("a b", "x")).Decision != Allow {
			t.Errorf("%v is not remembered", answer)
		}
		if got := e.Check(of("a_b", "x")).Decision; got != Ask {
			t.Errorf("%v counts for another server: %v", answer, got)
		}
	}
}

// A server may be called "*", which stands for all elsewhere.
func TestServerNamedLikeAll(t *testing.T) {
	t.Parallel()
	star, docs := Call{Name: "mcp___x", Server: "*", RemoteName: "x"}, Call{Name: "mcp_docs_x", Server: "docs", RemoteName: "x"}
	for _, answer := range []tool.Outcome{tool.ProceedAlwaysServer, tool.ProceedAlwaysTool, tool.ProceedAlwaysAndSave} {
		e := engine(t, Options{Mode: Default, Interactive: true, Trust: trust.NewLive(trust.Trusted), Rules: FromSettings(Settings{TrustedServers: []string{"*"}})})
		e.Remember(star, answer)
		if got := e.Check(docs).Decision; got != Ask {
			t.Errorf("%v for * counts for docs: %v", answer, got)
		}
	}
	e := engine(t, Options{Mode: Default, Interactive: true, Trust: trust.NewLive(trust.Trusted), Rules: FromSettings(Settings{AllowedServers: []string{"*"}})})
	if got := e.Check(docs).Decision; got != Allow {
		t.Errorf("mcp.allowed with *: %v", got)
	}
}

// The server of a subagent's definition is that with this name.
func TestServersOfAgentsAreNotConfused(t *testing.T) {
	t.Parallel()
	e := engine(t, Options{Mode: Default, Interactive: true, Trust: trust.NewLive(trust.Trusted)})
	e.SetAgentRules(AgentRules{Trusted: map[string][]string{"helper": {"a b"}}})
	for server, want := range map[string]Decision{"a b": Allow, "a_b": Ask} {
		if got := e.Check(Call{Name: "mcp_a_b_x", Server: server, ServerOf: "helper", RemoteName: "x", Subagent: "helper"}).Decision; got != want {
			t.Errorf("%s: %v, want %v", server, got, want)
		}
	}
	// A server of the session with this name is another one, and the other way around.
	if got := e.Check(Call{Name: "mcp_a_b_x", Server: "a b", RemoteName: "x", Subagent: "helper"}).Decision; got != Ask {
		t.Errorf("the session's server has the trust of a subagent's: %v", got)
	}
	theirs := Call{Name: "mcp_docs_x", Server: "docs", ServerOf: "helper", RemoteName: "x", Subagent: "helper"}
	e = engine(t, Options{Mode: Default, Interactive: true, Trust: trust.NewLive(trust.Trusted), Rules: FromSettings(Settings{TrustedServers: []string{"docs"}})})
	if got := e.Check(theirs).Decision; got != Ask {
		t.Errorf("a subagent's server has the trust of the session's: %v", got)
	}
	for _, answer := range []tool.Outcome{tool.ProceedAlwaysServer, tool.ProceedAlwaysTool, tool.ProceedAlwaysAndSave} {
		e := engine(t, Options{Mode: Default, Interactive: true, Trust: trust.NewLive(trust.Trusted)})
		e.Remember(Call{Name: "mcp_docs_x", Server: "docs", RemoteName: "x"}, answer)
		if got := e.Check(theirs).Decision; got != Ask {
			t.Errorf("%v counts for a subagent's server: %v", answer, got)
		}
	}
}

func TestSavedAnswersAreAboutServersOfTheSession(t *testing.T) {
	t.Parallel()
	saved := &Saved{File: filepath.Join(t.TempDir(), SavedName), Tier: TierUser}
	o := Options{Mode: Default, Interactive: true, Trust: trust.NewLive(trust.Trusted), Permanent: true, Saved: saved}
	ours := Call{Name: "mcp_docs_x", Server: "docs", RemoteName: "x", Subagent: "helper"}
	theirs := ours
	theirs.ServerOf = "helper"

	e := engine(t, o)
	for _, offer := range e.Offers(theirs) {
		if offer.Outcome == tool.ProceedAlwaysAndSave {
			t.Error("the answer about a subagent's own server can be saved, though the file has only the server's name")
		}
	}
	e.Remember(theirs, tool.ProceedAlwaysAndSave)
	if _, err := os.Stat(saved.File); err == nil {
		t.Error("the answer about a subagent's own server is saved")
	}
	if got := e.Check(theirs).Decision; got != Allow {
		t.Errorf("the answer does not hold for the session: %v", got)
	}

	engine(t, o).Remember(ours, tool.ProceedAlwaysAndSave)
	data, err := os.ReadFile(saved.File)
	if err != nil {
		t.Fatal(err)
	}
	o.Rules = parseFile(data, origin{tier: TierUser}, SavedName).rules
	e = engine(t, o)
	if got := e.Check(ours).Decision; got != Allow {
		t.Errorf("the saved answer does not hold in the next session: %v", got)
	}
	if got := e.Check(theirs).Decision; got != Ask {
		t.Errorf("the saved answer counts for a subagent's own server: %v", got)
	}
}
