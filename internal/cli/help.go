package cli

import (
	"fmt"
	"io"
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
	fmt.Fprintf(w, "Usage: %s\n\n%s\n", usageLine(cmd), terminal.Wrap(cmd.Short, width))
	if rows := commandRows(cmd); len(rows) > 0 {
		h.heading("Commands:")
		h.rows("  ", rows, widest(rows))
	}
	if !cmd.HasParent() {
		h.heading("Positionals:")
		h.rows("  ", queryRows, widest(queryRows))
	}
	h.heading("Options:")
	groups := flagGroups(cmd)
	left := 0
	for _, g := range groups {
		left = max(left, widest(g.rows))
	}
	for i, g := range groups {
		indent := "  "
		if g.title != "" && len(groups) > 1 {
			if i > 0 {
				fmt.Fprintln(w)
			}
			fmt.Fprintf(w, "  %s\n", g.title)
			indent = "    "
		}
		h.rows(indent, g.rows, left)
	}
}

var queryRows = [][2]string{{"query", "Prompt to start with. Use -p to run it without a session."}}

// usageLine returns the syntax of a command for the first line of its help.
func usageLine(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return cmd.Use
	}
	line := cmd.Parent().CommandPath() + " " + cmd.Use
	if cmd.HasAvailableSubCommands() && !strings.Contains(cmd.Use, " ") {
		line += " [command]"
	}
	return line + " [options]"
}

func commandRows(cmd *cobra.Command) [][2]string {
	var rows [][2]string
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			rows = append(rows, [2]string{cmd.Name() + " " + sub.Use, sub.Short})
		}
	}
	return rows
}

// flagGroup is a titled group of flags in the help.
type flagGroup struct {
	title string
	rows  [][2]string
}

// flagGroups returns the visible flags of a command with their descriptions: first its
// own flags, then inherited ones, and --help last. Only the root command has several
// groups.
func flagGroups(cmd *cobra.Command) []flagGroup {
	var groups []flagGroup
	add := func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		title := ""
		if !cmd.HasParent() && f.Annotations[topic] != nil {
			title = f.Annotations[topic][0]
		}
		row := [2]string{flagName(f), flagUsage(f)}
		for i := range groups {
			if groups[i].title == title {
				groups[i].rows = append(groups[i].rows, row)
				return
			}
		}
		groups = append(groups, flagGroup{title, [][2]string{row}})
	}
	help := cmd.Flags().Lookup("help")
	each := func(f *pflag.Flag) {
		if f != help {
			add(f)
		}
	}
	cmd.LocalFlags().VisitAll(each)
	cmd.InheritedFlags().VisitAll(each)
	if help != nil {
		add(help)
	}
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

// flagUsage returns the right column of a flag in the help: its description, its allowed
// values, and a note if it is not available yet.
func flagUsage(f *pflag.Flag) string {
	_, usage := described(f)
	if values := f.Annotations[choices]; values != nil {
		usage += ": " + strings.Join(values, ", ")
	}
	if isLater(f.Name) {
		usage += " (not available yet)"
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
