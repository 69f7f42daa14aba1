package mcp

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"pollux/tool"
)

// benchOffer returns an offer of n tools as servers write them: five arguments, each with a description.
func benchOffer(n int) *offer {
	o := &offer{}
	for i := range n {
		var properties []string
		for _, name := range []string{"owner", "repository", "query", "after", "order"} {
			properties = append(properties, fmt.Sprintf(`"%s": {"type": "string", "description": "The %[1]s of what is to be found, as the service knows it; leave it out for all"}`, name))
		}
		o.Tools = append(o.Tools, listed{
			Name: fmt.Sprintf("find_things_%d", i), Description: "Finds the things that fit a query.",
			Schema: json.RawMessage(`{"type": "object", "properties": {` + strings.Join(properties, ", ") + `}, "required": ["query"]}`),
		})
	}
	return o
}

// BenchmarkDeclare measures the cleaning of the schemas of 5,000 tools and their way into the registry.
func BenchmarkDeclare(b *testing.B) {
	raw, err := json.Marshal(benchOffer(5000))
	if err != nil {
		b.Fatal(err)
	}
	r := tool.NewRegistry()
	s := New(Options{Configs: []Config{{Name: "toy", Command: "x"}}, Registry: r})
	b.ReportAllocs()
	for b.Loop() {
		var o offer
		if err := json.Unmarshal(raw, &o); err != nil {
			b.Fatal(err)
		}
		for i := range o.Tools {
			o.Tools[i].Schema = cleanSchema(o.Tools[i].Schema)
		}
		s.list[0].tools = nil
		s.list[0].declare(&o)
	}
	if n := len(r.Snapshot().Declarations(tool.Full).Functions); n != 5000 {
		b.Fatalf("%d tools", n)
	}
}

// BenchmarkRecall measures the start of 20 servers whose offers of 12 tools are kept.
func BenchmarkRecall(b *testing.B) {
	dir := b.TempDir()
	o := Options{Dir: dir, OfferDir: filepath.Join(dir, "offers"), Path: "/usr/local/bin:/usr/bin:/bin", Log: slog.New(slog.DiscardHandler)}
	for i := range 20 {
		o.Configs = append(o.Configs, Config{Name: fmt.Sprintf("server%02d", i), Command: "sh", Args: []string{"-c", "exit"}})
	}
	o.Registry = tool.NewRegistry()
	for _, one := range New(o).list {
		one.keep(benchOffer(12), one.offerKey())
	}
	b.ReportAllocs()
	for b.Loop() {
		o.Registry = tool.NewRegistry()
		s := New(o)
		s.Start()
		if s.Close(); len(o.Registry.Snapshot().Tools()) != 240 {
			b.Fatal("not all are kept")
		}
	}
}

// BenchmarkCall measures a call of a tool of a program that answers at once.
func BenchmarkCall(b *testing.B) {
	r := tool.NewRegistry()
	s := New(Options{Configs: []Config{toy(b, "toy", "usual")}, Registry: r, Dir: b.TempDir()})
	defer s.Close()
	s.Start()
	s.Settle(b.Context())
	one, found := r.Lookup("mcp_toy_find_things_0")
	if !found {
		b.Fatalf("tools: %s", names(r))
	}
	for b.Loop() {
		inv, err := tool.Build(one, json.RawMessage(`{"query":"name","owner":"Ann"}`))
		if err != nil {
			b.Fatal(err)
		}
		if result := inv.Run(b.Context(), tool.Host{}); result.Error != nil {
			b.Fatal(result.Error)
		}
	}
}
