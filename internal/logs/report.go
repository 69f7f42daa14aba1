package logs

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"pollux/internal/durable"
	"pollux/internal/secret"
	"pollux/internal/terminal"
)

// Report describes a crash.
type Report struct {
	Time    time.Time
	Cause   string // the value of the panic, or the signal
	Version string // of the program
	Session string // id
	// Settings are the names of the settings that the user has changed.
	Settings []string
	// Events are the last events of the session, as records of a log.
	Events [][]byte
	// Memory is the memory use, in bytes.
	Heap, Resident uint64
	// Stack is the stack of the goroutine that failed, or of all, as the runtime prints it.
	Stack []byte
}

// maxReport is the maximum size of a report in bytes.
const maxReport = 1 << 20

// Write writes the report of a session's crash below the directory of its project's files, without
// the given secrets, and returns its path.
func (r *Report) Write(project string, secrets []string) (string, error) {
	path := ReportPath(project, r.Session)
	f, err := open(project, prefix+r.Session+reportSuffix, os.O_TRUNC)
	if err != nil {
		return "", err
	}
	text := secret.NewEraser(secrets)(r.text())
	_, err = f.WriteString(text[:min(len(text), maxReport)])
	if err = cmp.Or(err, f.Close()); err != nil {
		return "", durable.Cause(err)
	}
	prune(filepath.Dir(path), reportSuffix, maxReports)
	return path, nil
}

func (r *Report) text() string {
	var b strings.Builder
	b.WriteString("Crash report of Pollux. It contains no prompts, no responses and no files.\n\n")
	for _, field := range [][2]string{
		{"Cause", Summary(r.Cause)},
		{"Time", r.Time.UTC().Format(time.RFC3339)},
		{"Version", r.Version},
		{"System", runtime.GOOS + "/" + runtime.GOARCH + ", " + runtime.Version()},
		{"Session", r.Session},
		{"Memory", fmt.Sprintf("%d bytes of heap, %d bytes resident", r.Heap, r.Resident)},
		{"Settings", strings.Join(r.Settings, ", ")},
	} {
		if field[1] != "" {
			fmt.Fprintf(&b, "%-9s %s\n", field[0]+":", terminal.Line(field[1]))
		}
	}
	b.WriteString("\nLast events:\n")
	for _, line := range r.Events {
		b.WriteString("  " + Format(line) + "\n")
	}
	b.WriteString("\nStack:\n")
	b.Write(withoutArguments(r.Stack))
	return b.String()
}

// Summary returns the first line of the cause of a crash, cut and without forms of secrets.
func Summary(cause string) string {
	cause, _, _ = strings.Cut(strings.TrimSpace(cause), "\n")
	return terminal.Cut(terminal.Line(secret.EraseForms(cause)), 200)
}

// withoutArguments removes the values of arguments from the stacks of goroutines.
func withoutArguments(stack []byte) []byte {
	var kept []byte
	for line := range bytes.Lines(stack) {
		text := bytes.TrimRight(line, "\n")
		if at := bytes.LastIndexByte(text, '('); at > 0 && text[0] != '\t' && text[len(text)-1] == ')' {
			kept = append(append(kept, text[:at]...), "(...)\n"...)
			continue
		}
		kept = append(kept, line...)
	}
	return kept
}
