package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pollux/bench/scene"
	"pollux/bench/seat"
	"pollux/internal/process/processtest"
)

// BenchmarkFloor plays scenes with Pollux and with bench/floor in turn, and reports the costs of Pollux as multiples of
// those of the floor: medians of the wall time, the CPU time, the peak memory, the time to the first request, and the
// program's own time in a turn.
func BenchmarkFloor(b *testing.B) {
	program, floor := pollux(b), processtest.BuildPackage(b, "pollux/bench/floor")
	for _, s := range []struct {
		name, prompt string
		figures      []string
	}{
		{"version", "", []string{"cpu"}},
		{"hello", "Play 0 turns.", []string{"first", "cpu", "peak"}},
		{"turns", "Play 100 turns.", []string{"own", "cpu", "peak"}},
		{"chunks", "Play 20000 chunks.", []string{"cpu", "peak"}},
		{"megabytes", "Play 50 megabytes.", []string{"wall", "cpu", "peak"}},
		{"sleeps", "Play 20 sleeps.", []string{"wall"}},
	} {
		b.Run(s.name, func(b *testing.B) {
			m := scene.Start(0)
			defer m.Close()
			costs := [2]map[string][]float64{{}, {}}
			run := func(keeps bool) {
				for i, path := range []string{program, floor} {
					for name, cost := range measure(b, m, path, s.prompt) {
						if keeps {
							costs[i][name] = append(costs[i][name], cost)
						}
					}
				}
			}
			run(false) // warms up the file cache
			for b.Loop() {
				run(true)
			}
			for _, name := range s.figures {
				b.ReportMetric(median(costs[0][name])/median(costs[1][name]), name+"-x")
				b.ReportMetric(median(costs[0][name]), name+map[bool]string{true: "-MB", false: "-ms"}[name == "peak"])
			}
			b.ReportMetric(0, "ns/op") // of both programs
		})
	}
}

// measure plays a scene in a new home directory, and returns the costs by their names.
func measure(b *testing.B, m *scene.Model, program, prompt string) map[string]float64 {
	b.Helper()
	home, dir := b.TempDir(), b.TempDir()
	for i := range 100 {
		text := strings.Repeat(fmt.Sprintf("line of page %d, as long as others\n", i), 120) // 4 KB
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("page", i)), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	args := []string{"--version"}
	if prompt != "" {
		args = []string{"--yolo", "-p", prompt}
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = append(scene.Gemini.Variables(m.URL), "PATH="+os.Getenv("PATH"), "HOME="+home, "LANG=C.UTF-8",
		"GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+filepath.Join(home, "none.json"))
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	most, _ := seat.PeakMemory(cmd.Process.Pid)
	err := cmd.Wait()
	wall := time.Since(began)
	if err != nil || out.Len() == 0 {
		b.Fatalf("%s %q: %v: %s", program, args, err, &errs)
	}
	costs := map[string]float64{
		"wall": milliseconds(wall), "cpu": milliseconds(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()), "peak": most,
	}
	requests := m.TakeRequests()
	if len(requests) > 0 {
		costs["first"] = milliseconds(requests[0].Arrived.Sub(began))
	}
	requests = slices.DeleteFunc(requests, func(q scene.Request) bool { return q.IsQuestion() })
	var own []float64
	for i := 1; i < len(requests); i++ {
		own = append(own, milliseconds(requests[i].Arrived.Sub(requests[i-1].Answered)))
	}
	if len(own) > 0 {
		costs["own"] = median(own)
	}
	return costs
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }
