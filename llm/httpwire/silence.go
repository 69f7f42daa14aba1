package httpwire

import (
	"context"
	"time"
)

// The times after which a server's silence is reported.
const (
	silenceDelay    = 10 * time.Second // the first time
	silenceInterval = time.Minute      // from one time to the next
)

type silenceKey struct{}

// WatchSilence returns a context that makes a [Client] call report while the server
// sends nothing of a response: 10 s after the request was sent, and every 60 s from then
// on until the first byte of the body. report is called on the goroutine that waits for
// the response, and may cancel the context.
func WatchSilence(ctx context.Context, report func(host string, elapsed time.Duration)) context.Context {
	return context.WithValue(ctx, silenceKey{}, report)
}

// silence reports that a response takes long. A nil silence reports nothing.
type silence struct {
	host   string
	report func(host string, elapsed time.Duration)
	start  time.Time
	timer  *time.Timer
}

// startSilence returns the silence of a request that is about to be sent, nil if no
// observer is set.
func startSilence(ctx context.Context, host string) *silence {
	report, ok := ctx.Value(silenceKey{}).(func(string, time.Duration))
	if !ok {
		return nil
	}
	return &silence{host: host, report: report, start: time.Now(), timer: time.NewTimer(silenceDelay)}
}

// during calls wait, which ends when the context of the request does, and reports on this
// goroutine meanwhile.
func (s *silence) during(wait func()) {
	if s == nil {
		wait()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		wait()
	}()
	for {
		select {
		case <-done:
			return
		case <-s.timer.C:
			s.report(s.host, time.Since(s.start))
			s.timer.Reset(silenceInterval)
		}
	}
}

func (s *silence) end() {
	if s != nil {
		s.timer.Stop()
	}
}
