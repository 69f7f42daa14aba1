package acp

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"net/url"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"pollux/agent"
	"pollux/internal/face/acp/schema"
	"pollux/internal/face/acp/wire"
	"pollux/internal/terminal"
	"pollux/llm"
	"pollux/llm/media"
)

// input is a prompt of the client.
type input struct {
	blocks []block
	rest   []block // behind the first text
	title  string
	trace  string // of the client
}

// block is a block of a prompt.
type block struct {
	text     string    // that the person has typed
	link     *fileLink // a file
	attached []llm.Part
}

// fileLink is a link to a file, or to some of its lines.
type fileLink struct {
	path        string
	first, last int // lines, from 1; 0 for the whole file
}

// newInput reads the blocks of a prompt.
func newInput(list []schema.Block) (in input, problem *wire.Error) {
	for i, b := range list {
		at := "prompt[" + strconv.Itoa(i) + "]"
		next := block{}
		switch b.Type {
		case "text":
			next.text = b.Text
			if in.title == "" {
				in.title = b.Text
			}
		case "resource_link":
			next = newLink(b)
		case "image", "audio":
			if next.attached, problem = newMedia(at, b.MIMEType, b.Data); problem != nil {
				return in, problem
			}
		case "resource":
			if next.attached, problem = newResource(at, b.Resource); problem != nil {
				return in, problem
			}
		default:
			return in, invalid(at+".type", "There are no blocks of this type.")
		}
		in.blocks = append(in.blocks, next)
	}
	if in.isBlank() {
		return in, invalid("prompt", "It is empty.")
	}
	if in.blocks[0].text != "" {
		in.rest = in.blocks[1:]
	}
	return in, nil
}

func (in *input) isBlank() bool {
	for _, b := range in.blocks {
		if strings.TrimSpace(b.text) != "" || b.link != nil || len(b.attached) > 0 {
			return false
		}
	}
	return true
}

// command returns the line of the command that the first text looks like, "" for none. Gemini CLI takes a dollar sign for a
// slash, too.
func (in *input) command() string {
	text := strings.TrimSpace(in.blocks[0].text)
	if rest, ok := strings.CutPrefix(text, "$"); ok {
		text = "/" + rest
	}
	if !strings.HasPrefix(text, "/") {
		return ""
	}
	return text
}

// newMedia returns an image or a sound as a part of a prompt.
func newMedia(at, mime, data string) ([]llm.Part, *wire.Error) {
	bytes, err := base64.StdEncoding.DecodeString(data)
	switch {
	case err != nil:
		return nil, invalid(at+".data", "It is not base64.")
	case mime == "":
		return nil, invalid(at+".mimeType", "It is missing.")
	}
	return []llm.Part{{InlineData: &llm.Blob{MIMEType: media.Normalize(mime), Data: bytes}}}, nil
}

// newResource returns a file that the client has sent whole. It is newer than the one on the disk.
func newResource(at string, r *schema.Resource) ([]llm.Part, *wire.Error) {
	switch {
	case r == nil:
		return nil, invalid(at+".resource", "It is missing.")
	case r.Text != nil:
		return []llm.Part{llm.Text("\n--- Content of " + terminal.Line(r.URI) + ", as the editor has it ---\n" + *r.Text + "\n--- End of content ---\n")}, nil
	case r.Blob == nil:
		return nil, invalid(at+".resource", "It has neither text nor blob.")
	}
	data, err := base64.StdEncoding.DecodeString(*r.Blob)
	if err != nil {
		return nil, invalid(at+".resource.blob", "It is not base64.")
	}
	b := &llm.Blob{MIMEType: media.Normalize(r.MIMEType), Data: data}
	if mime, problem := media.Type(b); problem == "" {
		b.MIMEType = mime
		return []llm.Part{llm.Text("\nContent of " + terminal.Line(r.URI) + ":\n"), {InlineData: b}}, nil
	}
	return []llm.Part{llm.Text("\n" + terminal.Line(r.URI) + " is a binary file, whose content is left out.\n")}, nil
}

// newLink returns a link. One that names no file is only named.
func newLink(b schema.Block) block {
	link := parseLink(b.URI)
	if link == nil {
		return block{attached: []llm.Part{llm.Text("\n[" + terminal.Line(b.Name) + ": " + terminal.Line(b.URI) + " is attached in the editor. Pollux cannot read it.]\n")}}
	}
	return block{link: link}
}

