package gitstate

import (
	"crypto/sha1"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"pollux/internal/durable"
	"pollux/internal/gitstate/index"
)

// A comparer compares the files of the work tree in the directory top with the index, which was written at a time.
type comparer struct {
	top     string
	written time.Time
	content []byte // of the last file that was read, whose memory the next one gets
	read    int    // bytes of all files that were read
}

// isChanged reports whether a file differs from the index. Like git, it compares the content only if the size is the same
// and the time says nothing.
func (c *comparer) isChanged(e index.Entry) bool {
	kind := e.Mode & index.TypeMask
	switch {
	case e.IsOpen:
		return true
	case e.IsSkipped, kind != index.Link && kind != index.Regular: // a submodule or a directory
		return false
	}
	path := c.top + string(filepath.Separator) + filepath.FromSlash(e.Name)
	info, err := os.Lstat(path)
	if err != nil {
		return os.IsNotExist(err)
	}
	isLink := info.Mode()&fs.ModeSymlink != 0
	if isLink != (kind == index.Link) || !isLink && !info.Mode().IsRegular() {
		return filepath.Separator == '/' // other systems may have no links
	}
	at := info.ModTime()
	isSame := uint32(at.Unix()) == e.Modified.Seconds && (e.Modified.Nanoseconds == 0 || uint32(at.Nanosecond()) == e.Modified.Nanoseconds)
	if uint32(info.Size()) == e.Size && isSame && at.Before(c.written) {
		return false
	}
	if uint32(info.Size()) != e.Size && e.Size != 0 {
		return true
	}
	return !c.hasContent(e, path, isLink)
}

// maxContent is the size in bytes up to which contents are compared, and maxRead that of all together: of a work tree whose files were copied, no time
// says anything, and to read them all takes longer than the rest of a start.
const (
	maxContent = 256 << 10
	maxRead    = 64 << 10
)

// hasContent reports whether the file at a path has the content in the index.
func (c *comparer) hasContent(e index.Entry, path string, isLink bool) bool {
	c.content = c.content[:0]
	if isLink {
		target, err := os.Readlink(path)
		if err != nil {
			return false
		}
		c.content = append(c.content, target...)
	} else {
		var err error
		if c.content, err = durable.AppendFile(c.content, path, maxContent); err != nil {
			return false
		}
	}
	c.read += len(c.content)
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(c.content))
	h.Write(c.content)
	return string(h.Sum(nil)) == e.Hash
}
