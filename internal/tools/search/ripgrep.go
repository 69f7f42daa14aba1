package search

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"github.com/go-faster/jx"

	"pollux/internal/process"
	"pollux/internal/workspace"
)

// searchRipgrep runs the search on the user's ripgrep. The flags give it the results of
// searchInProcess: ripgrep reads no configuration and only git's ignore files.
//
// Ripgrep opens files by path, and a path may lead out of the workspace by then. Therefore
// the lines that it finds count only if they are in the file that the workspace opens.
//
// Ripgrep does not detect encodings. It searches directories for ASCII, whose bytes are the same in all
// encodings, and files that are not UTF-8 are searched again.
func (q *query) searchRipgrep(ctx context.Context, launcher process.Launcher, program string) (*found, error) {
	stderr := &process.Head{Max: 2000}
	cmd := &process.Command{
		For:  process.Purpose{Kind: process.KindSearch, Origin: process.OriginPollux},
		Name: "ripgrep", Path: program, Args: q.ripgrepArgs(), Dir: q.dir,
		Env:    nil, // hides RIPGREP_CONFIG_PATH and the global ignore files in HOME
		Stderr: stderr,
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("run ripgrep: %w", err)
	}
	defer stdout.Close()
	p, err := launcher.Start(ctx, cmd)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("run ripgrep: %w", err)
	}
	c := q.newCollector()
	readErr := q.readRipgrep(ctx, bufio.NewReaderSize(stdout, 64<<10), c)
	if readErr != nil { // the rest of its output is not needed
		p.Kill()
	}
	status, _ := p.Wait() // the error is ctx's
	switch {
	case errors.Is(readErr, errEnough):
		return c.result(), nil
	case ctx.Err() != nil:
		return c.result(), context.Cause(ctx)
	case readErr != nil:
		return nil, readErr
	}
	// Status 1 means no match. Status 2 is an error; without a message it means that some
	// files could not be read (--no-messages hides that).
	if text := stderr.Text(); status.Code > 2 || status.Code < 0 || (status.Code == 2 && text != "") {
		return nil, fmt.Errorf("ripgrep: %s: %s", status, text)
	}
	return c.result(), nil
}

