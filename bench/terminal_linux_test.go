package bench

import (
	"strings"
	"testing"
	"time"

	"pollux/bench/seat"
	"pollux/internal/process/processtest"
)

// BenchmarkTerminal runs the measurements of package seat: Pollux at a terminal. The program bench/screen prints the same figures
// beside those that Pollux promises. The long session lasts a minute here.
func BenchmarkTerminal(b *testing.B) {
	program := processtest.Build(b)
	for _, m := range seat.Measures() {
		b.Run(m.Name, func(b *testing.B) {
			r := &seat.Run{Program: program, Session: time.Minute}
			for b.Loop() {
				if err := m.Do(r); err != nil {
					b.Fatal(err)
				}
			}
			for i := range m.Rows {
				n, ok := r.Figure(&m.Rows[i])
				if !ok || strings.Contains(m.Rows[i].Unit, " ") {
					b.Errorf("%q has no figure or no unit", m.Rows[i].What)
					continue
				}
				b.ReportMetric(n, m.Rows[i].Unit)
			}
		})
	}
}
