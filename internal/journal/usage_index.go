package journal

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-faster/jx"

	"pollux/llm"
)

// usageVersion changes with the meaning of counts, so that files are read again.
const usageVersion = 2

// MarshalJSON returns the usage as an index stores it: each row is a list of the time, the model, the
// tool, and the counts up to the last one that is not 0.
func (u *Usage) MarshalJSON() ([]byte, error) {
	b := strconv.AppendInt([]byte(`{"v":`), usageVersion, 10)
	b = appendString(b, "id", u.SessionID)
	b = appendString(b, "kind", u.Kind)
	b = append(b, `,"rows":[`...)
	for i := range u.Rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = u.Rows[i].appendJSON(b)
	}
	return append(b, "]}"...), nil
}

func (r *UsageRow) appendJSON(b []byte) []byte {
	b = strconv.AppendInt(append(b, '['), r.At, 10)
	b = llm.AppendString(append(b, ','), r.Model)
	b = llm.AppendString(append(b, ','), r.Tool)
	zeros := 0
	for _, n := range r.numbers() {
		if *n == 0 {
			zeros++
			continue
		}
		b = append(b, strings.Repeat(",0", zeros)...)
		b = strconv.AppendInt(append(b, ','), int64(*n), 10)
		zeros = 0
	}
	return append(b, ']')
}

// Decode decodes the output of MarshalJSON. It returns an error for that of another version.
func (u *Usage) Decode(d *jx.Decoder) error {
	v := 0
	err := eachMember(d, func(d *jx.Decoder, key string) error {
		switch key {
		case "v":
			return number(d, &v)
		case "id":
			return text(d, &u.SessionID)
		case "kind":
			return text(d, &u.Kind)
		case "rows":
			return d.Arr(func(d *jx.Decoder) error {
				u.Rows = append(u.Rows, UsageRow{})
				return u.Rows[len(u.Rows)-1].decode(d)
			})
		}
		return d.Skip()
	})
	if err == nil && v != usageVersion {
		err = fmt.Errorf("usage of version %d", v)
	}
	return err
}

func (r *UsageRow) decode(d *jx.Decoder) error {
	counts, i := r.numbers(), 0
	return d.Arr(func(d *jx.Decoder) (err error) {
		switch i++; i {
		case 1:
			r.At, err = d.Int64()
		case 2:
			r.Model, err = d.Str()
		case 3:
			r.Tool, err = d.Str()
		default:
			if i-4 >= len(counts) {
				return d.Skip()
			}
			*counts[i-4], err = d.Int()
		}
		return err
	})
}
