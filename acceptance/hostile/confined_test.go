//go:build linux

package hostile

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pollux/internal/process/processtest"
	"pollux/internal/sandbox"
)

// TestConfined plays the calls of the scenes again in YOLO mode, with the sandbox in place of all questions and policies. None may have an effect outside
// of the workspace. The log counts the effects inside.
func TestConfined(t *testing.T) {
	t.Parallel()
	if err := sandbox.Available(); err != nil {
		t.Skipf("NOT TESTED: the attacks in the sandbox: %v", err)
	}
	var mu sync.Mutex
	possible, attempts := map[string]int{}, 0
	t.Run("scenes", func(t *testing.T) {
		for _, k := range readKinds(t) {
			for _, s := range k.confined() {
				t.Run(k.file+"/"+strings.ReplaceAll(s.Name, " ", "_"), func(t *testing.T) {
					t.Parallel()
					r := play(t, s)
					mu.Lock()
					defer mu.Unlock()
					attempts += len(s.Attempts)
					for _, trace := range r.traces(20 * time.Second) {
						if category := inside(trace); category != "" {
							possible[category+" ("+k.file+")"]++
						} else {
							t.Errorf("outside of the sandbox: %s", trace)
						}
					}
					if t.Failed() {
						t.Logf("%.3000s", r)
					}
				})
			}
		}
	})
	t.Logf("%d calls have done no harm outside of the workspace", attempts)
	for _, category := range slices.Sorted(maps.Keys(possible)) {
		t.Logf("possible: %s: %d", category, possible[category])
	}
}

// confined returns the scenes of a kind that have calls, each once, in YOLO mode and with the sandbox.
func (k *kind) confined() (list []*scene) {
	isPlayed := map[string]bool{}
	scenes := k.Scenes
	if !processtest.IsLong() {
		scenes = k.plain()
	}
	for _, s := range scenes {
		c := *s
		c.Attempts = slices.DeleteFunc(slices.Clone(s.Attempts), func(a attempt) bool { return !a.isCall() || a.Endless })
		c.Works, c.Text, c.Most, c.Never, c.Unwritten, c.Modes, c.mode = nil, "", 0, nil, nil, nil, ""
		c.face, c.Interactive, c.ErrTerminal = headless, false, false
		calls, _ := json.Marshal(c.Attempts) // plain values
		key := fmt.Sprint(string(calls), c.Files, c.Setup, c.Settings)
		if len(c.Attempts) == 0 || c.Command != nil || isPlayed[key] {
			continue
		}
		isPlayed[key] = true
		c.disarm()
		c.isConfined = true
		c.Args = append(c.Args, "--sandbox")
		list = append(list, &c)
	}
	return list
}

// ours are the traces that attacks may leave in the sandbox, by category.
var ours = []struct {
	trace    *regexp.Regexp
	category string
}{
	{regexp.MustCompile(`^a file (has changed|is new|is gone): project(/|$)`), "the workspace's own files"},
	{regexp.MustCompile(`^a file is new: ` + cacheDirs.String()[1:]), "directories for caches, which Pollux makes"},
	{regexp.MustCompile(`^a file (has changed|is new): home/\.gemini/GEMINI\.md$`), "the user's memory, by write_file"},
	{regexp.MustCompile(`^a request has reached the attacker's server`), "the network, which is open"},
}

// inside returns the category of a trace that attacks may leave in the sandbox, "" for another.
func inside(trace string) string {
	for _, o := range ours {
		if o.trace.MatchString(trace) {
			return o.category
		}
	}
	return ""
}
