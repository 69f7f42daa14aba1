//go:build unix

package gemini

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pollux/internal/process/processtest"
)

var wait = flag.Duration("wait", time.Minute, "how long a program may take to show what a scene at a terminal waits for")

// screenScenes returns the scenes at a terminal.
func screenScenes(t *testing.T) (scenes []*scene) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "screens", "*.txtar"))
	if err != nil || len(names) < 20 {
		t.Fatal(len(names), err)
	}
	for _, name := range names {
		s, err := readScene(name)
		if err == nil && len(s.facts()) == 0 {
			err = fmt.Errorf("it has no facts")
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		scenes = append(scenes, s)
	}
	return scenes
}

// facts returns the names of the facts that the scene compares.
func (s *scene) facts() (names []string) {
	for line := range strings.Lines(s.keys) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "fact" {
			names = append(names, words[1])
		} else if len(words) == 1 && words[0] == "gone" {
			names = append(names, restored)
		}
	}
	return names
}

// title returns the subject of the scene: its first comment.
func (s *scene) title() string {
	first, _, _ := strings.Cut(s.text, "\n")
	return strings.TrimPrefix(first, "# ")
}

// TestScreenTable checks without Gemini CLI that each row of the table is of scenes and facts that exist.
func TestScreenTable(t *testing.T) {
	t.Parallel()
	var names []string
	facts := map[string][]string{}
	for _, s := range screenScenes(t) {
		names = append(names, s.name)
		facts[s.name] = s.facts()
	}
	checkTable(t, screenTable, names)
	for _, a := range screenTable {
		for _, path := range a.paths {
			isOf := func(scene string) bool { return slices.ContainsFunc(facts[scene], pattern(path).MatchString) }
			if !slices.ContainsFunc(strings.Fields(a.scenes), isOf) {
				t.Errorf("none of the scenes %s has the fact %s", a.scenes, path)
			}
		}
	}
}

// TestScreens lets both programs play the scenes at a terminal, with the same keys, and compares the facts.
func TestScreens(t *testing.T) {
	command, scenes := peer(t), screenScenes(t)
	found := newTally(screenTable)
	t.Run("all", func(t *testing.T) {
		for _, s := range scenes {
			if !processtest.InPartOf(compareVariable, s.name) {
				continue
			}
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				all, err := playScreen(t, s, command, *fresh)
				left := found.unlisted(s.name, all)
				if err != nil || len(left) > 0 { // effects of the load of the machine do not come twice
					all, err = playScreen(t, s, command, true)
					left = found.unlisted(s.name, all)
				}
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range left {
					t.Errorf("%s\n  gemini: %s\n  pollux: %s", d.path, encoded(d.gemini), encoded(d.pollux))
				}
			})
		}
	})
	if f := flag.Lookup("test.run"); os.Getenv(compareVariable) == "1" && !strings.Contains(f.Value.String(), "/") && flag.Lookup("test.skip").Value.String() == "" {
		found.missed(t)
	}
}

// playScreen lets both programs play a scene at a terminal, and returns the facts that differ.
func playScreen(t *testing.T, s *scene, command []string, force bool) (all []difference, err error) {
	t.Helper()
	theirs, err := noted(t, s, command, force, func() (map[string]any, error) { return set(t, s, "g").screen(t, s, command) })
	if err != nil {
		return nil, err
	}
	ours, err := set(t, s, "p").screen(t, s, pollux)
	if err != nil {
		return nil, err
	}
	for _, name := range s.facts() {
		if !bytes.Equal(encoded(ours[name]), encoded(theirs[name])) {
			all = append(all, difference{path: name, gemini: theirs[name], pollux: ours[name]})
		}
	}
	return all, nil
}

// screenDocs returns the part of docs/differences.md about the terminal.
func screenDocs(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("\n| Scene | Facts | Other in Pollux |\n| --- | --- | --- |\n")
	facts, others := 0, 0
	scenes := screenScenes(t)
	for _, s := range scenes {
		other := 0
		for _, name := range s.facts() {
			isOther := func(a allowed) bool {
				return slices.Contains(strings.Fields(a.scenes), s.name) && slices.ContainsFunc(a.paths, func(p string) bool { return pattern(p).MatchString(name) })
			}
			if slices.ContainsFunc(screenTable, isOther) {
				other++
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %d |\n", s.title(), len(s.facts()), other)
		facts, others = facts+len(s.facts()), others+other
	}
	fmt.Fprintf(&b, "\nAt least %d of the %d facts are the same in both programs.\n", facts-others, facts)
	for _, k := range []kind{better, words, missing} {
		var rows strings.Builder
		for _, a := range screenTable {
			if a.kind == k {
				rows.WriteString("- " + a.what + "\n")
			}
		}
		if rows.Len() > 0 {
			b.WriteString("\n### " + string(k) + ", in the terminal\n\n" + rows.String())
		}
	}
	return b.String()
}
