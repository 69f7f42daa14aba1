//go:build unix

package gemini

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pollux/acceptance/npm"
)

// theirs returns the record of Gemini CLI in a scene. The record is the same each time, but
// takes more than a second: theirs stores it beside the program, and uses it as long as the
// scene, the program, Node.js, the scripted model and this package are the same. If force is
// set, theirs plays the scene in any case.
func theirs(t *testing.T, s *scene, command []string, force bool) map[string]any {
	t.Helper()
	record, _ := noted(t, s, command, force, func() (map[string]any, error) { // which fails with the test
		g := set(t, s, "g")
		return g.record(t, g.perform(t, s, command)), nil
	})
	return record
}

// noted is [theirs] for any record, which play returns.
func noted(t *testing.T, s *scene, command []string, force bool, play func() (map[string]any, error)) (map[string]any, error) {
	t.Helper()
	note, err := noteOf(s, command[0])
	if err != nil {
		t.Fatal(err)
	}
	var record map[string]any
	if text, err := os.ReadFile(note); err == nil && !force && json.Unmarshal(text, &record) == nil {
		return record, nil
	}
	record, err = play()
	if err != nil || t.Failed() {
		return record, err
	}
	old, _ := filepath.Glob(filepath.Join(filepath.Dir(note), s.name+"@*")) // the pattern is good
	for _, name := range old {
		_ = os.Remove(name) // of no use any more
	}
	if err := os.MkdirAll(filepath.Dir(note), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(note, encoded(record), 0o600); err != nil {
		t.Fatal(err)
	}
	return record, nil
}

// noteOf returns the file of Gemini CLI's record of a scene.
func noteOf(s *scene, node string) (string, error) {
	dir, err := npm.Dir("testdata", cacheName)
	if err != nil {
		return "", err
	}
	harness, err := harness(node)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(harness + s.text))
	return filepath.Join(dir, "records", fmt.Sprintf("%s@%x.json", s.name, sum[:8])), nil
}

var (
	harnessOnce sync.Once
	harnessSum  string
	harnessErr  error
)

// harness stands for all that a record depends on beside its scene.
func harness(node string) (string, error) {
	harnessOnce.Do(func() {
		sum := sha256.New()
		var out []byte
		if out, harnessErr = exec.Command(node, "--version").Output(); harnessErr != nil {
			return
		}
		_, _ = sum.Write(out)
		for _, pattern := range []string{"*_test.go", filepath.Join("..", "..", "internal", "scriptmodel", "*.go")} {
			files, _ := filepath.Glob(pattern) // the pattern is good
			for _, name := range files {
				if strings.HasSuffix(name, "table_test.go") {
					continue // records do not depend on tables
				}
				if harnessErr = add(sum, name); harnessErr != nil {
					return
				}
			}
		}
		harnessSum = fmt.Sprintf("%x", sum.Sum(nil))
	})
	return harnessSum, harnessErr
}

func add(w io.Writer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}
