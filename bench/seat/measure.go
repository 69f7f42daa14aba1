//go:build linux

package seat

import (
	"slices"
	"time"
)

// Run collects the values of measurements.
type Run struct {
	Program string        // the path of Pollux
	Session time.Duration // of the measurement "session"
	// IsBrief makes the long measurements ten times as short, for a check that they still work. The figures then mean little.
	IsBrief bool
	values  map[string][]float64
}

// scaled returns the length of a part of a long measurement.
func scaled[T int | time.Duration](r *Run, length T) T {
	if r.IsBrief {
		return length / 10
	}
	return length
}

// add adds values of a row.
func (r *Run) add(row string, values ...float64) {
	if r.values == nil {
		r.values = map[string][]float64{}
	}
	r.values[row] = append(r.values[row], values...)
}

// Measure is a measurement of several values, which gets better when it is repeated.
type Measure struct {
	Name  string
	Times int // how often bench/screen repeats it
	Do    func(r *Run) error
	Rows  []Row
}

// Row is a figure of a measurement, made of values that it has collected.
type Row struct {
	What    string // for people
	Unit    string // for benchmarks, such as p99-ms
	values  string // their name
	of      func(values []float64) float64
	Promise float64 // the figure is at most this; see IsPromised
	Source  string  // of the promise; "" if there is none
}

// IsPromised reports whether a row has a promise.
func (w *Row) IsPromised() bool { return w.Source != "" }

// Figure returns the figure of a row, and false if it has no values.
func (r *Run) Figure(w *Row) (float64, bool) {
	values := r.values[w.values]
	if len(values) == 0 {
		return 0, false
	}
	return w.of(values), true
}

func median(values []float64) float64 { return percentile(values, 0.5) }

func p95(values []float64) float64 { return percentile(values, 0.95) }

func p99(values []float64) float64 { return percentile(values, 0.99) }

// percentile returns the value that a part of the values does not exceed.
func percentile(values []float64, part float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(part*float64(len(sorted))), len(sorted)-1)]
}

func largest(values []float64) float64 { return slices.Max(values) }

func smallest(values []float64) float64 { return slices.Min(values) }

func sum(values []float64) (n float64) {
	for _, v := range values {
		n += v
	}
	return n
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }
