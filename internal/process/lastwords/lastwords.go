// Package lastwords finds the line in the output of a program that says why it has ended:
//
//	var words lastwords.Tail
//	launcher.Run(ctx, &process.Command{Stderr: &words, …})
//	reason := words.Cause(conceal, false)
package lastwords

import (
	"io"
	"regexp"
	"strings"
	"sync"
)

// Tail is a writer that keeps the beginning and the end of its input. Its methods may be called from several goroutines at once.
type Tail struct {
	Log io.Writer // gets all of it, too; nil for none

	mu   sync.Mutex
	head []byte
	kept []byte // the end of the rest
}

// maxTail is how much a Tail keeps of the beginning, and of the end, in bytes.
const maxTail = 4 << 10

// Write never fails.
func (t *Tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(b)
	if t.Log != nil {
		_, _ = t.Log.Write(b)
	}
	first := min(len(b), maxTail-len(t.head))
	t.head = append(t.head, b[:first]...)
	b = b[first:]
	t.kept = append(t.kept, b[max(0, len(b)-maxTail):]...)
	t.kept = append(t.kept[:0], t.kept[max(0, len(t.kept)-maxTail):]...)
	return n, nil
}

// lines returns the lines that are kept, without those that are empty.
func (t *Tail) lines() (list []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for line := range strings.Lines(string(t.head) + string(t.kept)) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// LastLine returns the last line as conceal returns it, at most 300 bytes of it.
func (t *Tail) LastLine(conceal func(string) string) string {
	lines := t.lines()
	if len(lines) == 0 {
		return ""
	}
	return short(lines[len(lines)-1], conceal)
}

// Cause returns the line that says why a program has ended, as conceal returns it: of a program that was of use the last
// one that reads as an error, and of others the first one. If none does, it is the last line that is no noise, or the
// last one.
func (t *Tail) Cause(conceal func(string) string, isUp bool) string {
	found, last, other := "", "", ""
	for _, line := range t.lines() {
		if isNoise(line) {
			if line != "npm notice" { // which is an empty line of npm's
				other = line
			}
			continue
		}
		last = line
		if IsError(line) && (isUp || found == "") {
			found = line
		}
	}
	switch {
	case found != "":
		return short(found, conceal)
	case last != "":
		return short(last, conceal)
	}
	return short(other, conceal)
}

func short(line string, conceal func(string) string) string {
	text := conceal(strings.TrimSpace(line))
	return strings.ToValidUTF8(text[:min(len(text), 300)], "")
}

// expressions are compiled when they are first needed: most programs end well.
var expressions struct {
	sync.Once
	isError, isNoise *regexp.Regexp
}

func compile() {
	expressions.isError = regexp.MustCompile(`(?i)error\b|exception\b|panic:|fatal|failed|failure|cannot|can't|could not|unable|not found|no such|denied|refused|locked|missing|invalid|required|unknown|unsupported|ENOENT|EACCES|EADDRINUSE|usage:`)
	expressions.isNoise = regexp.MustCompile(`^(\s|node:|Node\.js v|Traceback |During handling of|The above exception|[}\])]|/.*:\d+$|file:///.*:\d+$|goroutine \d|npm (warn|notice|WARN)|npm (error|ERR!) (code|errno|syscall|path|dest|A complete log|    |\d+$)|npm (error|ERR!)$|(\(node:\d+\) )?\[?\w*Warning|\(Use .node)`)
}

// IsError reports whether a line reads as an error.
func IsError(line string) bool {
	expressions.Do(compile)
	return expressions.isError.MatchString(line)
}

// isNoise reports whether a line of an interpreter or a package manager says nothing about it: the frame of a trace, and the parts of npm's report that
// only say that there is one.
func isNoise(line string) bool {
	expressions.Do(compile)
	return expressions.isNoise.MatchString(line)
}
