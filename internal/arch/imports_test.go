package arch

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "pollux"

// layers lists the layers of the module from top to bottom. A package is a directory with its
// subdirectories. It may import packages of lower layers, but no other package of its own layer.
var layers = []struct {
	floor string   // name in messages
	rooms []string // path.Match patterns for the leading elements of a directory
}{
	{"programs", []string{"cmd", "acceptance", "bench", "examples"}},
	{"command line", []string{"internal/cli", "."}},
	{"faces", []string{"internal/face/*"}},
	{"kit of faces", []string{"internal/face/kit"}},
	{"/ commands", []string{"internal/slash"}},
	// The commands of a person, for subcommands and / commands.
	{"management", []string{"internal/manage"}},
	{"showing", []string{"internal/doctor", "internal/demo"}},
	{"session", []string{"internal/session"}},
	// Parts of a session, each of which knows only the project and its own options.
	{"prompts", []string{"internal/compose"}},
	{"agents", []string{"internal/agents", "internal/completion", "internal/farewell", "internal/firstmodel", "internal/hooks", "internal/owncalls", "internal/rulebook", "internal/skills"}},
	{"assembly", []string{"internal/assembly", "internal/toolset"}},
	{"parts", []string{"internal/extensions", "internal/observers", "internal/permits", "internal/record", "internal/servers", "internal/companion", "internal/snapshots", "internal/skill/install"}},
	// The directory that a session works in: settings, trust, environment.
	{"project", []string{"internal/project"}},
	{"extensions", []string{"internal/extension", "internal/host"}},
	// Packages that act for a session, and that observe it.
	{"action", []string{"internal/a2a", "internal/check", "internal/command", "internal/failover", "internal/mcp", "internal/mention", "internal/subagent", "internal/telemetry", "internal/worktree"}},
	{"tools", []string{"internal/guard", "internal/tools/*"}},
	// Packages that provide information: providers, skills, prices.
	{"models", []string{"internal/models", "internal/skill", "internal/transfer", "internal/usage"}},
	{"knowledge", []string{
		"internal/auth", "internal/modelconfig", "internal/memory", "internal/prompt", "internal/stats",
		"internal/logs", "internal/oauth", "internal/person", "internal/promptlog", "internal/sandbox", "internal/undo", "internal/sessions", "internal/summary", "internal/outcome", "internal/transcript", "internal/wording", "internal/ide", "internal/editor", "internal/editorkeys", "internal/browser", "internal/clipboard", "internal/scriptmodel",
	}},
	// Packages that all others may use.
	{"secrets", []string{"internal/keychain"}},
	{"foundations", []string{"internal/config", "internal/gitstate", "internal/journal", "internal/process", "internal/seen", "internal/terminal", "internal/workspace"}},
	{"ground", []string{"internal/arch", "internal/charset", "internal/crash", "internal/durable", "internal/exit", "internal/frontmatter", "internal/outline", "internal/records", "internal/secret", "internal/shellcmd", "internal/urltext"}},
	{"agent", []string{"agent"}},
	{"tool", []string{"tool"}},
	{"llm", []string{"llm"}},
	{"docs", []string{"docs"}},
}

const direction = "cmd > internal/cli > faces > their kit > slash > management > session > its parts > project > action > knowledge > foundations > agent > tool > llm"

// locate returns the index of the layer of a directory, and the directory of the layer's package
// that contains it. The longest pattern decides. The index is -1 if no layer has it.
func locate(dir string) (layer int, pkg string) {
	layer, longest := -1, 0
	for i, l := range layers {
		for _, pattern := range l.rooms {
			head := dir
			for strings.Count(head, "/") > strings.Count(pattern, "/") {
				head = path.Dir(head)
			}
			if ok, _ := path.Match(pattern, head); ok && len(pattern) > longest {
				layer, pkg, longest = i, head, len(pattern)
			}
		}
	}
	return layer, pkg
}

