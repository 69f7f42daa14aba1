package toolserver

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/config"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/session"
)

// A line that is no message is answered, and the messages behind it are served.
func TestBadLines(t *testing.T) {
	t.Parallel()
	s, err := session.Open(t.Context(), session.Options{
		Project: project.Options{
			Dir: t.TempDir(), Folder: trust.Trusted, Interactive: true, Env: config.NewEnv("HOME=" + t.TempDir()), Warn: func(text string) { t.Log(text) },
		},
		Offline: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ping := func(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id) }
	in := strings.Join([]string{
		"garbage",
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "", "{", `{"id":7}`, "[]", ping(2), "[" + ping(3) + ",5," + ping(4) + "]\r", ping(5) + " x", ping(6),
	}, "\n")
	var out bytes.Buffer
	if err := Serve(t.Context(), s, Options{In: strings.NewReader(in), Out: &out}); err != nil {
		t.Error(err)
	}
	for want, n := range map[string]int{
		`"id":1,"result"`: 1, `"id":2,"result"`: 1, `"id":3,"result"`: 1, `"id":4,"result"`: 1, `"id":6,"result"`: 1,
		`"code":-32700`: 3, `"code":-32600`: 3,
	} {
		if got := strings.Count(out.String(), want); got != n {
			t.Errorf("%s: %d times, want %d, in\n%s", want, got, n, out.String())
		}
	}
}

// A line that is too long is skipped in pieces.
func TestLongLine(t *testing.T) {
	t.Parallel()
	const next = `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"
	var answers bytes.Buffer
	long := io.LimitReader(zeros{}, maxMessage+1)
	in := newInput(io.MultiReader(long, strings.NewReader("\n"+next)), &answers, func() {})
	got, err := io.ReadAll(in)
	if err != nil || !strings.Contains(answers.String(), "more than 32 MiB") {
		t.Errorf("%v, answers: %s", err, answers.String())
	}
	if diff := cmp.Diff(next, string(got)); diff != "" {
		t.Error(diff)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '0'
	}
	return len(b), nil
}
