package record

import (
	"context"
	"testing"
	"testing/synctest"
)

// The work stops when a prompt begins, starts again after it, and is done once for each conversation.
func TestTitler(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w Titler
		began, ended := 0, 0
		work := func(ctx context.Context) {
			began++
			<-ctx.Done()
			ended++
		}
		w.start(work)
		w.start(work)
		synctest.Wait()
		if began != 1 {
			t.Errorf("began %d times", began)
		}
		w.Stop()
		w.Stop()
		synctest.Wait()
		if ended != 1 {
			t.Error("it goes on during a prompt")
		}
		quick := func(context.Context) { began++ }
		for range 2 {
			w.start(quick)
			synctest.Wait()
		}
		if began != 2 {
			t.Errorf("began %d times", began)
		}
		w.Reset()
		w.start(work)
		synctest.Wait()
		w.Reset()
		synctest.Wait()
		w.start(work)
		synctest.Wait()
		w.Close()
		w.start(work)
		synctest.Wait()
		if began != 4 || ended != 3 {
			t.Errorf("began %d times, ended %d times", began, ended)
		}
	})
}
