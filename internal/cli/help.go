package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// printHelp prints the help of a command, wrapped at a width; 0 does not wrap.
func printHelp(w io.Writer, cmd *cobra.Command, width int) {
	if cmd.HasParent() {
		fmt.Fprintf(w, "Usage: %s\n\n%s\n", cmd.UseLine(), cmd.Short)
	} else {
		fmt.Fprintf(w, "Usage: %s\n\n%s\n", cmd.Use, cmd.Short)
	}
	if cmd.HasAvailableSubCommands() {
		section(w, "Commands:", commandRows(cmd), width)
	}
	if !cmd.HasParent() {
		section(w, "Positionals:", [][2]string{{"query", "The prompt. Without -p it is for interactive mode."}}, width)
	}
	section(w, "Options:", flagRows(cmd), width)
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

func flagRows(cmd *cobra.Command) [][2]string {
	var rows [][2]string
	add := func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name := "    --" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", --" + f.Name
		}
		usage := f.Usage
		if values := f.Annotations[choices]; values != nil {
			usage += ": " + strings.Join(values, ", ")
		}
		if isLater(f.Name) {
			usage += " (not available yet)"
		}
		kind := f.Value.Type()
		if isBool(f) {
			kind = "boolean"
		}
		rows = append(rows, [2]string{name, usage + "  [" + kind + "]"})
	}
	cmd.LocalFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	return rows
}

// section prints a heading and two columns.
func section(w io.Writer, heading string, rows [][2]string, width int) {
	fmt.Fprintf(w, "\n%s\n", heading)
	left := 0
	for _, row := range rows {
		left = max(left, len(row[0]))
	}
	room := width - left - 4
	for _, row := range rows {
		text := []string{row[1]}
		if width > 0 && room >= 20 {
			text = wrap(row[1], room)
		}
		fmt.Fprintf(w, "  %-*s  %s\n", left, row[0], text[0])
		for _, more := range text[1:] {
			fmt.Fprintf(w, "  %-*s  %s\n", left, "", more)
		}
	}
}

// wrap breaks a text into lines of at most room characters, at spaces.
func wrap(text string, room int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > room {
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
