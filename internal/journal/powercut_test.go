package journal

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/process/processtest"
	"pollux/llm"
)

// block is the size of a disk's atomic write in bytes. After a power failure each block that was not
// synced is there, or all zero.
const block = 4 << 10

// recording is a session file with the content of the disk at each sync.
type recording struct {
	data   []byte
	synced []int64 // sizes, the last one is len(data)
}

// recordSyncs writes a session in which a message follows the other, and syncs now and then. changes adds
// changes of other kinds.
func recordSyncs(t *testing.T, changes bool) recording {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	dir, ctx := t.TempDir(), t.Context()
	j, _ := newJournal(t, dir)
	must(t, j.Begin(ctx, "id", []agent.Message{opening}))
	rec := recording{}
	text := func() llm.Part { return llm.Text(strings.Repeat("word ", 1+r.IntN(2000))) }
	for i := range 40 {
		id := func(kind string) string { return fmt.Sprint(kind, i) }
		var calls []llm.Part
		var results []llm.Part
		var records []agent.CallRecord
		for n := range r.IntN(3) {
			c := fmt.Sprintf("c%d.%d", i, n)
			calls, results = append(calls, call(c)), append(results, response(c))
			records = append(records, agent.CallRecord{ID: c, Status: agent.Success})
		}
		must(t, j.Append(ctx, agent.Entry{Message: message(id("p"), llm.RoleUser, text())}))
		must(t, j.Append(ctx, agent.Entry{Message: message(id("a"), llm.RoleModel, append(calls, text())...)}))
		if len(calls) > 0 {
			must(t, j.Append(ctx, agent.Entry{Message: message(id("r"), llm.RoleUser, append(results, text())...), Calls: records}))
		}
		if changes && r.IntN(4) == 0 {
			live := j.current.live
			switch r.IntN(3) {
			case 0:
				must(t, j.Rewind(ctx, live[r.IntN(len(live))].ID))
			case 1:
				must(t, j.Replace(ctx, []agent.Message{opening, message(id("s"), llm.RoleUser, text())}))
			case 2:
				must(t, j.SetSummary(id("title")))
			}
		}
		if r.IntN(3) == 0 || i == 39 {
			must(t, j.Sync())
			rec.synced = append(rec.synced, syncedSize(t, j.current.log))
		}
	}
	must(t, j.Close())
	var err error
	rec.data, err = os.ReadFile(sessionFile(t, dir))
	must(t, err)
	return rec
}

// syncedSize returns how much of a file is on the disk after a sync.
func syncedSize(t *testing.T, l *log) int64 {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.synced != l.size {
		t.Fatalf("%d of %d bytes are synced", l.synced, l.size)
	}
	return l.synced
}

// cutPower returns the file after a power failure between a sync and the next one, and the synced
// part.
func (rec *recording) cutPower(r *rand.Rand) (after, synced []byte) {
	i := r.IntN(len(rec.synced) - 1)
	from, to := rec.synced[i], rec.synced[i+1]
	after = bytes.Clone(rec.data[:from+r.Int64N(to-from)+1])
	for at := from / block * block; at < int64(len(after)); at += block {
		if r.IntN(2) == 0 {
			clear(after[max(at, from):min(at+block, int64(len(after)))])
		}
	}
	return after, rec.data[:from]
}

// Whatever unsynced blocks a power failure takes, the session goes on, and the synced part is there. Of
// rewinds and replaced histories a part may be lost.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	cuts := processtest.Times(60, 300)
	for name, changes := range map[string]bool{"messages": false, "changes": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rec := recordSyncs(t, changes)
			r := rand.New(rand.NewPCG(5, 6))
			path := filepath.Join(t.TempDir(), "session-x.jsonl")
			for i := range cuts {
				after, synced := rec.cutPower(r)
				s, err := load(bytes.NewReader(after), int64(len(after)), 1<<60)
				must(t, err)
				checkValid(t, s.Entries)
				if !changes {
					checkSynced(t, synced, s)
				}
				if i%30 == 0 {
					must(t, os.WriteFile(path, after, 0o600))
					goesOn(t, path, s.Entries)
				}
			}
		})
	}
}

// checkSynced checks that a session has all that was synced of it.
func checkSynced(t *testing.T, synced []byte, s *Session) {
	t.Helper()
	before, err := load(bytes.NewReader(synced), int64(len(synced)), 1<<60)
	must(t, err)
	if n := len(before.recorded); len(s.recorded) < n {
		t.Fatalf("%d of %d messages are left", len(s.recorded), n)
	} else if diff := difference(before.recorded, s.recorded[:n]); diff != "" {
		t.Fatalf("synced data has changed: (-want +got)\n%s", diff)
	}
}
