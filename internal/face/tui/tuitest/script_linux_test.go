package tuitest

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// Keys that follow a text that is on the screen anyway wait until the program has obeyed the keys before: this one forgets keys that came while it computed.
func TestPlayProves(t *testing.T) {
	t.Parallel()
	const forgetful = `
stty -echo
echo ready
read line
n=0
while [ $n -lt 100000 ]; do n=$((n + 1)); done
while read -r -t 0 && read -r -t 1 -n 1; do :; done
echo computed
read line
stty echo
echo "got $line"
`
	for name, wait := range map[string]string{"a text of before": "see ready", "no text that was there": "unsee nothing", "a file of before": "wait {{SCRIPT}}", "an effect": "see computed"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := filepath.Join(t.TempDir(), "script")
			text := "see ready\nsend a\n" + wait + "\nsend b\nsee got b\nend 0\n"
			if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			getenv := func(name string) string { return map[string]string{"SCRIPT": script}[name] }
			program := []string{"bash", "-c", forgetful}
			if err := Play(script, program, getenv, io.Discard); err != nil {
				t.Error(err)
			}
		})
	}
}
