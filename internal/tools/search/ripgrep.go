package search

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/go-faster/jx"

	userprogram "pollux/internal/program"
)

// searchRipgrep has the user's ripgrep do the search. Its flags make it find
// what searchHere finds: no configuration or ignore files but git's.
//
// It goes by paths, which may lead anywhere by the time it opens them. So it
// only says where to look: what counts is what we find there ourselves.
func (q *query) searchRipgrep(ctx context.Context, program string) ([]fileHits, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	cmd := exec.CommandContext(ctx, program, q.ripgrepArgs()...)
	cmd.Dir = q.dir
	cmd.Env = []string{} // RIPGREP_CONFIG_PATH and a HOME with global ignores would count
	cmd.WaitDelay = time.Second
	userprogram.OwnGroup(cmd)
	stderr := &head{max: 2000}
	cmd.Stderr = stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("run ripgrep: %w", err)
	}
	if err := cmd.Start(); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("run ripgrep: %w", err)
	}
	found := &collector{left: q.total}
	readErr := q.readRipgrep(ctx, bufio.NewReaderSize(stdout, 64<<10), found)
	if readErr != nil { // it has nothing more to say that we want
		cancel(readErr)
	}
	waitErr := cmd.Wait()
	switch {
	case errors.Is(readErr, errEnough):
		return found.sorted(), nil
	case ctx.Err() != nil:
		return found.sorted(), context.Cause(ctx)
	case readErr != nil:
		return nil, readErr
	}
	// Status 1 is that there was nothing to find; 2 is also that some files
	// could not be read, about which it says nothing (--no-messages).
	if code := cmd.ProcessState.ExitCode(); code > 2 || code < 0 || (code == 2 && len(stderr.b) > 0) {
		return nil, fmt.Errorf("ripgrep: %w: %s", waitErr, bytes.TrimSpace(stderr.b))
	}
	if files := found.sorted(); q.file == "" || len(files) > 0 {
		return files, nil
	}
	// It does not say if there was nothing to find, or if it could not look.
	own := &scanner{open: q.w.Disk().Stream}
	_, err = own.confirm(ctx, filepath.Join(q.dir, q.file), nil)
	return nil, err
}

func (q *query) ripgrepArgs() []string {
	args := []string{
		"--no-config", "--json", "--no-messages", "--no-mmap", "--threads=4",
		"--no-ignore-dot", "--no-ignore-global", "--regexp=" + q.pattern.source,
	}
	if q.exclude == nil {
		args = append(args, "--max-count="+strconv.Itoa(min(q.perFile, q.total)))
	}
	if q.include != nil {
		args = append(args, "--glob="+q.include.source)
	}
	if q.noIgnore {
		args = append(args, "--no-ignore")
	} else {
		if !q.w.DefaultFilter().Git {
			args = append(args, "--no-ignore-vcs", "--no-ignore-exclude")
		}
		for _, list := range [][]string{coreDirs, extraDirs} {
			for _, dir := range list {
				args = append(args, "--glob=!**/"+dir+"/**")
			}
		}
		args = append(args, "--glob=!*.log", "--glob=!*.tmp")
	}
	if q.file != "" {
		return append(args, "--", "./"+q.file)
	}
	return append(args, "--", "./")
}

