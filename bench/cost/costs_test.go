// Package cost counts the costs of the program: system calls, files, processes, requests, allocations, bytes. Counts
// hardly depend on the machine and its load, so that tests can bound them; package bench measures time.
package cost

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pollux/internal/process/processtest"
)

// cost is a row of the table of bounds.
type cost struct {
	name   string  // MEASUREMENT/COUNT
	bound  float64 // the count may not be larger, and not smaller than a third of it
	unit   string
	reason string // for the bound
}

// costs has all bounds: a little above the counts of Go 1.26 on Linux, and exact where the count never varies. A bound
// rises only for a benefit that its reason names.
var costs = []cost{
	{"start/packages", 203, "packages", "Too many: 101 of the standard library, two of them Go's parser, 36 of Pollux, and 73 of libraries, most of which few runs need: the face that draws brings nine of them, and the client of MCP servers as many."},
	{"start/memory", 525_000, "bytes", "Too much: golang.org/x/net/html allocates a quarter of it, JSON schemas a seventh, and the cells of the face that draws a twentieth."},
	{"start/interfaces", 1_532, "types with an interface", "With a few more, those that conversions add included, the runtime moves them all to a table of twice the size, 64 KB."},
	{"start/libraries", 0, "libraries", "The program is linked statically, so that it runs on any system with this kernel."},

	{"version/system calls", 11, "calls", "The program inspects its three streams and prints a line."},
	{"version/files", 0, "files", "A version needs no file."},
	{"version/processes", 0, "processes", "A version needs no other program."},

	{"hello/system calls", 239, "calls", "Too many: a quarter opens files, and a quarter looks at files and links, five of them in each directory for instructions, and four for skills and servers of other agents; seven make files durable, and a dozen ask whether the sandbox suits this machine and the home directory of the account."},
	{"hello/files", 41, "files", "Ten are .env files, for which the program searches ten directories; ten are opened by the cleanup of old sessions, and one has the home directory of the account."},
	{"hello/processes", 0, "processes", "A request needs no other program, not even git."},
	{"hello/written", 1_190, "bytes", "The session file, with the prompt and the answer once each."},
	{"hello/requests", 1, "requests", "Only the prompt is sent: no list of models, no title."},
	{"hello/body", 11_500, "bytes", "The instruction, the environment, and the tools that run without approval."},

	{"first hello/files made", 8, "files and directories", "~/.gemini, its tmp and the project's, with a marker and the sessions; the list of projects, and its lock; the session file."},

	{"hello in memory/memory", 890_000, "bytes", "The whole run, from the flags to the answer."},
	{"hello in memory/objects", 3_790, "objects", "The whole run, from the flags to the answer. A dozen are steps of the gate that the sandbox needs, and thirty look whether it suits the machine."},

	{"hello in a large repository/memory", 905_000, "bytes", "Hardly more than elsewhere: of a large index nothing is read but its size."},
	{"hello in a large repository/objects", 3_850, "objects", "Hardly more than elsewhere."},

	{"turn/system calls", 36.5, "calls", "Too many: 16 look at files and their links, because read_file, its checks and the memory resolve its path one after the other."},
	{"turn/files", 1, "files", "The file that the turn reads."},
	{"turn/processes", 0, "processes", "read_file needs no other program."},
	{"turn/written", 765, "bytes", "The call and its result, once each."},
	{"turn/requests", 1.07, "requests", "One a turn; in 100 turns, 7 more ask whether the work makes progress."},

	{"turn in memory/memory at 10", 78_000, "bytes", "One request, one call, two records; net/http copies the body through 32 KB of it."},
	{"turn in memory/objects at 10", 460, "objects", "One request, one call, two records."},
	{"turn in memory/memory at 300", 155_000, "bytes", "Grows by 270 bytes a turn: each request lists the encoded messages in pieces of 24 bytes, in a list that is too small at first; no text is copied."},
	{"turn in memory/objects at 300", 460, "objects", "Does not grow: no message is encoded or counted again."},

	{"chunk/memory", 700, "bytes", "A frame of 100 bytes is decoded, passed through the loop and printed."},
	{"chunk/objects", 8.1, "objects", "Decoding allocates seven, the loop one."},

	{"call/memory", 29_500, "bytes", "The arguments, the gate, the file, the events, the records; a tenth records the result when the call ends, and again with those of the other calls."},
	{"call/objects", 252, "objects", "The arguments, the gate, the file with its encoding and its hash, the events, the records; a tenth records the result when the call ends."},

	{"command/memory", 83_000, "bytes", "A third is the buffer for the output; the rest starts the shell, parses the command once, and records that it begins and its result when it ends."},
	{"command/objects", 390, "objects", "The arguments, the gate with the command, which is parsed once, the shell, the events, the records; 40 record that it begins, and its result when it ends."},
	{"command/processes", 2, "processes", "The shell, and its subshell for the command, at whose end it lists the remaining jobs."},
	{"confined command/memory", 125_000, "bytes", "A third more than without the sandbox: the filter of system calls, which has the numbers of the process and the thread."},
	{"confined command/objects", 640, "objects", "As without the sandbox, and 240 for it: a third of them look for the programs that need variables."},
	{"refused command/memory", 225_000, "bytes", "A command in the sandbox, and the advice about the file that it was refused: the words of its output are looked at, with patterns that are compiled once."},
	{"refused command/objects", 1_200, "objects", "A command in the sandbox, and half of it for the advice, which needs no new profile."},

	{"output/memory", 10_000_000, "bytes", "All that 50 MB of output allocate, in use or not; it is shown up to ten times a second, so that a busy machine allocates more."},

	{"terminal/bytes of a key", 40, "bytes", "The cell, and what is around each frame: eight bytes before and after it, and where the cursor goes; the promise is 60."},
	{"terminal/bytes of a byte of an answer", 4.2, "bytes", "One paragraph, longer than its part of the screen: for each new row, the terminal moves the others. The promise is 10."},
	{"terminal/frames without a change", 0, "frames", "Nothing blinks and nothing turns while nothing happens."},
	{"terminal/bytes without a change", 0, "bytes", "Nothing is written without a frame."},
	{"terminal/erasures", 0, "erasures", "Neither a turn nor a question nor another size of the window erases the screen."},

	{"screen/memory of a chunk at 10", 17_000, "bytes", "The open block is rendered again, and each row of the live area is compared."},
	{"screen/objects of a chunk at 10", 90, "objects", "The spans and the lines of the open block and of the composer."},
	{"screen/bytes of a chunk at 10", 84, "bytes", "The word, a new row now and then, and where the cursor goes."},
	{"screen/memory of a chunk at 10000", 17_000, "bytes", "As after 10 items: what is printed costs nothing any more."},
	{"screen/objects of a chunk at 10000", 90, "objects", "As after 10 items: what is printed costs nothing any more."},
	{"screen/bytes of a chunk at 10000", 84, "bytes", "As after 10 items: what is printed costs nothing any more."},
	{"screen/memory of a key at 10", 11_500, "bytes", "The lines of the live area; nothing is rendered again but the composer."},
	{"screen/objects of a key at 10", 63, "objects", "The spans and the lines of the composer, and of the open block as it was drawn."},
	{"screen/bytes of a key at 10", 107, "bytes", "The cell, where the cursor goes, and the row that tells the time of the work each second."},
	{"screen/memory of a key at 10000", 11_500, "bytes", "As after 10 items: what is printed costs nothing any more."},
	{"screen/objects of a key at 10000", 63, "objects", "As after 10 items: what is printed costs nothing any more."},
	{"screen/bytes of a key at 10000", 107, "bytes", "As after 10 items: what is printed costs nothing any more."},

	{"full screen/memory of a chunk at 10", 33_000, "bytes", "All rows of the screen are laid out and compared, not only those of the live area."},
	{"full screen/objects of a chunk at 10", 128, "objects", "The lines of the screen that are in sight."},
	{"full screen/bytes of a chunk at 10", 74, "bytes", "The word, and a new row now and then, for which the terminal moves those above."},
	{"full screen/memory of a chunk at 10000", 33_000, "bytes", "As after 10 items: what is printed costs nothing any more."},
	{"full screen/objects of a chunk at 10000", 128, "objects", "As after 10 items: what is printed costs nothing any more."},
	{"full screen/bytes of a chunk at 10000", 74, "bytes", "As after 10 items: what is printed costs nothing any more."},
	{"full screen/memory of a key at 10", 21_300, "bytes", "All rows of the screen are laid out and compared."},
	{"full screen/objects of a key at 10", 93.5, "objects", "The lines of the screen that are in sight."},
	{"full screen/bytes of a key at 10", 90.5, "bytes", "The cell, and where the cursor goes."},
	{"full screen/memory of a key at 10000", 21_300, "bytes", "As after 10 items: what is printed costs nothing any more."},
	{"full screen/objects of a key at 10000", 93.5, "objects", "As after 10 items: what is printed costs nothing any more."},
	{"full screen/bytes of a key at 10000", 90.5, "bytes", "As after 10 items: what is printed costs nothing any more."},

	{"cache of gemini/changed", 0, "bytes", "A request begins with all of the previous one, so that the vendor's cache has it."},
	{"cache of gemini/requests", 101, "requests", "A hundred turns and the last answer."},
	{"cache of openai/changed", 0, "bytes", "A request begins with all of the previous one, so that the vendor's cache has it."},
	{"cache of openai/requests", 101, "requests", "A hundred turns and the last answer."},
}

