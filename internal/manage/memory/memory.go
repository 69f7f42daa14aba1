// Package memory manages the context files of the person and the project.
package memory

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/memory"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/terminal"
)

// Command returns the commands about context files.
func Command() *manage.Command {
	json := []manage.Flag{manage.JSON}
	return &manage.Command{
		Name: "memory", Summary: "Show and edit context files such as GEMINI.md", Run: show, Session: &manage.InSession{IsGroup: true},
		Subs: []*manage.Command{
			{
				Name: "show", Summary: "Print the loaded context and its size in tokens", Flags: json, Run: show,
				Session: &manage.InSession{Summary: "Show the loaded context"}, RunsWhileBusy: true,
			},
			{Name: "list", Summary: "List context files", Flags: json, Run: list, Session: &manage.InSession{}, RunsWhileBusy: true},
			{
				Name: "refresh", Aliases: []string{"reload"}, Summary: "Reload context files and print a summary", Flags: json, Run: reload,
				Session: &manage.InSession{Name: "reload", Aliases: []string{"refresh"}, Summary: "Reload context files"},
			},
			{
				Name: "add", Args: "<text...>", Summary: "Add a line to your context file for all projects", Run: add,
				Session: &manage.InSession{Args: "<text>"},
			},
		},
	}
}

// Files are the context files in use.
type Files struct {
	Trusted bool   `json:"trusted"`
	Tokens  int    `json:"tokens"` // estimated
	Files   []File `json:"files"`
}

// File is a context file.
type File struct {
	Path    string   `json:"path"`
	Tier    string   `json:"tier"`
	Bytes   int      `json:"bytes"` // of the text
	Tokens  int      `json:"tokens"`
	Imports []string `json:"imports"`
	Cut     bool     `json:"cut"`
	Text    string   `json:"text"`
}

// read returns the project, and the context files of the session or those that a session would have.
func read(ctx context.Context, c *manage.Call) (p *project.Project, files []memory.File, all Files, err error) {
	if c.Live != nil {
		return c.Live.Project, c.Live.Memory.Files(), all, nil
	}
	if p, err = c.Load(ctx); err != nil {
		return nil, nil, all, err
	}
	files = p.OpenMemory().Files()
	if !p.IsTrusted() {
		p.Warn("Warning: This folder is not trusted: its own memory files are not used.")
	}
	all = Files{Trusted: p.IsTrusted(), Files: []File{}}
	for _, f := range files {
		all.Tokens += f.Tokens()
		all.Files = append(all.Files, File{
			Path: f.Path, Tier: string(f.Tier), Bytes: len(f.Text), Tokens: f.Tokens(),
			Imports: append([]string{}, f.Imports...), Cut: f.Cut, Text: f.Text,
		})
	}
	return p, files, all, nil
}

// show shows the text of the files as the model sees it, and in a shell a table of their estimated tokens.
func show(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	p, files, all, err := read(ctx, c)
	if err != nil {
		return outcome.Outcome{}, err
	}
	o := outcome.New(outcome.Lines(memory.Show(files))).WithValue(all)
	if len(files) == 0 || c.Live != nil {
		return o, nil
	}
	t := outcome.NewTable([]string{"TOKENS", "TIER", "FILE"}, all.Files, func(f File) []string {
		note := ""
		if n := len(f.Imports); n > 0 {
			note = fmt.Sprintf(" (%d imported)", n)
		}
		if f.Cut {
			note += " (cut)"
		}
		return []string{strconv.Itoa(f.Tokens), f.Tier, terminal.Visible(p.Paths.Display(f.Path)) + note}
	})
	t.Rows = append(t.Rows, []string{strconv.Itoa(all.Tokens), "", "in every request, estimated"})
	o.Parts = append(o.Parts, t)
	return o, nil
}

func list(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	p, files, all, err := read(ctx, c)
	if err != nil {
		return outcome.Outcome{}, err
	}
	return outcome.New(outcome.Text(p.Paths.DisplayText(memory.List(files)))).WithValue(all), nil
}

// reload reads the files again, and in a session updates the model's instructions.
func reload(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	if c.Live != nil {
		c.Live.ReloadMemory(ctx)
	}
	p, files, all, err := read(ctx, c)
	if err != nil {
		return outcome.Outcome{}, err
	}
	text := memory.FormatReloaded(files)
	if c.Live == nil {
		text = p.Paths.DisplayText(text)
	}
	return outcome.New(outcome.Text(text)).WithValue(all), nil
}

// add adds a line to the person's own file.
func add(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	text := cmp.Or(c.Text, strings.Join(c.Words, " "))
	if text == "" && c.Live != nil {
		return o, exit.Errorf(exit.Input, "Enter the text to remember, such as /memory add I write British English.")
	}
	p, err := c.Load(ctx)
	if err != nil {
		return o, err
	}
	file := p.MemoryFile()
	item, added, err := memory.Add(file, text)
	if err != nil {
		return o, exit.Errorf(exit.General, "Cannot add to memory: %w.", err)
	}
	action := "Already in"
	if added {
		action = "Added to"
		if c.Live != nil {
			c.Live.ReloadMemory(ctx)
		}
	}
	return outcome.Textf("%s %s: %s", action, p.Paths.Display(file), strings.TrimPrefix(item, "- ")), nil
}
