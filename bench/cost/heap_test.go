package cost

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"pollux"
	"pollux/agent"
	"pollux/internal/cli"
	"pollux/internal/config"
	"pollux/internal/process/processtest"
	"pollux/internal/terminal"
)

// workVariable names the variable that makes the test binary do a work and print its counts. In a process of its own
// nothing else allocates: no other test, and not the model.
const workVariable = "POLLUX_COST_WORK"

func TestMain(m *testing.M) {
	if do := works[os.Getenv(workVariable)]; do != nil {
		debug.SetGCPercent(-1) // a collection empties pools
		if err := json.NewEncoder(os.Stdout).Encode(do()); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(processtest.Patient{M: m, Tests: 8}.Run())
}

// work does a work in a new process at a place, and returns its counts.
func (p *place) work(t *testing.T, name string) counts {
	t.Helper()
	if processtest.HasRaceDetector() {
		t.Skip("NOT CHECKED: the race detector allocates memory too")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, _ := p.run(t, workVariable+"="+name, exe)
	var c counts
	if err := json.Unmarshal([]byte(out), &c); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return c
}

// works are the functions that processes of their own run.
var works = map[string]func() counts{
	"hello":   hi,
	"turn":    turns,
	"chunk":   func() counts { return each("chunks", 1_000, 20_000) },
	"call":    func() counts { return each("calls", 10, 60) },
	"command": func() counts { return each("commands", 2, 22) },
	"refused": func() counts { return each("refusals", 2, 22) },
	"output":  output,
	"inline":  func() counts { return desks(false) },
	"full":    func() counts { return desks(true) },
}

// hi returns the allocations for a prompt that the model answers at once.
func hi() counts {
	bytes, objects := allocated("Play 0 turns.")
	return counts{"memory": bytes, "objects": objects}
}

// play runs the program with a prompt. Its output is discarded.
func play(prompt string) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		panic(err)
	}
	defer null.Close()
	env := config.Environ()
	if code := cli.Main([]string{"--yolo", "-p", prompt}, terminal.New(null, null, os.Stderr, env.Get), env); code != 0 {
		panic(fmt.Sprintf("%s ends with %d", prompt, code))
	}
}

// allocated returns the bytes and objects that the program allocates for a prompt.
func allocated(prompt string) (bytes, objects float64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	play(prompt)
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc), float64(after.Mallocs - before.Mallocs)
}

// each returns the allocations for one more thing in an answer: the mean of many less few.
func each(things string, few, many int) counts {
	play(fmt.Sprintf("Play %d %s.", few, things)) // the first time, more is allocated
	alone := func(n int) (bytes, objects float64) {
		// The program would read the session that an earlier run has recorded, which takes the more the longer that is.
		if err := os.RemoveAll(filepath.Join(os.Getenv("HOME"), ".gemini")); err != nil {
			panic(err)
		}
		return allocated(fmt.Sprintf("Play %d %s.", n, things))
	}
	bytesFew, objectsFew := alone(few)
	bytesMany, objectsMany := alone(many)
	n := float64(many - few)
	return counts{"memory": (bytesMany - bytesFew) / n, "objects": (objectsMany - objectsFew) / n}
}

// output returns the allocations for 50 MB of output of a command.
func output() counts {
	play("Play 1 commands.")
	bytes, _ := allocated("Play 50 megabytes.")
	return counts{"memory": bytes}
}

// turns returns the allocations of a turn at the 10th and at the 300th: medians of 11 turns, because a slice grows now
// and then.
func turns() counts {
	const around, last = 11, 300
	ctx := context.Background()
	a, err := pollux.New(ctx, pollux.Options{TrustDir: true, Recorded: true, Approval: pollux.ApproveAll})
	if err != nil {
		panic(err)
	}
	defer a.Close()
	var m runtime.MemStats
	at := make([]struct{ bytes, objects uint64 }, 0, last+around+1) // at the start of each turn
	for event, err := range a.Run(ctx, pollux.Prompt{Text: fmt.Sprintf("Play %d turns.", last+around)}) {
		if err != nil {
			panic(err)
		}
		if _, ok := event.(agent.TurnStarted); ok {
			runtime.ReadMemStats(&m)
			at = append(at, struct{ bytes, objects uint64 }{m.TotalAlloc, m.Mallocs})
		}
	}
	c := counts{}
	for _, first := range []int{10, last} {
		var bytes, objects []float64
		for i := first; i < first+around; i++ {
			bytes = append(bytes, float64(at[i].bytes-at[i-1].bytes))
			objects = append(objects, float64(at[i].objects-at[i-1].objects))
		}
		slices.Sort(bytes)
		slices.Sort(objects)
		c[fmt.Sprint("memory at ", first)], c[fmt.Sprint("objects at ", first)] = bytes[around/2], objects[around/2]
	}
	return c
}
