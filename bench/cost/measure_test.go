package cost

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"testing"
	"time"

	"pollux/bench/scene"
	"pollux/internal/sandbox"
)

// measurements are the functions that count, by the first half of the names of their rows. Each starts in new places.
var measurements = map[string]func(t *testing.T, program string) counts{
	"start":                       start,
	"version":                     version,
	"hello":                       hello,
	"first hello":                 firstHello,
	"hello in memory":             inMemory("hello", 0),
	"hello in a large repository": inLargeRepository,
	"turn":                        turn,
	"turn in memory":              inMemory("turn", 320),
	"chunk":                       inMemory("chunk", 0),
	"call":                        inMemory("call", 60),
	"command":                     command,
	"confined command":            func(t *testing.T, _ string) counts { return confined(t, "command") },
	"refused command":             func(t *testing.T, _ string) counts { return confined(t, "refused") },
	"output":                      inMemory("output", 0),
	"screen":                      inMemory("inline", 0),
	"full screen":                 inMemory("full", 0),
	"terminal":                    terminalSession,
	"cache of gemini":             func(t *testing.T, program string) counts { return cache(t, program, &scene.Gemini) },
	"cache of openai":             func(t *testing.T, program string) counts { return cache(t, program, &scene.OpenAI) },
}

// settle is the time before the last answer. A run cleans up recorded sessions in the background, 300 ms after its
// start, unless it has ended: each run lasts longer, so that all counts include it.
const settle = 700 * time.Millisecond

// needLinux skips a test on other systems, which open other files.
func needLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("NOT CHECKED: the bounds are those of Linux")
	}
}

// initLine matches a package in the trace of the code that runs before main.
var initLine = regexp.MustCompile(`(?m)^init \S+ @.* (\d+) bytes, \d+ allocs$`)

// start counts the packages that run code before main, the memory that they allocate, the types with an interface that the
// runtime puts into its table, and the libraries of the system that the program needs.
func start(t *testing.T, program string) counts {
	_, errs := newPlace(t, 0, &scene.Gemini).run(t, "GODEBUG=inittrace=1", program, "--version")
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	libraries, err := file.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	c := counts{"packages": 0, "memory": 0, "interfaces": 0, "libraries": float64(len(libraries))}
	if s := file.Section(".itablink"); s != nil {
		c["interfaces"] = float64(s.Size / 8)
	}
	for _, m := range initLine.FindAllStringSubmatch(errs, -1) {
		n, _ := strconv.ParseFloat(m[1], 64) // digits
		c["packages"]++
		c["memory"] += n
	}
	return c
}

// version counts the costs of the shortest run.
func version(t *testing.T, program string) counts {
	s := newPlace(t, 0, &scene.Gemini).trace(t, program, "--version")
	return counts{"system calls": s.calls, "files": s.files, "processes": s.processes}
}

// hello counts the costs of a prompt that the model answers at once.
func hello(t *testing.T, program string) counts {
	p := newPlace(t, 0, &scene.Gemini)
	s := p.trace(t, program, "-p", "hello")
	requests := p.TakeRequests()
	size := 0
	for _, q := range requests {
		size += len(q.Body)
	}
	return counts{
		"system calls": s.calls, "files": s.files, "processes": s.processes, "written": s.written,
		"requests": float64(len(requests)), "body": float64(size),
	}
}

// firstHello counts the files and directories that the first prompt makes in a new home directory.
func firstHello(t *testing.T, program string) counts {
	return counts{"files made": newPlace(t, 0, &scene.Gemini).traceFirst(t, program, "-p", "hello").made}
}

// turn counts the costs of a turn, the mean of the 100 that follow the first 20.
func turn(t *testing.T, program string) counts {
	run := func(turns int) (trace, float64) {
		p := newPlace(t, 120, &scene.Gemini)
		s := p.trace(t, program, "--yolo", "-p", fmt.Sprintf("Play %d turns.", turns))
		return s, float64(len(p.TakeRequests()))
	}
	few, requestsFew := run(20)
	many, requestsMany := run(120)
	return counts{
		"system calls": (many.calls - few.calls) / 100, "files": (many.files - few.files) / 100,
		"processes": (many.processes - few.processes) / 100, "written": (many.written - few.written) / 100,
		"requests": (requestsMany - requestsFew) / 100,
	}
}

// command counts the costs of a shell command, the mean of those after the first two, without the sandbox.
func command(t *testing.T, program string) counts {
	open := func() *place {
		p := newPlace(t, 0, &scene.Gemini)
		p.env = append(p.env, "GEMINI_SANDBOX=false")
		return p
	}
	run := func(prompt string) trace { return open().trace(t, program, "--yolo", "-p", prompt) }
	c := open().work(t, "command")
	c["processes"] = (run("Play 12 commands.").processes - run("Play 2 commands.").processes) / 10
	return c
}

// confined counts the allocations of a work with shell commands in the sandbox.
func confined(t *testing.T, work string) counts {
	if err := sandbox.Available(); err != nil {
		t.Skipf("NOT CHECKED: %v", err)
	}
	// The rules of the sandbox are made again when something is new beside the home directory, as often in /tmp.
	return newPlaceIn(t, "/var/tmp", 0, &scene.Gemini).work(t, work)
}

// inMemory returns the measurement of a work at a place with this many pages.
func inMemory(work string, pages int) func(t *testing.T, program string) counts {
	return func(t *testing.T, _ string) counts { return newPlace(t, pages, &scene.Gemini).work(t, work) }
}

// inLargeRepository counts the allocations for a prompt in a repository of 50,000 files, as its index says.
func inLargeRepository(t *testing.T, _ string) counts {
	const files = 50_000
	p := newPlace(t, 0, &scene.Gemini)
	index := binary.BigEndian.AppendUint32([]byte("DIRC\x00\x00\x00\x02"), files)
	for i := range files {
		const fixed, name = 62, "some/directory/file%05d.txt"
		entry := fmt.Appendf(make([]byte, fixed), name, i)
		index = append(index, append(entry, make([]byte, 8-len(entry)%8)...)...)
	}
	git := p.path("work", ".git")
	if err := os.Mkdir(git, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"HEAD": []byte("ref: refs/heads/main\n"), "index": index} {
		if err := os.WriteFile(filepath.Join(git, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return p.work(t, "hello")
}

// cache counts the bytes that differ between a request and the part of the next one that a vendor's cache knows: all
// but the new messages.
func cache(t *testing.T, program string, w *scene.Wire) counts {
	p := newPlace(t, 100, w)
	p.run(t, "", program, "--yolo", "-p", "Play 100 turns.")
	var last, lastEnd []byte
	c := counts{"changed": 0, "requests": 0}
	for _, q := range p.TakeRequests() {
		if q.IsQuestion() {
			continue
		}
		body := q.Body
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(body, &fields); err != nil {
			t.Fatal(err)
		}
		messages := fields[w.Messages]
		split := bytes.Index(body, messages) + len(messages) - len("]")
		if len(messages) == 0 {
			t.Fatalf("a request without messages: %s", body)
		}
		c["requests"]++
		c["changed"] += float64(len(last) - common(last, body[:split]) + len(lastEnd) - common(lastEnd, body[split:]))
		last, lastEnd = body[:split], body[split:]
	}
	return c
}

// common returns the length of the common beginning of two texts.
func common(a, b []byte) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