// counts are the results of a measurement, by the second half of the name of their row.
type counts map[string]float64

// least lowers counts to those of another run.
func (c counts) least(other counts) counts {
	all := maps.Clone(other)
	for name, n := range c {
		if m, ok := all[name]; ok {
			all[name] = min(n, m)
		}
	}
	return all
}

// problems compares the counts of a measurement with the rows of a table.
func (c counts) problems(table []cost, measurement string) (all []string) {
	known := map[string]bool{}
	for _, row := range table {
		of, name, _ := strings.Cut(row.name, "/")
		if of != measurement {
			continue
		}
		known[name] = true
		switch n, ok := c[name]; {
		case !ok:
			all = append(all, fmt.Sprintf("%s is not counted: remove the row or count it", row.name))
		case n > row.bound:
			all = append(all, fmt.Sprintf("%s: %.10g %s, more than %.10g. %s", row.name, n, row.unit, row.bound, row.reason))
		case n < row.bound/3:
			all = append(all, fmt.Sprintf("%s: %.10g %s, less than a third of %.10g: lower the bound, or find out why nothing was counted", row.name, n, row.unit, row.bound))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if !known[name] {
			all = append(all, fmt.Sprintf("%s/%s is counted without a row: add its bound to the table", measurement, name))
		}
	}
	return all
}

// attempts is the number of runs of a measurement. The least counts are compared: a busy machine only adds to them.
const attempts = 5

// loader has the additions of the C library and its dynamic loader to the bounds, see [built].
var loader = counts{
	"version/system calls": 16, "version/files": 3, "start/libraries": 1, "start/memory": 42_000, "start/interfaces": 20,
	"hello/system calls": 32, "hello/files": 4,
}

// built returns the program, and the bounds of its costs. A plain run of the tests does not compile it for users: where
// there is a C compiler, the program needs the C library, and the bounds are higher.
func built(t *testing.T) (program string, bounds []cost) {
	if processtest.IsLong() {
		return processtest.Build(t), costs
	}
	program = processtest.BuildAlike(t)
	if start(t, program)["libraries"] == 0 {
		return program, costs
	}
	bounds = slices.Clone(costs)
	for i := range bounds {
		bounds[i].bound += loader[bounds[i].name]
	}
	return program, bounds
}

func TestCosts(t *testing.T) {
	t.Parallel()
	needLinux(t)
	program, bounds := built(t)
	for name, measure := range measurements {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := measure(t, program)
			t.Log(c)
			for range attempts - 1 {
				if len(c.problems(bounds, name)) == 0 {
					return
				}
				c = c.least(measure(t, program))
				t.Log(c)
			}
			for _, p := range c.problems(bounds, name) {
				t.Error(p)
			}
		})
	}
}

