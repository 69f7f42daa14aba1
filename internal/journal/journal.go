package journal

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"pollux/agent"
	"pollux/internal/crash"
	"pollux/internal/durable"
	"pollux/llm"
)

// Options configure a [Journal]. Dir must be set.
type Options struct {
	// Dir returns the directory of the session files. It is called once, for the first record.
	Dir func() (string, error)
	// ProjectHash identifies the project, see config.Paths.
	ProjectHash string
	Kind        string // "" is Main
	// Directories returns the workspace's directories beside the project's; nil means none.
	Directories func() []string
	// SkillFolders returns the directories of activated skills outside of the workspace; nil means
	// none.
	SkillFolders func() []string
	// Warn reports why the session is not recorded any more, or continues in another file. nil
	// drops it.
	Warn func(text string)
	// Now returns the time; nil is time.Now.
	Now func() time.Time
	// Mask removes secrets from lines of records before they are written, and keeps their members; nil
	// keeps the secrets. The history in memory is not changed.
	Mask func(lines []byte) []byte
}

// Journal records the conversations of an agent. It creates a session's file with the first message
// after the opening ones, so that a session without a prompt leaves no file. If a record cannot be
// written, it warns once and records nothing more of the session.
type Journal struct {
	o Options

	// findDir returns the directory of the session files, makeDir creates it. Each does its work once.
	findDir  func() (string, error)
	makeDir  func() (string, error)
	prepared sync.WaitGroup // of Prepare

	mu      sync.Mutex
	resumed *Resumed // the session that a Begin with its id continues, nil for none
	origin  *Session // the session that a Begin with the id copy copies, nil for none
	copy    string
	note    string // for people, in the copy
	current session
}

// session is the session that a journal records.
type session struct {
	header Header
	log    *log          // nil until there is something to record
	live   []agent.Entry // the history in the file
	isOff  bool          // recording has failed

	// history is the argument of Begin, if isBegun, until it is recorded.
	history []agent.Message
	isBegun bool
	// calls are those of the messages of a resumed session, by the messages' ids. isForeign reports
	// that the file holds its history in another form than live.
	calls     map[string][]agent.CallRecord
	isForeign bool
	note      string                  // for people, at the beginning of the file
	spent     []byte                  // records of requests that are not in the file yet
	running   []func(b []byte) []byte // append the records of the calls of the last response, until there is the message with their results
	isAhead   bool                    // the last of live is not in the agent's history yet
}

var (
	_ agent.Journal      = (*Journal)(nil)
	_ agent.Spender      = (*Journal)(nil)
	_ agent.CallRecorder = (*Journal)(nil)
)

// New returns a journal.
func New(o Options) *Journal {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if o.Kind == "" {
		o.Kind = Main
	}
	if o.Mask == nil {
		o.Mask = func(lines []byte) []byte { return lines }
	}
	j := &Journal{o: o, findDir: sync.OnceValues(o.Dir)}
	j.makeDir = sync.OnceValues(func() (string, error) {
		dir, err := j.findDir()
		if err != nil {
			return "", err
		}
		return dir, durable.Cause(os.MkdirAll(dir, 0o700)) // log.sync syncs it
	})
	return j
}

// Prepare creates the directory of the session files in the background, and masks an empty record, so that the first one
// waits for neither. Call it only for sessions that will have one.
func (j *Journal) Prepare() {
	j.prepared.Go(func() {
		defer crash.Recover()
		_, _ = j.makeDir()       // the first record reports the error
		j.o.Mask([]byte("{}\n")) // the first time, it learns what secrets look like
	})
}

// Resume makes the next Begin with the id of this session continue its file. The journal closes it.
func (j *Journal) Resume(r *Resumed) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.resumed != nil {
		j.resumed.Close()
	}
	j.resumed = r
}

// Fork makes the next Begin with this id begin a new session as a copy of another one. The history of
// the Begin must be that of the other session. note, if not "", is recorded for people.
func (j *Journal) Fork(origin *Session, id, note string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.origin, j.copy, j.note = origin, id, note
}

// Begin implements [agent.Journal].
func (j *Journal) Begin(_ context.Context, id string, history []agent.Message) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := &j.current
	switch r := j.resumed; {
	case r != nil && r.SessionID == id:
		s.close()
		*s = session{header: r.Header, log: r.log, live: r.recorded, calls: callsOf(r.Entries), isForeign: !r.isExact}
		j.resumed = nil
	case j.origin != nil && j.copy == id:
		s.close()
		*s = session{header: j.newHeader(id), calls: callsOf(j.origin.Entries), note: j.note}
		s.header.ForkOf, s.header.Summary = j.origin.SessionID, j.origin.Summary
		j.origin = nil
	case s.header.SessionID != id:
		s.close()
		*s = session{header: j.newHeader(id)}
	}
	s.history, s.isBegun = history, true
	s.running, s.isAhead = nil, false
	return nil
}

