package slash

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/manage"
)

var update = flag.Bool("update", false, "write the table of docs/commands.md again")

// TestDocsTable checks that docs/commands.md has the same commands as the package.
func TestDocsTable(t *testing.T) {
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

// markdownTable returns the command table in Markdown.
func markdownTable() string {
	var b strings.Builder
	b.WriteString("| Command | Other names | What it does | |\n| --- | --- | --- | --- |\n")
	var planned []string
	var write func(parent string, c *manage.Command)
	write = func(parent string, c *manage.Command) {
		if c.IsPlanned {
			if parent == "/" {
				planned = append(planned, "`/"+c.Name+"`")
			}
			return
		}
		name := parent + c.Name
		if c.Run != nil {
			var notes []string
			if c.RunsWhileBusy {
				notes = append(notes, "any time")
			}
			if c.NeedsPerson {
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
	b.WriteString("\nKnown, and not available yet: " + strings.Join(planned, ", ") + ".\n")
	return b.String()
}
