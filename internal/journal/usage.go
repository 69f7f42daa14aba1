package journal

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"hash/maphash"
	"io"
	"os"
	"strings"
	"time"

	"github.com/go-faster/jx"

	"pollux/internal/durable"
	"pollux/llm"
)

// Usage is the usage recorded in a session file: requests, tokens, time, tool calls. All records
// count, also those that a rewind or a compression has removed from the history. Messages copied
// from another session do not count.
type Usage struct {
	SessionID string // "" if all records with it are damaged
	Kind      string // Main, Subagent, or "" in old files
	Rows      []UsageRow
}

// UsageRow is the usage of one model or tool in a quarter of an hour. In each time zone, days
// begin with a quarter.
type UsageRow struct {
	At    int64  // when the quarter began, in seconds since 1970
	Model string // that responded, or called the tool; "" for prompts and if unknown
	Tool  string // "" for prompts and responses
	Counts
}

// Quarter is the length of the time that a [UsageRow] is about.
const Quarter = 15 * time.Minute

// Counts are amounts of use.
type Counts struct {
	Prompts  int // of a person
	Requests int // that were answered
	// Uncounted is the number of requests whose tokens the provider did not report.
	Uncounted int
	Tokens    llm.Usage
	// ModelTime is how long responses took, with retries, in milliseconds.
	ModelTime int
	Calls     int // of tools
	Failed    int // calls that failed or were refused
	// ToolTime is how long calls took, in milliseconds. Gemini CLI does not record it.
	ToolTime int
	Added    int // lines that calls added to files
	Removed  int // lines that calls removed from files
}

// numbers returns all counts, in the order of their encoding.
func (c *Counts) numbers() [16]*int {
	t := &c.Tokens
	return [...]*int{
		&c.Prompts, &c.Requests, &c.Uncounted, &t.Prompt, &t.Candidates, &t.CachedContent, &t.Thoughts, &t.ToolUsePrompt,
		&t.Total, &t.CacheWrite, &c.ModelTime, &c.Calls, &c.Failed, &c.ToolTime, &c.Added, &c.Removed,
	}
}

// Add adds other counts.
func (c *Counts) Add(other *Counts) {
	const most = 1 << 53 // the largest integer of JSON
	to, from := c.numbers(), other.numbers()
	for i := range to {
		*to[i] = min(*to[i]+*from[i], most)
	}
}

// Bounds of the data kept of a file.
const (
	// maxRows is the maximum number of rows. Usage beyond them counts for the first row.
	maxRows = 20_000
	// maxName is the length of the longest name of a model or tool, in bytes.
	maxName = 200
	// maxWait is the longest time that a response can take. If more is between two records, the
	// process ended in between.
	maxWait = time.Hour
)

// ReadUsage reads the usage in a session file, in little memory however long the file is. The error
// is [ErrNoSession] if it holds no session.
func ReadUsage(path string) (*Usage, error) {
	f, size, err := openRegular(path, noFollow)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readUsage(f, size, modTime(f))
}

func modTime(f *os.File) time.Time {
	if info, err := f.Stat(); err == nil {
		return info.ModTime()
	}
	return time.Now()
}

// readUsage implements ReadUsage for the content of a file that was written last at a time.
func readUsage(r io.ReaderAt, size int64, written time.Time) (*Usage, error) {
	m := newMeter(written)
	buf := readers.Get().(*bufio.Reader)
	defer readers.Put(buf)
	buf.Reset(io.NewSectionReader(r, 0, size))
	for at, err := int64(0), error(nil); err == nil; {
		var l line
		var head []byte
		l, head, err = nextLine(buf, at)
		at = l.at + l.length + 1
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, durable.Cause(err)
		}
		if l.length > 0 {
			m.line(r, l, head)
		}
	}
	if m.header.SessionID == "" {
		whole := newMeter(written)
		isOne := whole.object(jx.Decode(io.NewSectionReader(r, 0, size), 16<<10)) == nil && whole.header.SessionID != ""
		switch {
		case isOne:
			m = whole
		case len(m.usage.Rows) == 0:
			return nil, ErrNoSession
		}
	}
	m.usage.SessionID, m.usage.Kind = strings.ToValidUTF8(m.header.SessionID, "\ufffd"), m.header.Kind
	return &m.usage, nil
}

