package wording

import (
	"testing"
	"time"
)

func TestAge(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{
		-time.Hour: "now", 59 * time.Second: "now", time.Minute: "1m", 59 * time.Minute: "59m", time.Hour: "1h", 23 * time.Hour: "23h",
		day: "1d", 999 * day: "999d", 1000 * day: "2y", 1<<63 - 1: "292y",
	} {
		if got := Age(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