// importsPointDown checks the direction of imports. A package that needs something of a higher
// layer declares an interface and gets the implementation passed in. Test files may import
// anything.
func importsPointDown(f *file, report reporter) {
	from, room := locate(f.dir)
	if from < 0 {
		report(f.Package, "%s is in no layer: give it a row in the layers of internal/arch", f.dir)
		return
	}
	if f.test {
		return
	}
	for _, spec := range f.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		if !isWithin(p, module) {
			continue
		}
		dir, name := strings.TrimPrefix(p, module+"/"), strings.TrimPrefix(p, module+"/")
		if p == module {
			dir, name = ".", "the root package"
		}
		to, other := locate(dir)
		switch {
		case f.isUnder("examples") && isWithin(dir, "internal"):
			report(spec.Pos(), "imports %s, which no other module can import: an example shows the library", name)
		case to < 0:
			report(spec.Pos(), "imports %s, which is in no layer", name)
		case to < from:
			report(spec.Pos(), "imports %s, but %s is above %s (%s): declare here the interface that is needed and let the upper one pass it in, or move what both need down",
				name, name, f.dir, direction)
		case to == from && other != room:
			report(spec.Pos(), "imports %s, which is beside %s: what both need belongs in a package of its own below them (%s)", name, f.dir, direction)
		}
	}
}

// libraryHomes lists the packages that may import a third-party library.
var libraryHomes = []struct {
	library, room string
	testsOnly     bool
	tag           string // the build tag of these tests, "" for none
	why           string
}{
	{"google.golang.org/genai", "llm/gemini", true, "sdk", "the SDK is the judge of what we send, and too slow to send it"},
	{"cloud.google.com/go/auth", "llm/adc", false, "", "vendors' types never leave their adapter"},
	{"github.com/aws", "llm/anthropic", false, "", "vendors' types never leave their adapter"},
	{"github.com/openai/openai-go", "llm/openai", true, "sdk", "the SDK is the judge of what we send, and too slow to send it"},
	{"github.com/anthropics/anthropic-sdk-go", "llm/anthropic", true, "sdk", "the SDK is the judge of what we send, and too slow to send it"},
	{"github.com/a2aproject/a2a-go", "internal/a2a", true, "", "its server is the judge of what we send; its client contains gRPC, and its types encoding/gob"},
	{"github.com/tiktoken-go/tokenizer", "llm/tokens", true, "", "its tables are the judge of our estimate, and 12 MB of binary"},
	{"github.com/spf13/cobra", "internal/cli", false, "", "below the flags everything is plain functions"},
	{"charm.land", "internal/face", false, "", "only a face draws"},
}

// hasTag reports whether a file is compiled only with a build tag.
func hasTag(f *file, tag string) bool {
	return len(f.Comments) > 0 && f.Comments[0].Pos() < f.Package && f.Comments[0].List[0].Text == "//go:build "+tag
}

// librariesStayHome checks that only the packages in libraryHomes import third-party libraries.
func librariesStayHome(f *file, report reporter) {
	for _, spec := range f.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		for _, h := range libraryHomes {
			isTestServer := h.testsOnly && f.test && f.isUnder("internal/scriptmodel", "acceptance") // scripted vendors
			switch {
			case isWithin(p, h.library) && f.test && h.tag != "" && !hasTag(f, h.tag):
				report(spec.Pos(), "imports %s without //go:build %s: every run of the tests would compile it", p, h.tag)
			case !isWithin(p, h.library), isTestServer:
			case h.testsOnly && !(f.test && f.isUnder(h.room)):
				report(spec.Pos(), "imports %s, which belongs in tests of %s: %s", p, h.room, h.why)
			case !f.isUnder(h.room):
				report(spec.Pos(), "imports %s, which belongs in %s: %s", p, h.room, h.why)
			}
		}
	}
}

// maxCommandLine is the number of packages that the command line may import. It parses and prints; the work of a
// subcommand is in internal/manage.
const maxCommandLine = 18

// TestCommandLineImports counts the packages of Pollux that internal/cli imports.
func TestCommandLineImports(t *testing.T) {
	t.Parallel()
	imported := map[string]bool{}
	for _, f := range parseModule(t) {
		if f.dir != "internal/cli" || f.test {
			continue
		}
		for _, spec := range f.Imports {
			if p, _ := strconv.Unquote(spec.Path.Value); isWithin(p, module) {
				imported[p] = true
			}
		}
	}
	if n := len(imported); n == 0 || n > maxCommandLine {
		t.Errorf("internal/cli imports %d packages, more than %d: %q", n, maxCommandLine, slices.Sorted(maps.Keys(imported)))
	}
}
