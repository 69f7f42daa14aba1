package acceptance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func jsoncmpWord(ts *testscript.TestScript, args []string) bool {
	if len(args) != 2 {
		return false
	}
	got, err := values(ts.ReadFile(args[0]))
	if err != nil {
		ts.Fatalf("%s: %v", args[0], err)
	}
	want, err := values(ts.ReadFile(args[1]))
	if err != nil {
		ts.Fatalf("%s: %v", args[1], err)
	}
	if diff := compareLists("", got, want); diff != "" {
		ts.Fatalf("%s", diff)
	}
	return true
}

// values returns the consecutive JSON values in text.
func values(text string) ([]any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	var out []any
	for {
		var v any
		switch err := d.Decode(&v); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("value %d: %w", len(out)+1, err)
		}
		out = append(out, v)
	}
}

// compare returns the first difference between got and want, or "".
func compare(at string, got, want any) string {
	differs := func() string { return fmt.Sprintf("%s: got %s, want %s", at, show(got), show(want)) }
	switch want := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return differs()
		}
		if only, ok := want["<any>"]; ok && len(want) == 1 && len(g) == 1 {
			for k, v := range g {
				return compare(at+"."+k, v, only)
			}
		}
		_, more := want["..."]
		for k := range g {
			if _, ok := want[k]; !ok && !more {
				return fmt.Sprintf("%s.%s: not wanted, got %s", at, k, show(g[k]))
			}
		}
		for k, w := range want {
			if k == "..." {
				continue
			}
			v, ok := g[k]
			if !ok {
				return fmt.Sprintf("%s.%s: missing, want %s", at, k, show(w))
			}
			if diff := compare(at+"."+k, v, w); diff != "" {
				return diff
			}
		}
		return ""
	case []any:
		g, ok := got.([]any)
		if !ok {
			return differs()
		}
		return compareLists(at, g, want)
	case string:
		if !fits(got, want) {
			return differs()
		}
		return ""
	}
	if show(got) != show(want) {
		return differs()
	}
	return ""
}

// compareLists compares item by item; "..." in want matches any number of items.
func compareLists(at string, got, want []any) string {
	i := slices.IndexFunc(want, func(v any) bool { return v == "..." })
	if i < 0 {
		if len(got) != len(want) {
			return fmt.Sprintf("%s: %d values, want %d: %s", at, len(got), len(want), show(got))
		}
		for j := range want {
			if diff := compare(fmt.Sprintf("%s[%d]", at, j), got[j], want[j]); diff != "" {
				return diff
			}
		}
		return ""
	}
	if len(got) < i {
		return fmt.Sprintf("%s: %d values, want at least %d: %s", at, len(got), i, show(got))
	}
	if diff := compareLists(at, got[:i], want[:i]); diff != "" {
		return diff
	}
	diff := ""
	for j := len(got); j >= i; j-- {
		if diff = compareLists(at, got[j:], want[i+1:]); diff == "" {
			return ""
		}
	}
	return fmt.Sprintf("%s: what should follow value %d is not there (%s): %s", at, i, diff, show(got))
}

// fits reports whether got matches the pattern.
func fits(got any, want string) bool {
	s, isString := got.(string)
	match := func(re string) bool { return isString && regexp.MustCompile(re).MatchString(s) }
	switch want {
	case "<any>":
		return true
	case "<string>":
		return isString
	case "<number>":
		_, ok := got.(float64)
		return ok
	case "<uuid>":
		return match(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	case "<time>":
		return match(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
	}
	if re, ok := strings.CutPrefix(want, "/"); ok && strings.HasSuffix(re, "/") {
		return match(`(?s)` + strings.TrimSuffix(re, "/"))
	}
	return isString && s == want
}

func show(v any) string {
	b, _ := json.Marshal(v) // it was decoded from JSON
	return string(b)
}

func TestCompare(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		got, want string
		same      bool
	}{
		{`{"a":1,"b":[true,null]}`, `{"b":[true,null],"a":1}`, true},
		{`{"a":1,"b":2}`, `{"a":1}`, false},
		{`{"a":1,"b":2}`, `{"a":1,"...":0}`, true},
		{`{"a":1}`, `{"a":1,"b":"<any>"}`, false},
		{`{"a":1}`, `{"<any>":1}`, true},
		{`{"a":1}`, `{"<any>":2}`, false},
		{`{"a":1,"b":1}`, `{"<any>":1}`, false},
		{`1 2 3`, `1 "..." 3`, true},
		{`1 3`, `1 "..." 3`, true},
		{`1 2`, `1 "..." 3`, false},
		{`1`, `1 "..." 1`, false},
		{`"abc"`, `"/^a.c$/"`, true},
		{`"abd"`, `"/^a.c$/"`, false},
		{`"2026-01-02T03:04:05.678Z"`, `"<time>"`, true},
		{`7`, `"<number>"`, true},
		{`"7"`, `"<number>"`, false},
	} {
		got, err := values(c.got)
		if err != nil {
			t.Fatal(err)
		}
		want, err := values(c.want)
		if err != nil {
			t.Fatal(err)
		}
		if diff := compareLists("", got, want); (diff == "") != c.same {
			t.Errorf("%s against %s: %q", c.got, c.want, diff)
		}
	}
}
