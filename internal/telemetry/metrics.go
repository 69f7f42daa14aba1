package telemetry

import (
	"slices"
	"strings"
	"sync"
	"time"

	"pollux/internal/stats/recent"
)

// meters contains all metrics. Counts are cumulative over the session.
type meters struct {
	mu     sync.Mutex
	common attrs // attributes of each point
	all    []*meter
}

type meter struct {
	instrument
	points []point
	index  map[string]int // index in points by attributes
}

// instrument is the definition of a metric.
type instrument struct {
	name, description, unit string
	bounds                  []float64 // bounds of a histogram's buckets; nil for a counter
	whole                   bool      // only integers
}

func (i *instrument) histogram() bool { return i.bounds != nil }

func (i *instrument) valueType() int {
	if i.whole {
		return 0
	}
	return 1
}

// point is a count for one set of attributes.
type point struct {
	attrs    attrs
	start    time.Time
	sum      float64
	min, max float64
	count    int
	counts   []int // one more than bounds
}

// reading is the state of a metric at one time.
type reading struct {
	instrument
	at     time.Time
	points []point
}

// maxPoints is the maximum number of attribute sets in one metric. Tool names come from
// models, which can invent any number of them.
const maxPoints = 1000

func (m *meters) setCommon(a attrs) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.common = a
}

// add adds n for a set of attributes.
func (m *meters) add(what instrument, n float64, labels attrs) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.all, func(one *meter) bool { return one.name == what.name })
	if i < 0 {
		i = len(m.all)
		m.all = append(m.all, &meter{instrument: what, index: map[string]int{}})
	}
	m.all[i].add(n, labels, m.common)
}

func (m *meter) add(n float64, labels, common attrs) {
	key := string(labels.appendJSON(nil, asIs))
	at, known := m.index[key]
	if !known {
		if len(m.points) >= maxPoints {
			labels = attrs{{"otel.metric.overflow", true}}
			key = ""
		}
		if at, known = m.index[key]; !known {
			at = len(m.points)
			p := point{attrs: slices.Concat(common, labels), start: time.Now()}
			if m.histogram() {
				p.counts = make([]int, len(m.bounds)+1)
			}
			m.points = append(m.points, p)
			m.index[strings.Clone(key)] = at
		}
	}
	p := &m.points[at]
	if p.count == 0 {
		p.min, p.max = n, n
	}
	p.min, p.max = min(p.min, n), max(p.max, n)
	p.sum += n
	p.count++
	if m.histogram() {
		bucket, _ := slices.BinarySearch(m.bounds, n)
		p.counts[bucket]++
	}
}

// read returns the current state of all metrics.
func (m *meters) read() []reading {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	all := make([]reading, 0, len(m.all))
	for _, one := range m.all {
		r := reading{instrument: one.instrument, at: now, points: slices.Clone(one.points)}
		for i := range r.points {
			r.points[i].counts = slices.Clone(r.points[i].counts)
		}
		all = append(all, r)
	}
	return all
}

func asIs(s string) string { return s }

// The instruments. Names and units are those of Gemini CLI and OpenTelemetry.
func counter(name, description string) instrument {
	return instrument{name: name, description: description, whole: true}
}

func milliseconds(name, description string) instrument {
	return instrument{name: name, description: description, unit: "ms", bounds: latencies}
}

// Bucket bounds are those that OpenTelemetry recommends, if there are any.
var (
	latencies = []float64{0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10000}
	seconds   = []float64{.01, .02, .04, .08, .16, .32, .64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
	sizes     = []float64{1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20, 1 << 30, 4 << 30}
	tokens    = []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
)

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
