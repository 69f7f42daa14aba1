package headless

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"pollux/internal/charset"
	"pollux/internal/crash"
	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/terminal"
)

// Input describes the sources of a prompt: standard input and the command line.
type Input struct {
	// Stdin is standard input, nil if it is a terminal.
	Stdin io.Reader
	// Argument is the prompt of the command line. It follows the text of Stdin.
	Argument string
	// IsPromptFlag is set if Argument was given with --prompt. Such a run may have a standard input that is never
	// written nor closed, so ReadPrompt ignores standard input if nothing arrives within Wait. Zero or less means no
	// limit. Wait does not apply to regular files.
	IsPromptFlag bool
	Wait         time.Duration
	// Fit, if set, shortens the text of Stdin to the room that a model has for it.
	Fit func(text string) string
	// Err receives notices and warnings.
	Err io.Writer
}

const (
	// maxStdin is the maximum size of standard input, in bytes.
	maxStdin = 8 << 20
	// noticeAfter is how long ReadPrompt waits for standard input without a notice.
	noticeAfter = time.Second
)

// NoInput is the error message for a run without a prompt.
const NoInput = "No input provided via stdin. Input can be provided by piping data into pollux or using the --prompt option."

// ReadPrompt returns the prompt: standard input, an empty line, and the argument. It reads standard input to its end,
// up to 8 MiB, and warns about input that it shortens or replaces. Its error is an [*exit.Error] with [exit.Input], or
// the cause of ctx if ctx ends first.
//
// A read from standard input cannot be interrupted. If ReadPrompt stops waiting, a
// goroutine remains until the input delivers data or the process ends.
func ReadPrompt(ctx context.Context, in Input) (string, error) {
	data, err := readStdin(ctx, in)
	if err != nil {
		return "", err
	}
	if data != "" && in.Fit != nil {
		data = in.Fit(data)
	}
	switch {
	case data == "" && in.Argument == "":
		return "", &exit.Error{Code: exit.Input, Message: NoInput}
	case data == "":
		return in.Argument, nil
	case in.Argument == "":
		return data, nil
	}
	return data + "\n\n" + in.Argument, nil
}

func readStdin(ctx context.Context, in Input) (string, error) {
	if in.Stdin == nil || isNull(in.Stdin) {
		return "", nil
	}
	r := &firstRead{r: in.Stdin, done: make(chan struct{})}
	read := make(chan error, 1)
	var data []byte
	go func() {
		defer crash.Recover()
		var err error
		data, err = io.ReadAll(io.LimitReader(r, maxStdin+1))
		read <- err
	}()
	if came, err := awaitFirst(ctx, in, r.done); err != nil || !came {
		return "", err
	}
	select {
	case err := <-read:
		if err != nil && !isNotOpen(err) {
			return "", &exit.Error{Code: exit.Input, Message: "Cannot read stdin: " + durable.Cause(err).Error() + ".", Err: err}
		}
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	return decodeText(data, in.Err), nil
}

// awaitFirst waits until done is closed, after the first read from standard input. It
// returns false if there was none within the time limit.
func awaitFirst(ctx context.Context, in Input, done <-chan struct{}) (bool, error) {
	if isRegular(in.Stdin) {
		return true, nil
	}
	notice := time.After(noticeAfter)
	var limit <-chan time.Time
	if in.IsPromptFlag && in.Wait > 0 {
		limit = time.After(in.Wait)
	}
	for {
		select {
		case <-done:
			return true, nil
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-notice:
			_, _ = fmt.Fprintln(in.Err, "Waiting for input on standard input ...")
		case <-limit:
			select {
			case <-done:
				return true, nil
			default:
			}
			warn(in.Err, "no input arrived on standard input within %s s. Continuing without it. If there is none, add < /dev/null; to wait longer, set pollux.stdinWait.",
				strconv.FormatFloat(in.Wait.Seconds(), 'f', -1, 64))
			return false, nil
		}
	}
}

// isNull reports whether the input is the null device, which has no bytes.
func isNull(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, null)
}

func isRegular(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// firstRead is a reader that closes done after the first read.
type firstRead struct {
	r        io.Reader
	done     chan struct{}
	isClosed bool
}

func (w *firstRead) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if !w.isClosed && (n > 0 || err != nil) {
		w.isClosed = true
		close(w.done)
	}
	return n, err
}

// decodeText converts input to valid UTF-8 without NUL characters, of at most maxStdin
// bytes before the conversion.
func decodeText(data []byte, err io.Writer) string {
	if len(data) > maxStdin {
		data = data[:maxStdin-terminal.PartialRune(data[:maxStdin])]
		warn(err, "stdin input truncated to %d bytes.", maxStdin)
	}
	encoding := charset.Detect(data)
	s := encoding.Decode(data)
	switch {
	case strings.IndexByte(s, 0) >= 0:
		warn(err, "stdin is not text. Pollux replaced invalid bytes with U+FFFD. To attach a file, put @ before its path in the prompt.")
	case !utf8.ValidString(s):
		warn(err, "stdin is not valid UTF-8. Pollux replaced invalid bytes with U+FFFD.")
	case !encoding.IsText() || encoding.IsUTF8():
		return s
	case !encoding.IsExact(data):
		warn(err, "stdin is not valid %s. Pollux replaced invalid bytes with U+FFFD.", encoding.Name())
		return s
	default:
		if !encoding.HasMark() { // it was guessed
			warn(err, "stdin is not UTF-8. Pollux read it as %s.", encoding.Name())
		}
		return s
	}
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", "\xff"), "\uFFFD") // one per run of invalid bytes
}

// isNotOpen reports whether a read failed because the process has no standard input.
func isNotOpen(err error) bool {
	return errors.Is(err, syscall.EBADF) || errors.Is(err, os.ErrClosed)
}

func warn(w io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(w, "Warning: "+format+"\n", args...)
}
