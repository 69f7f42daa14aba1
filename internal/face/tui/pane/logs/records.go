// Package logs is the debug console: a pane with the last records of the program's log.
package logs

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
)

// Size is the number of records that are kept.
const Size = 1000

// maxText is the number of bytes of a record.
const maxText = 2 << 10

// Record is a record of the log. Count is the number of equal records in a row, the last of which came at Time.
type Record struct {
	Time  time.Time
	Level slog.Level
	Text  string
	Count int
}

// Records keeps the last records of a log. It is a [slog.Handler], and safe for concurrent use.
type Records struct {
	// Clean removes secrets from a text; nil removes nothing.
	Clean func(text string) string
	// Level is the lowest level of the records to keep.
	Level slog.Level

	mu     sync.Mutex
	list   []Record
	errors int
}

// Add adds a record.
func (r *Records) Add(at time.Time, level slog.Level, text string) {
	if r.Clean != nil {
		text = r.Clean(text)
	}
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "..."
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if level >= slog.LevelError {
		r.errors++
	}
	if n := len(r.list); n > 0 && r.list[n-1].Level == level && r.list[n-1].Text == text {
		r.list[n-1].Count++
		r.list[n-1].Time = at
		return
	}
	if len(r.list) == Size {
		r.list = slices.Delete(r.list, 0, Size/10) // not one by one
	}
	r.list = append(r.list, Record{at, level, text, 1})
}

// List returns the records of a level or a higher one, the oldest first.
func (r *Records) List(from slog.Level) (list []Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.list {
		if one.Level >= from {
			list = append(list, one)
		}
	}
	return list
}

// Errors returns the number of errors since the start.
func (r *Records) Errors() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.errors
}

// Enabled implements [slog.Handler].
func (r *Records) Enabled(_ context.Context, level slog.Level) bool { return level >= r.Level }

// Handle implements [slog.Handler].
func (r *Records) Handle(_ context.Context, record slog.Record) error {
	r.add(record, nil)
	return nil
}

// WithAttrs implements [slog.Handler].
func (r *Records) WithAttrs(attrs []slog.Attr) slog.Handler { return &withAttrs{r, attrs} }

// WithGroup implements [slog.Handler]. The names of groups are left out.
func (r *Records) WithGroup(string) slog.Handler { return r }

func (r *Records) add(record slog.Record, before []slog.Attr) {
	var text strings.Builder
	text.WriteString(record.Message)
	write := func(a slog.Attr) bool {
		text.WriteString(" " + a.Key + "=" + a.Value.String())
		return text.Len() <= 2*maxText
	}
	for _, a := range before {
		write(a)
	}
	record.Attrs(write)
	r.Add(record.Time, record.Level, text.String())
}

// withAttrs adds attributes to each record.
type withAttrs struct {
	*Records
	attrs []slog.Attr
}

func (w *withAttrs) Handle(_ context.Context, record slog.Record) error {
	w.add(record, w.attrs)
	return nil
}

func (w *withAttrs) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &withAttrs{w.Records, slices.Concat(w.attrs, attrs)}
}

func (w *withAttrs) WithGroup(string) slog.Handler { return w }
