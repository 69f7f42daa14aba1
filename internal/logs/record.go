package logs

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"pollux/internal/terminal"
)

// Record is a line of a log.
type Record struct {
	Time    time.Time // zero if unknown
	Level   string    // "DEBUG", "INFO", "WARN" or "ERROR"
	Message string
	// Fields are the other fields, in their order: name and value, which is a text or JSON.
	Fields [][2]string
}

// Parse parses a line of a log. ok is false if it is not a JSON object.
func Parse(line []byte) (r Record, ok bool) {
	if !json.Valid(line) {
		return Record{}, false
	}
	d := json.NewDecoder(bytes.NewReader(line))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return Record{}, false
	}
	for d.More() {
		name, _ := d.Token() // valid, so it is a string
		var raw json.RawMessage
		if d.Decode(&raw) != nil {
			return Record{}, false
		}
		r.set(name.(string), text(raw))
	}
	return r, true
}

// text returns a string without its quotes, or other JSON unchanged.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

func (r *Record) set(name, value string) {
	switch name {
	case "time":
		r.Time, _ = time.Parse(time.RFC3339, value) // zero if it is no time
	case "level":
		r.Level = value
	case "msg":
		r.Message = value
	default:
		r.Fields = append(r.Fields, [2]string{name, value})
	}
}

// Format returns a line of a log for people, without characters that control a terminal.
func Format(line []byte) string {
	r, ok := Parse(line)
	if !ok {
		return terminal.Line(string(line))
	}
	var b strings.Builder
	if !r.Time.IsZero() {
		b.WriteString(r.Time.Local().Format("2006-01-02 15:04:05.000 "))
	}
	if r.Level != "" {
		b.WriteString(terminal.Line(r.Level) + " ")
	}
	b.WriteString(terminal.Line(r.Message))
	for _, f := range r.Fields {
		b.WriteString(" " + terminal.Line(f[0]) + "=" + quoted(f[1]))
	}
	return b.String()
}

// quoted returns a value on one line, in quotes if it would not be one word.
func quoted(value string) string {
	if value == "" || strings.ContainsAny(value, " \t\r\n\"=") || terminal.Line(value) != value {
		return terminal.Line(strconv.Quote(value))
	}
	return value
}
