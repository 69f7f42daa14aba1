package arch

import (
	"path"
	"strconv"
	"strings"
)

const module = "pollux"

// layers are the floors of the house from top to bottom. A room, which is a
// directory and what is below it, imports from the floors under its own. Where
// doors is set, the rooms of a floor may also import each other.
var layers = []struct {
	rooms []string // a pattern for path.Match on the leading elements of a directory
	doors bool
}{
	{rooms: []string{"cmd", "acceptance", "bench", "examples"}},
	{rooms: []string{"internal/cli", "."}},
	{rooms: []string{"internal/face/*"}},
	{rooms: []string{"internal/slash"}},
	{rooms: []string{"internal/app"}},
	{rooms: []string{"internal/*"}, doors: true},
	{rooms: []string{"agent"}},
	{rooms: []string{"tool"}},
	{rooms: []string{"llm"}},
	{rooms: []string{"docs"}},
}

const direction = "cmd > internal/cli > internal/face/* > internal/slash > internal/app > internal/... > agent > tool > llm"

// place finds the floor and the room of a directory; floor is -1 if it has none.
func place(dir string) (floor int, room string) {
	for i, l := range layers {
		for _, pattern := range l.rooms {
			head := dir
			for strings.Count(head, "/") > strings.Count(pattern, "/") {
				head = path.Dir(head)
			}
			if ok, _ := path.Match(pattern, head); ok {
				return i, head
			}
		}
	}
	return -1, ""
}

// importsPointDown is the direction of design and architecture: a package
// that needs something from above declares the interface it needs, and is
// given the thing. Tests are free.
func importsPointDown(f *file, report reporter) {
	from, room := place(f.dir)
	if from < 0 {
		report(f.Package, "%s has no place in the house: give it a row in the layers of internal/arch, or put it into internal", f.dir)
		return
	}
	if f.test {
		return
	}
	for _, spec := range f.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		if !within(p, module) {
			continue
		}
		dir, name := strings.TrimPrefix(p, module+"/"), strings.TrimPrefix(p, module+"/")
		if p == module {
			dir, name = ".", "the root package"
		}
		to, other := place(dir)
		switch {
		case to < 0:
			report(spec.Pos(), "imports %s, which has no place in the house", name)
		case to < from:
			report(spec.Pos(), "imports %s, but %s is above %s (%s): declare here the interface that is needed and let the upper one pass it in, or move what both need down",
				name, name, f.dir, direction)
		case to == from && other != room && !layers[to].doors:
			report(spec.Pos(), "imports %s, which is beside %s: what both need belongs in a package of its own below them (%s)", name, f.dir, direction)
		}
	}
}

// homes says which room a library of others stays in.
var homes = []struct {
	library, room string
	testsOnly     bool
	why           string
}{
	{"google.golang.org/genai", "llm/gemini", true, "the SDK is the judge of what we send, and too slow to send it"},
	{"cloud.google.com/go/auth", "llm/adc", false, "vendors' types never leave their adapter"},
	{"github.com/aws", "llm/anthropic", false, "vendors' types never leave their adapter"},
	{"github.com/openai/openai-go", "llm/openai", true, "the SDK is the judge of what we send, and too slow to send it"},
	{"github.com/anthropics/anthropic-sdk-go", "llm/anthropic", true, "the SDK is the judge of what we send, and too slow to send it"},
	{"github.com/tiktoken-go/tokenizer", "llm", true, "its tables are the judge of our estimate, and 12 MB of binary"},
	{"github.com/spf13/cobra", "internal/cli", false, "below the flags everything is plain functions"},
	{"charm.land", "internal/face", false, "only a face draws"},
}

func librariesStayHome(f *file, report reporter) {
	for _, spec := range f.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		for _, h := range homes {
			judged := h.testsOnly && f.test && f.under("internal/scriptmodel", "acceptance") // they stand in for the vendor
			switch {
			case !within(p, h.library), judged:
			case h.testsOnly && !(f.test && f.under(h.room)):
				report(spec.Pos(), "imports %s, which belongs in tests of %s: %s", p, h.room, h.why)
			case !f.under(h.room):
				report(spec.Pos(), "imports %s, which belongs in %s: %s", p, h.room, h.why)
			}
		}
	}
}
