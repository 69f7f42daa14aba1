package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pollux/internal/terminal"
)

// printHelp prints the help of a command, wrapped at width columns. It does not wrap if
// width is 0.
func printHelp(w io.Writer, cmd *cobra.Command, width int) {
	h := helpWriter{w, width}
	h.text(cmd.Short)
	if cmd.Long != "" {
		h.text("\n" + cmd.Long)
	}
	h.lines("USAGE", usageLines(cmd)...)
	if !cmd.HasParent() {
		h.section("CORE COMMANDS", commandRows(cmd))
		everyday, others := everydayFlags(cmd)
		h.sections([]flagGroup{{"FLAGS", everyday}, {"OTHER FLAGS", others}})
		h.lines("EXAMPLES", "$ pollux", `$ pollux -p "Explain this project"`, `$ git diff | pollux -p "Review this change"`)
		h.lines("LEARN MORE",
			"Run 'pollux <command> --help' for more about a command.",
			"Run 'pollux help flags' for all flags by topic.",
			"Run 'pollux help later' for what is not available yet.",
			"Type /docs in a session for the guides.")
		return
	}
	h.section("COMMANDS", commandRows(cmd))
	own, inherited := commandFlags(cmd)
	h.sections([]flagGroup{{"FLAGS", own}, {"INHERITED FLAGS", inherited}})
	if cmd.HasExample() {
		h.lines("EXAMPLES", exampleLines(cmd)...)
	}
	if cmd.HasAvailableSubCommands() {
		h.lines("LEARN MORE", "Run '"+cmd.CommandPath()+" <command> --help' for more about a command.")
	}
}

// usageLines returns the syntax of a command for its help.
func usageLines(cmd *cobra.Command) []string {
	if !cmd.HasParent() {
		return []string{"pollux [flags] [prompt]", "pollux <command> [flags]"}
	}
	line := cmd.Parent().CommandPath() + " " + cmd.Use
	if cmd.HasAvailableSubCommands() && !strings.Contains(cmd.Use, " ") {
		line += " [command]"
	}
	return []string{line + " [flags]"}
}

// exampleLines returns the examples of a command for its help.
func exampleLines(cmd *cobra.Command) (lines []string) {
	for line := range strings.Lines(cmd.Example) {
		lines = append(lines, "$ "+strings.TrimSpace(line))
	}
	return lines
}

// commandRows returns the visible subcommands of a command with their descriptions.
func commandRows(cmd *cobra.Command) [][2]string {
	var rows [][2]string
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			rows = append(rows, [2]string{sub.Name() + ":", sub.Short})
		}
	}
	return rows
}

// everyday are the flags that the help of the root command shows first, in this order.
var everyday = [...]string{
	"prompt", "prompt-interactive", "model", "output-format", "approval-mode", "yolo",
	"skip-trust", "include-directories", "debug", "version", "help",
}

// everydayFlags returns the flags of the root command: the everyday ones, and the
// others.
func everydayFlags(root *cobra.Command) (first, others [][2]string) {
	for _, name := range everyday {
		first = append(first, flagRow(root.Flag(name)))
	}
	root.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && !slices.Contains(everyday[:], f.Name) {
			others = append(others, flagRow(f))
		}
	})
	return first, others
}

// commandFlags returns the visible flags of a subcommand: its own, and the inherited ones.
func commandFlags(cmd *cobra.Command) (own, inherited [][2]string) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			own = append(own, flagRow(f))
		}
	})
	cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			inherited = append(inherited, flagRow(f))
		}
	})
	if help := cmd.Flag("help"); help != nil {
		inherited = append(inherited, flagRow(help))
	}
	return own, inherited
}

func flagRow(f *pflag.Flag) [2]string { return [2]string{flagName(f), flagUsage(f)} }

// flagGroup is a titled group of flags in the help.
type flagGroup struct {
	title string
	rows  [][2]string
}