// meter counts the records of a file, in their order.
type meter struct {
	usage   Usage
	rows    map[rowKey]int // in usage.Rows
	header  Header
	seen    ids
	written time.Time // when the file was written last
	now     time.Time // of the record that is counted
	asked   time.Time // when the next response was requested; zero if it was not
	model   string    // of the last response
	// messages is the number of messages so far. isCopy reports whether the last one is a copy.
	messages int
	isCopy   bool
	isImport bool // Gemini CLI has made the file of another one
}

type rowKey struct {
	at          int64
	model, tool string
}

func newMeter(written time.Time) *meter {
	return &meter{rows: map[rowKey]int{}, written: written, seen: ids{seed: maphash.MakeSeed()}}
}

// line counts a line. head is its beginning, or all of it. One that cannot be read counts nothing.
func (m *meter) line(r io.ReaderAt, l line, head []byte) {
	for _, known := range [...]string{`{"$set":{"lastUpdated":"`, `{"$set":{"messages":[`, `{"$rewindTo":"`} {
		if m.header.SessionID != "" && bytes.HasPrefix(head, []byte(known)) {
			return // they use nothing
		}
	}
	start, isUsual := readHead(head)
	if isUsual && start.kind == "user" {
		content := head[start.contentAt:]
		if bytes.HasPrefix(content, []byte(`[{"functionResponse"`)) || l.length > maxDecoded {
			t, _ := time.Parse(time.RFC3339, start.time)
			opening := []llm.Part{{FunctionResponse: &llm.FunctionResponse{}}}
			if !bytes.HasPrefix(content, []byte(`[{"functionResponse"`)) {
				opening = []llm.Part{llm.Text(cmp.Or(openingText(content), "media"))}
			}
			m.message(&usageRecord{record: record{id: start.id, kind: start.kind, time: t, parts: opening}})
			return
		}
	}
	if int64(len(head)) == l.length {
		_ = decodeRaw(head, m.object)
	} else {
		_ = m.object(jx.Decode(io.NewSectionReader(r, l.at, l.length), 16<<10))
	}
}

// usageRecord is the part of a record, of any kind, that counts for statistics.
type usageRecord struct {
	record
	hasTokens bool // there are tokens, or null
	millis    int  // how long a request took
	used      []usedCall
}

type usedCall struct {
	id, name, status       string
	ended                  time.Time // zero if it is the time of the record
	millis, added, removed int
	isMeasured             bool       // the lines are those of files before and after the call, whether it failed or not
	ran                    []usedCall // the executions of the call; nil in old files
}

// object counts an object: a message, a header, a patch, or a whole session.
func (m *meter) object(d *jx.Decoder) error {
	if d.Next() != jx.Object {
		return ErrNoSession
	}
	var r usageRecord
	var s set
	hasRewind, ignored := false, ""
	err := r.each(d, func(d *jx.Decoder, key string) error {
		switch {
		case key == "$rewindTo":
			hasRewind = hasRewind || d.Next() == jx.String
			return text(d, &ignored)
		case key == "$set" && d.Next() == jx.Object:
			return eachMember(d, s.member)
		case key == "messages" && d.Next() == jx.Array && s.SessionID != "":
			s.applyTo(&m.header)
			return d.Arr(m.messageIn)
		case isHeaderMember(key):
			return s.member(d, key)
		}
		return r.member(d, key)
	})
	switch {
	case err != nil || hasRewind:
		return err
	case r.id != "":
		m.message(&r)
		return nil
	}
	s.applyTo(&m.header)
	return nil
}

// messageIn counts a message in a list.
func (m *meter) messageIn(d *jx.Decoder) error {
	if d.Next() != jx.Object {
		return d.Skip()
	}
	var r usageRecord
	if err := r.each(d, r.member); err != nil {
		return err
	}
	m.message(&r)
	return nil
}

