package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pollux/internal/mcp/mcptest"
)

// serveVariable names the variable that makes the test binary an MCP server of a kind.
const serveVariable = "POLLUX_TEST_SERVER"

func TestMain(m *testing.M) {
	if kind := os.Getenv(serveVariable); kind != "" {
		mcptest.Serve(kind, mcptest.Process{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Environ: os.Environ(), Exit: os.Exit})
		return
	}
	code := m.Run()
	if built != "" {
		_ = os.RemoveAll(built)
	}
	os.Exit(code)
}

// BenchmarkServers measures the time from the start of the program to its first request, without MCP servers,
// and with 20 that were connected in an earlier session and are not used: 240 tools, which the model gets. All
// alternate; the figures are medians. "started" starts the servers, as a first session does.
func BenchmarkServers(b *testing.B) {
	program := pollux(b)
	url, asked := answering(b)
	starts := map[string]start{"none": bare(b, url), "kept": withServers(b, url, true), "started": withServers(b, url, false)}
	names := []string{"none", "kept", "started"}
	walls, cpus := map[string][]float64{}, map[string][]float64{}
	for range 3 { // warm up the file cache and the program's own caches
		for _, name := range names {
			starts[name].run(b, program, asked)
		}
	}
	b.ResetTimer()
	for b.Loop() {
		for _, name := range names {
			wall, cpu := starts[name].run(b, program, asked)
			walls[name], cpus[name] = append(walls[name], wall), append(cpus[name], cpu)
		}
	}
	for _, name := range names {
		b.ReportMetric(median(walls[name]), name+"-ms")
		b.ReportMetric(median(cpus[name]), name+"-cpu-ms")
	}
	b.ReportMetric(median(walls["kept"])-median(walls["none"]), "more-ms")
}

// withServers returns a start in a project with 20 servers.
func withServers(b *testing.B, url string, isLazy bool) start {
	b.Helper()
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	servers := map[string]any{}
	for i := range 20 {
		servers[fmt.Sprintf("server%02d", i)] = map[string]any{"command": exe, "trust": true, "env": map[string]string{serveVariable: "usual"}}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": servers, "pollux": map[string]any{"mcpLazy": isLazy}})
	if err != nil {
		b.Fatal(err)
	}
	s := bare(b, url)
	if err := os.Mkdir(filepath.Join(s.dir, ".gemini"), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, ".gemini", "settings.json"), text, 0o600); err != nil {
		b.Fatal(err)
	}
	return s
}
