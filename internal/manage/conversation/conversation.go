// Package conversation manages the conversation of a session: it clears, compresses, copies, exports, saves and
// resumes it, and goes back in it.
package conversation

import (
	"context"
	"fmt"
	"strings"

	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/wording"
)

// resumeCommand returns the command that resumes a session, which has two names.
func resumeCommand(name string) *manage.Command {
	return &manage.Command{
		Name: name, Args: "[session]", NeedsPerson: true, Run: resume,
		Summary: "Resume an earlier session; save and share conversations",
		Instead: "To go on with an earlier session, start pollux --resume.",
		Subs:    tagCommands(),
	}
}

// Commands returns the commands about the conversation.
func Commands() []*manage.Command {
	list := []*manage.Command{
		resumeCommand("chat"),
		resumeCommand("resume"),
		{
			Name: "btw", Args: "<question>", RunsWhileBusy: true, Run: aside,
			Summary: "Ask about the conversation without adding to it",
		},
		{Name: "clear", Aliases: []string{"new"}, Summary: "Start a new conversation", Run: restart},
		{
			Name: "compress", Aliases: []string{"summarize", "compact"}, Args: "[what to keep]", Run: compress,
			Summary: "Summarize the conversation to free up context",
		},
		{Name: "context", Summary: "Show what fills the context window", RunsWhileBusy: true, Run: usage},
		{Name: "copy", Args: "[code] [n]", Summary: "Copy the last response, or the nth from the end, or its code", RunsWhileBusy: true, NeedsPerson: true, Run: copyResponse},
		{Name: "export-session", Args: "<path>", Summary: "Write the session to a JSON or Markdown file", RunsWhileBusy: true, Run: export, Values: manage.FileNames},
		{Name: "prompts", Args: "[text]", Summary: "Reuse an earlier prompt of this project", NeedsPerson: true, Run: earlierPrompts},
		{Name: "quit", Aliases: []string{"exit"}, Reserved: []string{"exit"}, Args: "[--delete]", Summary: "Exit Pollux; --delete deletes this session", RunsWhileBusy: true, NeedsPerson: true, Run: quit},
		{Name: "restore", Args: "[call]", Summary: "Return to the state before a tool call", Run: restore},
		{Name: "rewind", Args: rewindSyntax, Summary: "Go back to an earlier prompt", Run: rewind},
	}
	for _, c := range list {
		manage.SessionOnly(c)
	}
	return list
}

func restart(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	c.Live.Clear(ctx)
	c.Next.Clear = true
	return manage.Say("Started a new conversation.")
}

// compress replaces the conversation with a summary. Its text describes the content that the summary must keep.
func compress(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	const maxFocus = 2000 // bytes
	switch {
	case len(c.Text) > maxFocus:
		return manage.Misuse("The instructions are too long. Describe in a few words what to keep.")
	case c.Live.Size(c.Live.Models.Current().Model).Messages == 0:
		return manage.Say("Nothing to compress.")
	}
	if err := c.Live.Models.Unreachable(); err != nil {
		return outcome.Outcome{}, err
	}
	compressed, err := c.Live.Compress(ctx, c.Text)
	if err != nil {
		return outcome.Outcome{}, err
	}
	text, failed := wording.Compressed(compressed)
	return outcome.Outcome{Parts: []outcome.Part{outcome.Text(text)}, Failed: failed}, nil
}

// usage shows how many tokens of the model's context window are in use, and by which part:
// system instruction, tools, session context or conversation.
func usage(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	size, limit := c.Live.Size(c.Live.Models.Current().Model), c.Live.Window(c.Live.Models.Current().Model)
	used, about := size.Counted, ""
	if used == 0 {
		used, about = size.Estimated(), "about "
	}
	files := c.Live.Memory.Files()
	memory := 0
	for _, f := range files {
		memory += f.Tokens()
	}
	part := func(name string, n int) []string {
		row := []string{name, wording.Number(n)}
		if limit > 0 {
			row = append(row, wording.Percent(float64(n), float64(limit)))
		}
		return row
	}
	rows := [][]string{
		part("System instruction", size.System),
		part("Tools", size.Tools),
		part("Session context", size.Context),
		part("Conversation", size.Messages),
	}
	head := fmt.Sprintf("%s has %s%s tokens", c.Live.Models.Current().Model, about, wording.Number(used))
	if limit > 0 {
		head += fmt.Sprintf(" of %s (%s)", wording.Number(limit), wording.Percent(float64(used), float64(limit)))
		rows = append(rows, part("Free", max(0, limit-used)))
	}
	head += "."
	if limit > 0 {
		head += "\n\n    " + bar(used, limit)
	}
	note := "These numbers are estimates."
	if memory > 0 {
		note += fmt.Sprintf(" Context files: %s tokens in %s. Run /memory list to see them.", wording.Number(memory), wording.Count(len(files), "file"))
	}
	return outcome.New(outcome.Text(head), &outcome.Table{Rows: rows}, outcome.Text(note)), nil
}

// bar draws used as a part of whole.
func bar(used, whole int) string {
	const width = 30 // with brackets and indentation, it fits into 40 columns
	n := min(width, (used*width+whole-1)/whole)
	return "[" + strings.Repeat("#", n) + strings.Repeat(".", width-n) + "]"
}

func quit(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	switch c.Text {
	case "":
	case "--delete":
		c.Live.Record.DeleteAtEnd()
	default:
		return manage.Misuse("Use /quit, or /quit --delete to delete this session.")
	}
	c.Next.Quit = true
	return outcome.Outcome{}, nil // the face shows the farewell
}
