package workspace

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Buffers are the texts of an editor, which may have changes that it has not saved. File tools read and write them in
// place of the files. Walks, searches, programs and files that are not text see the disk.
type Buffers struct {
	// Read returns the text that the editor has for a file, by its path without links. The error is [fs.ErrNotExist] if
	// there is no such file, which Write then creates, and [ErrUnknown] if the editor may have a text that it does not
	// tell. After any other error, and for a file that is on the disk, it is read from the disk, and written to it.
	Read func(path string) (string, error)
	// Write makes a text that of a file, which the editor saves and may format. It creates a missing file. If it is nil,
	// files are written to the disk.
	Write func(path, text string) error
}

// ErrUnknown is the error of an editor that does not answer, and may have any text.
var ErrUnknown = errors.New("the editor does not tell its text")

// maxBuffer is the size of the largest file that editors are asked about, in bytes.
const maxBuffer = 4 << 20

// HasBuffers reports whether an editor saves files, and so may change their text.
func (w *Workspace) HasBuffers() bool { return w.hasBuffers }

// over returns the functions of a disk, with the texts of the buffers in place of those of files.
func (b *Buffers) over(w *Workspace, disk Disk) Disk {
	o, with := &overlay{buffers: b, w: w, disk: disk, refused: map[string]bool{}}, disk
	with.Open = o.open
	if b.Write != nil {
		with.Write, with.Save = o.write, o.save
	}
	return with
}

// overlay is a disk below buffers.
type overlay struct {
	buffers *Buffers
	w       *Workspace
	disk    Disk

	mu      sync.Mutex
	refused map[string]bool // files that the editor does not read, and so must not write
	last    answer
}

// answer is what the editor has told about a file.
type answer struct {
	path, text string
	err        error     // in place of a text
	changed    time.Time // when the file on the disk was written; zero if it is missing
	at         time.Time // when the editor was asked, zero for no answer
}

// freshTime is how long an answer of the editor counts: an edit looks at its file several times in a row, but no person
// types so fast.
const freshTime = 50 * time.Millisecond

func (o *overlay) open(path string) (fs.File, error) {
	s, err := o.look(path)
	if err != nil {
		return nil, err
	}
	if s == nil || !s.isUnsaved {
		return o.disk.Open(path)
	}
	return s.file(), nil
}

func (o *overlay) write(path string, data []byte) error {
	real := RealPath(filepath.Clean(path))
	if !o.serves(real) || !o.w.allows(real) || !isText(data) || o.isRefused(real) {
		return o.disk.Write(path, data)
	}
	saved, _, err := o.saved(path)
	switch {
	case err == nil && saved.isText:
		data = saved.withoutMark(data)
	case !errors.Is(err, fs.ErrNotExist): // no text, or it cannot be read
		return o.disk.Write(path, data)
	}
	return o.tell(real, string(data))
}

// tell has the editor write a text.
func (o *overlay) tell(real, text string) error {
	defer o.forget() // also after an error: the editor may have written it
	return o.buffers.Write(real, text)
}