// flagGroups returns the visible flags of the root command in their groups.
func flagGroups(root *cobra.Command) []flagGroup {
	var groups []flagGroup
	root.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		title := f.Annotations[topic][0]
		for i := range groups {
			if groups[i].title == title {
				groups[i].rows = append(groups[i].rows, flagRow(f))
				return
			}
		}
		groups = append(groups, flagGroup{title, [][2]string{flagRow(f)}})
	})
	return groups
}

// flagName returns the left column of a flag in the help: its short and long names, and
// the name of its value.
func flagName(f *pflag.Flag) string {
	name := "    --" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", --" + f.Name
	}
	value, _ := described(f)
	switch {
	case isBool(f):
		return name
	case f.NoOptDefVal != "":
		return name + " [" + value + "]"
	}
	return name + " <" + value + ">"
}

// flagUsage returns the right column of a flag in the help: its description and its allowed
// values.
func flagUsage(f *pflag.Flag) string {
	_, usage := described(f)
	if values := f.Annotations[choices]; values != nil {
		usage += ": " + strings.Join(values, ", ")
	}
	return usage
}

// described splits the usage text of a flag into the name of its value, which comes first
// between back quotes, and the description.
func described(f *pflag.Flag) (value, usage string) {
	if rest, ok := strings.CutPrefix(f.Usage, "`"); ok {
		if value, usage, ok = strings.Cut(rest, "` "); ok {
			return value, usage
		}
	}
	return pflag.UnquoteUsage(f)
}

// widest returns the width of the left column in rows. It ignores entries that are so long
// that their right column starts on the next line.
func widest(rows [][2]string) int {
	const maxLeft = 34
	left := 0
	for _, row := range rows {
		if n := utf8.RuneCountInString(row[0]); n <= maxLeft {
			left = max(left, n)
		}
	}
	return left
}

// helpWriter prints the parts of a help text.
type helpWriter struct {
	w     io.Writer
	width int
}

func (h helpWriter) heading(text string) { fmt.Fprintf(h.w, "\n%s\n", text) }

// text prints a wrapped paragraph.
func (h helpWriter) text(text string) { fmt.Fprintln(h.w, terminal.Wrap(text, h.width)) }

// lines prints a section of wrapped lines.
func (h helpWriter) lines(title string, lines ...string) {
	h.heading(title)
	for _, line := range lines {
		fmt.Fprintln(h.w, terminal.Hang("  ", line, h.width))
	}
}

// section prints a section of two columns, unless it has no rows.
func (h helpWriter) section(title string, rows [][2]string) { h.sections([]flagGroup{{title, rows}}) }

// sections prints sections whose right columns begin in the same column. It leaves out those
// without rows.
func (h helpWriter) sections(sections []flagGroup) {
	left := 0
	for _, s := range sections {
		left = max(left, widest(s.rows))
	}
	for _, s := range sections {
		if len(s.rows) > 0 {
			h.heading(s.title)
			h.rows("  ", s.rows, left)
		}
	}
}

// rows prints two columns, where left is the width of the left one. If too little room is
// left for the right column, rows prints it below the left one.
func (h helpWriter) rows(indent string, rows [][2]string, left int) {
	const minRight = 24 // columns needed for readable text
	gap := strings.Repeat(" ", left+2)
	narrow := h.width > 0 && h.width-len(indent)-len(gap) < minRight
	if narrow {
		gap = strings.Repeat(" ", 8)
	}
	for _, row := range rows {
		fmt.Fprintf(h.w, "%s%s", indent, row[0])
		if n := utf8.RuneCountInString(row[0]); narrow || n > left {
			fmt.Fprintf(h.w, "\n%s%s", indent, gap)
		} else {
			fmt.Fprint(h.w, gap[n:])
		}
		text := terminal.Wrap(row[1], h.width-len(indent)-len(gap))
		fmt.Fprintln(h.w, strings.ReplaceAll(text, "\n", "\n"+indent+gap))
	}
}
