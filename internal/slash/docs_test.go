package slash

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the table of docs/commands.md anew")

// TestDocumented holds the table of docs/commands.md to that of the package.
func TestDocumented(t *testing.T) {
	t.Parallel()
	const page, begin, end = "../../docs/commands.md", "<!-- commands -->\n", "<!-- end of commands -->"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), begin)
	got, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("the page has no place for the table")
	}
	want := markdownTable()
	switch {
	case got == want:
	case *update:
		if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("docs/commands.md is not what the table says; run make update:\n%s", cmp.Diff(got, want))
	}
}

// markdownTable is the table of commands for people.
func markdownTable() string {
	var b strings.Builder
	b.WriteString("| Command | Other names | What it does | |\n| --- | --- | --- | --- |\n")
	var missing []string
	var write func(parent string, c *Command)
	write = func(parent string, c *Command) {
		if c.Later {
			if parent == "/" {
				missing = append(missing, "`/"+c.Name+"`")
			}
			return
		}
		name := parent + c.Name
		if c.Run != nil {
			var notes []string
			if c.Busy {
				notes = append(notes, "any time")
			}
			if c.Person {
				notes = append(notes, "needs you")
			}
			var aliases []string
			for _, a := range c.Aliases {
				aliases = append(aliases, "`"+a+"`")
			}
			usage := strings.ReplaceAll(strings.TrimSpace(name+" "+c.Args), "|", `\|`)
			b.WriteString("| `" + usage + "` | " + strings.Join(aliases, ", ") + " | " + c.Summary + " | " + strings.Join(notes, ", ") + " |\n")
		}
		for _, sub := range c.Subs {
			write(name+" ", sub)
		}
	}
	for _, c := range Commands() {
		write("/", c)
	}
	b.WriteString("\nKnown, and not available yet: " + strings.Join(missing, ", ") + ".\n")
	return b.String()
}
