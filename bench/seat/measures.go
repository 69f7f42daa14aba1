//go:build linux

package seat

import "slices"

const (
	issue = "terminal face" // the promises of the terminal user interface as a whole
	spec  = "spec 11.4"     // the table of promises in the specification of the terminal
)

// Measures returns all measurements.
func Measures() []Measure {
	return []Measure{
		{"start", 20, start, []Row{
			{"start to the prompt, ms, median", "prompt-ms", "prompt", median, 30, issue},
			{"... the best", "prompt-best-ms", "prompt", smallest, 30, issue},
			{"... of 95 in 100", "prompt-p95-ms", "prompt", p95, 50, spec + " P1"},
			{"start to a key that is on the screen, ms, median", "usable-ms", "usable", median, 30, issue},
			{"memory at the prompt, MB, resident", "resident-MB", "resident", median, 60, issue},
			{"... of it, without the program's file", "anonymous-MB", "anonymous", median, 0, ""},
		}},
		{"headless", 20, headless, []Row{
			{"headless: start to the first request, ms, median", "request-ms", "request", median, 22, "as before the terminal face"},
			{"... peak memory, MB, resident", "resident-MB", "resident", median, 0, ""},
			{"... of it, without the program's file", "anonymous-MB", "anonymous", median, 0, ""},
		}},
		{"keys", 1, keysIdle, slices.Concat(keyRows("idle", 3), []Row{
			{"bytes a key, median", "key-B", "bytes", median, 60, issue},
			{"... the most", "key-most-B", "bytes", largest, 600, spec + " P4"},
		})},
		{"streaming", 1, keysStreaming, slices.Concat(keyRows("500 chunks/s", 0), streamRows)},
		{"resumed", 1, resumedHistory, slices.Concat(keyRows("500 chunks/s, 10,000 items resumed", 0), streamRows, memoryRows)},
		{"lived", 1, livedHistory, slices.Concat(keyRows("500 chunks/s, 10,000 items in the session", 0), streamRows, memoryRows)},
		{"resume", 10, resume50, []Row{
			{"50 MB resumed: start to the end of the conversation, ms, median", "tail-ms", "tail", median, 150, spec + " P9"},
			{"... to a key that is on the screen", "usable-ms", "usable", median, 0, ""},
			{"... memory, MB, resident", "resident-MB", "resident", median, 60, issue},
			{"... of it, without the program's file", "anonymous-MB", "anonymous", median, 0, ""},
		}},
		{"paste", 5, paste, []Row{
			{"a paste of 1 MB, ms, median", "paste-ms", "1MB", median, 100, spec + " P10"},
			{"a paste of 5 MB, ms, median", "paste5-ms", "5MB", median, 0, ""},
		}},
		{"cancel", 10, cancel, []Row{{"Esc to the notice, ms, the most", "cancel-ms", "cancel", largest, 100, spec + " P12"}}},
		{"idle", 1, idle, []Row{
			{"idle for 60 s: CPU, ms", "cpu-ms", "cpu", largest, 0, issue},
			{"... bytes: the question for the background color, once a minute", "B", "bytes", largest, 8, "spec 0, ui.terminalBackgroundPollingInterval"},
		}},
		{"session", 1, session, []Row{
			{"a long session: turns", "turns", "turns", sum, 0, ""},
			{"... erasures of the screen", "clears", "clears", sum, 0, issue},
			{"... frames a second, the most", "frames/s", "frames", largest, 60, spec + " P5"},
			{"... CPU of one processor, %", "cpu-%", "cpu", median, 0, ""},
			{"... memory at the end, MB, resident", "resident-MB", "resident", largest, 60, issue},
		}},
	}
}

// keyRows are the rows of keys in a situation. most is the limit of the median in milliseconds, 0 for none.
func keyRows(situation string, most float64) []Row {
	half := Row{"key to paint, ms, " + situation + ": p50", "key-ms", "took", median, 0, ""}
	if most > 0 {
		half.Promise, half.Source = most, spec+" P2"
	}
	return []Row{
		half,
		{"... p99", "p99-ms", "took", p99, 16, issue},
		{"... the worst", "worst-ms", "took", largest, 0, ""},
	}
}

// streamRows are the rows of an answer that streams in.
var streamRows = []Row{
	{"... chunks a second on the screen", "chunks/s", "rate", median, 0, ""},
	{"... bytes for each byte of the answer", "B/B", "ratio", median, 10, issue},
	{"... frames a second, without and with keys", "frames/s", "frames", largest, 60, spec + " P5"},
	{"... CPU of one processor, %", "cpu-%", "cpu", median, 100, spec + " P11"},
}

// memoryRows are the rows of memory after a long history.
var memoryRows = []Row{
	{"... memory, MB, resident", "resident-MB", "resident", largest, 60, issue},
	{"... of it, without the program's file", "anonymous-MB", "anonymous", largest, 0, ""},
	{"... the most, MB, resident", "peak-MB", "peak", largest, 0, ""},
}
