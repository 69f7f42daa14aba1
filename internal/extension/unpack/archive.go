package unpack

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Archive unpacks the file src, a tar.gz or zip archive, to dst, an empty directory.
func Archive(ctx context.Context, src, dst string, l Limits) error {
	f, err := os.Open(src)
	if err != nil {
		return err
	}
	defer f.Close()
	w, err := newWriter(ctx, dst, l)
	if err != nil {
		return err
	}
	defer w.root.Close()
	var head [4]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return errUnknown
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	switch {
	case bytes.HasPrefix(head[:], []byte("\x1f\x8b")):
		err = w.tarball(f)
	case bytes.HasPrefix(head[:], []byte("PK")):
		err = w.zip(f)
	default:
		return errUnknown
	}
	if err != nil {
		return err
	}
	return w.checkLinks()
}

var errUnknown = errors.New("it is neither a tar.gz nor a zip archive")

// damaged describes an archive that cannot be read to its end.
func (w *writer) damaged(err error) error {
	switch {
	case w.ctx.Err() != nil:
		return context.Cause(w.ctx)
	case errors.Is(err, errEndless):
		return w.tooLarge()
	}
	return fmt.Errorf("it is damaged: %w", err)
}

// tarball unpacks a tar.gz archive.
func (w *writer) tarball(f io.Reader) error {
	gz, err := gzip.NewReader(bufio.NewReader(contextReader{w.ctx, f}))
	if err != nil {
		return w.damaged(err)
	}
	// Headers take space, too.
	t := tar.NewReader(&endless{gz, w.limits.Bytes + int64(w.limits.Files)*2048})
	for {
		h, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, tar.ErrInsecurePath): // names are checked below
			return w.damaged(err)
		}
		e := entry{name: h.Name, mode: h.FileInfo().Mode(), size: h.Size, target: h.Linkname, content: t}
		switch h.Typeflag {
		case tar.TypeXGlobalHeader: // the commit that git archive notes
			continue
		case tar.TypeLink:
			if err := w.hardLink(&e); err != nil {
				return err
			}
			continue
		}
		if err := w.add(&e); err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, errEndless) {
				return w.damaged(err)
			}
			return err
		}
	}
}

// hardLink writes a copy of the file that a hard link names, which must be in the archive before
// the link.
func (w *writer) hardLink(e *entry) error {
	target, err := cleanName(e.target)
	if err != nil {
		return fmt.Errorf("the link %s leads out of its directory, to %s", quote(e.name), quote(e.target))
	}
	f, err := w.root.Open(filepath.FromSlash(target))
	if err != nil {
		return fmt.Errorf("the link %s leads to %s, which is not in the archive", quote(e.name), quote(e.target))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("the link %s leads to %s, which is not a file", quote(e.name), quote(e.target))
	}
	return w.add(&entry{name: e.name, mode: info.Mode(), size: info.Size(), content: f})
}

// zip unpacks a zip archive.
func (w *writer) zip(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	entries, err := countEntries(f)
	if err != nil {
		return err
	}
	if entries > w.limits.Files { // the reader would read the list of all of them at once
		return fmt.Errorf("it has more than %d files", w.limits.Files)
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names are checked below
		return w.damaged(err)
	}
	for _, file := range z.File {
		if err := w.zipped(file); err != nil {
			return err
		}
	}
	return nil
}

// zipped unpacks an entry of a zip archive.
func (w *writer) zipped(file *zip.File) error {
	e := entry{name: file.Name, mode: file.Mode(), size: int64(file.UncompressedSize64)} //nolint:gosec // a negative size is refused
	if e.mode.IsDir() {
		return w.add(&e)
	}
	content, err := file.Open()
	if err != nil {
		return w.damaged(err)
	}
	defer content.Close()
	e.content = content
	if e.mode.Type() == fs.ModeSymlink {
		target, err := io.ReadAll(io.LimitReader(content, maxName))
		if err != nil {
			return w.damaged(err)
		}
		e.target = string(target)
	}
	err = w.add(&e)
	if errors.Is(err, zip.ErrChecksum) || errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF) {
		return w.damaged(err)
	}
	return err
}

// countEntries returns a number that is at least that of the entries of a zip archive: how often
// the mark at the beginning of an entry of its list occurs in the file.
func countEntries(f io.ReaderAt) (int, error) {
	mark := []byte("PK\x01\x02")
	n := 0
	buffer := make([]byte, 1<<16)
	for at := int64(0); ; at += int64(len(buffer) - len(mark) + 1) {
		read, err := f.ReadAt(buffer, at)
		n += bytes.Count(buffer[:read], mark)
		switch {
		case errors.Is(err, io.EOF):
			return n, nil
		case err != nil:
			return 0, err
		}
	}
}

// errEndless is the error of an [endless] reader.
var errEndless = errors.New("it unpacks to more than is allowed")

// endless is a reader that fails after a number of bytes.
type endless struct {
	io.Reader
	left int64
}

func (r *endless) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, errEndless
	}
	n, err := r.Reader.Read(p[:min(int64(len(p)), r.left)])
	r.left -= int64(n)
	return n, err
}
