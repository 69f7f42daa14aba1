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
		"@OPTIONS@\n", optionsSection(helpOf(t)),
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
		t.Skip("mandoc is not installed")
	}
	out, err := exec.Command("mandoc", "-T", "lint", "-W", "warning", "../docs/man/pollux.1").CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// help is the parsed help of a command.
type help struct {
	short    string
	commands [][2]string // usage and description
	groups   []helpGroup
}

type helpGroup struct {
	title   string
	options [][2]string
}

// helpOf runs a command with --help and parses the output.
func helpOf(t *testing.T, command ...string) help {
	t.Helper()
	cmd := exec.Command("pollux", append(command, "--help")...) // TestMain has put it on the path
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	paragraphs := strings.SplitN(string(out), "\n\n", 3)
	h := help{short: strings.TrimSpace(paragraphs[1])}
	row := regexp.MustCompile(`^\s+(\S.*?)(?:  +(\S.*))?$`)
	section := ""
	for line := range strings.Lines(paragraphs[2]) {
		m := row.FindStringSubmatch(strings.TrimRight(line, "\n"))
		switch {
		case m == nil && line != "\n":
			section = strings.TrimSpace(line)
		case m == nil:
		case section == "Commands:":
			h.commands = append(h.commands, [2]string{m[1], m[2]})
		case section == "Options:":
			h.option(line, m[1], m[2])
		}
	}
	return h
}

// option adds a line of the options: an option, the description of an option with a long name, or
// the title of a group.
func (h *help) option(line, left, right string) {
	last := len(h.groups) - 1
	switch {
	case strings.HasPrefix(left, "-"):
		if last < 0 {
			h.groups, last = append(h.groups, helpGroup{}), 0
		}
		h.groups[last].options = append(h.groups[last].options, [2]string{left, right})
	case strings.HasPrefix(line, "      "):
		options := h.groups[last].options
		options[len(options)-1][1] = left
	default:
		h.groups = append(h.groups, helpGroup{title: left})
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
	for _, row := range helpOf(t, path[1:]...).commands {
		use := strings.Fields(row[0]) // words after the parent command
		below := append(path[:len(path):len(path)], use[1])
		h := helpOf(t, below[1:]...)
		fmt.Fprintf(&b, ".SS %s\n%s.\n", roff(strings.Join(append(path[:len(path)-1:len(path)-1], use...), " ")), roff(h.short))
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
