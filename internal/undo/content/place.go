package content

import (
	"errors"
	"io"
	"os"
)

// Place is where a content is kept: a file, or a part of one. The zero Place is nowhere.
type Place struct {
	Path string
	// At and Size are the part of the file; the size is 0 for all of it.
	At, Size int64
}

// IsNowhere reports whether there is no content.
func (p Place) IsNowhere() bool { return p.Path == "" }

// IsFile reports whether the content is all of a file.
func (p Place) IsFile() bool { return p.Path != "" && p.Size == 0 }

// Open opens the content for reading. The caller must close it.
func (p Place) Open() (*Reader, error) {
	f, _, err := open(p.Path)
	if err != nil {
		return nil, err
	}
	r := &Reader{Reader: f, file: f, isFile: p.IsFile()}
	if !r.isFile {
		r.Reader = io.NewSectionReader(f, p.At, p.Size)
	}
	return r, nil
}

// Has reports whether a content of a size is there, as far as the size of its file tells.
func (p Place) Has(size int64) bool {
	info, err := os.Lstat(p.Path)
	switch {
	case err != nil || !info.Mode().IsRegular():
		return false
	case p.IsFile():
		return info.Size() == size
	}
	return p.Size == size && info.Size() >= p.At+size
}

// Reader reads a content.
type Reader struct {
	io.Reader
	file   *os.File
	isFile bool
}

// Close closes it.
func (r *Reader) Close() error { return r.file.Close() }

// CloneTo makes another file share the blocks of the content, where the file system can, and if it is all of a file.
func (r *Reader) CloneTo(to *os.File) error {
	if !r.isFile {
		return errors.ErrUnsupported
	}
	return Clone(to, r.file)
}
