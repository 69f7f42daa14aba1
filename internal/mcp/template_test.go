package mcp

import (
	"encoding/json"
	"testing"

	"pollux/tool"
)

// A URI fits a template if the text between its expressions is there, in its order.
func TestFits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		template, uri string
		want          bool
	}{
		{"test://a/{x}", "test://a/b", true},
		{"test://a/{x}", "test://a/b/c", true},
		{"test://a/{x}", "test://b/c", false},
		{"test://{x}/log/{y}.txt", "test://a/log/b.txt", true},
		{"test://{x}/log/{y}.txt", "test://a/logs/b.txt", false},
		{"test://{x}/log/{y}.txt", "test://a/log/b.md", false},
		{"test://{x}/a/{y}/a", "test://1/a", false},
		{"test://a{?q,r}", "test://a", true},
		{"test://one", "test://one", true},
		{"test://one", "test://on", false},
		{"test://{x", "test://a", false},
		{"{+x}", "anything", true},
	} {
		if got := fits(c.template, c.uri); got != c.want {
			t.Errorf("fits(%q, %q) = %v", c.template, c.uri, got)
		}
	}
}

// A resource of a template is approved as a tool of its server is, because its URI sends data to the server. One
// that the server lists is not.
func TestTemplateApproval(t *testing.T) {
	t.Parallel()
	_, r, _ := run(t, Options{Configs: []Config{toy(t, "toy", "plain")}})
	for uri, server := range map[string]string{"test://one": "", "toy:test://one": "", "test://nowhere": "", "toy:test://day/1": "toy"} {
		one, _ := r.Lookup("read_mcp_resource")
		inv, err := tool.Build(one, json.RawMessage(`{"uri":"`+uri+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if relayed, ok := tool.As[tool.Relayed](inv); ok {
			remote, _ := tool.As[tool.Remote](relayed.Remote())
			got = remote.Server()
			question, err := inv.Confirmation(t.Context())
			if q, ok := question.(*tool.RemoteConfirmation); err != nil || !ok || q.Server != "toy" || q.Tool != "read_mcp_resource" || string(q.Args) != `{"uri":"`+uri+`"}` {
				t.Errorf("%s: the question is %+v, %v", uri, question, err)
			}
		}
		if got != server {
			t.Errorf("%s: relayed to %q, want %q", uri, got, server)
		}
	}
}
