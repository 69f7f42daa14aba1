package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"pollux/internal/app"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/trust"
	"pollux/internal/memory"
	"pollux/internal/terminal"
)

// Memory is the subcommand about what the user and the project have written
// down for the model.
func Memory(t *terminal.Terminal, env *config.Env) *cobra.Command {
	var asJSON bool
	// told makes a subcommand that says something of the files.
	told := func(use, short string, say func(w io.Writer, files []memory.File) error) *cobra.Command {
		sub := &cobra.Command{
			Use: use, Short: short, Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				r, err := recall(t, env)
				if err != nil {
					return err
				}
				files := r.memory.Files()
				if !r.trusted {
					r.warn("Warning: This folder is not trusted: its own memory files are not used.")
				}
				if asJSON {
					return writeMemoryJSON(t.Out, r, files)
				}
				return say(t.Out, files)
			},
		}
		sub.Flags().BoolVar(&asJSON, "json", false, "Print a JSON object")
		return sub
	}
	line := func(text func([]memory.File) string) func(io.Writer, []memory.File) error {
		return func(w io.Writer, files []memory.File) error {
			_, err := fmt.Fprintln(w, clean(text(files)))
			return err
		}
	}
	refresh := told("refresh", "Read all files, and say what there is", line(memory.Reloaded))
	refresh.Aliases = []string{"reload"}
	show := told("show", "Show the text, and what each file costs in tokens", writeMemory)
	cmd := &cobra.Command{
		Use: "memory", Short: "Show what the model is told by GEMINI.md files, and add to it",
		Args: cobra.NoArgs, RunE: show.RunE,
	}
	cmd.AddCommand(
		show,
		told("list", "Name the files", line(memory.List)),
		refresh,
		&cobra.Command{
			Use: "add <text...>", Short: "Add a line to your own file, for all projects", Args: cobra.MinimumNArgs(1),
			RunE: func(_ *cobra.Command, words []string) error { return addMemory(t, env, strings.Join(words, " ")) },
		},
	)
	return cmd
}

// recalled is the memory that a run here would have.
type recalled struct {
	*session
	memory  *memory.Memory
	trusted bool
	file    string // that is written
}

func recall(t *terminal.Terminal, env *config.Env) (*recalled, error) {
	h, state, err := load(Request{Terminal: t, Env: env}, nil)
	if err != nil {
		return nil, err
	}
	parts := app.Options{
		Settings: h.settings, Env: h.env, Paths: h.paths, Trusted: state == trust.Trusted,
		Warn: func(text string) { h.warn(text) },
	}
	return &recalled{session: h, trusted: parts.Trusted, memory: app.Memory(parts), file: app.MemoryFile(parts)}, nil
}

// writeMemory prints the text and a table of what it costs.
func writeMemory(w io.Writer, files []memory.File) error {
	if _, err := fmt.Fprintln(w, clean(memory.Show(files))); err != nil || len(files) == 0 {
		return err
	}
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "TOKENS\tTIER\tFILE")
	total := 0
	for _, f := range files {
		note := ""
		if n := len(f.Imports); n > 0 {
			note = fmt.Sprintf(" (%d imported)", n)
		}
		if f.Cut {
			note += " (cut)"
		}
		total += f.Tokens()
		fmt.Fprintf(table, "%d\t%s\t%s%s\n", f.Tokens(), f.Tier, clean(f.Path), note)
	}
	fmt.Fprintf(table, "%s\t\tabout, in every request\n", strconv.Itoa(total))
	return table.Flush()
}

// memoryJSON is the memory for programs.
type memoryJSON struct {
	Trusted bool             `json:"trusted"`
	Tokens  int              `json:"tokens"` // estimated
	Files   []memoryFileJSON `json:"files"`
}

type memoryFileJSON struct {
	Path    string   `json:"path"`
	Tier    string   `json:"tier"`
	Bytes   int      `json:"bytes"` // of the text
	Tokens  int      `json:"tokens"`
	Imports []string `json:"imports"`
	Cut     bool     `json:"cut"`
	Text    string   `json:"text"`
}

func writeMemoryJSON(w io.Writer, r *recalled, files []memory.File) error {
	all := memoryJSON{Trusted: r.trusted, Files: []memoryFileJSON{}}
	for _, f := range files {
		all.Tokens += f.Tokens()
		all.Files = append(all.Files, memoryFileJSON{
			Path: f.Path, Tier: string(f.Tier), Bytes: len(f.Text), Tokens: f.Tokens(),
			Imports: append([]string{}, f.Imports...), Cut: f.Cut, Text: f.Text,
		})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(all)
}

// addMemory writes into the user's global file.
func addMemory(t *terminal.Terminal, env *config.Env, text string) error {
	r, err := recall(t, env)
	if err != nil {
		return err
	}
	item, added, err := memory.Add(r.file, text)
	if err != nil {
		return exit.Errorf(exit.General, "Cannot add to memory: %w.", err)
	}
	say := "Added to %s: %s\n"
	if !added {
		say = "It is already in %s: %s\n"
	}
	_, err = fmt.Fprintf(t.Out, say, clean(r.file), clean(strings.TrimPrefix(item, "- ")))
	return err
}
