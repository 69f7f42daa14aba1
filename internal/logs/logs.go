// Package logs keeps the logs of sessions on disk, in the directory "logs" of a project:
//
//	session-<id>.jsonl      the events of a session: one JSON object a line (a [Log])
//	session-<id>.crash.txt  the report of a crash in the session (a [Report])
//
// The files have mode 0600 and a maximum size, and only the newest are kept. They contain no secrets
// that Pollux recognizes. [Read] and [Format] show a log to people.
package logs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"pollux/internal/durable"
)

const (
	dirName      = "logs"
	prefix       = "session-"
	logSuffix    = ".jsonl"
	reportSuffix = ".crash.txt"
	// maxLogs and maxReports are the numbers of files that are kept of a project.
	maxLogs    = 20
	maxReports = 5
)

// Path returns the path of a session's log, given the directory of its project's files.
func Path(project, id string) string {
	return filepath.Join(project, dirName, prefix+id+logSuffix)
}

// ReportPath returns the path of the report of a session's crash.
func ReportPath(project, id string) string {
	return filepath.Join(project, dirName, prefix+id+reportSuffix)
}

// Newest returns the id of the session that wrote to its log last, or crashed last, "" if there are
// no logs.
func Newest(project string) string {
	var newest string
	var at time.Time
	for _, f := range list(filepath.Join(project, dirName), "") {
		name := strings.TrimPrefix(f.Name(), prefix)
		id, isLog := strings.CutSuffix(name, logSuffix)
		id, isReport := strings.CutSuffix(id, reportSuffix)
		if (isLog || isReport) && f.ModTime().After(at) {
			newest, at = id, f.ModTime()
		}
	}
	return newest
}

// list returns the regular files of sessions in a directory whose names have a suffix.
func list(dir, suffix string) []fs.FileInfo {
	entries, _ := os.ReadDir(dir) // the directory may not exist
	var files []fs.FileInfo
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasPrefix(e.Name(), prefix) || !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		if info, err := e.Info(); err == nil {
			files = append(files, info)
		}
	}
	return files
}

// prune deletes all but the newest n files whose names have a suffix.
func prune(dir, suffix string, n int) {
	files := list(dir, suffix)
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, f := range files[min(n, len(files)):] {
		_ = os.Remove(filepath.Join(dir, f.Name())) // the next log tries again
	}
}

// open opens a file of a session for writing. It creates the file and the directory, accessible only
// to the user, and does not follow links out of the directory.
func open(project, name string, flags int) (*os.File, error) {
	if !filepath.IsLocal(name) || strings.ContainsAny(name, `/\:`) {
		return nil, errors.New("the id of the session is not the name of a file")
	}
	dir := filepath.Join(project, dirName)
	if err := durable.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return nil, errors.New(dir + " is not a directory")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, durable.Cause(err)
	}
	defer root.Close()
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|syscall.O_NONBLOCK|flags, 0o600)
	if err != nil {
		return nil, durable.Cause(err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close() // nothing was written
		return nil, errors.New("it is not a regular file")
	}
	return f, nil
}

// ParseSince returns the time that a text names: an age such as "90s", "10m", "2h" or "3d", a time of
// today such as "15:04", or a date, with a time or without.
func ParseSince(text string, now time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return now.AddDate(0, 0, -int(n)), nil
		}
	}
	if age, err := time.ParseDuration(text); err == nil && age >= 0 {
		return now.Add(-age), nil
	}
	for _, layout := range [...]string{"15:04", "15:04:05"} {
		if t, err := time.Parse(layout, text); err == nil {
			return time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), t.Second(), 0, now.Location()), nil
		}
	}
	for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is neither an age such as 10m or 2d nor a time such as 15:04 or 2026-01-31", text)
}