// save has the editor save a text that it has not saved.
func (o *overlay) save(path string) error {
	s, err := o.look(path)
	if err != nil || s == nil || !s.isUnsaved {
		if out := Refusal(""); errors.As(err, &out) || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return o.tell(s.path, s.asked)
}

// serves reports whether the editor has the text of a file, by its path without links: files of the project, but none of
// Pollux's own.
func (o *overlay) serves(real string) bool {
	isOwn := o.w.temp != "" && IsWithin(real, o.w.temp) || o.w.home != "" && IsWithin(real, filepath.Join(RealPath(o.w.home), ".gemini"))
	return !isOwn && slices.ContainsFunc(o.w.all(), func(dir string) bool { return IsWithin(real, dir) })
}

// savedFile is a file as it is on the disk.
type savedFile struct {
	data   []byte
	isText bool // that an editor has in the same form: UTF-8, and not large
}

// byteOrderMark marks a text as UTF-8. Editors keep it apart from the text.
const byteOrderMark = "\uFEFF"

// withoutMark returns a text as editors have it.
func (f *savedFile) withoutMark(data []byte) []byte {
	if strings.HasPrefix(string(f.data[:min(len(f.data), len(byteOrderMark))]), byteOrderMark) {
		return bytes.TrimPrefix(data, []byte(byteOrderMark))
	}
	return data
}

// saved reads a file that tools may read.
func (o *overlay) saved(path string) (f savedFile, info fs.FileInfo, err error) {
	file, err := o.disk.Open(path)
	if err != nil {
		return f, nil, err
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil || info.Size() > maxBuffer {
		return f, info, err
	}
	f.data, err = io.ReadAll(io.LimitReader(file, maxBuffer+1))
	f.isText = isText(f.data)
	return f, info, err
}

func isText(data []byte) bool {
	return len(data) <= maxBuffer && utf8.Valid(data) && bytes.IndexByte(data, 0) < 0
}

// look asks the editor for the text of a file. The result is nil if the editor is not asked, or has none.
func (o *overlay) look(path string) (*side, error) {
	saved, info, err := o.saved(path)
	isMissing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !isMissing {
		return nil, err
	}
	real := RealPath(filepath.Clean(path))
	if !o.serves(real) || !o.w.mayRead(real) || !isMissing && !saved.isText {
		return nil, nil
	}
	text, failure := o.ask(real, info)
	if errors.Is(failure, ErrUnknown) {
		return nil, &fs.PathError{Op: "read", Path: path, Err: failure}
	}
	o.note(real, failure != nil && !(isMissing && errors.Is(failure, fs.ErrNotExist)))
	if failure != nil || isMissing && text == "" {
		return nil, nil
	}
	s := &side{path: real, info: info, asked: text, data: []byte(text), isUnsaved: isMissing || plain(text) != plain(string(saved.data))}
	if s.isUnsaved && !isMissing {
		s.data = like(text, saved.data)
	}
	return s, nil
}

// ask returns the text that the editor has for a file, of which info describes the version on the disk.
func (o *overlay) ask(real string, info fs.FileInfo) (string, error) {
	now := answer{path: real, at: time.Now()}
	if info != nil {
		now.changed = info.ModTime()
	}
	o.mu.Lock()
	last := o.last
	o.mu.Unlock()
	if last.path == real && last.changed.Equal(now.changed) && now.at.Sub(last.at) < freshTime {
		return last.text, last.err
	}
	now.text, now.err = o.buffers.Read(real)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.last = now; errors.Is(now.err, ErrUnknown) {
		o.last = answer{}
	}
	return now.text, now.err
}

// forget makes the next look at a file ask the editor.
func (o *overlay) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = answer{}
}

func (o *overlay) note(real string, isRefused bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if isRefused {
		o.refused[real] = true
	} else {
		delete(o.refused, real)
	}
}

func (o *overlay) isRefused(real string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.refused[real]
}

// plain returns a text without the mark and the kind of line ends, which editors keep apart.
func plain(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, byteOrderMark), "\r\n", "\n")
}

// like returns a text of the editor with the byte order mark and the line ends of the saved one.
func like(text string, saved []byte) []byte {
	if crlf := bytes.Count(saved, []byte("\r\n")); crlf > 0 && crlf == bytes.Count(saved, []byte("\n")) && !strings.Contains(text, "\r") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if bytes.HasPrefix(saved, []byte(byteOrderMark)) && !strings.HasPrefix(text, byteOrderMark) {
		text = byteOrderMark + text
	}
	return []byte(text)
}

// side is a text that the editor has for a file.
type side struct {
	path      string      // without links
	info      fs.FileInfo // of the file on the disk, nil if it is missing
	asked     string      // as the editor has it
	data      []byte      // in the form of the file on the disk
	isUnsaved bool        // the file on the disk has another text
}

func (s *side) file() fs.File {
	return &bufferFile{bytes.NewReader(s.data), bufferInfo{s.info, filepath.Base(s.path), int64(len(s.data))}}
}

// bufferFile is a text that is open for reading.
type bufferFile struct {
	*bytes.Reader
	info bufferInfo
}

func (f *bufferFile) Stat() (fs.FileInfo, error) { return f.info, nil }

func (*bufferFile) Close() error { return nil }

// bufferInfo describes a text by the file whose place it takes, nil for one that was not saved yet.
type bufferInfo struct {
	fs.FileInfo
	name string
	size int64
}

func (i bufferInfo) Name() string { return i.name }

func (i bufferInfo) Size() int64 { return i.size }

func (i bufferInfo) Mode() fs.FileMode {
	if i.FileInfo == nil {
		return 0o644
	}
	return i.FileInfo.Mode()
}

func (i bufferInfo) ModTime() time.Time {
	if i.FileInfo == nil {
		return time.Time{}
	}
	return i.FileInfo.ModTime()
}

func (bufferInfo) IsDir() bool { return false }

func (bufferInfo) Sys() any { return nil }
