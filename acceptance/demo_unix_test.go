//go:build linux || darwin

package acceptance

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pollux/internal/face/tui/tuitest"
)

// TestRecording checks the recording in docs/images against the program: at each mark, the terminal must look the same. -update
// records it again if not.
func TestRecording(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	path := filepath.Join(images, "demo.cast")
	got := record(t)
	fresh := marksOf(t, got)
	committed, err := os.ReadFile(path)
	switch {
	case err == nil && slices.Equal(marksOf(t, committed), fresh):
	case *update:
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not as the program looks; if this is right, run make screenshots (%v):\n%s", path, err, strings.Join(fresh, "\n"))
	}
}

// marksOf returns the rows at each mark of a recording, as texts.
func marksOf(t *testing.T, recording []byte) (texts []string) {
	t.Helper()
	marks, _, err := tuitest.Replay(recording)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range marks {
		texts = append(texts, m.Label+":\n"+strings.Join(steady(m.Rows).Text(), "\n"))
	}
	return texts
}

// frameTime is the time between two frames in the recording, for the program may be too fast to read along.
const frameTime = 110 * time.Millisecond

// recorder is a session that is recorded.
type recorder struct {
	*day
	cast *tuitest.Cast
	keys int // that were typed
}

// record plays a session as a person would, and returns its recording.
func record(t *testing.T) []byte {
	t.Helper()
	const width, height = 80, 30
	r := &recorder{cast: tuitest.NewCast(width, height)}
	r.echo("$ ")
	r.pause(1200)
	for _, key := range "pollux" {
		r.cast.Pass(r.delay())
		r.echo(string(key))
	}
	r.pause(400)
	r.echo("\r\n")
	r.cast.SetFrameTime(frameTime)
	r.day = beginDay(t, width, height, darkInk, r.cast.Output)
	r.see("Type your message")
	r.see("zones")
	r.ask()
	r.change()
	recording := r.cast.Encode("Pollux") // without the statistics at the end, which differ each time
	r.leave()
	return recording
}

// ask plays the first prompt and its answer.
func (r *recorder) ask() {
	r.mark("Start")
	r.pause(2500)
	file := strings.Index(firstPrompt, "on.go")
	r.write(firstPrompt[:file])
	r.see("❯ station.go")
	r.pause(900)
	r.press("\t")
	r.see("@station.go")
	r.pause(700)
	r.press("\r")
	r.rest("I recommend the first one.")
	r.mark("Answer")
	r.pause(9000)
}

// change plays the second prompt with its two questions.
func (r *recorder) change() {
	r.write(secondPrompt)
	r.pause(600)
	r.press("\r")
	r.see("Apply this change?")
	r.mark("Question")
	r.pause(7000)
	release := r.hold()
	r.press("1")
	r.see("Run this command?")
	r.Settle()
	r.await()
	r.pause(4000)
	r.press("1")
	r.see("2026-03-31  Cape Verrill   04:05    04:05  ok")
	elapsed := regexp.MustCompile(`\(\d+s\)$`)
	r.until(func(rows []string) bool { return slices.ContainsFunc(rows, elapsed.MatchString) }, "the time of the command")
	r.cast.Mark("Command")
	r.pause(100)
	release()
	r.rest("asks it for each date.")
	r.mark("End")
	r.pause(8000)
	r.echo("\r\n") // a player shows the last screen until then
}

// mark adds a mark at rest.
func (r *recorder) mark(label string) {
	r.Settle()
	r.await()
	r.cast.Mark(label)
}

func (r *recorder) pause(milliseconds int) {
	r.cast.Pass(time.Duration(milliseconds) * time.Millisecond)
}

// echo adds output of the shell.
func (r *recorder) echo(text string) { r.cast.Output([]byte(text)) }

// delay returns the time before the next key: it varies as that of a person does.
func (r *recorder) delay() time.Duration {
	r.keys++
	return time.Duration(55+(r.keys*7919)%61) * time.Millisecond
}

// write types a text.
func (r *recorder) write(text string) {
	for _, key := range text {
		r.cast.SetFrameTime(0)
		r.cast.Pass(r.delay())
		if key == ' ' {
			r.pause(40)
		}
		r.press(string(key))
	}
	r.cast.SetFrameTime(frameTime)
}

// press presses a key, and waits for output.
func (r *recorder) press(key string) {
	before := r.cast.Bytes()
	r.send(key)
	r.until(func([]string) bool { return r.cast.Bytes() > before }, "output after "+key)
}
