package logs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"pollux/internal/durable"
	"pollux/internal/records"
	"pollux/internal/secret"
)

const (
	// maxSize is the size at which a log loses its older half, in bytes.
	maxSize = 8 << 20
	// maxLine is the maximum length of a record in bytes. Longer ones are left out.
	maxLine = 64 << 10
)

// Log is the log of a session. It is created when something is written to it. It is safe for
// concurrent use.
type Log struct {
	project func() (string, error)
	masker  func() *secret.Masker
	warn    func(error)
	maxSize int64

	mu     sync.Mutex
	id     string
	f      *os.File
	size   int64
	failed bool
}

// New returns the log of a session. project returns the directory of the project's files. masker returns the
// remover of secrets, each time when something is written. warn is called with the first error of writing; from
// then on nothing is written.
func New(project func() (string, error), id string, masker func() *secret.Masker, warn func(error)) *Log {
	return &Log{project: project, id: id, masker: masker, warn: warn, maxSize: maxSize}
}

// Handler returns a handler that writes each record of a program's log.
func (l *Log) Handler() slog.Handler {
	return slog.NewJSONHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Value.Kind() == slog.KindDuration { // which JSON would have in nanoseconds
			a.Value = slog.StringValue(a.Value.Duration().String())
		}
		return a
	}})
}

var _ records.Sink = (*Log)(nil)

// Record makes the log that of another session, once it begins. A nil *Log does nothing.
func (l *Log) Record(r records.Record) {
	session, ok := r.(records.SessionBegan)
	if l == nil || !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if session.ID != l.id {
		l.close()
		l.id = session.ID
	}
}

// Write appends a record: a JSON object and a line feed. It returns no errors.
func (l *Log) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.write(line); err != nil && !l.failed {
		l.failed = true
		l.close()
		l.warn(err)
	}
	return len(line), nil
}

func (l *Log) write(line []byte) error {
	if l.failed {
		return nil
	}
	if len(line) > maxLine {
		line = fmt.Appendf(nil, `{"time":%q,"level":"WARN","msg":"left out a record","bytes":%d}`+"\n", time.Now().Format(time.RFC3339Nano), len(line))
	}
	if l.f == nil {
		if err := l.open(); err != nil {
			return err
		}
	}
	n, err := l.f.Write(l.masker().JSON(line))
	l.size += int64(n)
	if err == nil && l.size > l.maxSize {
		err = l.halve()
	}
	return durable.Cause(err)
}

func (l *Log) open() error {
	project, err := l.project()
	if err != nil {
		return err
	}
	if _, err := os.Lstat(Path(project, l.id)); err != nil {
		prune(filepath.Join(project, dirName), logSuffix, maxLogs-1)
	}
	l.f, err = open(project, prefix+l.id+logSuffix, os.O_APPEND)
	if err != nil {
		return err
	}
	l.size, err = l.f.Seek(0, io.SeekEnd)
	return err
}

// halve removes the older half of the log.
func (l *Log) halve() error {
	project, err := l.project()
	if err != nil {
		return err
	}
	path := Path(project, l.id)
	l.close()
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	half := make([]byte, l.maxSize/2)
	n, err := f.ReadAt(half, max(0, info.Size()-int64(len(half))))
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	_, kept, _ := bytes.Cut(half[:n], []byte("\n"))
	if err := durable.WriteFile(path, kept, 0o600); err != nil {
		return err
	}
	return l.open()
}

// Crashed appends the record of a crash, whose report is at a path.
func (l *Log) Crashed(at time.Time, cause, report string) {
	record := slog.NewRecord(at, slog.LevelError, "crash", 0)
	record.Add("cause", cause, "report", report)
	_ = l.Handler().Handle(context.Background(), record) // Write returns no errors
}

// Close closes the file. A later record opens it again.
func (l *Log) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.close()
}

func (l *Log) close() {
	if l.f != nil {
		_ = l.f.Close() // every line is written
	}
	l.f, l.size = nil, 0
}
