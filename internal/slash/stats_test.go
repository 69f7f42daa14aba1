package slash

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The statistics of earlier sessions are tables, with a chart on a terminal.
func TestStatsOverTime(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{model: "turn\n  text x\n"})
	d.wantText("/stats days", "No usage found.")
	temp, err := d.Session.Project.Paths.ProjectTemp()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC().Format(time.RFC3339)
	for i, at := range []string{"2026-01-02T00:00:00Z", now} {
		d.file(filepath.Join(temp, "chats", fmt.Sprintf("session-%d.jsonl", i)), fmt.Sprintf(`{"sessionId":"s%d","projectHash":"h","startTime":"%[2]s","kind":"main"}
{"id":"u","timestamp":"%[2]s","type":"user","content":[{"text":"prompt %[1]d"}]}
{"id":"m","timestamp":"%[2]s","type":"gemini","content":"ok","tokens":{"input":1000,"total":1000},"model":"gemini-2.5-flash"}
`, i, at))
	}
	d.wantText("/stats sessions", "    USED ", "  prompt 0\n", "  prompt 1\n", "Total\n")
	d.wantText("/usage projects", d.dir+"\n", "\n\nCosts are estimates at list prices. The price of these models is unknown: gemini-2.5-flash.")
	if r := d.wantText("/stats days", "    Total       2        2k "); strings.Contains(r.Text, "by day") {
		t.Error("a chart where no terminal is:\n" + r.Text)
	}
	d.Terminal.OutTTY, d.Terminal.Width = true, 80
	d.wantText("/stats days", "\n\n    Tokens by day\n    2", "# 1k\n\nCosts are")
	d.wantText("/stats days 1d", "    Total       1 ")
	d.wantFailure("/stats days never", `"never" is no time.`)
}
