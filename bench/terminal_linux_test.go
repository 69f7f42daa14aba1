package bench

import (
	"strings"
	"testing"
	"time"

	"pollux/bench/seat"
	"pollux/internal/process/processtest"
)

// BenchmarkTerminal runs the measurements of package seat: Pollux at a terminal. The program bench/screen prints the same figures
// beside those that Pollux promises. With POLLUX_LONG=1 the long session lasts a minute here; otherwise everything is brief.
func BenchmarkTerminal(b *testing.B) {
	program := pollux(b)
	for _, m := range seat.Measures() {
		b.Run(m.Name, func(b *testing.B) {
			r := &seat.Run{Program: program, Session: 6 * time.Second, IsBrief: true}
			if processtest.IsLong() {
				r.Session, r.IsBrief = time.Minute, false
			}
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
