package journal

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/go-faster/jx"

	"pollux/internal/durable"
	"pollux/llm"
)

// Outline is the summary of a session file for lists of sessions.
type Outline struct {
	Header
	// Prompt is the beginning of the first prompt as the user saw it, Command that of the first one
	// that begins like a command: "/" or "?". "" is none.
	Prompt  string `json:"prompt,omitempty"`
	Command string `json:"command,omitempty"`
	// Prompts is the number of prompts in the file. Those that a rewind has removed count, too.
	Prompts int `json:"prompts,omitempty"`
	// LastPrompt is the id of the last one.
	LastPrompt string `json:"lastPrompt,omitempty"`
	// IsResumable reports whether there is a conversation: a prompt or a response.
	IsResumable bool `json:"isResumable,omitempty"`
	// Read is how far the file is read, in bytes; 0 if its last line is incomplete.
	Read int64 `json:"read,omitempty"`

	// Leading are the ids of the messages up to the first one that makes the session resumable.
	Leading []string `json:"leading,omitempty"`
}

// UnmarshalJSON implements [json.Unmarshaler] without reflection, because lists read many outlines.
func (o *Outline) UnmarshalJSON(data []byte) error {
	*o = Outline{}
	var s set
	err := decodeObject(data, func(d *jx.Decoder, key string) (err error) {
		switch key {
		case "prompt":
			return text(d, &o.Prompt)
		case "command":
			return text(d, &o.Command)
		case "prompts":
			o.Prompts, err = d.Int()
			return err
		case "lastPrompt":
			return text(d, &o.LastPrompt)
		case "isResumable":
			o.IsResumable, err = d.Bool()
			return err
		case "read":
			o.Read, err = d.Int64()
			return err
		case "leading":
			return d.Arr(func(d *jx.Decoder) error {
				o.Leading = append(o.Leading, "")
				return text(d, &o.Leading[len(o.Leading)-1])
			})
		}
		return s.member(d, key)
	})
	s.applyTo(&o.Header)
	return err
}

const (
	// maxPrompt is how much of a prompt an outline keeps, in bytes.
	maxPrompt = 256
	// maxDecoded is the length of the longest message that an outline decodes, in bytes. It judges
	// longer ones by their beginning.
	maxDecoded = 1 << 20
	// maxLeading is the maximum number of ids in Outline.Leading.
	maxLeading = 100
)

// Peek reads the outline of a session file, in little memory however long the file and its lines
// are. If known is an earlier outline of the same file, and Pollux writes the file, it reads only
// the added part. The error is [ErrNoSession] if the file holds no session.
func Peek(path string, known *Outline) (*Outline, error) {
	f, size, err := openRegular(path, noFollow)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	o := &Outline{}
	if known != nil && known.Pollux > 0 && isLineEnd(f, known.Read, size) {
		*o = *known
	}
	if err := o.read(f, size); err != nil {
		return nil, durable.Cause(err)
	}
	if o.SessionID == "" {
		whole := &Outline{Read: size}
		err := whole.applyObject(io.NewSectionReader(f, 0, size))
		switch {
		case err == nil && whole.SessionID != "":
			return whole, nil
		case !o.IsResumable:
			return nil, ErrNoSession
		}
		o.SessionID = idFromName(path) // its record is damaged
	}
	return o, nil
}

// isLineEnd reports whether a line of the file ends at an offset.
func isLineEnd(r io.ReaderAt, at, size int64) bool {
	var last [1]byte
	if at <= 0 || at > size {
		return false
	}
	_, err := r.ReadAt(last[:], at-1)
	return err == nil && last[0] == '\n'
}

// readers are buffers for reading session files.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 64<<10) }}

// read applies the lines from o.Read on.
func (o *Outline) read(r io.ReaderAt, size int64) error {
	buf := readers.Get().(*bufio.Reader)
	defer readers.Put(buf)
	buf.Reset(io.NewSectionReader(r, o.Read, size-o.Read))
	at := o.Read
	for {
		l, head, err := nextLine(buf, at)
		at = l.at + l.length + 1
		if l.length > 0 {
			o.apply(r, l, head)
		}
		switch {
		case errors.Is(err, io.EOF):
			if l.length > 0 {
				o.Read = 0
			}
			return nil
		case err != nil:
			return err
		}
		o.Read = at
	}
}

// headLength is how much of a long line is kept when the line is read, in bytes.
const headLength = 4 << 10

