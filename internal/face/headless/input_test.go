package headless

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"pollux/internal/charset"
	"pollux/internal/exit"
)

func TestPrompt(t *testing.T) {
	t.Parallel()
	closed, _, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	dir, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dir.Close() })

	for _, tt := range []struct {
		name    string
		stdin   io.Reader
		words   string
		want    string
		warning string // the beginning of stderr
		failure string
	}{
		{name: "words alone", words: "hi", want: "hi"},
		{name: "stdin alone, whole", stdin: strings.NewReader(" a\nb\n"), want: " a\nb\n"},
		{name: "stdin first", stdin: strings.NewReader("data\n"), words: "what is it?", want: "data\n\n\nwhat is it?"},
		{name: "empty stdin", stdin: strings.NewReader(""), words: "hi", want: "hi"},
		{name: "slow stdin", stdin: iotest.OneByteReader(strings.NewReader("é日")), words: "x", want: "é日\n\nx"},
		{name: "closed stdin", stdin: closed, words: "hi", want: "hi"},
		{name: "nothing at all", failure: NoInput},
		{name: "nothing on stdin", stdin: strings.NewReader(""), failure: NoInput},
		{name: "closed and nothing", stdin: closed, failure: NoInput},
		{name: "a directory", stdin: dir, words: "hi", failure: "Cannot read stdin: is a directory."},
		{name: "broken half-way", stdin: io.MultiReader(strings.NewReader("half"), iotest.ErrReader(errors.New("input/output error"))), failure: "Cannot read stdin: input/output error."},
		{name: "not UTF-8", stdin: strings.NewReader("a\xff\xfeb"), want: "a\uFFFDb", warning: "Warning: stdin is not valid UTF-8"},
		{name: "binary", stdin: strings.NewReader("\x7fELF\x00\x01é"), want: "\x7fELF\uFFFD\x01é", warning: "Warning: stdin is not text"},
		{name: "NULs", stdin: strings.NewReader("a" + strings.Repeat("\x00", 99) + "b"), want: "a\uFFFDb", warning: "Warning: stdin is not text"},
		{name: "UTF-16", stdin: strings.NewReader("\xff\xfeh\x00\xe9\x00=\xd8\x00\xde"), want: "hé😀"},
		{name: "UTF-16, the other way", stdin: strings.NewReader("\xfe\xff\x00h\x00i"), want: "hi"},
		{name: "half a character", stdin: strings.NewReader("\xff\xfeh\x00i"), want: "h\uFFFD", warning: "Warning: stdin is not valid UTF-16LE. Pollux replaced"},
		{name: "another encoding", stdin: strings.NewReader("\xc4\xe3\xba\xc3\xa3\xac\xca\xc0\xbd\xe7"), want: "你好，世界", warning: "Warning: stdin is not UTF-8. Pollux read it as GB18030."},
		{name: "a mark before zeros", stdin: strings.NewReader("\xfe\xff\x00\x00"), want: "\uFFFD", warning: "Warning: stdin is not text"},
	} {
		for _, flag := range []bool{false, true} {
			if r, ok := tt.stdin.(io.Seeker); ok {
				_, _ = r.Seek(0, io.SeekStart)
			} else if flag {
				continue // it can be read only once
			}
			var errs bytes.Buffer
			got, err := ReadPrompt(t.Context(), Input{Stdin: tt.stdin, Argument: tt.words, IsPromptFlag: flag, Wait: 2 * time.Second, Err: &errs})
			if tt.failure != "" {
				if err == nil || err.Error() != tt.failure || exit.CodeOf(err) != exit.Input {
					t.Errorf("%s: error %v, want %q with code 42", tt.name, err, tt.failure)
				}
				continue
			}
			if err != nil || got != tt.want {
				t.Errorf("%s: %q, %v; want %q", tt.name, got, err, tt.want)
			}
			if !strings.HasPrefix(errs.String(), tt.warning) || tt.warning == "" && errs.Len() > 0 {
				t.Errorf("%s: stderr %q, want %q", tt.name, errs.String(), tt.warning)
			}
		}
	}
}

// At most 8 MiB are read, and an incomplete character at the end is removed.
func TestPromptTruncated(t *testing.T) {
	t.Parallel()
	for _, tail := range []string{"", "abc", "é", "日", "😀"} {
		for shift := range 4 {
			text := strings.Repeat("x", maxStdin-shift) + strings.Repeat(tail, 3)
			var errs bytes.Buffer
			got, err := ReadPrompt(t.Context(), Input{Stdin: strings.NewReader(text), Err: &errs})
			if err != nil {
				t.Fatal(err)
			}
			truncated := errs.String() == "Warning: stdin input truncated to 8388608 bytes.\n"
			if long := len(text) > maxStdin; long != truncated || !long && errs.Len() > 0 {
				t.Errorf("%s, %d: stderr %q", tail, shift, errs.String())
			}
			if len(got) > maxStdin || !strings.HasPrefix(text, got) || !utf8.ValidString(got) || truncated && len(got) <= maxStdin-utf8.UTFMax {
				t.Errorf("%s, %d: %d bytes of %d are left, valid: %t", tail, shift, len(got), len(text), utf8.ValidString(got))
			}
		}
	}
}

