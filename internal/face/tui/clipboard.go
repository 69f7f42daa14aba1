package tui

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pollux/internal/clipboard"
	"pollux/internal/config"
	"pollux/internal/crash"
	"pollux/internal/face/tui/completion/files"
	"pollux/internal/face/tui/drop"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/toast"
	"pollux/internal/face/tui/viewer/rows"
	"pollux/internal/face/tui/window"
	"pollux/internal/terminal"
	"pollux/llm"
)

// clipboardPaste is a paste from the clipboard in progress.
type clipboardPaste struct {
	isBusy     bool
	number     int                 // of the paste
	transfer   *clipboard.Transfer // with the terminal, nil for none
	awaitsText bool                // from the terminal
}

// How long the terminal may take to answer. A person may have to allow it.
const (
	textWait     = 3 * time.Second
	transferWait = 30 * time.Second
)

// takeText reports whether a text from the terminal's clipboard was asked for, and ends the paste.
func (c *clipboardPaste) takeText() bool {
	if !c.awaitsText {
		return false
	}
	c.end()
	return true
}

func (c *clipboardPaste) end() { *c = clipboardPaste{number: c.number} }

// applyClipboard lets the composer recognize dropped files.
func (l *loop) applyClipboard() {
	v := l.view
	p := v.project()
	names := &drop.Names{GOOS: l.options.GOOS, Home: p.Paths.Home(), Dir: p.Paths.Dir(), Mention: files.Mention, Exists: func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	}}
	l.composer.Drop = names.Replace
}

// programs returns the programs that access the clipboard. They get no variables of a project's .env file.
func (v *view) programs() clipboard.Programs {
	p := v.project()
	env := p.Env().User()
	return clipboard.Programs{Launcher: p.Launcher, GOOS: v.options.GOOS, Getenv: env.Get, Environ: env.List(), Outside: v.session.Workspace.Dirs()}
}

// pastes pastes the clipboard if a key is bound to that. It returns false for another key.
func (l *loop) pastes(k keys.Key) bool {
	if _, ok := l.view.bindings.Match(k.Chord, keys.InputPaste); !ok {
		return false
	}
	l.paste()
	return true
}

// paste pastes the clipboard.
func (l *loop) paste() {
	c := &l.clipboard
	if c.isBusy {
		return
	}
	*c = clipboardPaste{isBusy: true, number: c.number + 1}
	if config.PasteByTerminal.In(l.view.settings()) {
		l.askTerminal(nil)
		return
	}
	programs, number := l.view.programs(), c.number
	go func() {
		defer crash.Recover()
		content, err := programs.Read(context.Background())
		l.post(func() {
			if l.clipboard.number == number {
				l.clipboardRead(content, err)
			}
		})
	}()
}

// clipboardRead takes the content from the programs. Without a program, the terminal is asked.
func (l *loop) clipboardRead(c clipboard.Content, err error) {
	if errors.Is(err, clipboard.ErrNone) {
		l.askTerminal(errors.New(l.view.programs().Missing()))
		return
	}
	l.pasted(c, err)
}

// askTerminal asks the terminal for the clipboard, in the way that it knows. It fails with err if there is none.
func (l *loop) askTerminal(err error) {
	c := &l.clipboard
	wait := textWait
	switch {
	case l.display.Look.IsAskable:
		c.transfer, wait = &clipboard.Transfer{}, transferWait
		l.display.Control(window.AskClipboard(clipboard.ListType))
	case err == nil:
		c.awaitsText = true
		l.display.Control(window.AskText)
	default:
		l.pasted(clipboard.Content{}, err)
		return
	}
	number := c.number
	time.AfterFunc(wait, func() {
		defer crash.Recover()
		l.post(func() {
			if l.clipboard.isBusy && l.clipboard.number == number {
				l.pasted(clipboard.Content{}, errors.New("the terminal does not answer; allow it to share its clipboard"))
			}
		})
	})
}

// takeClipboard takes a part of the terminal's clipboard.
func (l *loop) takeClipboard(e keys.ClipboardData) {
	transfer := l.clipboard.transfer
	if transfer == nil {
		return // nothing was asked
	}
	ask, isDone, c, err := transfer.Take(e.Status, e.Type, e.Data)
	if ask != "" {
		l.display.Control(window.AskClipboard(ask))
	}
	if isDone {
		l.pasted(c, err)
	}
}

