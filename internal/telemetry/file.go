package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"pollux/internal/process"
	"pollux/llm"
)

// file appends records in the format of Gemini CLI, which scripts split at "}\n{": JSON
// objects, indented by two spaces. Each write contains complete objects, so that several
// processes can share a file.
type file struct {
	f        *os.File
	resource []byte // as JSON
	clean    func(string) string
	b        []byte
	out      bytes.Buffer
}

var _ sink = (*file)(nil)

// openFile opens a file for appending. It creates the file and its directories, accessible
// only to the user, if necessary. A pipe without a reader is an error, because opening it
// would block.
func openFile(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY|syscall.O_NONBLOCK, 0o600)
}

func newFile(f *os.File, resource attrs, clean func(string) string) *file {
	b := appendList([]byte(`{"_rawAttributes":`), resource, func(b []byte, one attr) []byte {
		b = append(llm.AppendString(append(b, '['), one.key), ',')
		return append(appendJSONValue(b, one.value, asIs), ']')
	})
	return &file{f: f, resource: append(b, `,"_asyncAttributesPending":false}`...), clean: clean}
}

func (w *file) pause() time.Duration { return 0 }

func (w *file) full() bool { return w.out.Len() > 1<<20 }

func (w *file) close() { _ = w.f.Close() } // errors of writing have been reported

// flush writes the finished objects. It can block only on a pipe: those that do not fit until ctx ends are dropped, but for the rest of the one
// that was cut off, which the next flush begins with.
func (w *file) flush(ctx context.Context) error {
	if w.out.Len() == 0 {
		return nil
	}
	n, err := process.Write(ctx, w.f, w.out.Bytes())
	rest := restOfObject(w.out.Bytes(), n)
	if w.out.Cap() > 1<<20 {
		w.out = bytes.Buffer{}
	}
	w.out.Reset()
	w.out.Write(rest)
	return err
}

// restOfObject returns a copy of the rest of the object in which the first n bytes of some end, nil if they end with one.
func restOfObject(objects []byte, n int) []byte {
	const end = "\n}\n"
	if n == 0 || n == len(objects) || bytes.HasSuffix(objects[:n], []byte(end)) {
		return nil
	}
	at := max(0, n-len(end)+1) // the end can be cut, too
	i := bytes.Index(objects[at:], []byte(end))
	if i < 0 {
		return nil
	}
	return bytes.Clone(objects[n : at+i+len(end)])
}

// object finishes the object in b.
func (w *file) object() {
	w.b = append(w.b, '}')
	_ = json.Indent(&w.out, w.b, "", "  ") // always valid JSON
	w.out.WriteByte('\n')
	w.b = w.b[:0]
	if cap(w.b) > 1<<20 {
		w.b = nil
	}
}

func (w *file) log(r *record) {
	at := hrTime(r.at)
	w.b = fmt.Appendf(w.b, `{"hrTime":%s,"hrTimeObserved":%s`, at, at)
	if r.in.known() {
		w.b = append(w.b, `,"spanContext":`...)
		w.b = r.in.appendJSON(w.b, r.in.span)
	}
	w.tail(`"gemini-cli"`)
	severity, number := "INFO", 9
	if r.failed {
		severity, number = "ERROR", 17
	}
	w.b = fmt.Appendf(w.b, `,"_severityText":%q,"_severityNumber":%d,"_body":`, severity, number)
	w.b = append(llm.AppendString(w.b, w.clean(r.body)), `,"attributes":`...)
	w.b = r.attrs.appendJSON(w.b, w.clean)
	w.object()
}

