//go:build linux

// Command screen measures Pollux at a terminal, and prints a table of the figures beside the promised ones.
//
//	go run ./bench/screen                      all, which takes about 20 minutes
//	go run ./bench/screen -only keys,start     these measurements alone
//	go run ./bench/screen -session 1m          with a shorter long session
//
// It ends with an error if a figure falls short of its promise. Figures are for a machine that has nothing else to do: the first line
// has its load before and after.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"pollux/bench/seat"
	"pollux/internal/process/processtest"
)

func main() {
	only := flag.String("only", "", "names of measurements, with commas; all by default")
	session := flag.Duration("session", 10*time.Minute, "length of the long session")
	program := flag.String("program", "", "another build of Pollux to measure")
	times := flag.Int("times", 0, "how often each is measured; by default that depends on the measurement")
	flag.Parse()
	short, err := run(*only, *program, *session, *times)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "screen:", err)
		os.Exit(1)
	case short > 0:
		os.Exit(2)
	}
}

// run measures and prints. It returns the number of figures that fall short.
func run(only, program string, session time.Duration, times int) (short int, err error) {
	all, err := selected(only)
	if err != nil {
		return 0, err
	}
	if program == "" {
		dir, err := os.MkdirTemp("", "pollux-screen-")
		if err != nil {
			return 0, err
		}
		defer os.RemoveAll(dir)
		if program, err = processtest.BuildIn(dir, "pollux/cmd/pollux"); err != nil {
			return 0, err
		}
	}
	before := load()
	var lines []string
	for i := range all {
		m := &all[i]
		fmt.Fprintln(os.Stderr, "measuring", m.Name)
		r := &seat.Run{Program: program, Session: session}
		for range cmp.Or(max(times, 0), m.Times) {
			if err := m.Do(r); err != nil {
				return 0, fmt.Errorf("%s: %w", m.Name, err)
			}
		}
		for j := range m.Rows {
			line, isShort := row(r, &m.Rows[j])
			if lines = append(lines, line); isShort {
				short++
			}
		}
	}
	fmt.Printf("%d processors, %s/%s, %s; load before and after: %s, %s\n\n", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), before, load())
	fmt.Println("| | measured | promised | by | |\n|---|---:|---:|---|---|")
	fmt.Println(strings.Join(lines, "\n"))
	return short, nil
}

// selected returns the measurements with these names.
func selected(only string) ([]seat.Measure, error) {
	all := seat.Measures()
	if only == "" {
		return all, nil
	}
	var some []seat.Measure
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(all, func(m seat.Measure) bool { return m.Name == name })
		if i < 0 {
			var names []string
			for _, m := range all {
				names = append(names, m.Name)
			}
			return nil, fmt.Errorf("there is no measurement %q; there are %s", name, strings.Join(names, ", "))
		}
		some = append(some, all[i])
	}
	return some, nil
}

// row returns a row of the table, and whether its figure falls short of its promise.
func row(r *seat.Run, w *seat.Row) (line string, isShort bool) {
	n, ok := r.Figure(w)
	if !ok {
		return fmt.Sprintf("| %s | | | | not measured |", w.What), true
	}
	promise, verdict := "", ""
	if w.IsPromised() {
		promise, isShort = "≤ "+number(w.Promise), n > w.Promise
		verdict = "kept"
	}
	if isShort {
		verdict = "**falls short**"
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s |", w.What, number(n), promise, w.Source, verdict), isShort
}

// number returns a number with two or three digits that count.
func number(n float64) string {
	digits := 0
	switch {
	case n == float64(int(n)):
	case n < 1:
		digits = 2
	case n < 100:
		digits = 1
	}
	return strconv.FormatFloat(n, 'f', digits, 64)
}

// load returns the load of the machine in the last minute.
func load() string {
	data, _ := os.ReadFile(filepath.Join("/proc", "loadavg"))
	first, _, _ := strings.Cut(string(data), " ")
	return first
}
