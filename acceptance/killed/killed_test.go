//go:build linux

// Package killed ends the real program at random instants, by signals that it cannot or can catch,
// and continues its session with --resume latest. Each session is ended several times and continued
// each time; then it must be as if it had only been slow: the model gets all that it got before and
// all that it answered, each call ran at most once, and no file is half written.
//
// POLLUX_KILLS=1000 ends it so many times. By default it is a few.
package killed

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"pollux/cmd/pollux/program"
	"pollux/internal/process/processtest"
)

// killsPerSession is how many times a session is ended before it may end by itself.
const killsPerSession = 4

// TestMain runs 4 sessions at a time, because they mostly wait.
func TestMain(m *testing.M) {
	testscript.Main(processtest.Patient{M: m, Tests: 4}, map[string]func(){"pollux": program.Main})
}

// TestKilled ends runs without a terminal.
func TestKilled(t *testing.T) {
	t.Parallel()
	whole := play(t, nil) // shows how long a session is
	if whole == nil {
		return
	}
	n, seed := numbers(t)
	for first := 0; first < n; first += killsPerSession {
		t.Run(fmt.Sprint("session ", seed+uint64(first)), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed+uint64(first), 0))
			var instants []instant
			for range min(killsPerSession, n-first) {
				instants = append(instants, newInstant(random, whole))
			}
			play(t, instants)
		})
	}
}

// numbers returns how many kills there are, and the first seed.
func numbers(t *testing.T) (n int, seed uint64) {
	t.Helper()
	n = 20
	for name, to := range map[string]func(int){
		"POLLUX_KILLS": func(v int) { n = v }, "POLLUX_SEED": func(v int) { seed = uint64(v) },
	} {
		if text := os.Getenv(name); text != "" {
			v, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(name, err)
			}
			to(v)
		}
	}
	return n, seed
}

// patience is how long a run may take; nothing is measured by it.
const patience = 2 * time.Minute
