package prompt_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/prompt"
)

// geminiCLI has the sizes of Gemini CLI 0.61's system instructions in the same sessions,
// written with GEMINI_WRITE_SYSTEM_MD: in a git repository, without memory, with its own
// default tools, less the names and descriptions of its agents and skills.
var geminiCLI = []struct {
	name  string
	bytes int
	ours  prompt.System
}{
	{"interactive", 29781, session(modern, "default", true, person)},
	{"interactive yolo", 30900, session(modern, "yolo", true, person)},
	{"interactive plan", 29965, session(modern, "plan", true, planning)},
	{"headless", 29714, session(modern, "default", false, script)},
	{"headless yolo", 29702, session(modern, "yolo", false, yolo)},
	{"headless plan", 29672, session(modern, "plan", false, planner)},
	{"legacy", 23748, session(legacy, "default", true, append(slices.Clone(person), "write_todos"))},
	{"legacy yolo", 24159, session(legacy, "yolo", true, append(slices.Clone(person), "write_todos"))},
	{"legacy plan", 19583, session(legacy, "plan", true, planning)},
	{"legacy headless", 22926, session(legacy, "default", false, script)},
	{"legacy headless yolo", 23044, session(legacy, "yolo", false, append(slices.Clone(yolo), "write_todos"))},
	{"legacy headless plan", 19353, session(legacy, "plan", false, planner)},
}

// Every request pays for the system instruction: it stays below two thirds of Gemini CLI's, and
// the cost of a change shows in review. (Ours is counted with the agents and skills of the
// test.)
func TestSizes(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	fmt.Fprintf(&table, "%-22s%8s%8s%8s\n", "bytes", "Pollux", "Gemini", "ratio")
	for _, c := range geminiCLI {
		n := len(c.ours.Text())
		fmt.Fprintf(&table, "%-22s%8d%8d%7d%%\n", c.name, n, c.bytes, 100*n/c.bytes)
		if 3*n > 2*c.bytes {
			t.Errorf("%s: %d bytes are more than two thirds of %d", c.name, n, c.bytes)
		}
	}
	file := filepath.Join("testdata", "sizes.txt")
	if *update {
		if err := os.WriteFile(file, []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), table.String()); diff != "" {
		t.Errorf("sizes (-want +got):\n%s", diff)
	}
}
