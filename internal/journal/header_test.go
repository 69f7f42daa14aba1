package journal

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestAppendHeader checks that package json reads what is written: a header with nothing but what it needs, and one with
// something in each of its members.
func TestAppendHeader(t *testing.T) {
	t.Parallel()
	full := Header{}
	for v, i := reflect.ValueOf(&full).Elem(), 0; i < v.NumField(); i++ {
		switch f := v.Field(i); f.Interface().(type) {
		case string:
			f.SetString("a \"quoted\" <text>\n" + v.Type().Field(i).Name)
		case int:
			f.SetInt(int64(i))
		case []string:
			f.Set(reflect.ValueOf([]string{"/a", "/b\\"}))
		case time.Time:
			f.Set(reflect.ValueOf(time.Date(2026, 1, 2, 3, 4, 5, 6_000_000, time.UTC).AddDate(i, 0, 0)))
		default:
			t.Fatalf("%s has a type that is not written", v.Type().Field(i).Name)
		}
	}
	for name, h := range map[string]Header{
		"least": {SessionID: "id", ProjectHash: "hash", Start: full.Start, Updated: full.Updated},
		"full":  full,
	} {
		line := string(appendHeader([]byte("before\n"), h))
		line, isAfter := strings.CutPrefix(line, "before\n")
		var got Header
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&got); err != nil || !isAfter || strings.Count(line, "\n") != 1 {
			t.Fatalf("%s: %q: %v", name, line, err)
		}
		if diff := cmp.Diff(h, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
		if members := strings.Count(line, "\":"); name == "least" && members != 4 {
			t.Errorf("%s: %d members: %s", name, members, line)
		}
	}
}
