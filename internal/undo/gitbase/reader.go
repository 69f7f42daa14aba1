package gitbase

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"sync"
)

// Reader reads blobs. It may be used from several goroutines at once, which wait for one another.
type Reader struct {
	git        *Git
	objectDirs []string

	mu       sync.Mutex
	stores   map[uint8]store // by the size of hashes
	batches  map[uint8]*batch
	isClosed bool
}

// NewReader returns a reader of the blobs in directories of objects, such as [Repository.ObjectDir], and in those that their
// info/alternates name. A directory that does not exist is ignored. Nothing is started until the first blob is read.
// The caller calls [Reader.Close].
func (g *Git) NewReader(objectDirs ...string) *Reader {
	return &Reader{git: g, objectDirs: slices.Clone(objectDirs), stores: map[uint8]store{}, batches: map[uint8]*batch{}}
}

var (
	// ErrNoGit is the error for a blob that cannot be read because git is not installed.
	ErrNoGit = errors.New("git is not installed; install it to read contents that only its repositories have")
	// ErrMissing is the error for a blob that is not there, or is damaged so that git does not find it.
	ErrMissing = errors.New("the git repository does not have the content of the file any more")
	// ErrDamaged is the error for a blob whose content is not that of its id.
	ErrDamaged = errors.New("the content of the file is damaged in the git repository")
)

// Copy writes the content of a blob to w and returns its size in bytes. If it returns an error, the caller drops the bytes
// that w has got: they may be part of the content, or another one.
func (r *Reader) Copy(ctx context.Context, id ID, w io.Writer) (size int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id.size == 0 {
		return 0, ErrMissing
	}
	for isOld := true; isOld; { // one that was killed meanwhile is started again
		var b *batch
		if b, isOld, err = r.batch(ctx, id.size); err != nil {
			return 0, err
		}
		end := context.AfterFunc(ctx, b.process.Kill)
		size, err = b.ask(id)
		if err == nil {
			if err = b.copy(id, size, w); err == nil && end() {
				return size, nil // else git is being killed, which the next copy must not find out
			}
			isOld = false
		}
		end()
		if errors.Is(err, ErrMissing) && ctx.Err() == nil {
			return 0, err
		}
		delete(r.batches, id.size)
		why := b.stop()
		switch {
		case ctx.Err() != nil:
			return 0, context.Cause(ctx)
		case why != "" && errors.Is(err, errEnded):
			err = fmt.Errorf("read git object %s: %s", id, why)
		}
	}
	return 0, err
}

// batch returns the running git for hashes of a size. isOld reports whether it has run before.
func (r *Reader) batch(ctx context.Context, hash uint8) (b *batch, isOld bool, err error) {
	if b := r.batches[hash]; b != nil && ctx.Err() == nil {
		return b, true, nil
	}
	s, err := r.store(ctx, hash)
	if err != nil {
		return nil, false, err
	}
	if b, err = r.git.startBatch(ctx, s); err != nil {
		return nil, false, err
	}
	r.batches[hash] = b
	return b, false, nil
}

// store returns the git directory for hashes of a size.
func (r *Reader) store(ctx context.Context, hash uint8) (s store, err error) {
	switch {
	case r.isClosed:
		return store{}, os.ErrClosed
	case ctx.Err() != nil:
		return store{}, context.Cause(ctx)
	case r.git.path == "":
		return store{}, ErrNoGit
	}
	s, ok := r.stores[hash]
	if ok && s.isThere() { // a program may clean the directory of temporary files
		return s, nil
	}
	if s, err = newStore(r.git.Temp, r.objectDirs, hash); err != nil {
		return store{}, fmt.Errorf("prepare to read git objects: %w", err)
	}
	r.stores[hash] = s
	return s, nil
}

// Close ends git and removes the reader's temporary files. Blobs can no longer be read.
func (r *Reader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.isClosed = true
	for _, b := range r.batches {
		b.stop()
	}
	clear(r.batches)
	var err error
	for _, s := range r.stores {
		err = errors.Join(err, os.RemoveAll(s.dir))
	}
	clear(r.stores)
	return err
}

// errEnded is the error for a git that ended before its answer did.
var errEnded = errors.New("git ended unexpectedly")

// ask asks for a blob and returns its size.
func (b *batch) ask(id ID) (size int64, err error) {
	if _, err := b.in.WriteString(id.String() + "\n"); err != nil {
		return 0, errEnded
	}
	line, err := b.out.ReadSlice('\n')
	if err != nil {
		return 0, errEnded
	}
	fields := bytes.Fields(line)
	switch {
	case len(fields) == 2 && string(fields[1]) == "missing":
		return 0, ErrMissing
	case len(fields) != 3 || string(fields[0]) != id.String():
		return 0, fmt.Errorf("git answered %q", bytes.TrimSpace(line))
	case string(fields[1]) != "blob":
		return 0, fmt.Errorf("git object %s is a %s, not the content of a file", id, fields[1])
	}
	return strconv.ParseInt(string(fields[2]), 10, 64)
}

// copy writes the content of a blob to w and checks it.
func (b *batch) copy(id ID, size int64, w io.Writer) error {
	sum := newHash(id.size)
	fmt.Fprintf(sum, "blob %d\x00", size)
	to := &firstError{w: w}
	n, err := io.CopyN(io.MultiWriter(sum, to), b.out, size)
	switch {
	case to.err != nil:
		return to.err
	case err != nil || n != size:
		return errEnded
	}
	if end, err := b.out.ReadByte(); err != nil || end != '\n' {
		return errEnded
	}
	if idOf(string(sum.Sum(nil))) != id {
		return ErrDamaged
	}
	return nil
}

// firstError is a writer that keeps its error, to tell it from that of the reader.
type firstError struct {
	w   io.Writer
	err error
}

func (f *firstError) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	if err != nil {
		f.err = err
	}
	return n, err
}

// sizes calls visit with the sizes of blobs, in the order of their ids, all of one kind of hash. A size is -1 for a blob that
// is not there.
func (r *Reader) sizes(ctx context.Context, hash uint8, ids []byte, visit func(i int, size int64)) error {
	r.mu.Lock()
	s, err := r.store(ctx, hash)
	r.mu.Unlock()
	if err != nil {
		return err
	}
	c := r.git.command(s, "cat-file", "--buffer", "--batch-check=%(objecttype) %(objectsize)")
	lines := &lineWriter{visit: func(i int, line []byte) {
		size := int64(-1)
		if text, ok := bytes.CutPrefix(line, []byte("blob ")); ok {
			if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
				size = n
			}
		}
		visit(i, size)
	}}
	c.Stdin, c.Stdout = bytes.NewReader(ids), lines
	status, err := r.git.launcher.Run(ctx, c)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("start git: %w", err)
	case status.Code != 0 || status.Signal != 0:
		return fmt.Errorf("read sizes of git objects: git: %s", status)
	}
	return nil
}

// lineWriter calls visit with each whole line.
type lineWriter struct {
	visit func(i int, line []byte)
	n     int
	rest  []byte
}

func (l *lineWriter) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		line, rest, ok := bytes.Cut(l.rest, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		l.visit(l.n, line)
		l.n++
		l.rest = rest
	}
}