// each calls member for each member of an object that is not null.
func (r *usageRecord) each(d *jx.Decoder, member func(d *jx.Decoder, key string) error) error {
	return d.ObjBytes(func(d *jx.Decoder, key []byte) error {
		r.hasTokens = r.hasTokens || string(key) == "tokens"
		if d.Next() == jx.Null {
			return d.Skip()
		}
		return member(d, string(key))
	})
}

// isHeaderMember reports whether a member of an object is one that only headers have.
func isHeaderMember(key string) bool {
	switch key {
	case "sessionId", "projectHash", "startTime", "lastUpdated", "kind", "copied", "forkOf":
		return true
	}
	return false
}

// member decodes a member of a message. It skips members without usage.
func (r *usageRecord) member(d *jx.Decoder, key string) error {
	switch key {
	case "content":
		if r.kind == "gemini" || r.kind == "info" {
			return d.Skip()
		}
		return r.record.member(d, key)
	case "thoughts":
		return d.Skip()
	case "durationMs":
		return number(d, &r.millis)
	case "toolCalls":
		return value(d, &r.used, func(d *jx.Decoder, c *usedCall) error { return eachMember(d, c.member) })
	}
	return r.record.member(d, key)
}

func (c *usedCall) member(d *jx.Decoder, key string) error {
	switch key {
	case "id":
		return text(d, &c.id)
	case "name":
		return text(d, &c.name)
	case "status":
		return text(d, &c.status)
	case "timestamp":
		return instant(d, &c.ended)
	case "durationMs":
		return number(d, &c.millis)
	case "executions":
		return value(d, &c.ran, func(d *jx.Decoder, x *usedCall) error { return eachMember(d, x.member) })
	case "changed":
		if c.isMeasured = d.Next() == jx.Object; !c.isMeasured {
			return d.Skip()
		}
		return numbers(d, map[string]*int{"linesAdded": &c.added, "linesRemoved": &c.removed})
	case "resultDisplay":
		if d.Next() != jx.Object {
			return d.Skip()
		}
		return eachMember(d, func(d *jx.Decoder, key string) error {
			if key != "diffStat" || d.Next() != jx.Object {
				return d.Skip()
			}
			return numbers(d, map[string]*int{"model_added_lines": &c.added, "model_removed_lines": &c.removed})
		})
	}
	return d.Skip()
}

func (m *meter) message(r *usageRecord) {
	if r.id == "" {
		return
	}
	m.tell(r.time)
	switch r.kind {
	case "user":
		m.user(r)
	case "gemini":
		m.response(r)
	case "info":
		m.isImport = m.isImport || strings.HasPrefix(r.id, "import-")
		if r.hasTokens && m.seen.add("", r.id) { // a request beside the conversation
			m.request(r, r.millis)
		}
	}
	for i := range r.used {
		m.call(r, &r.used[i])
	}
}

// tell sets the time of the counted record. An impossible time is replaced by that of the record
// before.
func (m *meter) tell(t time.Time) {
	switch {
	case m.isPossible(t):
		m.now = t
	case !m.now.IsZero():
	case m.isPossible(m.header.Start):
		m.now = m.header.Start
	default:
		m.now = m.written
	}
}

// isPossible reports whether a session can have been used at a time: not before there were any, and not
// after the file was written last. Clocks can jump.
func (m *meter) isPossible(t time.Time) bool {
	const first = 1672531200 // the beginning of 2023
	return t.Unix() >= first && (t.Before(m.written.Add(24*time.Hour)) || m.written.Unix() < first)
}

// isNew reports whether a message is neither a copy nor one that has occurred before.
func (m *meter) isNew(r *usageRecord) bool {
	isFirst := m.seen.add("", r.id)
	if isFirst {
		m.messages++
	}
	m.isCopy = m.messages <= m.header.Copied || m.isImport && r.time.Before(m.header.Start)
	return isFirst && !m.isCopy
}

