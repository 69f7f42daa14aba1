package loopdetect

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pollux/agent"
)

func TestCalls(t *testing.T) {
	t.Parallel()
	repeat := func(n int, calls ...string) []string { return slices.Repeat(calls, n) }
	deep := strings.Repeat("[", 20_000)
	tests := map[string]struct {
		calls []string // a name, or a name and arguments
		o     Options
		at    int // the call, from 1, at which a loop is found; 0 for none
		says  string
	}{
		"one call":               {calls: repeat(7, "a"), at: 5, says: `the tool "a" was called 5 times in a row with the same arguments`},
		"four times":             {calls: repeat(4, "a")},
		"another in between":     {calls: append(append(repeat(4, "a"), "b"), repeat(4, "a")...)},
		"another before":         {calls: append([]string{"b"}, repeat(5, "a")...), at: 6},
		"two in turn":            {calls: repeat(6, "a", "b"), at: 10, says: `the calls "a", "b", with the same arguments each time, came 5 times in a row in this order`},
		"two in turn, less once": {calls: repeat(5, "a", "b")[:9]},
		"three in turn":          {calls: repeat(6, "a", "b", "c"), at: 15},
		"five in turn":           {calls: repeat(6, "a", "b", "c", "d", "e"), at: 25},
		"six in turn":            {calls: repeat(9, "a", "b", "c", "d", "e", "f")},
		"five, of which two are the same": {
			calls: repeat(5, "a", "b", "a", "c", "d"), at: 25,
		},
		"into a cycle": {calls: append([]string{"x", "b", "b"}, repeat(5, "a", "b")...), at: 12}, // from the second b on: b a b a ...
		"a cycle broken off once": {
			calls: slices.Concat(repeat(4, "a", "b"), []string{"c"}, repeat(4, "a", "b")),
		},
		"two in turn, by the seeds": {calls: repeat(20, "a", "b"), o: Options{MaxCycle: 1}},
		"one call, by the seeds":    {calls: repeat(6, "a"), o: Options{MaxCycle: 1}, at: 5},
		"three times":               {calls: repeat(3, "a"), o: Options{Repeats: 3}, at: 3},
		"other arguments":           {calls: []string{`a {"n":1}`, `a {"n":2}`, `a {"n":3}`, `a {"n":4}`, `a {"n":5}`, `a {"n":6}`}},
		"the same arguments, written in other ways": {
			calls: []string{`a {"n":1,"s":"ü"}`, `a { "s": "\u00fc", "n": 1 }`, "a {\"s\":\"\\u00FC\",\n\"n\":1}", `a {"n":1, "s":"ü"}`, `a {"n":1,"s":"ü"} `},
			at:    5,
		},
		"no arguments, written in other ways": {calls: []string{"a", "a {}", "a { }", "a", "a {}"}, at: 5},
		"the order of an array":               {calls: []string{"a [1,2]", "a [2,1]", "a [1,2]", "a [2,1]", "a [1,2]"}},
		"long numbers": {
			calls: []string{"a 12345678901234567890", "a 12345678901234567890", "a 12345678901234567890", "a 12345678901234567890", "a 12345678901234567891"},
		},
		"arguments that are no JSON":        {calls: repeat(5, `a {"n":`), at: 5},
		"arguments that are no JSON at all": {calls: repeat(5, "a \xff\x00"), at: 5},
		"something behind":                  {calls: []string{"a {}", "a {}", "a {}", "a {}", "a {}}"}},
		"too deep to read":                  {calls: repeat(5, "a "+deep), at: 5},
		"a megabyte of arguments":           {calls: repeat(5, `a "`+strings.Repeat("x", maxArgs)+`"`), at: 5},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, at := New(tt.o), 0
			for i, c := range tt.calls {
				tool, args, _ := strings.Cut(c, " ")
				if loop, found := d.Observe(request(tool, args)); found {
					if loop.Kind != RepeatedCalls || tt.says != "" && loop.Detail != tt.says {
						t.Errorf("found %+v", loop)
					}
					at = i + 1
					break
				}
				d.Observe(agent.Finished{})
			}
			if at != tt.at {
				t.Errorf("found at call %d, want %d", at, tt.at)
			}
		})
	}
}