// nextLine reads the line that begins at an offset. It returns where the line is, without the NULs
// and spaces before it, and its first bytes, which are valid until the next call: all if they fit the
// buffer. The error is io.EOF if no line feed ends it.
func nextLine(buf *bufio.Reader, at int64) (l line, head []byte, err error) {
	l.at = at
	for {
		piece, err := buf.ReadSlice('\n')
		text := bytes.TrimSuffix(piece, []byte("\n"))
		if l.length == 0 {
			trimmed := bytes.TrimLeft(text, "\x00 \r")
			l.at += int64(len(text) - len(trimmed))
			text = trimmed
			head = text
			if errors.Is(err, bufio.ErrBufferFull) {
				head = bytes.Clone(text[:min(len(text), headLength)])
			}
		}
		l.length += int64(len(text))
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l, head, err
		}
	}
}

// apply applies a record. One that cannot be read changes nothing.
func (o *Outline) apply(r io.ReaderAt, l line, head []byte) {
	if o.applyKnown(l, head) {
		return
	}
	if l.length > maxDecoded {
		next := *o
		if next.applyObject(io.NewSectionReader(r, l.at, l.length)) == nil {
			*o = next
		}
		return
	}
	data, err := (&lineReader{r, l.at + l.length}).read(l.at, l.length)
	if err != nil {
		return
	}
	switch k, id := kindOf(data); k {
	case messageRecord:
		if m, err := decodeRecord(data); err == nil {
			o.add(m)
		}
	case rewindRecord:
		o.rewind(id)
	case headerRecord:
		if s, err := decodeMembers(data); err == nil {
			s.applyTo(&o.Header)
			o.replace(outlineOf(s.messages), false)
		}
	case setRecord, replaceRecord:
		if s, err := decodeSet(data); err == nil {
			s.applyTo(&o.Header)
			o.replace(outlineOf(s.messages), k == replaceRecord)
		}
	}
}

func outlineOf(messages []*record) *Outline {
	o := &Outline{}
	for _, m := range messages {
		o.add(m)
	}
	return o
}

// applyKnown applies a message that Pollux or Gemini CLI has written, and the record of a time, if
// their first bytes are as usual.
func (o *Outline) applyKnown(l line, head []byte) (isDone bool) {
	if rest, ok := bytes.CutPrefix(head, []byte(`{"$set":{"lastUpdated":"`)); ok {
		when, ok := bytes.CutSuffix(bytes.TrimRight(rest, "\r"), []byte(`"}}`))
		if ok {
			o.use(string(when))
		}
		return ok
	}
	m, ok := readHead(head)
	if !ok {
		return false
	}
	content := head[m.contentAt:]
	isUser, isModel := m.kind == "user", m.kind == "gemini"
	switch {
	case !isUser && !isModel, isModel && o.IsResumable, bytes.HasPrefix(content, []byte(`[{"functionResponse"`)):
		o.use(m.time)
		return true
	case isUser && o.Prompt != "" && o.IsResumable && isPrompt(content) && !bytes.HasPrefix(content, typedContent):
		o.use(m.time)
		o.countPrompt(m.id)
		return true
	case l.length > maxDecoded:
		o.addLong(m, openingText(content))
		return true
	}
	return false
}

// addLong adds a message of which only the beginning is read.
func (o *Outline) addLong(m messageHead, opening string) {
	r := &record{id: m.id, kind: m.kind, parts: []llm.Part{llm.Text(opening)}}
	r.time, _ = time.Parse(time.RFC3339, m.time)
	if opening == "" {
		r.parts = []llm.Part{{FileData: &llm.FileData{}}}
	}
	o.add(r)
	o.IsResumable = o.IsResumable || m.kind == "gemini"
}

// use notes that the session was in use at a time.
func (o *Outline) use(when string) {
	if t, err := time.Parse(time.RFC3339, when); err == nil && t.After(o.Updated) {
		o.Updated = t
	}
}

func (o *Outline) add(r *record) {
	if r.time.After(o.Updated) {
		o.Updated = r.time
	}
	if !o.IsResumable && len(o.Leading) < maxLeading && (len(o.Leading) == 0 || o.Leading[len(o.Leading)-1] != r.id) {
		o.Leading = append(o.Leading[:len(o.Leading):len(o.Leading)], r.id)
	}
	switch r.kind {
	case "user":
		o.addUser(r)
	case "gemini":
		o.IsResumable = o.IsResumable || strings.TrimSpace(llm.PartsText(r.parts)) != "" || len(r.calls)+len(r.thoughts) > 0 ||
			len(llm.Model(r.parts...).FunctionCalls()) > 0
	}
}

// countPrompt counts a prompt, unless it is the last one, which was sent again.
func (o *Outline) countPrompt(id string) {
	if id != o.LastPrompt {
		o.LastPrompt = id
		o.Prompts++
	}
}

func (o *Outline) addUser(r *record) {
	shown := r.prompt()
	if shown == "" {
		return
	}
	if command, ok := strings.CutPrefix(shown, TypedCommand+"\n"); ok && (r.isPrompt == nil || !*r.isPrompt) {
		o.addTyped(command)
		return
	}
	o.countPrompt(r.id)
	if isCommand(r, shown) {
		if o.Command == "" {
			o.Command = beginning(shown)
		}
		return
	}
	o.IsResumable = true
	if o.Prompt == "" {
		o.Prompt = beginning(shown)
	}
}

