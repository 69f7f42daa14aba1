//go:build amd64 || arm64

package sandbox_test

import (
	"os"
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
	f, err := sandbox.New(sandbox.Options{
		Dirs: func() []string { return nil }, Family: &sandbox.Family{},
		Profile: func([]string) sandbox.Profile {
			return sandbox.Profile{Write: []string{os.TempDir()}, Devices: []string{"/dev/null"}}
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(f.Close)
	for _, bench := range []struct {
		name     string
		launcher process.Launcher
	}{{"open", process.NewLauncher()}, {"confined", process.NewLauncher(s.Confine)}, {"family", process.NewLauncher(f.Confine)}} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := bench.launcher.Run(b.Context(), &process.Command{For: process.Purpose{Origin: process.OriginModel}, Path: "/bin/true"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
