package headless

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"pollux/internal/durable"
	"pollux/internal/exit"
)

// Input is where a prompt comes from (spec/cli.md §6.1).
type Input struct {
	// Stdin is standard input; nil if it is a terminal.
	Stdin io.Reader
	// Words are what the command line asks; they come after what Stdin holds.
	Words string
	// Flag says that Words were given with --prompt. A script that says what it
	// wants may run with an input that nobody feeds and nobody closes, so it is
	// not waited for longer than Patience.
	Flag     bool
	Patience time.Duration
	// Err takes warnings.
	Err io.Writer
}

// maxStdin is how many bytes of standard input are read.
const maxStdin = 8 << 20

// NoInput is the message of a run that was given nothing to do.
const NoInput = "No input provided via stdin. Input can be provided by piping data into gemini or using the --prompt option."

// Prompt returns what to ask: standard input, an empty line, the words of the
// command line. It waits for the end of standard input, which is read into
// memory up to 8 MiB. Errors are [*exit.Error] with [exit.Input], or the cause
// of ctx when that ends first.
//
// A read from standard input cannot be interrupted. Where Prompt gives up on it, by
// its own rule or because ctx ended, a goroutine stays behind until the input
// says something or the process ends.
func Prompt(ctx context.Context, in Input) (string, error) {
	data, err := readStdin(ctx, in)
	if err != nil {
		return "", err
	}
	switch {
	case data == "" && in.Words == "":
		return "", &exit.Error{Code: exit.Input, Message: NoInput}
	case data == "":
		return in.Words, nil
	case in.Words == "":
		return data, nil
	}
	return data + "\n\n" + in.Words, nil
}

func readStdin(ctx context.Context, in Input) (string, error) {
	if in.Stdin == nil {
		return "", nil
	}
	r := &watched{r: in.Stdin, began: make(chan struct{})}
	read := make(chan error, 1)
	var data []byte
	go func() {
		var err error
		data, err = io.ReadAll(io.LimitReader(r, maxStdin+1))
		read <- err
	}()
	if in.Flag {
		select {
		case <-r.began:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-time.After(in.Patience):
			warn(in.Err, "stdin was ignored: nothing came within %d ms. Close it (< /dev/null) if it has nothing to say.", in.Patience.Milliseconds())
			return "", nil
		}
	}
	select {
	case err := <-read:
		if err != nil && !notOpen(err) {
			return "", &exit.Error{Code: exit.Input, Message: "Cannot read stdin: " + durable.Cause(err).Error() + ".", Err: err}
		}
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	return asText(data, in.Err), nil
}

// watched tells when the first read is over.
type watched struct {
	r     io.Reader
	began chan struct{}
	told  bool
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if !w.told && (n > 0 || err != nil) {
		w.told = true
		close(w.began)
	}
	return n, err
}

// asText makes a prompt of bytes: at most maxStdin of them, as valid UTF-8 without
// NULs. UTF-16, which PowerShell's pipes and files hold, is known by its mark.
func asText(data []byte, err io.Writer) string {
	if len(data) > maxStdin {
		data = whole(data[:maxStdin])
		warn(err, "stdin input truncated to %d bytes.", maxStdin)
	}
	if s, ok := fromUTF16(data); ok {
		return s
	}
	s := string(data)
	switch {
	case strings.IndexByte(s, 0) >= 0:
		warn(err, "stdin is not text: what is none was replaced by U+FFFD. A file for the model to look at can be named in the prompt, with @ before it.")
	case !utf8.ValidString(s):
		warn(err, "stdin is not plain UTF-8 text: what is none was replaced by U+FFFD.")
	default:
		return s
	}
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", "\xff"), "\uFFFD") // one for a run of them
}

// whole takes off the beginning of a character whose end was cut off.
func whole(data []byte) []byte {
	for cut := 1; cut < utf8.UTFMax && cut <= len(data); cut++ {
		if tail := data[len(data)-cut:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				data = data[:len(data)-cut]
			}
			break
		}
	}
	return data
}

// fromUTF16 reads text in UTF-16 with a byte order mark.
func fromUTF16(data []byte) (string, bool) {
	order := binary.ByteOrder(binary.LittleEndian)
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		order = binary.BigEndian
	default:
		return "", false
	}
	units := make([]uint16, 0, len(data)/2)
	for data = data[2:]; len(data) > 1; data = data[2:] {
		unit := order.Uint16(data)
		if unit == 0 {
			return "", false // no text has that
		}
		units = append(units, unit)
	}
	return string(utf16.Decode(units)), len(data) == 0
}

// notOpen reports whether the process was started without standard input.
func notOpen(err error) bool {
	return errors.Is(err, syscall.EBADF) || errors.Is(err, os.ErrClosed)
}

func warn(w io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(w, "Warning: "+format+"\n", args...)
}
