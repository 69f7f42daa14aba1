package terminal

import (
	"errors"
	"os"
	"testing"
	"time"
)

func TestWatchSize(t *testing.T) {
	t.Parallel()
	type looked struct {
		width, height int
		err           error
	}
	looks := make(chan looked)
	tick, done, changed, ended := make(chan time.Time), make(chan struct{}), make(chan os.Signal, 1), make(chan struct{})
	go func() {
		defer close(ended)
		watchSize(func() (int, int, error) {
			l := <-looks
			return l.width, l.height, l.err
		}, tick, done, changed)
	}()
	looks <- looked{80, 24, nil}
	for _, tt := range []struct {
		look looked
		want int // changes
	}{
		{looked{80, 24, nil}, 0},
		{looked{100, 24, nil}, 1},
		{looked{0, 0, errors.New("the console is gone")}, 0},
		{looked{100, 24, nil}, 0},
		{looked{100, 30, nil}, 1},
	} {
		tick <- time.Time{}
		looks <- tt.look
		tick <- time.Time{} // the look before has been used
		looks <- tt.look
		if n := len(changed); n != tt.want {
			t.Errorf("%+v: %d changes, want %d", tt.look, n, tt.want)
		}
		if len(changed) > 0 {
			<-changed
		}
	}
	close(done)
	<-ended
}

// A reader that has not looked yet gets one value.
func TestWatchSizeDropsChanges(t *testing.T) {
	t.Parallel()
	width := 0
	tick, done, changed, ended := make(chan time.Time), make(chan struct{}), make(chan os.Signal, 1), make(chan struct{})
	go func() {
		defer close(ended)
		watchSize(func() (int, int, error) { width++; return width, 24, nil }, tick, done, changed)
	}()
	for range 5 {
		tick <- time.Time{}
	}
	close(done)
	<-ended
	if n := len(changed); n != 1 {
		t.Errorf("%d changes", n)
	}
}
