//go:build unix

package undo_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"pollux/internal/process/processtest"
	"pollux/internal/undo"
	"pollux/internal/undo/revert"
	"pollux/internal/undo/store"
	"pollux/internal/undo/undotest"
)

// newTree is a place with a number of files in directories of ten.
func newTree(b *testing.B, count int, isTracked bool) *place {
	b.Helper()
	p := newPlace(b, "true")
	for i := range count {
		path := p.file(i)
		if i%10 == 0 {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(path, fmt.Appendf(nil, "package source // %d\n", i), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	if isTracked {
		p.sh(b, "git init -q -b main; git config gc.auto 0; git add -A; git commit -qm first; git gc -q")
		undotest.SettleGit(b, p.dir, p.environ())
	}
	return p
}

func (p *place) file(i int) string {
	return filepath.Join(p.dir, "source", fmt.Sprintf("package%04d", i/10), fmt.Sprintf("file_with_a_name%d.go", i))
}

func begin(b *testing.B, r *undo.Recorder) *undo.Run {
	b.Helper()
	run, err := r.Begin(b.Context(), store.Header{Kind: store.Call}, undo.Scope{Anywhere: true})
	if err != nil {
		b.Fatal(err)
	}
	return run
}

func end(b *testing.B, run *undo.Run) *store.Operation {
	b.Helper()
	o, err := run.End(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return o
}

// space returns the bytes on the disk below a directory.
func space(b *testing.B, dir string) (bytes int64) {
	b.Helper()
	seen := map[uint64]bool{}
	err := filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && !seen[st.Ino] {
			seen[st.Ino] = true
			bytes += st.Blocks * 512
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return bytes
}

// counts are the numbers of files of the benchmarks; POLLUX_LONG=1 adds those that take minutes to make.
func counts() []int {
	if processtest.IsLong() {
		return []int{1000, 50_000, 500_000}
	}
	return []int{1000}
}

// BenchmarkBase reads a tree for the first time. It reports the space of the base and the memory of the tree.
func BenchmarkBase(b *testing.B) {
	for _, count := range counts() {
		for _, isTracked := range []bool{true, false} {
			b.Run(fmt.Sprintf("files=%d/tracked=%v", count, isTracked), func(b *testing.B) {
				p := newTree(b, count, isTracked)
				b.ReportAllocs()
				used := int64(0)
				for b.Loop() {
					b.StopTimer()
					r := undo.New(p.options())
					before := memory()
					used -= cpu(b)
					b.StartTimer()
					run := begin(b, r)
					b.StopTimer()
					used += cpu(b)
					end(b, run)
					b.ReportMetric(float64(memory()-before)/float64(count), "heap-B/file")
					b.ReportMetric(float64(space(b, filepath.Join(p.store.Dir(), "bases"))), "disk-B")
					r.Close()
					b.StartTimer()
				}
				b.ReportMetric(float64(used)/1e6/float64(b.N), "cpu-ms/op")
			})
		}
	}
}

// BenchmarkRun begins and ends a run: with a watch, and with a look at all files before and after it.
func BenchmarkRun(b *testing.B) {
	for _, count := range counts() {
		b.Run(fmt.Sprintf("files=%d", count), func(b *testing.B) {
			p := newTree(b, count, true)
			for _, isWatched := range []bool{true, false} {
				r := p.newRecorder(isWatched)
				end(b, begin(b, r))
				for _, changed := range []int{0, 10} {
					b.Run(fmt.Sprintf("watched=%v/changed=%d", isWatched, changed), func(b *testing.B) { benchmarkRun(b, p, r, changed) })
				}
				r.Close()
			}
		})
	}
}

func (p *place) newRecorder(isWatched bool) *undo.Recorder {
	o := p.options()
	o.Walked = walked(isWatched)
	return undo.New(o)
}

// BenchmarkLinked is BenchmarkRun for files that are linked, as those in node_modules, and the objects of git.
func BenchmarkLinked(b *testing.B) {
	for _, count := range counts() {
		p := newTree(b, count, false)
		if err := os.Rename(filepath.Join(p.dir, "source"), filepath.Join(p.dir, "node_modules")); err != nil {
			b.Fatal(err)
		}
		for _, isWatched := range []bool{true, false} {
			r := p.newRecorder(isWatched)
			end(b, begin(b, r))
			b.Run(fmt.Sprintf("files=%d/watched=%v", count, isWatched), func(b *testing.B) { benchmarkRun(b, p, r, 0) })
			r.Close()
		}
	}
}

func benchmarkRun(b *testing.B, p *place, r *undo.Recorder, changed int) {
	b.ReportAllocs()
	used := cpu(b)
	for n := 0; b.Loop(); n++ {
		run := begin(b, r)
		b.StopTimer()
		used -= cpu(b)
		for i := range changed {
			if err := os.WriteFile(p.file(i*100), fmt.Appendf(nil, "changed %d\n", n), 0o644); err != nil {
				b.Fatal(err)
			}
		}
		used += cpu(b)
		b.StartTimer()
		if o := end(b, run); (o != nil) != (changed > 0) {
			b.Fatalf("operation %+v", o)
		}
	}
	b.ReportMetric(float64(cpu(b)-used)/1e6/float64(b.N), "cpu-ms/op")
}

// BenchmarkEdit records that a tool writes a file.
func BenchmarkEdit(b *testing.B) {
	p := newPlace(b, "true")
	for n := 0; b.Loop(); n++ {
		path := filepath.Join(p.dir, fmt.Sprint("file", n%7))
		run, err := p.recorder.Begin(b.Context(), store.Header{Kind: store.Call}, undo.Scope{Paths: []string{path}})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := os.WriteFile(path, fmt.Appendf(nil, "line %d\n", n), 0o644); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		end(b, run)
	}
}

// cpu returns the processor time of the process, in nanoseconds: other processes do not count.
func cpu(b *testing.B) int64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

func memory() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkUndo takes back that 1,000 files, all or some of the tree, were removed. It reports the contents of the operation, and
// its space.
func BenchmarkUndo(b *testing.B) {
	for _, count := range counts() {
		for _, isTracked := range []bool{true, false} {
			b.Run(fmt.Sprintf("files=%d/tracked=%v", count, isTracked), func(b *testing.B) {
				benchmarkUndo(b, newTree(b, count, isTracked))
			})
		}
	}
}

func benchmarkUndo(b *testing.B, p *place) {
	for b.Loop() {
		b.StopTimer()
		o := p.run(b, "cd source; rm -rf package000? package00??")
		base, err := p.store.Open()
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		plan, err := revert.Make(b.Context(), p.store, []*store.Operation{read(b, p, o.Number)})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := plan.Apply(b.Context(), base, store.Header{}); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		base.Close()
		b.ReportMetric(float64(o.Bytes), "op-B")
		b.ReportMetric(float64(space(b, p.store.File(o.Number, ""))), "disk-B")
		b.StartTimer()
	}
}