func (w *file) span(s *span) {
	w.b = append(w.b, `{"name":`...)
	w.b = append(llm.AppendString(w.b, s.name), `,"kind":0,"_spanContext":`...)
	w.b = s.in.appendJSON(w.b, s.in.span)
	if s.in.parent != [8]byte{} {
		w.b = append(w.b, `,"parentSpanContext":`...)
		w.b = s.in.appendJSON(w.b, s.in.parent)
	}
	took := s.end.Sub(s.start)
	w.b = fmt.Appendf(w.b, `,"startTime":%s,"endTime":%s,"_duration":[%d,%d],"_ended":true`,
		hrTime(s.start), hrTime(s.end), took/time.Second, took%time.Second)
	if s.failure == "" {
		w.b = append(w.b, `,"status":{"code":1}`...)
	} else {
		w.b = append(w.b, `,"status":{"code":2,"message":`...)
		w.b = append(llm.AppendString(w.b, w.clean(s.failure)), '}')
	}
	w.b = append(w.b, `,"attributes":`...)
	w.b = append(s.attrs.appendJSON(w.b, w.clean), `,"links":[],"events":[]`...)
	w.tail(`"gemini-cli","version":"v1"`)
	w.object()
}

func (w *file) metrics(all []reading) {
	w.b = append(w.b, `{"resource":`...)
	w.b = append(w.b, w.resource...)
	w.b = append(w.b, `,"scopeMetrics":[{"scope":{"name":"gemini-cli","version":""},"metrics":`...)
	w.b = appendList(w.b, all, w.appendMetric)
	w.b = append(w.b, `}]`...)
	w.object()
}

func (w *file) appendMetric(b []byte, m reading) []byte {
	kind, pointType := "COUNTER", 3
	if m.histogram() {
		kind, pointType = "HISTOGRAM", 0
	}
	b = append(b, `{"descriptor":{"name":`...)
	b = append(llm.AppendString(b, m.name), `,"type":"`+kind+`","description":`...)
	b = append(llm.AppendString(b, m.description), `,"unit":`...)
	b = append(llm.AppendString(b, m.unit), `,"valueType":`...)
	b = strconv.AppendInt(b, int64(m.valueType()), 10)
	b = fmt.Appendf(b, `,"advice":{}},"aggregationTemporality":1,"dataPointType":%d,"dataPoints":`, pointType)
	b = appendList(b, m.points, func(b []byte, p point) []byte { return w.appendPoint(b, &m, &p) })
	if !m.histogram() {
		b = append(b, `,"isMonotonic":true`...)
	}
	return append(b, '}')
}

func (w *file) appendPoint(b []byte, m *reading, p *point) []byte {
	b = append(b, `{"attributes":`...)
	b = p.attrs.appendJSON(b, w.clean)
	b = fmt.Appendf(b, `,"startTime":%s,"endTime":%s,"value":`, hrTime(p.start), hrTime(m.at))
	if !m.histogram() {
		return append(appendFloat(b, p.sum), '}')
	}
	b = append(b, `{"min":`...)
	b = append(appendFloat(b, p.min), `,"max":`...)
	b = append(appendFloat(b, p.max), `,"sum":`...)
	b = append(appendFloat(b, p.sum), `,"buckets":{"boundaries":`...)
	b = appendList(b, m.bounds, appendFloat)
	b = append(b, `,"counts":`...)
	b = appendList(b, p.counts, func(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) })
	return fmt.Appendf(b, `},"count":%d}}`, p.count)
}

// tail appends the last fields of log records and spans.
func (w *file) tail(scope string) {
	w.b = append(w.b, `,"resource":`...)
	w.b = append(w.b, w.resource...)
	w.b = fmt.Appendf(w.b, `,"instrumentationScope":{"name":%s}`, scope)
}

// hrTime returns a time as [seconds, nanoseconds].
func hrTime(t time.Time) string { return fmt.Sprintf("[%d,%d]", t.Unix(), t.Nanosecond()) }

// appendJSON appends the context of a span in the trace of p.
func (p place) appendJSON(b []byte, span [8]byte) []byte {
	return fmt.Appendf(b, `{"traceId":"%x","spanId":"%x","traceFlags":1}`, p.trace, span)
}
