package process

import (
	"math"
	"testing"
	"testing/synctest"
	"time"
)

func TestPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var none *Pause
		p := &Pause{}
		if none.Total() != 0 || none.sinceEnd() != math.MaxInt64 || p.Total() != 0 || p.sinceEnd() != math.MaxInt64 {
			t.Error("a program that has never waited has waited")
		}
		first := p.Begin()
		time.Sleep(2 * time.Second)
		second := p.Begin()
		first()
		first() // counts once
		time.Sleep(3 * time.Second)
		if p.Total() != 5*time.Second || p.sinceEnd() != 0 {
			t.Errorf("while it waits: %v, %v", p.Total(), p.sinceEnd())
		}
		second()
		time.Sleep(time.Second)
		if p.Total() != 5*time.Second || p.sinceEnd() != time.Second {
			t.Errorf("afterwards: %v, %v", p.Total(), p.sinceEnd())
		}
	})
}
