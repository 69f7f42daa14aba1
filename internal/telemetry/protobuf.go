package telemetry

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"strings"
)

// Encoding of OTLP messages. Field numbers are those of
// opentelemetry/proto/{common,logs,metrics,trace}/v1.

func (w *otlp) log(r *record) {
	at := uint64(r.at.UnixNano())
	m := appendFixed(nil, 1, at)
	text, number := "INFO", 9
	if r.failed {
		text, number = "ERROR", 17
	}
	m = appendVarint(m, 2, uint64(number))
	m = appendText(m, 3, text)
	m = appendBytes(m, 5, appendValue(nil, r.body, w.clean))
	m = appendAttrs(m, 6, r.attrs, w.clean)
	if r.in.known() {
		m = appendBytes(m, 9, r.in.trace[:])
		m = appendBytes(m, 10, r.in.span[:])
	}
	m = appendFixed(m, 11, at)
	w.logs = appendBytes(w.logs, 2, m)
}

func (w *otlp) span(s *span) {
	m := appendBytes(nil, 1, s.in.trace[:])
	m = appendBytes(m, 2, s.in.span[:])
	if s.in.parent != [8]byte{} {
		m = appendBytes(m, 4, s.in.parent[:])
	}
	m = appendText(m, 5, s.name)
	m = appendVarint(m, 6, 1) // internal
	m = appendFixed(m, 7, uint64(s.start.UnixNano()))
	m = appendFixed(m, 8, uint64(s.end.UnixNano()))
	m = appendAttrs(m, 9, s.attrs, w.clean)
	status := appendVarint(nil, 3, 1)
	if s.failure != "" {
		status = appendVarint(appendText(nil, 2, w.clean(s.failure)), 3, 2)
	}
	w.spans = appendBytes(w.spans, 2, appendBytes(m, 15, status))
}

// metrics keeps only the latest state: it is cumulative.
func (w *otlp) metrics(all []reading) {
	w.counts = nil
	for i := range all {
		r := &all[i]
		m := appendText(nil, 1, r.name)
		m = appendText(m, 2, r.description)
		m = appendText(m, 3, r.unit)
		var data []byte
		for j := range r.points {
			data = appendBytes(data, 1, w.point(r, &r.points[j]))
		}
		data = appendVarint(data, 2, 2) // cumulative
		if r.histogram() {
			m = appendBytes(m, 9, data)
		} else {
			m = appendBytes(m, 7, appendVarint(data, 3, 1)) // monotonic
		}
		w.counts = appendBytes(w.counts, 2, m)
	}
}

func (w *otlp) point(r *reading, p *point) []byte {
	m := appendFixed(nil, 2, uint64(p.start.UnixNano()))
	m = appendFixed(m, 3, uint64(r.at.UnixNano()))
	if !r.histogram() {
		if r.whole {
			m = appendFixed(m, 6, uint64(int64(p.sum)))
		} else {
			m = appendFixed(m, 4, math.Float64bits(p.sum))
		}
		return appendAttrs(m, 7, p.attrs, w.clean)
	}
	m = appendFixed(m, 4, uint64(p.count))
	m = appendFixed(m, 5, math.Float64bits(p.sum))
	var counts, bounds []byte
	for _, n := range p.counts {
		counts = binary.LittleEndian.AppendUint64(counts, uint64(n))
	}
	for _, f := range r.bounds {
		bounds = binary.LittleEndian.AppendUint64(bounds, math.Float64bits(f))
	}
	m = appendBytes(m, 6, counts)
	m = appendBytes(m, 7, bounds)
	m = appendAttrs(m, 9, p.attrs, w.clean)
	m = appendFixed(m, 11, math.Float64bits(p.min))
	return appendFixed(m, 12, math.Float64bits(p.max))
}

// appendAttrs appends attributes, each as a field with this number.
func appendAttrs(b []byte, field int, a attrs, clean func(string) string) []byte {
	for _, one := range a {
		pair := appendText(nil, 1, one.key)
		pair = appendBytes(pair, 2, appendValue(nil, one.value, clean))
		b = appendBytes(b, field, pair)
	}
	return b
}

// appendValue appends an AnyValue.
func appendValue(b []byte, value any, clean func(string) string) []byte {
	switch v := value.(type) {
	case string:
		return appendText(b, 1, clean(v))
	case func() string:
		return appendText(b, 1, clean(v()))
	case json.RawMessage:
		return appendText(b, 1, clean(string(v)))
	case bool:
		n := uint64(0)
		if v {
			n = 1
		}
		return appendVarint(b, 2, n)
	case int:
		return appendVarint(b, 3, uint64(int64(v)))
	case float64:
		return appendFixed(b, 4, math.Float64bits(v))
	case []string:
		var list []byte
		for _, s := range v {
			list = appendBytes(list, 1, appendValue(nil, s, clean))
		}
		return appendBytes(b, 5, list)
	}
	return b
}

func appendVarint(b []byte, field int, n uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(field)<<3), n)
}

func appendFixed(b []byte, field int, n uint64) []byte {
	return binary.LittleEndian.AppendUint64(binary.AppendUvarint(b, uint64(field)<<3|1), n)
}

func appendBytes(b []byte, field int, p []byte) []byte {
	b = binary.AppendUvarint(b, uint64(field)<<3|2)
	return append(binary.AppendUvarint(b, uint64(len(p))), p...)
}

// appendText appends a text, which this protocol requires to be UTF-8.
func appendText(b []byte, field int, s string) []byte {
	return appendBytes(b, field, []byte(strings.ToValidUTF8(s, "\uFFFD")))
}
