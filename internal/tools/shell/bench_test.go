//go:build unix

package shell_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"pollux/internal/tools/shell"
	"pollux/tool"
)

const flood = "yes 'all work and no play makes a dull log' | head -c 50000000"

// BenchmarkFlood measures a call of a command that prints 50 MB, and for comparison a program
// that reads and drops the same output.
func BenchmarkFlood(b *testing.B) {
	requireBash(b)
	b.Run("dropped", func(b *testing.B) {
		b.SetBytes(50_000_000)
		for range b.N {
			cmd := exec.Command("bash", "-c", flood)
			out, err := cmd.StdoutPipe()
			if err != nil {
				b.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				b.Fatal(err)
			}
			buf := make([]byte, 64<<10)
			for err == nil {
				_, err = out.Read(buf)
			}
			if err != io.EOF || cmd.Wait() != nil {
				b.Fatal(err)
			}
		}
	})
	for _, c := range []struct {
		name string
		file bool
	}{{"tool, no file", false}, {"tool", true}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(50_000_000)
			o := options(b)
			tl := shell.New(o)
			path := filepath.Join(b.TempDir(), "full.txt")
			host := tool.Host{Limit: 40_000, Output: func(tool.Display) {}}
			if c.file {
				host.Spill = func() (*os.File, error) { return os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600) }
			}
			for range b.N {
				r := build(b, tl, args{"command": flood}).Run(b.Context(), host)
				if len(text(r)) > 41_000 {
					b.Fatal(len(text(r)))
				}
			}
		})
	}
}

// BenchmarkCommand measures a call of one short command; "bare" is bash without the tool.
func BenchmarkCommand(b *testing.B) {
	requireBash(b)
	b.Run("bare", func(b *testing.B) {
		for range b.N {
			if out, err := exec.Command("bash", "-c", "echo hi").Output(); err != nil || string(out) != "hi\n" {
				b.Fatal(err)
			}
		}
	})
	b.Run("tool", func(b *testing.B) {
		tl := shell.New(options(b))
		for range b.N {
			if r := build(b, tl, args{"command": "echo hi"}).Run(b.Context(), tool.Host{Limit: 40_000}); r.Error != nil {
				b.Fatal(r.Error)
			}
		}
	})
}

// BenchmarkParallel measures 20 concurrent commands of 0.2 s each.
func BenchmarkParallel(b *testing.B) {
	requireBash(b)
	tl := shell.New(options(b))
	for range b.N {
		var wg sync.WaitGroup
		for range 20 {
			inv := build(b, tl, args{"command": "sleep 0.2"})
			wg.Go(func() { inv.Run(b.Context(), tool.Host{Limit: 40_000}) })
		}
		wg.Wait()
	}
}