// TestRows checks that each row is complete and has a measurement, and that each measurement has a row.
func TestRows(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, row := range costs {
		of, name, _ := strings.Cut(row.name, "/")
		if name == "" || row.bound < 0 || row.unit == "" || !strings.HasSuffix(row.reason, ".") {
			t.Errorf("%+v is incomplete", row)
		}
		if measurements[of] == nil {
			t.Errorf("%s: there is no measurement %q", row.name, of)
		}
		if seen[row.name] {
			t.Errorf("%s has two rows", row.name)
		}
		seen[row.name], seen[of] = true, true
	}
	for name := range measurements {
		if !seen[name] {
			t.Errorf("measurement %q has no row", name)
		}
	}
}

// TestProblems checks the comparison of counts with rows.
func TestProblems(t *testing.T) {
	t.Parallel()
	table := []cost{{"turn/files", 2, "files", "One."}, {"turn/calls", 0, "calls", "None."}, {"start/files", 1, "files", "One."}}
	for _, tt := range []struct {
		got  counts
		want []string // how each problem begins
	}{
		{counts{"files": 2, "calls": 0}, nil},
		{counts{"files": 1, "calls": 0}, nil},
		{counts{"files": 2.01, "calls": 1}, []string{"turn/files: 2.01 files, more than 2. One.", "turn/calls: 1 calls, more than 0"}},
		{counts{"files": 0.6, "calls": 0}, []string{"turn/files: 0.6 files, less than a third"}},
		{counts{"files": 2, "bytes": 0}, []string{"turn/calls is not counted", "turn/bytes is counted without a row"}},
		{nil, []string{"turn/files is not counted", "turn/calls is not counted"}},
	} {
		if got := tt.got.problems(table, "turn"); !slices.EqualFunc(got, tt.want, strings.HasPrefix) {
			t.Errorf("%v: %q, want %q", tt.got, got, tt.want)
		}
	}
	if got := (counts{"a": 1, "b": 3}).least(counts{"a": 2, "b": 2}); !maps.Equal(got, counts{"a": 1, "b": 2}) {
		t.Errorf("the least counts are %v", got)
	}
}
