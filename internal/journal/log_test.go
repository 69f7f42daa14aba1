package journal

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// TestSyncSoon: the first sync in the background begins at once, the next ones after an interval, and a close waits for
// neither.
func TestSyncSoon(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "session-x.jsonl")
	synctest.Test(t, func(t *testing.T) {
		l, err := create(path)
		must(t, err)
		began := time.Now()
		isSynced := func() bool {
			synctest.Wait()
			l.mu.Lock()
			defer l.mu.Unlock()
			return l.synced == l.size
		}
		write := func() {
			must(t, l.append([]byte("{}\n")))
			l.syncSoon()
		}
		write()
		l.soon.Wait()
		if !isSynced() || time.Since(began) > 0 {
			t.Errorf("the first sync took %v", time.Since(began))
		}
		for range 10 {
			write()
			time.Sleep(syncInterval / 20)
		}
		if isSynced() {
			t.Error("a sync did not wait for the interval")
		}
		time.Sleep(syncInterval)
		if !isSynced() {
			t.Error("there was no sync after the interval")
		}
		write()
		must(t, l.sync())
		if !isSynced() {
			t.Error("a sync waited for the interval")
		}
		write()
		before := time.Now()
		l.close()
		l.close()
		if !isSynced() || time.Since(before) > 0 {
			t.Errorf("the close took %v", time.Since(before))
		}
	})
}
