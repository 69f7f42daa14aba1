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
	if err := sandbox.Available(); err != nil || sandbox.ByPath { // they are about that of Linux
		t.Skipf("NOT TESTED: the attacks in the sandbox: %v", err)
	}
	var mu sync.Mutex
	possible, attempts := map[string]int{}, 0
	t.Run("scenes", func(t *testing.T) {
		for _, k := range readKinds(t) {
			for _, s := range k.confined() {
				if !processtest.InPart(s.Name) {
					continue
				}
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
	for _, s := range k.played() {
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

// TestSwappedLinks reads a file of the workspace with all tools while a command exchanges it with a link to a secret. The tools are not in the sandbox: they
// must not follow the link, whenever it appears.
func TestSwappedLinks(t *testing.T) {
	t.Parallel()
	if err := sandbox.Available(); err != nil || sandbox.ByPath { // they are about that of Linux
		t.Skipf("NOT TESTED: files that become links: %v", err)
	}
	s := &scene{Name: "a file that becomes a link", face: headless, Args: []string{"--yolo", "--sandbox"}, isConfined: true, Prompt: "go @f", Files: map[string]string{"f": "ok\n", "d/f": "ok\n", "on": ""}}
	s.Attempts = append(s.Attempts, attempt{Name: "exchange", Command: `(while [ -e on ]; do ln -s {{HOME}}/.ssh/id_rsa l; mv -T l f; echo ok >n; mv -T n f; mv d e; ln -s {{HOME}}/.ssh d; rm d; mv e d; done) >/dev/null 2>&1 & echo ok`})
	for i := range 15 {
		for _, a := range []attempt{
			{Tool: "read_file", Args: `{"file_path": "f"}`},
			{Tool: "read_file", Args: `{"file_path": "d/id_rsa"}`},
			{Tool: "grep_search", Args: `{"pattern": "PRIVATE|ok"}`},
			{Tool: "read_many_files", Args: `{"include": ["f", "d/*"]}`},
			{Tool: "replace", Args: `{"file_path": "f", "old_string": "PRIVATE", "new_string": "x"}`},
			{Tool: "write_file", Args: `{"file_path": "d/id_rsa", "content": "x"}`},
		} {
			a.Name = fmt.Sprint(a.Tool, " ", a.Args, " ", i)
			s.Attempts = append(s.Attempts, a)
		}
	}
	s.Attempts = append(s.Attempts, attempt{Name: "end", Command: "rm on"})
	r := play(t, s)
	for _, trace := range r.traces(20 * time.Second) {
		if inside(trace) == "" {
			t.Errorf("a tool follows a link: %s", trace)
		}
	}
	refused := 0
	for _, result := range r.results {
		if strings.Contains(result, "outside") {
			refused++
		}
	}
	t.Logf("%d calls met the link", refused)
}
