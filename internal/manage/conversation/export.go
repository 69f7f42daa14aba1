package conversation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/clipboard"
	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/terminal"
	"pollux/internal/transcript"
	"pollux/internal/wording"
	"pollux/llm"
	"pollux/llm/fence"
)

// share writes the conversation to a file. Without a name it creates a .json file in the session's directory.
func share(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	file := cmp.Or(c.Text, "gemini-conversation-"+strconv.FormatInt(time.Now().UnixMilli(), 10)+".json")
	return write(ctx, c, file, false, "Conversation shared to %s")
}

func export(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	if c.Text == "" {
		return manage.Misuse("Enter a file name that ends in .json or .md, such as /export-session session.md")
	}
	return write(ctx, c, c.Text, true, "Session exported to %s")
}

// write writes the conversation to a .md or .json file. It asks the user before
// it overwrites a file. record selects the session record instead of the message list for
// .json files. done is the format of the success message, with %s for the path.
func write(ctx context.Context, c *manage.Call, file string, record bool, done string) (outcome.Outcome, error) {
	if len(file) > manage.MaxPath {
		return manage.Misuse("The file name is too long.")
	}
	path := c.Resolve(file)
	ext := strings.ToLower(filepath.Ext(path))
	if ext != ".md" && ext != ".json" {
		return manage.Misuse("Invalid file format. Only .md and .json are supported.")
	}
	if isEmpty(c) {
		return manage.Misuse("No conversation found to save.")
	}
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return outcome.Outcome{}, exit.Errorf(exit.General, "Cannot write %s: %w", path, durable.Cause(err))
	case !info.Mode().IsRegular():
		return manage.Misuse("Cannot replace %s: it is not a regular file.", path)
	default:
		if yes, err := c.Confirm(ctx, "Overwrite", path+" already exists. Replace it?"); err != nil || !yes {
			return outcome.Textf("Nothing written."), err
		}
	}
	data, err := encode(c, ext, record)
	if err != nil {
		return outcome.Outcome{}, err
	}
	if err := durable.WriteFile(path, data, 0o600); err != nil {
		return outcome.Outcome{}, fmt.Errorf("cannot write the conversation: %w", err)
	}
	return manage.Say(done, path)
}

// Record returns the session record in JSON.
func Record(c *manage.Call) ([]byte, error) { return encode(c, ".json", true) }

// encode encodes the conversation as Markdown if ext is .md, or else as JSON: the
// session record if record is set, or else the list of messages.
func encode(c *manage.Call, ext string, record bool) ([]byte, error) {
	history := transcript.Masked(c.Live.History(), c.Live.Project.Masker())
	dirs := c.Live.Workspace.Dirs()
	info := transcript.Info{ID: c.Live.ID(), Dir: dirs[0], Directories: dirs[1:], Start: time.Now().Add(-c.Live.Age()), Calls: transcript.MaskedCalls(c.Live.Record.Calls(), c.Live.Project.Masker())}
	switch {
	case ext == ".md":
		return []byte(transcript.Markdown(info, history)), nil
	case record:
		return transcript.JSON(info, history)
	}
	return transcript.Contents(history)
}

// copyResponse copies a model response to the clipboard: the last one, or the nth from the end.
func copyResponse(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	number, isCode := strings.CutPrefix(c.Text, "code")
	if isCode && number != "" && strings.TrimLeft(number, " \t") == number { // another word
		isCode, number = false, c.Text
	}
	n := 1
	if number = strings.TrimSpace(number); number != "" {
		var err error
		if n, err = strconv.Atoi(number); err != nil || n < 1 {
			return manage.Misuse("Enter a number that counts from the last response, such as /copy 2, or from the last block of code, such as /copy code 2")
		}
	}
	if !isCode {
		if text := nthResponse(c.Live.History(), n); text != "" {
			return copyToClipboard(ctx, c, text)
		}
		return manage.Say("No output in history")
	}
	blocks := codeBlocks(nthResponse(c.Live.History(), 1))
	switch {
	case len(blocks) == 0:
		return manage.Say("No code in the last response")
	case n > len(blocks):
		return manage.Say("The last response has only %s of code", wording.Count(len(blocks), "block"))
	}
	return copyToClipboard(ctx, c, strings.TrimSuffix(blocks[len(blocks)-n], "\n"))
}

// codeBlocks returns the contents of the fenced blocks of code in a Markdown text, without the indentation of their fences.
func codeBlocks(text string) (blocks []string) {
	var t fence.Tracker
	indent := 0
	for line := range strings.SplitAfterSeq(text, "\n") {
		wasInside := t.InFence()
		t.Add(line)
		if !strings.HasSuffix(line, "\n") {
			t.Add("\n") // the end of the text ends the line
		}
		spaces := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case !wasInside && t.InFence():
			blocks, indent = append(blocks, ""), spaces
		case wasInside && t.InFence():
			blocks[len(blocks)-1] += line[min(spaces, indent):]
		}
	}
	return blocks
}

// nthResponse returns the text of the nth model response, counted from the end of history, without control characters.
// It skips responses without text. It returns "" if there are fewer than n.
func nthResponse(history []agent.Message, n int) string {
	for i := len(history) - 1; i >= 0; i-- {
		m := history[i].Content
		if text := terminal.Text(m.Text()); m.Role == llm.RoleModel && strings.TrimSpace(text) != "" {
			if n--; n == 0 {
				return text
			}
		}
	}
	return ""
}

// copyToClipboard puts the last response into the clipboard.
func copyToClipboard(ctx context.Context, c *manage.Call, text string) (outcome.Outcome, error) {
	how := "copied to the clipboard"
	var err error
	if c.Copy != nil {
		how, err = c.Copy(ctx, text)
	} else {
		env := c.Live.Project.Env().User()
		p := clipboard.Programs{Launcher: c.Live.Project.Launcher, GOOS: runtime.GOOS, Getenv: env.Get, Environ: env.List(), Outside: c.Live.Workspace.Dirs()}
		err = p.Write(ctx, text)
		if errors.Is(err, clipboard.ErrNone) {
			err = errors.New("no clipboard found. " + p.Missing())
		}
	}
	if err != nil {
		return outcome.Outcome{}, exit.Errorf(exit.General, "Cannot copy: %w.", err)
	}
	return outcome.Textf("Last output %s", how), nil
}
