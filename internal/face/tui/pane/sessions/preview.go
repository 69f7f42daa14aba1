package sessions

import (
	"bytes"
	"io"
	"os"
	"strings"
	"syscall"

	"pollux/internal/journal"
	"pollux/internal/terminal"
)

// Bounds of a preview.
const (
	previewBytes    = 256 << 10 // of the end of a file
	previewMessages = 30
	previewText     = 600 // bytes of a message
)

// look is a look into a session: its last messages.
type look struct {
	isOpen   bool
	id       string // the session that the messages are of
	messages []message
	isBusy   bool // a file is read in the background
}

// message is a prompt or a response, cleaned and cut.
type message struct {
	isPrompt bool
	text     string
}

// showPreview reads the selected session in the background if the preview is open. If a file is being read, the end of
// that starts the next one.
func (p *Pane) showPreview() {
	e := p.list.current()
	if !p.look.isOpen || e == nil || e.ID == p.look.id || p.look.isBusy {
		return
	}
	p.look.isBusy = true
	id, path := e.ID, e.Path
	p.o.Background(func() func() {
		messages := readEnd(path)
		return func() {
			p.look.isBusy = false
			if p.ctx.Err() != nil {
				return
			}
			p.look.id, p.look.messages = id, messages
			p.showPreview()
		}
	})
}

// readEnd returns the last messages of a session file, none if it cannot be read. It reads only the end of the file, and
// does not follow rewinds: the messages that they have removed are among them.
func readEnd(path string) (messages []message) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	from := max(0, info.Size()-previewBytes)
	data := make([]byte, min(info.Size(), previewBytes))
	n, err := f.ReadAt(data, from)
	if err != nil && err != io.EOF {
		return nil
	}
	data = data[:n] // of the first line, there may be only the end, which has no message
	for line := range bytes.Lines(data) {
		messages = append(messages, messagesOf(line)...)
		messages = messages[max(0, len(messages)-previewMessages):]
	}
	return messages
}

// messagesOf returns the prompt or the response in a line of a session file.
func messagesOf(line []byte) (messages []message) {
	for t := range journal.Texts(line) {
		if t.Kind == "tool" {
			continue
		}
		text := string(t.Text[:min(len(t.Text), 2*previewText)])
		if text = strings.TrimSpace(terminal.Cut(terminal.Line(strings.ToValidUTF8(text, "")), previewText)); text != "" {
			messages = append(messages, message{t.Kind == "user", text})
		}
	}
	return messages
}
