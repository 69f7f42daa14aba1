package telemetry

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// DebugLog returns a handler that appends log lines to the file in GEMINI_DEBUG_LOG_FILE:
//
//	[2026-01-31T12:00:00.000Z] [DEBUG] request model=gemini-2.5-flash messages=2
//
// Each line is written in a single call, after clean has removed the secrets from it. The file is created readable only by the user. The
// error is not nil if it cannot be opened.
func DebugLog(path string, clean func(string) string) (slog.Handler, io.Closer, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, nil, err
	}
	return &lines{write: func(at time.Time, level, text string) {
		_, _ = f.Write([]byte("[" + stamp(at) + "] [" + level + "] " + clean(text) + "\n")) // errors of the log itself are ignored
	}}, f, nil
}

// lines is a log handler that writes each record as one line of text.
type lines struct {
	write  func(at time.Time, level, text string)
	before string // attributes of all records
	group  string
}

var _ slog.Handler = (*lines)(nil)

func (l *lines) Enabled(context.Context, slog.Level) bool { return true }

func (l *lines) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	b.WriteString(oneLine(r.Message))
	b.WriteString(l.before)
	r.Attrs(func(a slog.Attr) bool {
		appendAttr(&b, l.group, a)
		return true
	})
	l.write(r.Time, levelOf(r.Level), b.String())
	return nil
}

func (l *lines) WithAttrs(list []slog.Attr) slog.Handler {
	var b strings.Builder
	for _, a := range list {
		appendAttr(&b, l.group, a)
	}
	with := *l
	with.before += b.String()
	return &with
}

func (l *lines) WithGroup(name string) slog.Handler {
	with := *l
	if name != "" {
		with.group += name + "."
	}
	return &with
}

func appendAttr(b *strings.Builder, group string, a slog.Attr) {
	v := a.Value.Resolve()
	if v.Kind() == slog.KindGroup {
		for _, one := range v.Group() {
			appendAttr(b, group+a.Key+".", one)
		}
		return
	}
	text := v.String()
	if text == "" || strings.ContainsAny(text, ` "=`) || strings.ContainsFunc(text, unprintable) {
		text = strconv.Quote(text)
	}
	b.WriteString(" " + group + a.Key + "=" + text)
}

// levelOf returns the name of a level, like JavaScript's console methods.
func levelOf(level slog.Level) string {
	switch {
	case level >= slog.LevelError:
		return "ERROR"
	case level >= slog.LevelWarn:
		return "WARN"
	case level >= slog.LevelInfo:
		return "LOG"
	}
	return "DEBUG"
}

// oneLine returns a text without line breaks and control characters.
func oneLine(text string) string {
	text = strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", `\n`)
	return strings.Map(func(r rune) rune {
		if unprintable(r) {
			return -1
		}
		return r
	}, text)
}

func unprintable(r rune) bool { return r != ' ' && !unicode.IsPrint(r) }