func (j *Journal) newHeader(id string) Header {
	now := j.o.Now()
	return Header{SessionID: id, ProjectHash: j.o.ProjectHash, Start: now, Updated: now, Kind: j.o.Kind, Pollux: version}
}

// callsOf returns the calls of messages, by the messages' ids.
func callsOf(entries []agent.Entry) map[string][]agent.CallRecord {
	calls := map[string][]agent.CallRecord{}
	for _, e := range entries {
		calls[e.ID] = e.Calls
	}
	return calls
}

// Append implements [agent.Journal].
func (j *Journal) Append(_ context.Context, e agent.Entry) error {
	return j.change(func(s *session) ([]byte, []agent.Entry) {
		if IsContext(e.Message) {
			return nil, s.live
		}
		s.running = nil
		if last := len(s.live) - 1; s.isAhead && s.live[last].ID == e.ID {
			s.isAhead = false
			return s.update(e), s.live
		}
		return appendMessage(nil, e), append(s.live, e)
	})
}

// Rewind implements [agent.Journal].
func (j *Journal) Rewind(_ context.Context, id string) error {
	return j.change(func(s *session) ([]byte, []agent.Entry) {
		at := slices.IndexFunc(s.live, func(e agent.Entry) bool { return e.ID == id })
		if at < 0 {
			return nil, s.live // an opening message
		}
		s.running, s.isAhead = nil, false
		return appendRewind(nil, id), s.live[:at:at]
	})
}

// Replace implements [agent.Journal].
func (j *Journal) Replace(_ context.Context, history []agent.Message) error {
	return j.change(func(s *session) ([]byte, []agent.Entry) {
		if s.isAhead {
			history = append(slices.Clone(history), s.live[len(s.live)-1].Message)
		}
		return s.difference(history, j.o.Now())
	})
}

// difference returns the records that make history the current one, and the entries that are then
// live. It writes unchanged entries again only if the order changes.
func (s *session) difference(history []agent.Message, now time.Time) ([]byte, []agent.Entry) {
	history = withoutContext(history)
	live := make([]agent.Entry, len(history))
	known := map[string]int{}
	for i, e := range s.live {
		known[e.ID] = i
	}
	isInOrder := !s.isForeign
	same := 0 // number of messages at the beginning that the file has, with this or another content
	for i, m := range history {
		at, isKnown := known[m.ID]
		if m.Time.IsZero() { // of a history that does not know it
			m.Time = now
		}
		live[i] = agent.Entry{Message: m, Calls: s.calls[m.ID]}
		if isKnown && len(s.live[at].Calls) > len(live[i].Calls) { // else a repair has added calls
			live[i].Calls = s.live[at].Calls
		}
		switch {
		case isKnown && at == i && same == i:
			same++
		case isKnown:
			isInOrder = false
		}
	}
	// A rewind to the first message would have the next reader look through all that precedes it.
	isAllNew := same == 0 && len(live) > 0 && len(s.live) > 0
	if !isInOrder || isAllNew {
		s.header.Updated, s.isForeign = now, false
		if s.isAhead { // it joins the history now, and is not to be written once more because of its time
			live[len(live)-1].Time = now
		}
		return appendSet(nil, live, &s.header), live
	}
	var b []byte
	for i := range same {
		switch {
		case len(live[i].Calls) > len(s.live[i].Calls):
			b = appendMessage(b, live[i])
		case live[i].Content != s.live[i].Content:
			b = append(appendMessageValue(b, live[i].Message), '\n')
		}
	}
	if same < len(s.live) {
		b = appendRewind(b, s.live[same].ID)
	}
	for _, e := range live[same:] {
		b = appendMessage(b, e)
	}
	return b, live
}

// isReplacedBy reports whether another history has none of the messages in the file.
func (s *session) isReplacedBy(live []agent.Entry) bool {
	return len(s.live) > 0 && len(live) > 0 && !slices.ContainsFunc(live, func(e agent.Entry) bool {
		return slices.ContainsFunc(s.live, func(other agent.Entry) bool { return other.ID == e.ID })
	})
}

// change writes the records of one change, after those that Begin has left to do.
func (j *Journal) change(records func(*session) ([]byte, []agent.Entry)) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := &j.current
	if s.isOff {
		return nil
	}
	if s.log == nil {
		if err := j.create(); err != nil {
			return j.stop(err)
		}
	}
	if s.isBegun {
		s.isBegun = false
		lines, live := s.difference(s.history, j.o.Now())
		if s.isReplacedBy(live) { // for [LoadBeforeRewind]
			lines = append(appendRewind(nil, s.live[0].ID), lines...)
		}
		if err := j.write(lines, live); err != nil {
			return err
		}
		s.history = nil
	}
	return j.write(records(s))
}

