package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/durable"
)

// Session is the content of a session file.
type Session struct {
	Header
	Path string
	// Entries are the history, without the messages that open a session. It is valid for any
	// model: each tool call has one result.
	Entries []agent.Entry
	// Interrupted are the calls at the end that have no result in the file, or only the note that
	// the process ended before them. Entries has a result for each.
	Interrupted []Call
	// Lost is the number of records that could not be read.
	Lost int
	// Omitted is the size of earlier records that were not read because the history is too long to be
	// continued, in bytes.
	Omitted int64

	// recorded is the history as the file has it; its differences from Entries are not recorded yet.
	// isExact reports whether each of its messages is a record with the same id, the header is there, and
	// there is no more in the file.
	recorded []agent.Entry
	isExact  bool
	// isObject reports whether the file is one object, to which no records can be appended.
	isObject bool
}

// TakesRecords reports whether records can be appended to the file. Files of old versions take none.
func (s *Session) TakesRecords() bool { return !s.isObject }

// Call is a tool call.
type Call struct {
	ID, Name string
	Args     json.RawMessage
}

// Resumed is a session file that is open for writing.
type Resumed struct {
	*Session
	log *log
}

// Open opens a session file to continue it, see [Journal.Resume]. The error is [ErrInUse] if another
// process has it open for longer than it takes to add a title. An incomplete last record stays as it is,
// and the next one begins on a line of its own.
func Open(path string) (*Resumed, error) {
	l, err := reopen(path)
	for i := 0; errors.Is(err, ErrInUse) && i < 5; i++ {
		time.Sleep(10 * time.Millisecond)
		l, err = reopen(path)
	}
	if err != nil {
		return nil, err
	}
	s, err := loadRecent(l.f, l.size)
	if err == nil && s.Pollux > version {
		err = ErrNewer
	}
	if err != nil {
		l.close()
		return nil, err
	}
	s.setPath(path)
	if s.isObject {
		return upgrade(l, s)
	}
	return &Resumed{s, l}, nil
}

// Close closes the file. It must not be called after [Journal.Resume].
func (r *Resumed) Close() { r.log.close() }

// Rewind records that a message and all after it are removed, and returns when that is on the disk.
func (r *Resumed) Rewind(id string) error {
	if err := r.log.append(appendRewind(nil, id)); err != nil {
		return err
	}
	return r.log.sync()
}

// LoadBeforeRewind reads a session file up to its last record that removes messages, as also the replacement
// by another conversation does. ok is false if
// there is none.
func LoadBeforeRewind(path string) (_ *Session, ok bool, _ error) {
	f, size, err := openRegular(path, 0)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	for sc := newScanner(f, size); ; {
		l, err := sc.previous()
		switch {
		case errors.Is(err, io.EOF):
			return nil, false, nil
		case err != nil:
			return nil, false, durable.Cause(err)
		case l.kind == rewindRecord:
			s, err := load(f, l.at)
			return s, true, err
		}
	}
}

// Load reads a session file.
func Load(path string) (*Session, error) { return loadFile(path, load) }

// LoadRecent reads the part of a session file that [Open] reads.
func LoadRecent(path string) (*Session, error) { return loadFile(path, loadRecent) }

