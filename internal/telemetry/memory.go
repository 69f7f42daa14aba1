package telemetry

import "pollux/internal/stats/recent"

// measure records the memory use of the program.
func (t *Telemetry) measure() {
	m := recent.ReadMemory()
	for _, one := range []struct {
		kind  string
		bytes uint64
	}{
		{"heap_used", m.Heap},
		{"heap_total", m.HeapTotal},
		{"external", m.Other},
		{"rss", m.Resident},
	} {
		t.meters.add(instrument{
			name: "gemini_cli.memory.usage", description: "Memory that the program has.", unit: "bytes",
			bounds: sizes, whole: true,
		}, float64(one.bytes), attrs{{"memory_type", one.kind}})
	}
}
