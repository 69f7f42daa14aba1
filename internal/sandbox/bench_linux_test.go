//go:build amd64 || arm64

package sandbox_test

import (
	"testing"

	"pollux/internal/process"
	"pollux/internal/sandbox"
)

// BenchmarkStart measures the start of a program, confined and not.
func BenchmarkStart(b *testing.B) {
	s, err := newSandbox(sandbox.Profile{Write: []string{b.TempDir()}, Devices: []string{"/dev/null"}})
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(s.Close)
	for _, bench := range []struct {
		name     string
		launcher process.Launcher
	}{{"open", process.NewLauncher()}, {"confined", process.NewLauncher(s.Confine)}} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := bench.launcher.Run(b.Context(), &process.Command{For: process.Purpose{Origin: process.OriginModel}, Path: "/bin/true"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