func (m *meter) user(r *usageRecord) {
	if strings.HasPrefix(llm.PartsText(r.parts), "<session_context>") {
		return
	}
	isNew := m.isNew(r)
	if isNew || r.time.After(m.asked) { // it was sent again, or the copy of a session goes on with the response
		m.asked = r.time
	}
	if isNew && r.prompt() != "" && (r.isPrompt == nil || *r.isPrompt) && m.header.Kind != Subagent {
		m.count("", "", Counts{Prompts: 1})
	}
}

func (m *meter) response(r *usageRecord) {
	isRequest := r.usage != nil || r.hasTokens && r.model != "" // else it was put there
	if r.model != "" {
		m.model = name(r.model)
	}
	if !m.isNew(r) || !isRequest {
		return
	}
	took := r.time.Sub(m.asked)
	if m.asked.IsZero() || took < 0 || took > maxWait {
		took = 0
	}
	m.asked = time.Time{}
	m.request(r, int(took.Milliseconds()))
}

// request counts an answered request that took so many milliseconds.
func (m *meter) request(r *usageRecord, millis int) {
	c := Counts{Requests: 1, ModelTime: millis}
	if r.usage == nil {
		c.Uncounted = 1
	} else {
		c.Tokens = *r.usage
	}
	m.count(name(r.model), "", c)
}

// call counts a call. A response from which calls were removed keeps the others: they are recorded again,
// with the time of their end.
func (m *meter) call(r *usageRecord, u *usedCall) {
	u.ended = cmp.Or(u.ended, r.time)
	isFirst := m.seen.add(r.id, u.id)
	if !u.ended.IsZero() {
		isFirst = m.seen.add(u.ended.UTC().Format(time.RFC3339Nano), u.id) && isFirst
	}
	if !isFirst || m.isCopy || u.name == "" {
		return
	}
	for _, x := range u.executions() {
		c := Counts{Calls: 1, ToolTime: x.millis}
		if x.status == "success" || x.isMeasured {
			c.Added, c.Removed = x.added, x.removed
		}
		if x.status != "success" {
			c.Failed = 1
		}
		m.count(m.model, name(x.name), c)
	}
}

// executions returns the executions of the call. A single execution and the last one take omitted members
// from the call.
func (c *usedCall) executions() []usedCall {
	n := len(c.ran)
	if n == 0 {
		return []usedCall{*c}
	}
	last := &c.ran[n-1]
	if !last.isMeasured {
		last.added, last.removed = c.added, c.removed
	}
	if n == 1 {
		last.millis = c.millis
	}
	return c.ran
}

// name returns a name of a model or tool for a row.
func name(s string) string {
	return strings.Clone(strings.ToValidUTF8(s[:min(len(s), maxName)], ""))
}

// count adds to the row of a model or tool at the time of the record.
func (m *meter) count(model, tool string, c Counts) {
	quarter := int64(Quarter / time.Second)
	key := rowKey{m.now.Unix() / quarter * quarter, model, tool}
	i, ok := m.rows[key]
	if !ok && len(m.usage.Rows) < maxRows {
		i = len(m.usage.Rows)
		m.rows[key] = i
		m.usage.Rows = append(m.usage.Rows, UsageRow{At: key.at, Model: model, Tool: tool})
	}
	m.usage.Rows[i].Add(&c)
}

// ids remembers which ids of a file have occurred, in bounded memory: it forgets the oldest ones.
type ids struct {
	seed        maphash.Seed
	now, before map[uint64]struct{}
}

// maxIDs is how many ids are remembered at least.
const maxIDs = 1 << 19

// add adds an id of a kind, and reports whether it is new.
func (s *ids) add(kind, id string) bool {
	var h maphash.Hash
	h.SetSeed(s.seed)
	_, _ = h.WriteString(kind)
	_ = h.WriteByte(0)
	_, _ = h.WriteString(id)
	key := h.Sum64()
	_, isNow := s.now[key]
	_, isBefore := s.before[key]
	if isNow || isBefore {
		return false
	}
	if s.now == nil || len(s.now) >= maxIDs {
		s.now, s.before = map[uint64]struct{}{}, s.now
	}
	s.now[key] = struct{}{}
	return true
}
