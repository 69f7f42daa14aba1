package telemetry

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

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
	b := []byte(`{"_rawAttributes":[`)
	for i, one := range resource {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(llm.AppendString(append(b, '['), one.key), ',')
		b = append(appendJSONValue(b, one.value, asIs), ']')
	}
	return &file{f: f, resource: append(b, `],"_asyncAttributesPending":false}`...), clean: clean}
}

func (w *file) pause() time.Duration { return 0 }

func (w *file) full() bool { return w.out.Len() > 1<<20 }

func (w *file) close() { _ = w.f.Close() } // errors of writing have been reported

// flush writes the finished objects. It can block only on a pipe.
func (w *file) flush(ctx context.Context) error {
	if w.out.Len() == 0 {
		return nil
	}
	defer context.AfterFunc(ctx, func() { _ = w.f.SetWriteDeadline(time.Now()) })()
	_, err := w.f.Write(w.out.Bytes())
	if w.out.Cap() > 1<<20 {
		w.out = bytes.Buffer{}
	}
	w.out.Reset()
	return err
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
	at := appendHrTime(nil, r.at)
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
		appendHrTime(nil, s.start), appendHrTime(nil, s.end), took/time.Second, took%time.Second)
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
	w.b = append(w.b, `,"scopeMetrics":[{"scope":{"name":"gemini-cli","version":""},"metrics":[`...)
	for i, m := range all {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		kind, pointType := "COUNTER", 3
		if m.histogram() {
			kind, pointType = "HISTOGRAM", 0
		}
		w.b = append(w.b, `{"descriptor":{"name":`...)
		w.b = append(llm.AppendString(w.b, m.name), `,"type":"`+kind+`","description":`...)
		w.b = append(llm.AppendString(w.b, m.description), `,"unit":`...)
		w.b = append(llm.AppendString(w.b, m.unit), `,"valueType":`...)
		w.b = strconv.AppendInt(w.b, int64(m.valueType()), 10)
		w.b = fmt.Appendf(w.b, `,"advice":{}},"aggregationTemporality":1,"dataPointType":%d,"dataPoints":[`, pointType)
		for j := range m.points {
			if j > 0 {
				w.b = append(w.b, ',')
			}
			w.point(&m, &m.points[j])
		}
		w.b = append(w.b, ']')
		if !m.histogram() {
			w.b = append(w.b, `,"isMonotonic":true`...)
		}
		w.b = append(w.b, '}')
	}
	w.b = append(w.b, `]}]`...)
	w.object()
}

func (w *file) point(m *reading, p *point) {
	w.b = append(w.b, `{"attributes":`...)
	w.b = p.attrs.appendJSON(w.b, w.clean)
	w.b = fmt.Appendf(w.b, `,"startTime":%s,"endTime":%s,"value":`, appendHrTime(nil, p.start), appendHrTime(nil, m.at))
	if !m.histogram() {
		w.b = append(appendFloat(w.b, p.sum), '}')
		return
	}
	w.b = append(w.b, `{"min":`...)
	w.b = append(appendFloat(w.b, p.min), `,"max":`...)
	w.b = append(appendFloat(w.b, p.max), `,"sum":`...)
	w.b = append(appendFloat(w.b, p.sum), `,"buckets":{"boundaries":[`...)
	for i, f := range m.bounds {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = appendFloat(w.b, f)
	}
	w.b = append(w.b, `],"counts":[`...)
	for i, n := range p.counts {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = strconv.AppendInt(w.b, int64(n), 10)
	}
	w.b = fmt.Appendf(w.b, `]},"count":%d}}`, p.count)
}

// tail appends the last fields of log records and spans.
func (w *file) tail(scope string) {
	w.b = append(w.b, `,"resource":`...)
	w.b = append(w.b, w.resource...)
	w.b = fmt.Appendf(w.b, `,"instrumentationScope":{"name":%s}`, scope)
}

// appendHrTime appends a time as [seconds, nanoseconds].
func appendHrTime(b []byte, t time.Time) []byte {
	return fmt.Appendf(b, "[%d,%d]", t.Unix(), t.Nanosecond())
}

// appendJSON appends the context of a span in the trace of p.
func (p place) appendJSON(b []byte, span [8]byte) []byte {
	b = append(b, `{"traceId":"`...)
	b = hex.AppendEncode(b, p.trace[:])
	b = append(b, `","spanId":"`...)
	b = hex.AppendEncode(b, span[:])
	return append(b, `","traceFlags":1}`...)
}

func indent(raw []byte) ([]byte, error) {
	var b bytes.Buffer
	err := json.Indent(&b, raw, "", "  ")
	return b.Bytes(), err
}