// pasted ends a paste: it inserts a text at once, and an image when it is on the disk.
func (l *loop) pasted(c clipboard.Content, err error) {
	now := time.Now()
	l.clipboard.end()
	l.display.Change()
	switch {
	case err != nil:
		l.warn("Nothing was pasted: "+err.Error(), now)
	case c.Image == nil:
		l.press(keys.Paste{Text: c.Text, At: now}, now)
	case l.dialog != nil || l.pane != nil || l.composer.IsShell():
		l.warn("The clipboard has an image, which only a prompt can take", now)
	default:
		go l.saveImage(l.view, c)
	}
}

// saveImage saves a pasted image, and mentions it in the prompt.
func (l *loop) saveImage(v *view, c clipboard.Content) {
	defer crash.Recover()
	path, err := v.saveImage(c)
	mention, ok := files.Mention(v.shortest(path))
	l.post(func() {
		switch {
		case err != nil:
			l.warn("The image is not saved: "+err.Error(), time.Now())
		case !ok:
			l.warn("No prompt can mention "+path, time.Now())
		default:
			l.composer.InsertFile(clipboard.Label(path), mention)
			l.keeper.Touch(time.Now())
			l.display.Change()
		}
	})
}

func (v *view) saveImage(c clipboard.Content) (path string, err error) {
	dir, err := v.project().Paths.ProjectTemp()
	if err != nil {
		return "", err
	}
	return c.Save(filepath.Join(dir, "images"), time.Now())
}

// shortest returns a path relative to the project, or the path itself if the disks differ.
func (v *view) shortest(path string) string {
	if rel, err := filepath.Rel(v.project().Paths.Dir(), path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

func (l *loop) warn(text string, now time.Time) {
	l.toast.Show(text, toast.Warning, now, toast.UsualTime)
	l.display.Change()
}

// copyText puts a text into the clipboard, and returns how. It must not be called on the goroutine of the loop.
func (l *loop) copyText(ctx context.Context, v *view, text string) (how string, err error) {
	programs := v.programs()
	if !config.CopyByTerminal.In(v.settings()) {
		if err := programs.Write(ctx, text); !errors.Is(err, clipboard.ErrNone) {
			return "copied to the clipboard", err
		}
	}
	sequence, err := window.Terminal{Multiplexer: l.multiplexer()}.Copy(text)
	if err != nil {
		return "", err
	}
	l.post(func() { l.display.Control(sequence) })
	return "sent to the terminal", nil
}

// multiplexer returns the program between the terminal and Pollux.
func (l *loop) multiplexer() string { return l.display.Look.Multiplexer } // it never changes

// copyInBackground copies a text beside the loop, and tells the loop how.
func (l *loop) copyInBackground(find func() string, tell func(how string, err error)) {
	v := l.view
	go func() {
		defer crash.Recover()
		how, err := "", window.ErrNoText
		if text := find(); text != "" {
			how, err = l.copyText(context.Background(), v, text)
		}
		l.post(func() {
			tell(how, err)
			l.display.Change()
		})
	}()
}

// copyCode copies the last block of code in the last answer.
func (l *loop) copyCode() {
	if !l.view.isOpen() {
		return
	}
	l.copyInBackground(l.view.lastCode, func(how string, err error) {
		now := time.Now()
		switch {
		case errors.Is(err, window.ErrNoText):
			l.warn("The conversation has no code to copy", now)
		case err != nil:
			l.warn("The code is not copied: "+terminal.Line(err.Error()), now)
		default:
			l.toast.Show("Last code block "+how, toast.Hint, now, toast.UsualTime)
		}
	})
}

// lastCode returns the last block of code in the conversation, "" if there is none.
func (v *view) lastCode() string {
	history := v.session.History()
	for i := len(history) - 1; i >= 0; i-- {
		m := history[i].Content
		if m.Role != llm.RoleModel || !strings.Contains(m.Text(), "\n") {
			continue
		}
		if code := rows.LastCode(m.Text()); code != "" {
			return code
		}
	}
	return ""
}