// parseLink returns the file that an address names, nil for none.
func parseLink(uri string) *fileLink {
	address, err := url.Parse(uri)
	if err != nil || address.Scheme != "file" || address.Host != "" && address.Host != "localhost" || address.Path == "" {
		return nil
	}
	path := address.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	link := &fileLink{path: filepath.FromSlash(path)}
	if strings.ContainsAny(link.path, "\"\n\x00") || !filepath.IsAbs(link.path) {
		return nil
	}
	lines, isRange := strings.CutPrefix(address.Fragment, "L")
	if !isRange {
		return link
	}
	from, to, _ := strings.Cut(strings.ReplaceAll(lines, "-", ":"), ":")
	first, err := strconv.Atoi(from)
	last := first
	if to = strings.TrimPrefix(to, "L"); to != "" && err == nil {
		last, err = strconv.Atoi(to)
	}
	if err == nil && first > 0 && last >= first {
		link.first, link.last = first, last
	}
	return link
}

// newPrompt makes the prompt of blocks. Files are read where the person may let the model read them: a link is no
// permission.
func (c *chat) newPrompt(ctx context.Context, w *work, blocks []block) (agent.Prompt, error) {
	var typed strings.Builder
	var parts, attached []llm.Part
	flush := func() {
		if typed.Len() > 0 {
			parts = append(parts, llm.Text(typed.String()))
			typed.Reset()
		}
	}
	for _, b := range blocks {
		switch {
		case b.link != nil:
			if text := typed.String(); text != "" && !strings.HasSuffix(text, " ") && !strings.HasSuffix(text, "\n") {
				typed.WriteString(" ")
			}
			excerpt, ok := readLines(w, b.link)
			if ok {
				typed.WriteString(filepath.Base(b.link.path) + " (lines " + strconv.Itoa(b.link.first) + "-" + strconv.Itoa(b.link.last) + ")")
				attached = append(attached, excerpt)
			} else {
				typed.WriteString(`@"` + b.link.path + `" `)
			}
		case len(b.attached) > 0 && b.attached[0].InlineData != nil:
			flush()
			parts = append(parts, b.attached...)
		default:
			typed.WriteString(b.text)
			attached = append(attached, b.attached...)
		}
	}
	flush()
	p := agent.Prompt{Parts: parts}
	if len(attached) == 0 {
		return p, nil
	}
	shown := p.Text()
	p, err := w.live.Composer.Attach(ctx, p)
	p.Parts = append(p.Parts, attached...)
	if p.Shown = shown; shown == "" {
		p.Shown = "(files of the editor)"
	}
	return p, err
}

// readLines returns the lines of a file that a link names. ok is false if it names none, or if they cannot be read without
// a question.
func readLines(w *work, l *fileLink) (_ llm.Part, ok bool) {
	if l.first == 0 {
		return llm.Part{}, false
	}
	path := w.live.Workspace.Resolve(l.path)
	if w.live.Workspace.CheckRead(path) != nil || w.live.Workspace.Ignored(path, false, w.live.Workspace.DefaultFilter()) {
		return llm.Part{}, false
	}
	text, err := excerpt(func() (fs.File, error) { return w.live.Workspace.Disk().Open(path) }, l.first, l.last)
	if err != nil {
		return llm.Part{}, false
	}
	return llm.Text("\n--- Lines " + strconv.Itoa(l.first) + "-" + strconv.Itoa(l.last) + " of " + terminal.Line(path) + " ---\n" + text + "\n--- End of content ---\n"), true
}

// errNoLines is the error for a file without the lines of a link.
var errNoLines = errors.New("the file has no such lines")

// excerpt returns lines of a file.
func excerpt(open func() (fs.File, error), first, last int) (string, error) {
	f, err := open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	var lines []string
	in := bufio.NewScanner(f)
	in.Buffer(nil, maxFile)
	size := 0
	for n := 1; n <= last && in.Scan(); n++ {
		if n < first {
			continue
		}
		if size += len(in.Text()); size > maxFile {
			return "", bufio.ErrTooLong
		}
		lines = append(lines, in.Text())
	}
	if len(lines) == 0 && in.Err() == nil {
		return "", errNoLines
	}
	return strings.Join(lines, "\n"), in.Err()
}
