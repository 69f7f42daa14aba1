package file

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"pollux/internal/workspace"
	"pollux/llm"
	"pollux/tool"
)

// The maximum sizes of files, in bytes.
const (
	maxFile = 20 << 20
	maxSVG  = 1 << 20
)

// content is a file in a form that can be sent to a model.
type content struct {
	kind   kind
	blob   *llm.Blob // media
	note   string    // replaces content that cannot be shown
	size   int64     // of the file, in bytes
	window           // text
}

// read reads the file at abs, which must be readable for tools. Of a text it returns the lines
// from first to last; 0 means no limit. Errors are [*tool.Error], except the error of ctx.
func read(ctx context.Context, w *workspace.Workspace, abs string, first, last int) (*content, error) {
	f, err := w.Disk().Open(abs)
	if err != nil {
		return nil, readError(err, abs)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, readError(err, abs)
	}
	if info.Size() > maxFile {
		return nil, tooLarge(abs, info.Size())
	}
	c, err := readOpen(ctx, w, f, abs, info.Size(), first, last)
	switch {
	case errors.Is(err, errTooLarge):
		return nil, tooLarge(abs, maxFile+1)
	case err != nil && ctx.Err() == nil:
		return nil, readError(err, abs)
	}
	return c, err
}

func readOpen(ctx context.Context, w *workspace.Workspace, f io.Reader, abs string, size int64, first, last int) (*content, error) {
	in := bufio.NewReaderSize(&limited{f, maxFile}, int(max(sniffed, min(size+1, 32<<10))))
	head, err := in.Peek(sniffed)
	if err != nil && err != io.EOF {
		return nil, err
	}
	k, mime := fileKind(abs, func() bool { return looksBinary(head, len(head) < sniffed) })
	c := &content{kind: k, size: size}
	switch {
	case k == binaryKind:
		c.note = "Cannot display content of binary file: " + w.Rel(abs)
		return c, nil
	case k == svgKind && size > maxSVG:
		c.note = "Cannot display content of SVG file larger than 1MB: " + w.Rel(abs)
		return c, nil
	case k == audioKind && mime == "":
		return nil, fail(tool.ErrReadContent, "Cannot read audio file %s: models take MP3, WAV, AIFF, AAC, OGG, and FLAC only.", abs)
	case k == textKind || k == svgKind:
		c.window, err = readText(ctx, in, head, first, last)
		return c, err
	}
	data := make([]byte, 0, size+1)
	for {
		n, err := in.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
	c.blob = &llm.Blob{MIMEType: mime, Data: data}
	return c, nil
}

// readText reads a text that begins with head.
func readText(ctx context.Context, in io.Reader, head []byte, first, last int) (window, error) {
	enc, mark := detectEncoding(head)
	if _, err := io.CopyN(io.Discard, in, int64(len(mark))); err != nil {
		return window{}, err
	}
	if enc.wide() {
		data, err := io.ReadAll(in)
		if err != nil {
			return window{}, err
		}
		in = bufio.NewReader(strings.NewReader(enc.decode(data)))
	}
	return readWindow(ctx, in, first, last)
}

func tooLarge(abs string, size int64) error {
	return fail(tool.ErrFileTooLarge, "File size exceeds the 20MB limit: %s (%.2fMB). Search it with grep_search, or print a part of it with a shell command.",
		abs, float64(size)/(1<<20))
}

func readError(err error, abs string) error {
	var e *tool.Error
	switch {
	case errors.As(err, &e), isRefusal(err):
		return err
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR): // a/b does not exist if a is a file
		return fail(tool.ErrFileNotFound, "File not found: %s", abs)
	case errors.Is(err, syscall.EISDIR):
		return fail(tool.ErrTargetIsDirectory, "Path is a directory, not a file: %s. List it with list_directory.", abs)
	}
	return &failure{tool.Error{Type: tool.ErrReadContent, Message: fmt.Sprintf("Error reading file %s: %s", abs, describe(err, "open", abs))}, err}
}

// failure is a [tool.Error] with its cause.
type failure struct {
	failed tool.Error
	cause  error
}

func (f *failure) Error() string { return f.failed.Message }

func (f *failure) Unwrap() []error { return []error{&f.failed, f.cause} }

// part returns the content for the model.
func (c *content) part() llm.Part {
	switch {
	case c.blob != nil:
		return llm.Part{InlineData: c.blob}
	case c.note != "":
		return llm.Text(c.note)
	}
	return llm.Text(c.text)
}

// isText reports whether c contains the text of the file.
func (c *content) isText() bool { return c.blob == nil && c.note == "" }

// describe returns one line about the content for the user; "" if it is the complete text.
func (c *content) describe(rel string) string {
	switch {
	case c.blob != nil:
		return fmt.Sprintf("Read %s file: %s", c.kind, rel)
	case c.kind == svgKind && c.note != "":
		return "Skipped large SVG file (>1MB): " + rel
	case c.note != "":
		return "Skipped binary file: " + rel
	case !c.partial():
		return ""
	}
	cut := ""
	if c.shortened {
		cut = " (some lines were shortened)"
	}
	if c.first == 1 && c.last == c.total {
		return fmt.Sprintf("Read all %d lines from %s%s", c.total, rel, cut)
	}
	return fmt.Sprintf("Read lines %d-%d of %d from %s%s", c.first, c.last, c.total, rel, cut)
}

// summary is a short form of describe.
func (c *content) summary() string {
	switch {
	case !c.isText():
		return string(c.kind)
	case c.first == 1 && c.total == 1:
		return "1 line"
	case c.first == 1 && c.last == c.total:
		return fmt.Sprintf("%d lines", c.total)
	}
	return fmt.Sprintf("%d-%d of %d", c.first, c.last, c.total)
}

// jsonLike reports whether escape sequences in the file are meaningful, so that they must not
// be "corrected".
func jsonLike(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json", ".ipynb", ".jsonc", ".json5":
		return true
	}
	return false
}
