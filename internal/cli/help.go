package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// printHelp prints the help of a command, wrapped at a width; 0 does not wrap.
func printHelp(w io.Writer, cmd *cobra.Command, width int) {
	h := helpWriter{w, width}
	fmt.Fprintf(w, "Usage: %s\n\n%s\n", usageLine(cmd), strings.Join(wrap(cmd.Short, width), "\n"))
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

var queryRows = [][2]string{{"query", "The prompt. Without -p it is for interactive mode."}}

// usageLine is what to type, without what every command has.
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

// flagGroup is flags about one thing.
type flagGroup struct {
	title string
	rows  [][2]string
}

// flagGroups returns the flags that a command shows, each with what is said of
// it: its own before those that all commands have, and the help last.
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

// flagName is a flag as it is typed, with what its value is called.
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

// flagUsage says what a flag does, and whether it does it yet.
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

// described splits a flag's description into what its value is called, which stands
// in front between back quotes, and what the flag does.
func described(f *pflag.Flag) (value, usage string) {
	if rest, ok := strings.CutPrefix(f.Usage, "`"); ok {
		if value, usage, ok = strings.Cut(rest, "` "); ok {
			return value, usage
		}
	}
	return pflag.UnquoteUsage(f)
}

// widest returns how many columns the left sides need, but for those that are so
// long that the right side begins on the next line.
func widest(rows [][2]string) int {
	const most = 34
	left := 0
	for _, row := range rows {
		if n := utf8.RuneCountInString(row[0]); n <= most {
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

// rows prints two columns, the left one this wide. Where that leaves no room for
// the right one, it goes below.
func (h helpWriter) rows(indent string, rows [][2]string, left int) {
	const least = 24 // columns in which text can be read
	gap := strings.Repeat(" ", left+2)
	narrow := h.width > 0 && h.width-len(indent)-len(gap) < least
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
		for i, line := range wrap(row[1], h.width-len(indent)-len(gap)) {
			if i > 0 {
				fmt.Fprintf(h.w, "%s%s", indent, gap)
			}
			fmt.Fprintln(h.w, line)
		}
	}
}

// wrap breaks a text into lines of at most room characters, at spaces. With no
// room it is one line.
func wrap(text string, room int) []string {
	if room <= 0 {
		return []string{text}
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > room {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
