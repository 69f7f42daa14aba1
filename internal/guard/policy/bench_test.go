package policy

import (
	"fmt"
	"testing"

	"pollux/internal/guard/trust"
)

// thousandRules are rules that a large organization could have: prefixes, expressions, tools of
// servers, rules for modes and agents.
func thousandRules(b *testing.B) []Rule {
	b.Helper()
	var rules []Rule
	for i := range 1000 {
		r := Rule{Priority: TierUser.priority(int64(i % 900)), Decision: []Decision{Allow, Deny, Ask}[i%3], Source: "User: a.toml", file: "/a.toml", line: i}
		switch i % 5 {
		case 0, 1:
			r.Tools, r.Prefixes = []string{shellTool}, []string{fmt.Sprintf("program%d", i), fmt.Sprintf("program%d build", i)}
		case 2:
			r.Tools, r.Args = []string{shellTool}, mustCommandPattern(b, fmt.Sprintf("tool%d (push|pull).*--force", i))
		case 3:
			r.Tools, r.Server = []string{"*"}, fmt.Sprintf("server%d", i)
		case 4:
			p, err := NewPattern(fmt.Sprintf(`"file_path":"[^"]*/dir%d/[^"]*\.pem"`, i))
			if err != nil {
				b.Fatal(err)
			}
			r.Tools, r.Args = []string{"write_file", "replace"}, p
		}
		rules = append(rules, r)
	}
	return rules
}

// A decision with 1,000 rules should take at most 50 µs.
func BenchmarkThousandRules(b *testing.B) {
	e := engine(b, Options{Rules: thousandRules(b), Mode: AutoEdit, Interactive: true, Trust: trust.NewLive(trust.Trusted)})
	for name, c := range map[string]Call{
		"read":  call("read_file", "file_path", "internal/guard/policy/engine.go"),
		"write": call("write_file", "file_path", "internal/guard/policy/engine.go", "content", "package policy"),
		"shell": command("go test ./..."),
		"line":  command("cd internal && go test ./... 2>&1 | tail -20"),
		"mcp":   {Name: "mcp_server_tool", Server: "server", Args: []byte(`{"a":1}`)},
	} {
		e.Check(c) // compiles the expressions
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				e.Check(c)
			}
		})
	}
}