// write writes lines, after which live is the history. If another program has written to the file, it
// continues in another one.
func (j *Journal) write(lines []byte, live []agent.Entry) error {
	s := &j.current
	if len(lines) > 0 {
		err := s.log.append(j.o.Mask(lines))
		if errors.Is(err, errForeign) {
			return j.branch(live)
		}
		if err != nil {
			return j.stop(err)
		}
		s.log.syncSoon()
	}
	s.live = live
	return nil
}

// stop ends the recording of the session after an error.
func (j *Journal) stop(err error) error {
	j.current.isOff = true
	j.current.close()
	j.o.Warn("Warning: This session is not recorded from here on: " + err.Error() + ".")
	return err
}

// Calls returns the finished calls of the current history, by the ids of the messages with their
// results.
func (j *Journal) Calls() map[string][]agent.CallRecord {
	j.mu.Lock()
	defer j.mu.Unlock()
	calls := maps.Clone(j.current.calls)
	if calls == nil {
		calls = map[string][]agent.CallRecord{}
	}
	for _, e := range j.current.live {
		if len(e.Calls) > 0 {
			calls[e.ID] = e.Calls
		}
	}
	return calls
}

// Branch makes the next Begin with this id begin a new session as a copy of the current one, which
// stays as it is. The history of the Begin must be a part of the current one.
func (j *Journal) Branch(id string) {
	origin := &Session{}
	for message, calls := range j.Calls() {
		origin.Entries = append(origin.Entries, agent.Entry{Message: agent.Message{ID: message}, Calls: calls})
	}
	j.mu.Lock()
	origin.Header = j.current.header
	j.mu.Unlock()
	j.Fork(origin, id, "Copy of session "+origin.SessionID)
}

// Sync returns when all records are on the disk.
func (j *Journal) Sync() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.current.log == nil {
		return nil
	}
	switch err := j.current.log.sync(); {
	case isStale(err):
		return j.branch(j.current.live)
	case err != nil:
		return j.stop(err)
	}
	return nil
}

// SetSummary records the title of the session, if there is a record of it.
func (j *Journal) SetSummary(text string) error {
	return j.set(func(h *Header) string {
		h.Summary = text
		return summaryMember(text)
	})
}

// SetDirectories records the workspace's directories beside the project's, if there is a record of the
// session.
func (j *Journal) SetDirectories(dirs []string) error {
	return j.set(func(h *Header) string {
		h.Directories = dirs
		list, _ := json.Marshal(dirs) // strings
		return `"directories":` + string(list)
	})
}

// SetSkillFolders records the directories of activated skills, if there is a record of the session.
func (j *Journal) SetSkillFolders(dirs []string) error {
	return j.set(func(h *Header) string {
		h.SkillFolders = dirs
		list, _ := json.Marshal(dirs) // strings
		return `"skillFolders":` + string(list)
	})
}

// Touch records that the session was used until now. Gemini CLI reads it to decide which sessions are
// old.
func (j *Journal) Touch() error {
	return j.set(func(h *Header) string {
		h.Updated = j.o.Now()
		return `"lastUpdated":"` + formatTime(h.Updated) + `"`
	})
}

// Spend records the usage of a request beside the conversation, for statistics.
func (j *Journal) Spend(r Request) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := &j.current
	if s.isOff {
		return nil
	}
	s.spent = appendRequest(s.spent, r, j.o.Now())
	if s.log == nil {
		return nil
	}
	err := j.write(s.spent, s.live)
	s.spent = nil
	return err
}

// SpendMain implements [agent.Spender].
func (j *Journal) SpendMain(model string, usage *llm.Usage, took time.Duration) error {
	return j.Spend(Request{Use: llm.UseMain, Model: model, Usage: usage, Took: took})
}

// set records a new value of a member of the header.
func (j *Journal) set(member func(*Header) string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := &j.current
	if s.log == nil || s.isOff {
		return nil
	}
	return j.write([]byte(`{"$set":{`+member(&s.header)+"}}\n"), s.live)
}

// Path returns the path of the session's file; before there is one, the path that it will have if
// there is no such file then. It is "" if the session is not recorded.
func (j *Journal) Path() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.current.isOff:
		return ""
	case j.current.log == nil:
		dir, err := j.findDir()
		if err != nil {
			return ""
		}
		return filepath.Join(dir, j.names()[0]+".jsonl")
	}
	return j.current.log.path
}

// IsRecorded reports whether the session has a file.
func (j *Journal) IsRecorded() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.current.log != nil
}

// Close closes the session's file after all records are on the disk.
func (j *Journal) Close() error {
	j.prepared.Wait()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.resumed != nil {
		j.resumed.Close()
		j.resumed = nil
	}
	j.current.close()
	return nil
}

func (s *session) close() {
	if s.log != nil {
		s.log.close()
		s.log = nil
	}
}