// readRipgrep reads messages and adds the hits of each file when it is
// complete. It returns errEnough when there is no room for more.
func (q *query) readRipgrep(ctx context.Context, r *bufio.Reader, found *collector) error {
	limit := min(q.perFile, q.total)
	own := &scanner{open: q.w.Disk().Stream}
	var hits []hit
	for {
		raw, err := readMessage(r)
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("read from ripgrep: %w", err)
		}
		m := parseMessage(raw)
		switch m.kind {
		case "begin":
			hits = nil
		case "match":
			text := m.text[:min(len(m.text), keptLine)]
			drop, err := q.exclude.drops(bytes.TrimRight(text, "\n"))
			if err != nil {
				return err
			}
			if !drop && len(hits) < limit {
				hits = append(hits, hit{m.line, lineText(text)})
			}
		case "end":
			path := filepath.Join(q.dir, filepath.FromSlash(m.path))
			if m.binary && q.file != "" {
				return &unsearched{errBinary}
			}
			if m.binary || len(hits) == 0 || (!q.noIgnore && q.w.Ignored(path, false, q.w.DefaultFilter())) {
				continue
			}
			if hits, err = own.confirm(ctx, path, hits); err != nil && q.file != "" {
				return err
			}
			if found.add(path, hits) {
				return errEnough
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// rgMessage is what counts of a line of ripgrep's JSON output.
type rgMessage struct {
	kind   string
	path   string
	text   []byte
	line   int
	binary bool
}

// parseMessage reads a message as far as it is one: the end of a huge one is missing.
func parseMessage(raw []byte) rgMessage {
	var m rgMessage
	d := jx.DecodeBytes(raw)
	_ = d.Obj(func(d *jx.Decoder, key string) (err error) { // what was read before an error is good
		switch key {
		case "type":
			m.kind, err = d.Str()
			return err
		case "data":
			return d.Obj(m.field)
		}
		return d.Skip()
	})
	return m
}

func (m *rgMessage) field(d *jx.Decoder, key string) error {
	switch key {
	case "path":
		path, err := anyText(d)
		m.path = string(path)
		return err
	case "lines":
		text, err := anyText(d)
		m.text = text
		return err
	case "line_number":
		if d.Next() != jx.Number {
			return d.Skip()
		}
		line, err := d.Int()
		m.line = line
		return err
	case "binary_offset":
		m.binary = d.Next() != jx.Null
	}
	return d.Skip()
}

// anyText reads {"text": ...}, or {"bytes": base64} for what is not UTF-8.
func anyText(d *jx.Decoder) (text []byte, err error) {
	err = d.Obj(func(d *jx.Decoder, key string) error {
		s, err := d.Str()
		if err != nil {
			return err
		}
		text = []byte(s)
		if key == "bytes" {
			s = s[:len(s)/4*4] // it may have been cut
			text, _ = base64.StdEncoding.DecodeString(s)
		}
		return nil
	})
	return text, err
}

const (
	// maxString is how much of a string in a message is kept: enough for
	// keptLine bytes however they are escaped.
	maxString = 6 * keptLine
	// maxMessage is how much of a message is kept.
	maxMessage = 4 * maxString
)

// readMessage reads a message. Of one that is too long for memory it keeps the
// beginning, its strings shortened: a line of gigabytes gives one such message.
func readMessage(r *bufio.Reader) ([]byte, error) {
	raw, err := r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		if errors.Is(err, io.EOF) && len(raw) > 0 {
			err = nil // killed while writing, or about to end
		}
		return raw, err
	}
	var s shortener
	for {
		s.write(raw)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return s.out, err
		}
		raw, err = r.ReadSlice('\n')
	}
}

// shortener copies JSON and leaves out the end of long strings.
type shortener struct {
	out      []byte
	inString bool
	length   int // of the string so far
	escape   int // bytes that an escape sequence still needs
}

func (s *shortener) write(raw []byte) {
	for _, c := range raw {
		if len(s.out) >= maxMessage {
			return
		}
		keep := true
		switch {
		case !s.inString:
			s.inString, s.length = c == '"', 0
		case s.escape > 0:
			if s.escape--; s.escape == 0 && c == 'u' {
				s.escape = -4
			}
			keep = s.length <= maxString
		case s.escape < 0:
			s.escape++
			keep = s.length <= maxString
		case c == '"':
			s.inString = false
		default:
			s.length++
			keep = s.length <= maxString
			if c == '\\' {
				s.escape = 1
			}
		}
		if keep {
			s.out = append(s.out, c)
		}
	}
}

// head keeps the beginning of what is written to it.
type head struct {
	b   []byte
	max int
}

func (h *head) Write(p []byte) (int, error) {
	h.b = append(h.b, p[:min(len(p), h.max-len(h.b))]...)
	return len(p), nil
}
