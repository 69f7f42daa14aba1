//go:build unix

package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

// TestSlowPipe checks that a reader which pauses for too long misses whole objects only, and gets those that follow.
func TestSlowPipe(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	f := newFile(w, nil, func(text string) string { return text })
	object := func(text string) {
		f.b = append(f.b, `{"text":"`+text+`"`...)
		f.object()
	}
	large := strings.Repeat("x", 1<<20) // more than fits into a pipe
	object("first")
	object(large)
	object("lost")
	ctx, cancel := context.WithCancel(t.Context())
	begin := make(chan byte, 1)
	go func() {
		var b [1]byte
		_, _ = io.ReadFull(r, b[:])
		begin <- b[0]
		cancel()
	}()
	if err := f.flush(ctx); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a pipe that is not read: %v", err)
	}
	read := make(chan []byte, 1)
	go func() {
		b, _ := io.ReadAll(r)
		read <- append([]byte{<-begin}, b...)
	}()
	object("next")
	if err := f.flush(t.Context()); err != nil {
		t.Error(err)
	}
	f.close()
	var got []string
	for d := json.NewDecoder(bytes.NewReader(<-read)); ; {
		var one struct{ Text string }
		if err := d.Decode(&one); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("after %d objects: %v", len(got), err)
		}
		got = append(got, one.Text)
	}
	if len(got) != 3 || got[0] != "first" || got[1] != large || got[2] != "next" {
		t.Errorf("%d objects, the last one %.20q", len(got), got[len(got)-1])
	}
}

// TestRestOfObject checks where the rest of an object ends that was cut off.
func TestRestOfObject(t *testing.T) {
	t.Parallel()
	const two = "{\n  \"a\": 1\n}\n{\n  \"b\": 2\n}\n"
	for n, want := range map[int]string{
		0: "", 1: two[1:13], 10: "\n}\n", 11: "}\n", 12: "\n", 13: "", 14: two[14:], len(two) - 1: "\n", len(two): "",
	} {
		if got := string(restOfObject([]byte(two), n)); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
