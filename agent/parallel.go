package agent

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// Parallel is the rule for which calls of one response run at the same time. Every rule but [ParallelReads] also
// lets a call run beside the calls before it if the model gives it the argument wait_for_previous with the value
// false. With every rule, a call for which the argument is true runs alone, and so does one of a tool with
// Spec.Serial; agents run beside agents.
type Parallel string

// The rules.
const (
	// ParallelEffects lets calls that only read run side by side, and calls that change different files. It is
	// the default.
	ParallelEffects Parallel = "effects"
	// ParallelAsked lets calls of tools that only read run side by side.
	ParallelAsked Parallel = "asked"
	// ParallelReads is like ParallelAsked, but ignores wait_for_previous: false.
	ParallelReads Parallel = "reads"
	// ParallelAll lets all calls run side by side, except those that change the same file.
	ParallelAll Parallel = "all"
)

// waiting is the model's word on whether a call waits for the calls before it.
type waiting int

const (
	waitUnsaid waiting = iota
	waitTrue
	waitFalse
)

// waitOf returns the argument wait_for_previous, which every call accepts.
func waitOf(args []byte) waiting {
	if !bytes.Contains(args, []byte("wait_for_previous")) {
		return waitUnsaid
	}
	var a struct {
		Wait any `json:"wait_for_previous"`
	}
	switch _ = json.Unmarshal(args, &a); a.Wait {
	case true:
		return waitTrue
	case false:
		return waitFalse
	}
	return waitUnsaid
}

// groupSize returns the number of leading jobs that may run at the same time.
func (p Parallel) groupSize(jobs []*job) int {
	n := 1
	for n < len(jobs) && p.joins(jobs[:n], jobs[n]) {
		n++
	}
	return n
}

// joins reports whether a job may run at the same time as a group of jobs before it.
func (p Parallel) joins(group []*job, j *job) bool {
	all := func(is func(*job) bool) bool {
		return is(j) && !slices.ContainsFunc(group, func(g *job) bool { return !is(g) })
	}
	switch {
	case !all((*job).mayJoin), slices.ContainsFunc(group, func(g *job) bool { return overlap(g.effect.Paths, j.effect.Paths) }):
		return false
	case p == ParallelAll, p != ParallelReads && j.wait == waitFalse:
		return true
	case all((*job).isAgent), all((*job).isReadingTool):
		return true
	case p == ParallelAsked, p == ParallelReads:
		return false
	}
	return all(func(g *job) bool { return g.effect.Reads }) || all(func(g *job) bool { return g.effect.Paths != nil })
}

// overlap reports whether a path of one list is the same as one of the other, or a directory above it. Upper and
// lower case count as equal, as they are on some disks.
func overlap(a, b []string) bool {
	within := func(path, dir string) bool {
		return strings.HasPrefix(path+string(filepath.Separator), dir+string(filepath.Separator))
	}
	for _, x := range a {
		x = strings.ToLower(x)
		for _, y := range b {
			if y = strings.ToLower(y); within(x, y) || within(y, x) {
				return true
			}
		}
	}
	return false
}
