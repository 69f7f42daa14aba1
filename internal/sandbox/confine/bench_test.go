package confine_test

import (
	"testing"

	"pollux/internal/process"
)

// BenchmarkFirst measures the first command of a session, for which the rules are made, and BenchmarkNext a later one.
func BenchmarkFirst(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		c, _ := confinement(b)
		if err := c.Open(); err != nil {
			b.Skip(err)
		}
		b.StartTimer()
		runTrue(b, process.NewLauncher(c.Middleware))
		b.StopTimer()
		c.Close()
		b.StartTimer()
	}
}

func BenchmarkNext(b *testing.B) {
	c, _ := confinement(b)
	if err := c.Open(); err != nil {
		b.Skip(err)
	}
	b.Cleanup(c.Close)
	launcher := process.NewLauncher(c.Middleware)
	runTrue(b, launcher)
	for b.Loop() {
		runTrue(b, launcher)
	}
}

func runTrue(b *testing.B, l process.Launcher) {
	if _, err := l.Run(b.Context(), &process.Command{For: process.Purpose{Kind: process.KindShell, Origin: process.OriginModel}, Path: "/bin/true"}); err != nil {
		b.Fatal(err)
	}
}