// hasIrregularIgnoreFile reports whether ripgrep would open an ignore file that is no regular file:
// a FIFO, which blocks it, or a device, which fills its memory. It visits the directories that
// ripgrep visits, in about a tenth of the time that ripgrep takes.
func (q *query) hasIrregularIgnoreFile(ctx context.Context) bool {
	if q.noIgnore || !q.w.DefaultFilter().Git {
		return false // ripgrep reads no ignore files
	}
	for dir := q.dir; ; dir = filepath.Dir(dir) {
		if workspace.HasIrregularIgnoreFile(dir) {
			return true
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	var found atomic.Bool
	o := workspace.WalkOptions{Prune: func(rel, name string) bool {
		if name == ".git" {
			return true
		}
		if workspace.HasIrregularIgnoreFile(filepath.Join(q.dir, rel)) {
			found.Store(true)
		}
		return found.Load() || q.isExcludedDir(name)
	}}
	if q.include == nil { // a glob makes ripgrep enter ignored directories
		o.Filter = q.w.DefaultFilter()
	}
	_ = q.w.Walk(ctx, q.dir, o, func(workspace.Entry) error { // ripgrep reports its errors, too
		if found.Load() {
			return fs.SkipAll
		}
		return nil
	})
	return found.Load()
}

func (q *query) ripgrepArgs() []string {
	args := []string{
		"--no-config", "--json", "--no-messages", "--no-mmap", "--threads=4",
		"--no-ignore-dot", "--no-ignore-global", "--hidden", "--regexp=" + q.pattern.source,
	}
	if q.exclude == nil {
		args = append(args, "--max-count="+strconv.Itoa(q.countLimit()))
	}
	if q.include != nil {
		args = append(args, "--glob="+q.include.ripgrep)
	}
	if q.noIgnore {
		args = append(args, "--no-ignore")
	} else {
		if !q.w.DefaultFilter().Git {
			args = append(args, "--no-ignore-vcs", "--no-ignore-exclude")
		}
		for _, list := range [][]string{coreDirs, extraDirs} {
			for _, dir := range list {
				if q.isExcludedDir(dir) {
					args = append(args, "--glob=!**/"+dir+"/**")
				}
			}
		}
		if !q.include.isExplicit() {
			args = append(args, "--glob=!*.log", "--glob=!*.tmp")
		}
	}
	return append(args, "--glob=!.git", "--glob=!"+workspace.UndoPrefix+"*", "--", "./")
}

// readRipgrep reads ripgrep's messages and adds the matches of each file to c when the file is
// complete. It returns errEnough when the search should stop.
func (q *query) readRipgrep(ctx context.Context, r *bufio.Reader, c *collector) error {
	limit := q.countLimit()
	fileScanner := q.newScanner()
	var hits []hit
	count := 0
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
			hits, count = nil, 0
		case "match":
			if count >= limit {
				continue
			}
			text := m.text[:min(len(m.text), keptLine)]
			drop, err := q.exclude.matchesLine(bytes.TrimRight(text, "\n"))
			if err != nil {
				return err
			}
			if drop {
				continue
			}
			if count++; len(hits) < q.keep() {
				hits = append(hits, hit{line: m.line, text: lineText(text)})
			}
		case "end":
			path := filepath.Join(q.dir, filepath.FromSlash(m.path))
			if isPrivatePath(filepath.ToSlash(m.path)) {
				continue
			}
			if m.binary || count == 0 || workspace.IsSecret(filepath.Base(path)) || (!q.noIgnore && q.w.Ignored(path, false, q.w.DefaultFilter())) {
				continue
			}
			f, err := fileScanner.confirm(ctx, q.pattern, q.fileHits(path, hits, count), count >= limit)
			if errors.Is(err, errLegacy) {
				f, err = fileScanner.search(ctx, q, path) // ripgrep knows the bytes, not the text
			}
			if err == nil && c.add(f) {
				return errEnough
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// rgMessage is a line of ripgrep's JSON output.
type rgMessage struct {
	kind   string
	path   string
	text   []byte
	line   int
	binary bool
}

// parseMessage decodes a message. The end of a huge message may be missing; the fields before
// it are decoded.
func parseMessage(raw []byte) rgMessage {
	var m rgMessage
	d := jx.DecodeBytes(raw)
	_ = d.Obj(func(d *jx.Decoder, key string) (err error) { // the fields before an error are valid
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
		path, err := readText(d)
		m.path = string(path)
		return err
	case "lines":
		text, err := readText(d)
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

// readText decodes {"text": ...}, or {"bytes": base64}, which ripgrep sends for invalid UTF-8.
func readText(d *jx.Decoder) (text []byte, err error) {
	err = d.Obj(func(d *jx.Decoder, key string) error {
		s, err := d.Str()
		if err != nil {
			return err
		}
		text = []byte(s)
		if key == "bytes" {
			s = s[:len(s)/4*4] // the end may have been cut off
			text, _ = base64.StdEncoding.DecodeString(s)
		}
		return nil
	})
	return text, err
}

const (
	// maxString limits the kept part of a string in a message: enough for keptLine bytes
	// in any escaping.
	maxString = 6 * keptLine
	// maxMessage limits the kept part of a message.
	maxMessage = 4 * maxString
)

// readMessage reads a message. It shortens the strings of a message that is longer than the
// buffer, and cuts it at maxMessage bytes: a line of gigabytes results in one such message.
func readMessage(r *bufio.Reader) ([]byte, error) {
	raw, err := r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		if errors.Is(err, io.EOF) && len(raw) > 0 {
			err = nil // ripgrep was killed while it wrote, or is about to exit
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

// shortener copies JSON without the ends of long strings.
type shortener struct {
	out      []byte
	inString bool
	length   int // length of the string so far
	escape   int // bytes missing in the current escape sequence
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