// A call that did not run does not count; one that a person refused, or that failed, does.
func TestCallsThatDidNotRun(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		end  agent.ToolFinished
		want bool
	}{
		"not run": {agent.ToolFinished{Status: agent.CallCancelled}, false},
		"refused": {agent.ToolFinished{Status: agent.CallCancelled, Began: time.Unix(1, 0)}, true},
		"failed":  {agent.ToolFinished{Status: agent.Failed, Began: time.Unix(1, 0)}, true},
	} {
		d, found := New(Options{}), false
		for range 9 {
			e := request("test", "")
			_, loop := d.Observe(e)
			d.Observe(agent.Finished{})
			found = found || loop
			tt.end.Call = e.Call
			d.Observe(tt.end)
		}
		if found != tt.want {
			t.Errorf("%s: loop %v, want %v", name, found, tt.want)
		}
	}
}

// A loop goes on with each further call of it, ends with another call, and is forgotten by Reset.
func TestLoopGoesOn(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ calls, found string }{
		"one call":               {"aaaaaaa", "0000111"},
		"another in between":     {"aaaaabaaaaa", "00001000001"},
		"two in turn":            {"ababababababa", "0000000001111"},
		"two in turn, broken":    {"ababababab" + "b" + "ab", "0000000001" + "0" + "00"},
		"from one loop to other": {"aaaaabbbbb", "0000100001"},
		"reset":                  {"aaaaa.aaaaa", "00001.00001"},
	} {
		d, got := New(Options{}), ""
		for _, c := range tt.calls {
			if c == '.' {
				d.Reset("again")
				got += "."
				continue
			}
			_, found := d.Observe(request(string(c), ""))
			d.Observe(agent.Finished{})
			got += map[bool]string{false: "0", true: "1"}[found]
			if _, found := d.CheckTurn(t.Context(), nil); found {
				t.Errorf("%s: a loop of calls is found again by CheckTurn", name)
			}
		}
		if got != tt.found {
			t.Errorf("%s: %s: found %s, want %s", name, tt.calls, got, tt.found)
		}
	}
}

func TestCallsStayFew(t *testing.T) {
	t.Parallel()
	d := New(Options{})
	for i := range 10_000 {
		d.Observe(request(fmt.Sprint("tool", i), `{}`))
		d.Observe(agent.Finished{})
	}
	if n, c := len(d.calls.list), cap(d.calls.list); n != 25 || c > 64 || len(d.calls.response) != 0 {
		t.Errorf("%d calls of at most %d and %d of a response are kept", n, c, len(d.calls.response))
	}
}

// The same calls in one response count once.
func TestCallsOfOneResponse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ calls, found string }{ // a response ends with a space
		"one response":             {"aaaaaaaaa", "000000000"},
		"the same in each":         {"aa aa aa aa aa aaa", "00 00 00 00 11 111"},
		"in turn":                  {"abab abab abab abab abab", "0000 0000 0000 0000 0101"},
		"another in one of them":   {"aa aa ab aa aa", "00 00 00 00 00"},
		"in turn, in one response": {"ababababababab", "00000000000000"},
	} {
		d, got := New(Options{}), ""
		for _, c := range tt.calls {
			if c == ' ' {
				d.Observe(agent.Finished{})
				got += " "
				continue
			}
			_, found := d.Observe(request(string(c), ""))
			got += map[bool]string{false: "0", true: "1"}[found]
		}
		if got != tt.found {
			t.Errorf("%s: %s: found %s, want %s", name, tt.calls, got, tt.found)
		}
	}
}

func BenchmarkCall(b *testing.B) {
	d := New(Options{})
	e := [2]agent.ToolRequested{request("read_file", `{"path": "internal/app/app.go", "limit": 100}`), request("write_file", `{"path": "a"}`)}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		d.inspect(e[i%2])
	}
}
