package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/memory"
	"pollux/internal/terminal"
)

// memoryCommand returns the subcommand that shows the memory files of the user and the
// project, and adds to the user's file.
func memoryCommand(t *terminal.Terminal, env *config.Env) *cobra.Command {
	var asJSON bool
	// newCommand returns a subcommand that prints the files with write, or as JSON.
	newCommand := func(use, short string, write func(paths *config.Paths, files []memory.File) error) *cobra.Command {
		sub := &cobra.Command{
			Use: use, Short: short, Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				set, err := loadSettings(t, env)
				if err != nil {
					return err
				}
				files := set.OpenMemory().Files()
				if !set.IsTrusted() {
					set.Warn("Warning: This folder is not trusted: its own memory files are not used.")
				}
				if asJSON {
					return writeMemoryJSON(t, set.IsTrusted(), files)
				}
				return write(set.Paths, files)
			},
		}
		sub.Flags().BoolVar(&asJSON, "json", false, "Print JSON")
		return sub
	}
	printed := func(text func([]memory.File) string) func(*config.Paths, []memory.File) error {
		return func(paths *config.Paths, files []memory.File) error {
			return printText(t, paths.DisplayText(text(files)))
		}
	}
	refresh := newCommand("refresh", "Reload context files and print a summary", printed(memory.FormatReloaded))
	refresh.Aliases = []string{"reload"}
	writeMemory := func(paths *config.Paths, files []memory.File) error { return printMemory(t, paths, files) }
	show := newCommand("show", "Print the loaded context and its size in tokens", writeMemory)
	cmd := &cobra.Command{
		Use: "memory", Short: "Show and edit context files such as GEMINI.md",
		Args: cobra.NoArgs, RunE: show.RunE,
	}
	cmd.AddCommand(
		show,
		newCommand("list", "List context files", printed(memory.List)),
		refresh,
		&cobra.Command{
			Use: "add <text...>", Short: "Add a line to your context file for all projects", Args: cobra.MinimumNArgs(1),
			RunE: func(_ *cobra.Command, words []string) error { return addMemory(t, env, strings.Join(words, " ")) },
		},
	)
	return cmd
}

// printMemory prints the text of the files, as the model sees it, and a table of their estimated
// tokens.
func printMemory(t *terminal.Terminal, paths *config.Paths, files []memory.File) error {
	if _, err := fmt.Fprintln(t.Out, terminal.Visible(memory.Show(files))); err != nil || len(files) == 0 {
		return err
	}
	fmt.Fprintln(t.Out)
	var rows [][]string
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
		rows = append(rows, []string{strconv.Itoa(f.Tokens()), string(f.Tier), terminal.Visible(paths.Display(f.Path)) + note})
	}
	rows = append(rows, []string{strconv.Itoa(total), "", "in every request, estimated"})
	return printTable(t, []string{"TOKENS", "TIER", "FILE"}, rows)
}

// memoryJSON is the output of `pollux memory --json`.
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

func writeMemoryJSON(t *terminal.Terminal, trusted bool, files []memory.File) error {
	all := memoryJSON{Trusted: trusted, Files: []memoryFileJSON{}}
	for _, f := range files {
		all.Tokens += f.Tokens()
		all.Files = append(all.Files, memoryFileJSON{
			Path: f.Path, Tier: string(f.Tier), Bytes: len(f.Text), Tokens: f.Tokens(),
			Imports: append([]string{}, f.Imports...), Cut: f.Cut, Text: f.Text,
		})
	}
	return printJSON(t, all)
}

// addMemory adds a text to the user's global memory file and prints the result.
func addMemory(t *terminal.Terminal, env *config.Env, text string) error {
	set, err := loadSettings(t, env)
	if err != nil {
		return err
	}
	item, added, err := memory.Add(set.MemoryFile(), text)
	if err != nil {
		return exit.Errorf(exit.General, "Cannot add to memory: %w.", err)
	}
	format := "Added to %s: %s"
	if !added {
		format = "Already in %s: %s"
	}
	return printText(t, fmt.Sprintf(format, set.Paths.Display(set.MemoryFile()), strings.TrimPrefix(item, "- ")))
}
