package sessions

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"pollux/internal/process/processtest"
)

// BenchmarkSearchGB searches sessions for texts that are in no session, in one, and in all, with the index that the
// first search has left behind. first is a search without an index. There are 6 MB in 100 sessions, or with
// POLLUX_LONG=1 1 GB in 1,000.
func BenchmarkSearchGB(b *testing.B) {
	n, size := 100, 1<<16
	if processtest.IsLong() {
		n, size = 1000, 1<<20
	}
	s := project(b)
	text, words := corpus(n * size / 64)
	for i := range n {
		must(b, writeTalk(filepath.Join(s.Dir, fmt.Sprintf("session-%04d.jsonl", i)), i, size, text))
	}
	infos, err := s.List(b.Context())
	must(b, err)
	if len(infos) != n {
		b.Fatal(len(infos))
	}
	run := func(name, text string, limit, want int) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				infos, err := s.List(b.Context())
				must(b, err)
				found, _, err := Search(b.Context(), infos, text, limit)
				if err != nil || len(found) != want {
					b.Fatal(len(found), err)
				}
			}
		})
	}
	run("first", "zyxwvut", 20, 0)
	b.Run("index", func(b *testing.B) {
		for b.Loop() {
			must(b, os.RemoveAll(textIndex(s.Dir).Dir))
			must(b, IndexTexts(b.Context(), infos, false))
		}
		b.ReportMetric(100*float64(bytesIn(b, textIndex(s.Dir).Dir))/float64(n*size), "%-size")
	})
	run("absent", words[10]+" "+words[9]+" zyxwvut", 20, 0)
	run("absentWord", "zyxwvut", 20, 0)
	run("absentPair", "@#", 20, 0)
	run("rare", fmt.Sprintf("the %dth session", n/2), 20, 1)
	run("common", words[10], 20, 20)
	run("commonAll", words[10], 0, n)
	run("letter", "e", 20, 20)
}

// corpus returns text with words as they are distributed in languages, and some of the words, the most
// common ones first.
func corpus(size int) (text []byte, words []string) {
	r := rand.New(rand.NewPCG(1, 2))
	words = make([]string, 50_000)
	for i := range words {
		word := make([]byte, 2+r.IntN(3)+i*6/len(words))
		for j := range word {
			const letters = "etaoinshrdlcumwfgypbvkjxqz_ETA0123456789"
			word[j] = letters[min(int(r.ExpFloat64()*9), len(letters)-1)]
		}
		words[i] = string(word)
	}
	zipf := rand.NewZipf(r, 1.1, 4, uint64(len(words)-1))
	for len(text) < size {
		text = append(append(text, words[zipf.Uint64()]...), ' ')
	}
	return text[:size], words
}

// writeTalk writes a session file of this size with pieces of a text.
func writeTalk(path string, number, size int, text []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 64<<10)
	r := rand.New(rand.NewPCG(3, uint64(number)))
	at := start.Add(time.Duration(number) * time.Minute).Format(time.RFC3339)
	_, _ = fmt.Fprintf(w, `{"sessionId":"%08d-0000-4000-8000-000000000000","projectHash":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","startTime":%q,"lastUpdated":%q,"kind":"main","pollux":1}`+"\n", number, at, at)
	_, _ = fmt.Fprintf(w, `{"id":"p","timestamp":%q,"type":"user","content":[{"text":"This is the %dth session"}]}`+"\n", at, number)
	for i := range size >> 12 {
		from := r.IntN(len(text) - 4<<10)
		_, _ = fmt.Fprintf(w, `{"id":"m%d","timestamp":%q,"type":"gemini","content":[{"text":"%s"}]}`+"\n", i, at, text[from:from+4<<10])
	}
	return w.Flush()
}

// BenchmarkListMany lists 1,000 sessions, or with POLLUX_LONG=1 100,000, with the index that the first list has left
// behind. peak-MB is the most memory that the process had from the system meanwhile.
func BenchmarkListMany(b *testing.B) {
	n := 1000
	if processtest.IsLong() {
		n = 100_000
	}
	s := project(b)
	text, _ := corpus(1 << 20)
	for i := range n {
		must(b, writeTalk(filepath.Join(s.Dir, fmt.Sprintf("session-2026-11-21T12-00-%08x.jsonl", i)), i, 4<<10, text))
	}
	_, err := s.List(b.Context())
	must(b, err)
	debug.FreeOSMemory()
	stop, peak := make(chan struct{}), make(chan uint64)
	go watchMemory(stop, peak)
	var infos []Info
	for b.Loop() {
		if infos, err = s.List(b.Context()); err != nil || len(infos) != n {
			b.Fatal(len(infos), err)
		}
	}
	close(stop)
	b.ReportMetric(float64(<-peak)/(1<<20), "peak-MB")
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "kept-MB")
	runtime.KeepAlive(infos)
}

// watchMemory sends the most memory that was in use until stop is closed, in bytes.
func watchMemory(stop <-chan struct{}, peak chan<- uint64) {
	most := uint64(0)
	for {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, m.Sys-m.HeapReleased)
		select {
		case <-stop:
			peak <- most
			return
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func bytesIn(b *testing.B, dir string) (total int64) {
	entries, err := os.ReadDir(dir)
	must(b, err)
	for _, e := range entries {
		info, err := e.Info()
		must(b, err)
		total += info.Size()
	}
	return total
}
