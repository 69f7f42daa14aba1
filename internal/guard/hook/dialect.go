package hook

// Dialect is an agent that hooks are written for. It decides about the names of tools in matchers,
// the unit of timeouts, the input of a hook and how its answer is read. The values appear in settings.
type Dialect string

// The dialects.
const (
	Gemini Dialect = "" // Gemini CLI, and Pollux itself
	Claude Dialect = "claude"
)

// String returns the name of the dialect for people.
func (d Dialect) String() string {
	if d == Claude {
		return "Claude Code"
	}
	return "Gemini CLI"
}

// translator is a dialect other than Pollux's own.
type translator interface {
	// selects reports whether a matcher selects the target. name is the target's name in the dialect.
	selects(s *Set, h *Hook, at target) (name string, ok bool)
	// inputs returns the input of the event in the form of the dialect. A call that the dialect would make
	// as several ones has several inputs.
	inputs(s *Set, h *Hook, at target, name string, in Output) []Output
	// read returns the answer of a program in Pollux's own form.
	read(h *Hook, name string, a answer) (Output, Reading)
}

// translators are the dialects other than Pollux's own.
var translators = map[Dialect]translator{Claude: claude{}}

// answer is the output of a program, and its exit code: 0 if a signal ended it.
type answer struct {
	stdout, stderr string
	code           int
	isCut          bool // stdout is only the beginning
}