// addTyped adds a shell command of the person, whose block of code begins the text. It is no prompt, but names a session
// without one.
func (o *Outline) addTyped(text string) {
	o.IsResumable = true
	if o.Command == "" {
		command, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimLeft(text, "`"), "sh\n"), "\n```")
		o.Command = beginning("!" + command)
	}
}

// TypedCommand begins the message that tells the model about a shell command of the person. The command follows in a block of
// code.
const TypedCommand = "I have run this command myself, in a shell:"

// typedContent begins the content of that message in a file.
var typedContent = []byte(`[{"text":"` + TypedCommand + `\n`)

// prompt returns the prompt in a user's message as the user saw it; "" if it is none.
func (r *record) prompt() string {
	text := strings.TrimSpace(llm.PartsText(r.parts))
	if hasResult(r.parts) {
		return ""
	}
	shown := cmp.Or(strings.TrimSpace(r.shown), text)
	if _, after, ok := strings.Cut(shown, "</hook_context>"); ok && strings.HasPrefix(shown, "<hook_context>") {
		shown = strings.TrimSpace(after)
	}
	switch {
	case shown == "" && len(r.parts) > 0 && text == "":
		if r.parts[0].IsText() {
			return ""
		}
		return "[" + mediaType(r.parts[0]) + "]"
	case isNoPrompt(shown):
		return ""
	}
	return shown
}

func mediaType(p llm.Part) string {
	switch {
	case p.InlineData != nil:
		return cmp.Or(p.InlineData.MIMEType, "file")
	case p.FileData != nil:
		return cmp.Or(p.FileData.MIMEType, "file")
	}
	return "file"
}

// isNoPrompt reports whether a program wrote the text of a user's message.
func isNoPrompt(text string) bool {
	return strings.HasPrefix(text, "<session_context>") || strings.HasPrefix(text, "<hook_context>")
}

// beginning returns the first maxPrompt bytes of a text. It does not keep the rest in memory.
func beginning(text string) string {
	return strings.Clone(strings.ToValidUTF8(text[:min(len(text), maxPrompt)], ""))
}

// rewind removes a message and all after it.
func (o *Outline) rewind(id string) {
	for i, leading := range o.Leading {
		if leading == id {
			o.Leading, o.IsResumable = o.Leading[:i:i], false
		}
	}
}

// applyObject applies a record that is not a message in the usual form: a header, a patch, or the
// whole session in one object. It reads it piece by piece, because it can be long.
func (o *Outline) applyObject(r io.Reader) error {
	d := jx.Decode(r, 16<<10)
	if d.Next() != jx.Object {
		return ErrNoSession
	}
	var s set
	var hasID, isSet bool
	rewindTo := ""
	var messages *Outline
	err := eachMember(d, func(d *jx.Decoder, key string) error {
		switch {
		case key == "$rewindTo":
			return text(d, &rewindTo)
		case key == "id":
			hasID = hasID || d.Next() == jx.String
			return d.Skip()
		case key == "$set" && d.Next() == jx.Object:
			isSet = true
			return eachMember(d, func(d *jx.Decoder, key string) error { return o.member(d, key, &s, &messages) })
		}
		return o.member(d, key, &s, &messages)
	})
	switch {
	case err != nil:
		return err
	case rewindTo != "":
		o.rewind(rewindTo)
		return nil
	case hasID: // a message in another form
		return nil
	case !isSet && s.SessionID == "":
		return ErrNoSession
	}
	s.applyTo(&o.Header)
	if messages != nil {
		o.replace(messages, isSet)
	}
	return nil
}

// member decodes a member of a header. It applies the messages to an outline of their own.
func (o *Outline) member(d *jx.Decoder, key string, s *set, messages **Outline) error {
	if key != "messages" {
		return s.member(d, key)
	}
	if d.Next() == jx.Array {
		*messages = &Outline{}
	}
	return eachMessage(d, func(r *record) { (*messages).add(r) })
}

// replace applies the messages of a record that replaces all, or adds to those before.
func (o *Outline) replace(m *Outline, isAll bool) {
	if isAll || !o.IsResumable && m.IsResumable {
		o.Leading, o.IsResumable = m.Leading, m.IsResumable
	}
	o.Prompt, o.Command = cmp.Or(o.Prompt, m.Prompt), cmp.Or(o.Command, m.Command)
	o.Prompts, o.LastPrompt = max(o.Prompts, m.Prompts), cmp.Or(m.LastPrompt, o.LastPrompt)
	if m.Updated.After(o.Updated) {
		o.Updated = m.Updated
	}
}
