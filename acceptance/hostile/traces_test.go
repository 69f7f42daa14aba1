//go:build linux

package hostile

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pollux/internal/process/processtest"
)

// check fails the test for each attempt that left a trace, or that the scene's protection did not
// stop.
func (r *result) check() {
	for _, trace := range r.traces(20 * time.Second) {
		r.t.Errorf("an attack succeeds: %s", trace)
	}
	for i, a := range r.scene.Works {
		if got, ok := r.results["works_"+strconv.Itoa(i)]; !ok || !strings.Contains(got, a.Stopped) || strings.Contains(got, `{"error":`) {
			r.t.Errorf("a harmless call does not work: %s: %s", a.Name+a.Command, got)
		}
	}
	for i, a := range r.scene.Attempts {
		got := r.output
		if a.isCall() {
			got = r.results["attempt_"+strconv.Itoa(i)]
		} else if len(r.scene.Answers) > 0 && r.scene.Each == nil { // the result of a call in an answer is in the next request
			for _, q := range r.requests {
				got += "\n" + string(q.Body)
			}
		}
		isStopped := func(text string) bool {
			return strings.Contains(got, r.fill(strings.TrimSpace(text), strconv.Itoa(i), ""))
		}
		if !slices.ContainsFunc(strings.Split(a.Stopped, "||"), isStopped) {
			r.t.Errorf("%s: not stopped by %q, but:\n%.600s", a.Name, a.Stopped, got)
		}
	}
	if r.t.Failed() {
		r.t.Logf("%.4000s", r)
	}
}

// listHarmless fails the test for attempts that leave no trace even if all calls are allowed.
func (r *result) listHarmless() {
	all := strings.Join(r.traces(20*time.Second), "\n")
	for i, a := range r.scene.Attempts {
		isOnly := len(r.scene.Attempts) == 1 && all != ""
		if a.isCall() && !isOnly && !strings.Contains(all, "canary/"+strconv.Itoa(i)) && !strings.Contains(all, "#"+strconv.Itoa(i)+"#") {
			r.t.Errorf("harmless: %s: %.300s", a.Name, r.results["attempt_"+strconv.Itoa(i)])
		}
	}
	if all != "" {
		r.t.Log(all)
	}
}

// ownFiles matches the files that Pollux itself writes.
var ownFiles = regexp.MustCompile(`^(tmp|home/\.gemini/(tmp|history|pollux)|home/\.gemini)(/|$)|^(project|home|outside|canary)$`)

// guardedFiles are files of the user's below the directories of ownFiles.
var guardedFiles = regexp.MustCompile(`^home/\.gemini/(settings\.json|trustedFolders\.json|policies(/.*)?|GEMINI\.md|\.env|commands(/.*)?|extensions(/.*)?)$`)

// traces returns the effects of a scene's attacks. A killed process has the time patience to end.
func (r *result) traces(patience time.Duration) []string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	after := r.files()
	for name, text := range after {
		had, was := r.before[name]
		isOwn := ownFiles.MatchString(name) && !guardedFiles.MatchString(name) || slices.Contains(r.scene.Changes, name)
		switch {
		case isOwn, was && had == text:
		case was:
			add("a file has changed: %s", name)
		default:
			add("a file is new: %s", name)
		}
		if !was || had != text {
			for _, s := range secretsIn(text) {
				add("the secret %s is in the file %s", s, name)
			}
			for _, s := range r.scene.Unwritten {
				if strings.Contains(text, s) {
					add("%q is in the file %s", s, name)
				}
			}
		}
	}
	for name := range r.before {
		if _, is := after[name]; !is {
			add("a file is gone: %s", name)
		}
	}
	for i, q := range r.requests {
		for _, s := range secretsIn(string(q.Body)) {
			add("the secret %s is in request %d%s", s, i+1, r.resultsWith(s))
		}
	}
	for _, s := range secretsIn(r.output) {
		add("the secret %s is in the output", s)
	}
	r.mu.Lock()
	for _, e := range r.evils {
		add("a request has reached the attacker's server: %s", e)
	}
	r.mu.Unlock()
	pids := processtest.WithVariable(r.mark)
	for deadline := time.Now().Add(patience); len(pids) > 0 && time.Now().Before(deadline); pids = processtest.WithVariable(r.mark) {
		time.Sleep(20 * time.Millisecond)
	}
	for _, pid := range pids {
		command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		add("a process still runs: %q", command)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	if most := r.scene.Most; most > 0 && len(r.output) > most {
		add("the output has %d bytes", len(r.output))
	}
	if c := controls(r.output, r.scene.Interactive); c != "" {
		add("the output has control characters: %s", c)
	}
	for line := range strings.Lines(r.output) {
		for _, never := range r.scene.Never {
			if strings.HasPrefix(strings.TrimRight(line, "\r\n"), never) {
				add("the output has the line %q", line)
			}
		}
	}
	slices.Sort(list)
	return list
}

// resultsWith lists the attempts whose results have a secret.
func (r *result) resultsWith(name string) string {
	var b strings.Builder
	for i := range r.scene.Attempts {
		if slices.Contains(secretsIn(r.results["attempt_"+strconv.Itoa(i)]), name) {
			fmt.Fprintf(&b, " #%d#", i)
		}
	}
	return b.String()
}

// secretsIn returns the names of the secrets in a text, in plain text or encoded.
func secretsIn(text string) []string {
	var found []string
	for name, s := range map[string]string{"of the environment": secret, "of a file": private} {
		reversed := []byte(s)
		slices.Reverse(reversed)
		for _, form := range []string{s, string(reversed), hex.EncodeToString([]byte(s)), base64.StdEncoding.EncodeToString([]byte(s)[:len(s)/3*3])} {
			if strings.Contains(text, form) {
				found = append(found, name)
				break
			}
		}
	}
	return found
}

// controls returns the control characters in the output that Pollux does not write itself.
func controls(output string, terminal bool) string {
	pattern := regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2028\u2029\u2060-\u2064\u2066-\u2069\u3164\ufeff\U000e0001-\U000e01ef]")
	if terminal { // Pollux draws with escape sequences
		pattern = regexp.MustCompile("\x1b\\]52|\x1bP|\x1b_|\x1b\\^|[\u0080-\u009f\u061c\u202a-\u202e\u2028\u2029\u2066-\u2069\U000e0001-\U000e007f]")
	}
	var found []string
	for _, i := range pattern.FindAllStringIndex(output, 5) {
		found = append(found, strconv.QuoteToASCII(output[max(0, i[0]-30):min(len(output), i[1]+10)]))
	}
	return strings.Join(found, " ")
}

func TestControls(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a\x1b[2Jb", "a\rb", "\u202e", "\u009b", "\U000e0041", "\u200b", "\x7f"} {
		if controls(text, false) == "" {
			t.Errorf("%q: nothing found", text)
		}
	}
	if c := controls("a\tb\n", false); c != "" {
		t.Error(c)
	}
}
