//go:build unix

// Package disasters lets terminal agents lose a project's files in ten ways, as public reports describe them, and compares the
// results of each agent's own undo. The agents run without a person, in a home directory and a project of their own, with a model
// on loopback that speaks the protocol of each and asks for one tool call: the disaster.
//
// Pollux plays them in each run of the tests. The other agents play if the variable POLLUX_COMPARE is agents, as make compare-agents
// sets it: this needs Node.js and npm, and downloads 500 MB once into the user's cache. testdata/results.json has the outcomes, and docs/undo.md is
// made of it.
package disasters

import (
	"flag"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"pollux/cmd/pollux/program"
	"pollux/internal/process/processtest"
	"pollux/internal/undo/undotest"
)

var (
	update = flag.Bool("update", false, "record the outcomes (with -run TestAgents), and write the table in docs/undo.md (with -run TestDocs)")
	show   = flag.Bool("show", false, "log what the programs print, and the requests to the model")
)

func TestMain(m *testing.M) {
	testscript.Main(processtest.Patient{M: m, Tests: 2}, map[string]func(){"pollux": program.Main})
}

// compared returns the disasters of the comparison.
func compared() []undotest.Disaster {
	return slices.DeleteFunc(slices.Clone(undotest.Disasters), func(d undotest.Disaster) bool { return d.Row == "" })
}

// outcome is the result of an agent's undo after a disaster. Paths of git begin with "git" or "index".
type outcome struct {
	Lost    int      `json:"lost"`              // paths that the disaster changed
	Missing []string `json:"missing,omitempty"` // of these, the ones that are not as before
	Harmed  []string `json:"harmed,omitempty"`  // paths that only the undo changed
	// Refused is set if the agent did not run the command.
	Refused bool `json:"refused,omitempty"`
}

// strike lets an agent play a disaster and undo it.
func strike(t *testing.T, a *agent, d undotest.Disaster) outcome {
	t.Helper()
	control, p := newProject(t), newProject(t)
	before := p.picture(t)
	control.sh(t, d.Script)
	want := control.picture(t)
	m := serve(t, a.calls(p, d))
	var after map[string]string
	err := a.play(t, p, m.URL, func() { after = p.picture(t) })
	if calls := m.unused(); err != nil || len(calls) > 0 {
		t.Fatalf("%s: %v; calls that were not run: %v", a.name, err, calls)
	}
	got := p.picture(t)
	if maps.Equal(before, after) && maps.Equal(before, got) {
		return outcome{Refused: true}
	}
	if diff := cmp.Diff(want, after); diff != "" {
		t.Fatalf("%s did something else (-want +got):\n%s", a.name, diff)
	}
	return judge(before, after, got)
}

// judge compares the pictures of a project before a disaster, after it, and after the undo.
func judge(before, after, got map[string]string) (o outcome) {
	paths := maps.Clone(before)
	maps.Copy(paths, after)
	maps.Copy(paths, got)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		isLost, isBack := before[path] != after[path], got[path] == before[path]
		if isLost {
			o.Lost++
		}
		switch {
		case isLost && !isBack:
			o.Missing = append(o.Missing, path)
		case !isBack:
			o.Harmed = append(o.Harmed, path)
		}
	}
	return o
}

// TestPollux checks that undo brings back everything after each disaster.
func TestPollux(t *testing.T) {
	t.Parallel()
	list := compared()
	if len(list) != 10 {
		t.Errorf("%d disasters", len(list))
	}
	recorded := readResults(t).of(pollux.name)
	for _, d := range list {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			o := strike(t, &pollux, d)
			if o.Lost == 0 || len(o.Missing)+len(o.Harmed) > 0 {
				t.Errorf("%+v", o)
			}
			if r := recorded[d.Name]; !*update && r.Lost != o.Lost {
				t.Errorf("testdata/results.json has %d paths, and %d were lost", r.Lost, o.Lost)
			}
		})
	}
}

// TestAgents lets all agents play, and compares the outcomes with the recorded ones.
func TestAgents(t *testing.T) {
	requireAgents(t)
	old, results := readResults(t), newResults(t)
	var mu sync.Mutex
	t.Run("all", func(t *testing.T) {
		for _, a := range agents {
			for _, d := range compared() {
				t.Run(a.name+"/"+d.Name, func(t *testing.T) {
					t.Parallel()
					o := strike(t, &a, d)
					mu.Lock()
					defer mu.Unlock()
					results.of(a.name)[d.Name] = o
					if diff := cmp.Diff(old.of(a.name)[d.Name], o); diff != "" && !*update {
						t.Errorf("another outcome than in testdata/results.json (-recorded +got):\n%s", diff)
					}
				})
			}
		}
	})
	if *update && !t.Failed() && flag.Lookup("test.run").Value.String() == "TestAgents" {
		results.write(t)
	}
}