func loadFile(path string, load func(io.ReaderAt, int64) (*Session, error)) (*Session, error) {
	f, size, err := openRegular(path, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := load(f, size)
	if err != nil {
		return nil, err
	}
	s.setPath(path)
	return s, nil
}

// setPath sets the path, and the id if its record is damaged.
func (s *Session) setPath(path string) {
	s.Path = path
	if s.SessionID == "" {
		s.SessionID = idFromName(path)
	}
}

// idFromName returns the id of a session of which only the name of its file is known.
func idFromName(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}

// openRegular opens a regular file for reading, with more flags, and returns its size in bytes. It does
// not wait for a pipe.
func openRegular(path string, flags int) (f *os.File, size int64, err error) {
	f, err = os.OpenFile(path, os.O_RDONLY|nonBlocking|flags, 0)
	if err != nil {
		return nil, 0, durable.Cause(err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, 0, durable.Cause(err)
	}
	return f, info.Size(), nil
}

// ErrNoSession is the error for a file that holds no session.
var ErrNoSession = errors.New("it is not the record of a session")

// ErrNewer is the error of [Open] for a session file whose records can mean something that this version of
// Pollux does not know. [Load] reads the known ones.
var ErrNewer = errors.New("a newer version of Pollux has written it")

// load reads the records from the last one back to the last one that replaces the whole history, and
// applies them in their order. If all records with the id are damaged, the session has none.
func load(r io.ReaderAt, size int64) (*Session, error) { return loadMost(r, size, math.MaxInt64) }

// maxHistory is the size of the longest history that can be continued, in bytes. No provider takes a
// larger request.
const maxHistory = 32 << 20

// loadRecent is load, but leaves out the beginning of a history that is too long.
func loadRecent(r io.ReaderAt, size int64) (*Session, error) { return loadMost(r, size, maxHistory) }

func loadMost(r io.ReaderAt, size, most int64) (*Session, error) {
	s := &Session{}
	st := &state{lines: &lineReader{r, size}, most: most, session: s, index: map[string]int{}}
	records, err := st.collect(newScanner(r, size))
	if err != nil {
		return nil, durable.Cause(err)
	}
	for _, l := range slices.Backward(records) {
		st.apply(l)
	}
	if s.SessionID == "" {
		if old, err := legacy(r, size); err == nil || len(st.items) == 0 {
			return old, err
		}
	}
	st.finish()
	s.isExact = s.isExact && s.SessionID != "" && s.Omitted == 0
	return s, nil
}

// state is the state of a session while its records are applied.
type state struct {
	lines   *lineReader
	most    int64 // maximum size of the messages, in bytes
	session *Session
	items   []item
	index   map[string]int // in items, by id
}

// item is a message of the history.
type item struct {
	id     string
	record *record // nil until it is read
	from   []line  // its records, the last one first
}

// collect returns the records that matter, the last one first.
func (st *state) collect(sc *scanner) ([]line, error) {
	var records []line
	messages, isReplaced := int64(0), false // the size of those that a later record does not replace
	for {
		l, err := sc.previous()
		switch {
		case errors.Is(err, io.EOF):
			return records, nil
		case err != nil:
			return nil, err
		case l.kind == unknownRecord:
			st.session.Lost++
			continue
		}
		switch l.kind {
		case messageRecord, rewindRecord:
			if isReplaced {
				continue
			}
			if messages += l.length; messages > st.most {
				st.session.Omitted = l.at + l.length
				return st.addHeader(records)
			}
		case replaceRecord:
			set, err := st.readSet(l)
			isReplaced = isReplaced || err == nil
			if err == nil && set.Pollux > 0 {
				return st.addHeader(append(records, l))
			}
		}
		records = append(records, l)
	}
}

// addHeader adds the first record of the file.
func (st *state) addHeader(records []line) ([]line, error) {
	const longest = 64 << 10
	head, err := st.lines.read(0, min(longest, st.lines.size))
	if err != nil {
		return nil, err
	}
	for i, c := range head {
		if c == '\n' {
			if k, _ := kindOf(head[:i]); k == headerRecord {
				records = append(records, line{at: 0, length: int64(i), kind: headerRecord})
			}
			break
		}
	}
	return records, nil
}

// apply applies a record. One that cannot be read changes nothing.
func (st *state) apply(l line) {
	switch l.kind {
	case headerRecord:
		st.setHeader(l)
	case setRecord:
		set, err := st.readSet(l)
		if err != nil {
			st.session.Lost++
			return
		}
		set.applyTo(&st.session.Header)
	case replaceRecord:
		set, err := st.readSet(l)
		if err != nil {
			st.session.Lost++
			return
		}
		set.applyTo(&st.session.Header)
		st.clear()
		for _, r := range set.messages {
			st.add(item{id: r.id, record: r})
		}
	case rewindRecord:
		if k, _ := st.kindAt(l); k != rewindRecord {
			st.session.Lost++
			return
		}
		st.rewind(l.id)
	case messageRecord:
		if i, ok := st.index[l.id]; ok {
			st.items[i].from = append([]line{l}, st.items[i].from...)
			return
		}
		st.add(item{id: l.id, from: []line{l}})
	}
}

func (st *state) kindAt(l line) (kind, string) {
	data, err := st.lines.read(l.at, l.length)
	if err != nil {
		return unknownRecord, ""
	}
	return kindOf(data)
}

func (st *state) add(it item) {
	if i, ok := st.index[it.id]; ok {
		st.items[i] = it
		return
	}
	st.index[it.id] = len(st.items)
	st.items = append(st.items, it)
}

func (st *state) clear() {
	st.items = nil
	clear(st.index)
}

// rewind removes a message and all after it; all messages if there is none with this id, as in Gemini
// CLI.
func (st *state) rewind(id string) {
	at := st.index[id] // 0 for none
	for _, it := range st.items[at:] {
		delete(st.index, it.id)
	}
	st.items = st.items[:at]
}

func (st *state) setHeader(l line) {
	data, err := st.lines.read(l.at, l.length)
	if err != nil {
		st.session.Lost++
		return
	}
	h, messages, err := decodeHeader(data)
	if err != nil {
		st.session.Lost++
		return
	}
	h.applyTo(&st.session.Header)
	for _, r := range messages {
		st.add(item{id: r.id, record: r})
	}
}

func (st *state) readSet(l line) (*set, error) {
	data, err := st.lines.read(l.at, l.length)
	if err != nil {
		return nil, err
	}
	return decodeSet(data)
}

// finish reads the messages and builds the history.
func (st *state) finish() {
	var records []*record
	for _, it := range st.items {
		if r := st.read(it); r != nil {
			records = append(records, r)
		}
	}
	s := st.session
	s.recorded, s.isExact = history(records)
	s.Entries, s.Interrupted = repair(s.recorded)
	if n := len(s.recorded); n > 0 && s.recorded[n-1].Time.After(s.Updated) {
		s.Updated = s.recorded[n-1].Time
	}
}

// read returns the record of a message: the last one that can be read; nil if none can.
func (st *state) read(it item) *record {
	for _, l := range it.from {
		data, err := st.lines.read(l.at, l.length)
		if err == nil {
			var r *record
			if r, err = decodeRecord(data); err == nil {
				return r
			}
		}
		st.session.Lost++
	}
	return it.record
}

// legacy reads a file of one JSON object, as older versions of Gemini CLI wrote it.
func legacy(r io.ReaderAt, size int64) (*Session, error) {
	const longest = 2 * maxLine
	if size > longest {
		return nil, fmt.Errorf("it is larger than %d MB", longest>>20)
	}
	data := make([]byte, size)
	if _, err := r.ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, durable.Cause(err)
	}
	h, messages, err := decodeHeader(data)
	if err != nil || h.SessionID == "" {
		return nil, ErrNoSession
	}
	s := &Session{isObject: true}
	h.applyTo(&s.Header)
	s.recorded, _ = history(messages)
	s.Entries, s.Interrupted = repair(s.recorded)
	return s, nil
}
