package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"pollux/internal/charset"
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
	enc    charset.Encoding
	window // text
	// version is that of the whole file.
	version *version
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
	in, seen := &io.LimitedReader{R: f, N: maxFile + 1}, newWitness()
	again := func() ([]byte, error) {
		data, err := readAll(w, abs)
		seen = newWitness()
		_, _ = seen.Write(data) // never fails
		return data, err
	}
	c, err := readOpen(ctx, w, &source{rest: io.TeeReader(in, seen), again: again}, abs, info.Size(), first, last)
	switch {
	case in.N == 0: // it grows
		return nil, tooLarge(abs, maxFile+1)
	case err != nil && ctx.Err() == nil:
		return nil, readError(err, abs)
	}
	if err == nil && c.note == "" {
		c.version = seen.version()
	}
	return c, err
}

// readAll reads the whole file at abs.
func readAll(w *workspace.Workspace, abs string) ([]byte, error) {
	f, err := w.Disk().Open(abs)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		return nil, tooLarge(abs, maxFile+1)
	}
	return data, err
}

func readOpen(ctx context.Context, w *workspace.Workspace, in *source, abs string, size int64, first, last int) (*content, error) {
	if err := in.begin(size); err != nil {
		return nil, err
	}
	k, mime := fileKind(abs, in.isBinary)
	c := &content{kind: k, size: size}
	switch {
	case in.err != nil:
		return nil, in.err
	case k == binaryKind:
		c.note = "Cannot display content of binary file: " + w.Rel(abs)
		return c, nil
	case k == svgKind && size > maxSVG:
		c.note = "Cannot display content of SVG file larger than 1MB: " + w.Rel(abs)
		return c, nil
	case k == audioKind && mime == "":
		return nil, fail(tool.ErrReadContent, "Cannot read audio file %s: models take MP3, WAV, AIFF, AAC, OGG, and FLAC only.", abs)
	case k == textKind || k == svgKind:
		var err error
		c.window, err = in.text(ctx, first, last)
		c.enc = in.enc
		return c, err
	}
	data := in.all(size)
	if in.err != nil {
		return nil, in.err
	}
	c.blob = &llm.Blob{MIMEType: mime, Data: data} // no name: Gemini CLI refuses to resume a session with one
	return c, ctx.Err()
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

func (c *content) summary() string {
	switch {
	case !c.isText():
		return string(c.kind)
	case c.first == 1 && c.last == c.total:
		return plural(c.total, "line")
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
