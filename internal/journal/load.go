package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pollux/agent"
	"pollux/internal/crash"
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
	open     openCalls // calls of the last response
	// isObject reports whether the file is one object, to which no records can be appended.
	isObject bool
}

// TakesRecords reports whether records can be appended to the file. Files of old versions take none.
func (s *Session) TakesRecords() bool { return !s.isObject }

// MarkInUse notes that another process has the session open, which may still run the calls at the end that have no
// result: their results then leave open whether they ran.
func (s *Session) MarkInUse() {
	s.Entries, _ = repair(s.recorded, openCalls{ended: s.open.ended})
	s.Interrupted = nil
}

// Call is a tool call.
type Call struct {
	ID, Name string
	Args     json.RawMessage
	HasRun   bool // it began to run, or may have begun
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
	s, err := load(l.f, l.size, maxHistory)
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
			s, err := load(f, l.at, math.MaxInt64)
			return s, true, err
		}
	}
}

// Load reads a session file.
func Load(path string) (*Session, error) { return loadFile(path, math.MaxInt64) }

// LoadRecent reads the part of a session file that [Open] reads.
func LoadRecent(path string) (*Session, error) { return loadFile(path, maxHistory) }

func loadFile(path string, most int64) (*Session, error) {
	f, size, err := openRegular(path, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := load(f, size, most)
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

// maxHistory is the size of the longest history that can be continued, in bytes. No provider takes a
// larger request.
const maxHistory = 32 << 20

// load reads the records from the last one back to the last one that replaces the whole history, and
// applies them in their order. It leaves out the beginning of a history of more than most bytes. If all
// records with the id are damaged, the session has none.
func load(r io.ReaderAt, size, most int64) (*Session, error) {
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
	first, _, isLine := bytes.Cut(head, []byte("\n"))
	if k, _ := kindOf(first); isLine && k == headerRecord {
		records = append(records, line{at: 0, length: int64(len(first)), kind: headerRecord})
	}
	return records, nil
}

// apply applies a record. One that cannot be read changes nothing.
func (st *state) apply(l line) {
	switch l.kind {
	case headerRecord, setRecord, replaceRecord:
		set, err := st.readSet(l)
		if err != nil {
			st.session.Lost++
			return
		}
		set.applyTo(&st.session.Header)
		switch l.kind {
		case setRecord:
			if set.begun != nil {
				st.add(item{id: fmt.Sprintf("\x00%d", l.at), record: &record{kind: begunRecord, begun: *set.begun}})
			}
			return
		case replaceRecord:
			st.items = nil
			clear(st.index)
		}
		for _, r := range set.messages {
			st.add(item{id: r.id, record: r})
		}
	case rewindRecord:
		data, _ := st.lines.read(l.at, l.length) // of an unknown kind if it cannot be read
		if k, _ := kindOf(data); k != rewindRecord {
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

func (st *state) add(it item) {
	if i, ok := st.index[it.id]; ok {
		st.items[i] = it
		return
	}
	st.index[it.id] = len(st.items)
	st.items = append(st.items, it)
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

func (st *state) readSet(l line) (*set, error) {
	data, err := st.lines.read(l.at, l.length)
	if err != nil {
		return nil, err
	}
	if l.kind == headerRecord {
		return decodeMembers(data)
	}
	return decodeSet(data)
}

// finish reads the messages and builds the history.
func (st *state) finish() {
	s := st.session
	s.setHistory(st.readItems())
	if n := len(s.recorded); n > 0 && s.recorded[n-1].Time.After(s.Updated) {
		s.Updated = s.recorded[n-1].Time
	}
}

func (s *Session) setHistory(records []*record) {
	var open openCalls
	s.recorded, s.isExact, open = history(records)
	s.Entries, s.Interrupted = repair(s.recorded, open)
	s.open = open
}

// readItems returns the records of the messages that can be read. Decoding a long history takes most of the
// time of a resume, so all processors share it.
func (st *state) readItems() []*record {
	const batch = 32 // messages
	records := make([]*record, len(st.items))
	var lost, next atomic.Int64
	var work sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (len(st.items)+batch-1)/batch) {
		work.Go(func() {
			defer crash.Recover()
			for from := next.Add(batch) - batch; from < int64(len(records)); from = next.Add(batch) - batch {
				for i := from; i < min(from+batch, int64(len(records))); i++ {
					r, n := st.lines.record(st.items[i])
					records[i] = r
					lost.Add(n)
				}
			}
		})
	}
	work.Wait()
	st.session.Lost += int(lost.Load())
	return slices.DeleteFunc(records, func(r *record) bool { return r == nil })
}

// record returns the record of a message, the last one that can be read, nil if none can, and the number of
// those that cannot. It may be called from several goroutines at once.
func (lr *lineReader) record(it item) (r *record, lost int64) {
	for _, l := range it.from {
		data, err := lr.read(l.at, l.length)
		if err == nil {
			if r, err := decodeRecord(data); err == nil {
				return r, lost
			}
		}
		lost++
	}
	return it.record, lost
}

// legacy reads a file of one JSON object, as older versions of Gemini CLI wrote it.
func legacy(r io.ReaderAt, size int64) (*Session, error) {
	const longest = 2 * maxLine
	if size > longest {
		return nil, fmt.Errorf("it is larger than %d MB", longest>>20)
	}
	data := make([]byte, size)
	if err := readAt(r, data, 0); err != nil {
		return nil, durable.Cause(err)
	}
	h, err := decodeMembers(data)
	if err != nil || h.SessionID == "" {
		return nil, ErrNoSession
	}
	s := &Session{isObject: true}
	h.applyTo(&s.Header)
	s.setHistory(h.messages)
	return s, nil
}
