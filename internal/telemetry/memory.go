package telemetry

import (
	"fmt"
	"os"
	"runtime"
)

// measure records the memory use of the program.
func (t *Telemetry) measure() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	for _, one := range []struct {
		kind  string
		bytes uint64
	}{
		{"heap_used", m.HeapAlloc},
		{"heap_total", m.HeapSys},
		{"external", m.Sys - m.HeapSys},
		{"rss", resident(m.Sys - m.HeapReleased)},
	} {
		t.meters.add(instrument{
			name: "gemini_cli.memory.usage", description: "Memory that the program has.", unit: "bytes",
			bounds: sizes, whole: true,
		}, float64(one.bytes), attrs{{"memory_type", one.kind}})
	}
}

// resident returns the number of resident bytes of the program, or guess if unknown.
func resident(guess uint64) uint64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return guess
	}
	var size, pages uint64
	if _, err := fmt.Sscan(string(b), &size, &pages); err != nil {
		return guess
	}
	return pages * uint64(os.Getpagesize())
}
