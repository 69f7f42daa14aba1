package acceptance

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"pollux/internal/config"
	"pollux/internal/process/processtest"
)

// TestManPage checks the manual page against the program's help; -update rewrites it.
func TestManPage(t *testing.T) {
	t.Parallel()
	const path = "../docs/man/pollux.1"
	frame, err := os.ReadFile("testdata/pollux.1")
	if err != nil {
		t.Fatal(err)
	}
	page := strings.NewReplacer(
		"@OPTIONS@\n", optionsSection(helpOf(t, "help", "flags")),
		"@COMMANDS@\n", commandsSection(t, "pollux"),
		"@ENVIRONMENT@\n", environmentSection(),
	).Replace(string(frame))
	date := regexp.MustCompile(`(?m)^(\.TH POLLUX 1) \S+`)
	undated := func(page string) string { return date.ReplaceAllString(page, "$1") }
	committed, err := os.ReadFile(path)
	switch {
	case err == nil && undated(string(committed)) == undated(page):
	case *update:
		page = strings.Replace(page, "@DATE@", time.Now().UTC().Format(time.DateOnly), 1)
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not what the program says; run make docs (%v)", path, err)
	}
}

// TestManPageIsClean checks that manual page tools report no errors in the page.
func TestManPageIsClean(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("mandoc"); err != nil {
		t.Skip("NOT TESTED: mandoc is not installed")
	}
	out, err := exec.Command("mandoc", "-T", "lint", "-W", "warning", "../docs/man/pollux.1").CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// help is the parsed help of a command.
type help struct {
	short    string
	usage    string
	commands []string // names of the subcommands
	groups   []helpGroup
}

type helpGroup struct {
	title   string
	options [][2]string
}

// helpOf runs a command that prints help, and parses the output.
func helpOf(t *testing.T, command ...string) help {
	t.Helper()
	cmd := exec.Command("pollux", command...) // TestMain has put it on the path
	cmd.Env = processtest.Environ("HOME=" + t.TempDir())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	short, sections, _ := strings.Cut(string(out), "\n\n")
	h := help{short: short}
	row := regexp.MustCompile(`^\s+(\S.*?)(?:  +(\S.*))?$`)
	section := ""
	for line := range strings.Lines(sections) {
		m := row.FindStringSubmatch(strings.TrimRight(line, "\n"))
		switch {
		case m == nil && line != "\n":
			section = strings.TrimSpace(line)
			h.groups = append(h.groups, helpGroup{title: section})
		case m == nil:
		case section == "USAGE":
			h.usage = strings.TrimSuffix(m[1], " [flags]")
		case strings.HasSuffix(section, "COMMANDS"):
			h.commands = append(h.commands, strings.TrimSuffix(m[1], ":"))
		default:
			h.option(line, m[1], m[2])
		}
	}
	return h
}

// option adds a line of a group: an option, or the description of an option with a long name.
func (h *help) option(line, left, right string) {
	group := &h.groups[len(h.groups)-1]
	switch {
	case strings.HasPrefix(left, "-"):
		group.options = append(group.options, [2]string{left, right})
	case strings.HasPrefix(line, "      ") && len(group.options) > 0:
		group.options[len(group.options)-1][1] = left
	}
}

// roff escapes text for roff.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

func optionsSection(h help) string {
	var b strings.Builder
	for _, g := range h.groups {
		if g.title != "" {
			fmt.Fprintf(&b, ".SS %s\n", roff(g.title))
		}
		for _, option := range g.options {
			writeRow(&b, option[0], option[1])
		}
	}
	return b.String()
}

// writeRow writes an option or a variable with its description.
func writeRow(b *strings.Builder, name, text string) {
	name, value, valued := strings.Cut(name, " <")
	open, shut := "", ""
	if !valued {
		if name, value, valued = strings.Cut(name, " ["); valued {
			open, shut = "[", "]"
		}
	}
	fmt.Fprintf(b, ".TP\n\\fB%s\\fR", roff(name))
	if valued {
		fmt.Fprintf(b, " %s\\fI%s\\fR%s", open, roff(strings.TrimRight(value, ">]")), shut)
	}
	fmt.Fprintf(b, "\n%s.\n", strings.TrimSuffix(roff(text), "."))
}

// commandsSection writes the subcommands of a command, each with its own options.
func commandsSection(t *testing.T, path ...string) string {
	t.Helper()
	var b strings.Builder
	for _, name := range helpOf(t, append(path[1:len(path):len(path)], "--help")...).commands {
		below := append(path[:len(path):len(path)], name)
		h := helpOf(t, append(below[1:len(below):len(below)], "--help")...)
		fmt.Fprintf(&b, ".SS %s\n%s.\n", roff(h.usage), roff(h.short))
		for _, g := range h.groups {
			for _, option := range g.options {
				if !strings.Contains(option[0], "--help") && !strings.Contains(option[0], "--debug") {
					writeRow(&b, option[0], option[1])
				}
			}
		}
		b.WriteString(commandsSection(t, below...))
	}
	return b.String()
}

// environmentSection writes the variables that users can set.
func environmentSection() string {
	var b strings.Builder
	for _, v := range config.Variables() {
		if v.Support == config.Live && !v.Ambient {
			writeRow(&b, v.Name, v.Doc)
		}
	}
	return b.String()
}