// An endless input is read only up to the limit.
func TestPromptEndless(t *testing.T) {
	t.Parallel()
	endless := &counting{}
	got, err := ReadPrompt(t.Context(), Input{Stdin: endless, IsPromptFlag: true, Wait: time.Minute, Argument: "hi", Err: io.Discard})
	if err != nil || len(got) != maxStdin+len("\n\nhi") || endless.n > maxStdin+1 {
		t.Errorf("%d bytes of prompt, %d read, %v", len(got), endless.n, err)
	}
}

type counting struct{ n int }

func (c *counting) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'y'
	}
	c.n += len(p)
	return len(p), nil
}

// With --prompt a silent input is ignored; without, it is waited for.
func TestPromptSilentInput(t *testing.T) {
	t.Parallel()
	const notice = "Waiting for input on standard input ...\n"
	const warning = notice + "Warning: no input arrived on standard input within 2 s. Continuing without it. If there is none, add < /dev/null; to wait longer, set pollux.stdinWait.\n"
	for _, tt := range []struct {
		name   string
		flag   bool
		wait   time.Duration
		after  time.Duration // until the first byte
		words  string
		want   string
		stderr string
	}{
		{"too late, --prompt", true, 2 * time.Second, 2100 * time.Millisecond, "hi", "hi", warning},
		{"in time, --prompt", true, 2 * time.Second, 1900 * time.Millisecond, "hi", "late\n\nhi", notice},
		{"early, --prompt", true, 2 * time.Second, 900 * time.Millisecond, "hi", "late\n\nhi", ""},
		{"without a limit, --prompt", true, 0, time.Hour, "hi", "late\n\nhi", notice},
		{"late, words", false, 2 * time.Second, time.Hour, "hi", "late\n\nhi", notice},
		{"late, stdin alone", false, 2 * time.Second, time.Hour, "", "late", notice},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r, w := io.Pipe()
				go func() {
					time.Sleep(tt.after)
					_, _ = io.WriteString(w, "la")
					time.Sleep(time.Hour) // once it has begun it is waited for
					_, _ = io.WriteString(w, "te")
					_ = w.Close()
				}()
				var errs bytes.Buffer
				got, err := ReadPrompt(t.Context(), Input{Stdin: r, Argument: tt.words, IsPromptFlag: tt.flag, Wait: tt.wait, Err: &errs})
				if err != nil || got != tt.want {
					t.Errorf("%q, %v; want %q", got, err, tt.want)
				}
				if errs.String() != tt.stderr {
					t.Errorf("stderr %q, want %q", errs.String(), tt.stderr)
				}
				time.Sleep(3 * time.Hour) // until the goroutine that Prompt left behind has ended
			})
		})
	}
}

// The null device is not waited for, and no other device is taken for it.
func TestPromptNullDevice(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, want := range map[string]bool{os.DevNull: true, "/dev/zero": false, t.TempDir(): false} {
		f, err := os.Open(name)
		if err != nil {
			continue // it is not everywhere
		}
		t.Cleanup(func() { _ = f.Close() })
		if got := isNull(f); got != want {
			t.Errorf("%s: %t", name, got)
		}
		if !want {
			continue
		}
		if got, err := ReadPrompt(ended, Input{Stdin: f, Argument: "hi", Err: io.Discard}); got != "hi" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	if isNull(strings.NewReader("")) {
		t.Error("a reader is taken for the device")
	}
}

// A file is read however long it takes: it has an end.
func TestPromptSlowFile(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	var errs bytes.Buffer
	came, err := awaitFirst(t.Context(), Input{Stdin: f, IsPromptFlag: true, Wait: time.Nanosecond, Err: &errs}, make(chan struct{}))
	if !came || err != nil || errs.Len() > 0 {
		t.Errorf("%t, %v, stderr %q", came, err, errs.String())
	}
}

func TestPromptCancelled(t *testing.T) {
	t.Parallel()
	for _, flag := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r, w := io.Pipe()
			defer func() { _ = w.Close() }()
			ctx, cancel := context.WithCancelCause(t.Context())
			cause := &exit.Error{Code: exit.Terminated, Message: "Terminated by a signal."}
			time.AfterFunc(100*time.Millisecond, func() { cancel(cause) })
			_, err := ReadPrompt(ctx, Input{Stdin: r, Argument: "hi", IsPromptFlag: flag, Wait: time.Minute, Err: io.Discard})
			if exit.CodeOf(err) != exit.Terminated {
				t.Errorf("Prompt = %v", err)
			}
		})
	}
}

// Any bytes give a valid prompt, and valid text stays unchanged.
func FuzzPrompt(f *testing.F) {
	f.Add([]byte("plain"))
	f.Add([]byte("\x00\xff\xc3"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var errs bytes.Buffer
		got := decodeText(data, &errs)
		if !utf8.ValidString(got) || strings.Contains(got, "\x00") {
			t.Errorf("%q became %q", data, got)
		}
		text := bytes.TrimPrefix(data, []byte(charset.UTF8Mark))
		if clean := utf8.Valid(data) && !bytes.Contains(data, []byte{0}); clean && (got != string(text) || errs.Len() > 0) {
			t.Errorf("%q became %q, said %q", data, got, errs.String())
		}
	})
}
