package shell

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"

	"pollux/internal/charset"
	"pollux/internal/wording"
	"pollux/tool"
)

// maxLiveUnits limits the output that the user sees while a command runs, in UTF-16 units.
const maxLiveUnits = 100_000

// output receives the output of a command. It detects binary output, converts text to UTF-8, cleans it, and
// forwards it to the live display, the model and the log. It keeps a bounded part.
type output struct {
	changed chan struct{} // receives when there is new output to show; never blocks the writer

	mu     sync.Mutex
	seen   int64 // bytes
	binary bool
	text   charset.Stream
	clean  cleaner
	lines  lineEditor // for the live display and the model
	live   *tool.Tail
	passed int        // line feeds written to live
	model  *modelText // nil once the call has returned
	log    io.Writer  // nil in the foreground

	denials denialFolder // for the model
}

// newOutput returns the output of a command of a user with an environment, whose locale says how text is encoded that is not UTF-8.
func newOutput(collect *tool.Collector, environ []string) *output {
	return &output{
		changed: make(chan struct{}, 1),
		live:    tool.NewTail(maxLiveUnits),
		model:   &modelText{to: collect},
		text:    charset.Stream{Locale: charset.OfLocale(environ)},
		lines:   lineEditor{hold: maxFrame},
	}
}

// Write adds p to the output. It never fails.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	if !o.binary && (o.model != nil || o.log != nil) {
		o.text.NoWait = o.log != nil // which others read meanwhile
		converted := o.text.Convert(p)
		if o.detectBinary(p); !o.binary {
			o.forward(o.clean.clean(converted))
		}
	}
	o.seen += int64(len(p))
	o.mu.Unlock()
	select {
	case o.changed <- struct{}{}:
	default:
	}
	return len(p), nil
}

// detectBinary sets o.binary if there is a NUL in the first 512 bytes of the output, and it is not UTF-16.
func (o *output) detectBinary(p []byte) {
	const head = 512
	if o.binary || o.seen >= head || o.text.IsWide() {
		return
	}
	o.binary = bytes.IndexByte(p[:min(len(p), head-int(o.seen))], 0) >= 0
}

// forward writes clean text to the log, and its complete lines to the live display and the model.
func (o *output) forward(p []byte) {
	if len(p) == 0 {
		return
	}
	if o.log != nil {
		_, _ = o.log.Write(p) // a log handles its own errors
	}
	if o.model != nil {
		o.show(o.lines.edit(p))
	}
}

func (o *output) show(p []byte) {
	if len(p) > 0 {
		_, _ = o.live.Write(p) // never fails
		o.passed += bytes.Count(p, []byte{'\n'})
		o.model.write(o.denials.fold(p))
	}
}

// endShow writes the lines held back to the live display and the model.
func (o *output) endShow() {
	o.show(o.lines.finish())
	o.model.write([]byte(o.denials.end()))
	o.model.finish()
}

// end writes the rest of the text.
func (o *output) end() {
	if !o.binary {
		o.forward(o.clean.clean(o.text.Finish()))
		o.forward(o.clean.finish())
	}
}

// finish ends the output for the model and the live display, and returns the text for the
// user and the number of lines before it. Later output is not kept.
func (o *output) finish() (shown string, omitted int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.end()
	o.endShow()
	shown = o.live.String()
	if omitted = o.passed - strings.Count(shown, "\n"); omitted > 0 {
		omitted += strings.Count(strings.TrimRight(shown, whiteSpace), "\n") - strings.Count(trim(shown), "\n")
	}
	o.model, o.live = nil, nil
	return trim(shown), omitted
}

// encodingLine returns the line for the model about output that is not UTF-8, "" for other output.
func (o *output) encodingLine() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if e := o.text.Encoding(); !e.IsUTF8() {
		return "\nEncoding: " + e.Name()
	}
	return ""
}

// trim removes leading empty lines and trailing white space.
func trim(text string) string {
	text = strings.TrimRight(text, whiteSpace)
	blank := len(text) - len(strings.TrimLeft(text, whiteSpace))
	return text[strings.LastIndexByte(text[:blank], '\n')+1:]
}

// binarySize returns the number of bytes of binary output, 0 if it is text.
func (o *output) binarySize() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.binary {
		return 0
	}
	return o.seen
}

// hasAlternate reports whether the program has drawn on the alternate screen of its terminal, which is not kept.
func (o *output) hasAlternate() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.clean.hasAlternate
}

// endLog writes the rest of the text to the log and closes the output.
func (o *output) endLog() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.end()
	o.log = nil
}

// display returns the output for the user while the command runs.
func (o *output) display() tool.Display {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.binary {
		text := "[Binary output detected. Halting stream...]"
		if o.seen > 4096 {
			text = fmt.Sprintf("[Receiving binary output... %s received]", wording.Bytes(o.seen))
		}
		return tool.TerminalDisplay(text)
	}
	return tool.TerminalDisplay(o.live.String() + string(o.lines.pending()) + o.held())
}

// held returns the text whose encoding is not certain yet.
func (o *output) held() string {
	text := o.text.Held()
	if text == "" {
		return ""
	}
	var c cleaner
	var e lineEditor
	return string(append(bytes.Clone(e.edit(c.clean([]byte(text)))), e.finish()...))
}
