package hook

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/dlclark/regexp2"
)

// matchTimeout is the time limit of one match, because users' expressions may need backtracking.
const matchTimeout = time.Second

// target is the input of matchers in a firing: a tool call, or the trigger of an event. The
// zero target is matched by all matchers.
type target struct {
	tool, trigger string
	// The rest is about the call of a tool: its server and its name there, the id, the arguments, whether its
	// result is a list of parts, and whether it is an error.
	server, remote, id string
	args               json.RawMessage
	isList, hasFailed  bool
	begun              *Begun // of the start of a session, nil for one that opens once
}

// planned is a hook that runs, with the name that the hook's dialect has for the target's tool.
type planned struct {
	*Hook
	at   target
	name string
	in   Output // the input of the event, where the dialect of the hook needs it to read the answer
}

// plan returns the hooks of a firing, in their order, and whether they run one after the other. Of
// equal hooks the first one runs, but one of a project does not replace one of another source.
func (s *Set) plan(e Event, at target) (selected []planned, sequential bool) {
	seen := map[string]int{} // indices of selected
	for _, h := range s.byEvent[e] {
		if s.isDisabled(h) {
			continue
		}
		name, ok := s.selects(h, at)
		if !ok {
			continue
		}
		p := planned{Hook: h, at: at, name: name}
		sequential = sequential || h.IsSequential
		switch i, isSeen := seen[h.key()]; {
		case !isSeen || h.Run != nil:
			seen[h.key()] = len(selected)
			selected = append(selected, p)
		case selected[i].Source == Workspace:
			selected[i] = p
		}
	}
	if at.begun != nil {
		selected = at.begun.left(selected)
	}
	return selected, sequential
}

// selects reports whether the matcher of a hook selects the target, and which name the target has in the
// hook's dialect.
func (s *Set) selects(h *Hook, at target) (name string, ok bool) {
	switch h.Dialect {
	case Claude:
		return s.claudeSelects(h, at)
	case Antigravity:
		return s.antigravitySelects(h, at)
	case Qwen:
		return s.qwenSelects(h, at)
	}
	switch {
	case selectsAll(h.Matcher):
		return at.tool, true
	case at.tool != "":
		return at.tool, s.finds(h.Matcher, at.tool)
	case at.trigger != "":
		return "", h.Matcher == at.trigger
	}
	return "", true
}

// selectsAll reports whether a matcher selects everything.
func selectsAll(matcher string) bool {
	matcher = strings.TrimSpace(matcher)
	return matcher == "" || matcher == "*"
}

// finds reports whether a regular expression finds something in a name. One that does not compile is a name
// itself. A search that takes too long counts as found, because the hook may be a guard.
func (s *Set) finds(matcher, name string) bool {
	re, err := s.compile(matcher)
	if err != nil {
		return matcher == name
	}
	found, err := re.MatchString(name)
	if err != nil {
		s.o.Log.Debug("hook matcher failed", "matcher", matcher, "err", err)
	}
	return found || err != nil
}

// compile compiles a matcher in JavaScript syntax, once.
func (s *Set) compile(matcher string) (*regexp2.Regexp, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.patterns[matcher]; ok {
		return p.re, p.err
	}
	re, err := regexp2.Compile(matcher, regexp2.ECMAScript)
	if err == nil {
		re.MatchTimeout = matchTimeout
	}
	s.patterns[matcher] = pattern{re, err}
	return re, err
}

type pattern struct {
	re  *regexp2.Regexp
	err error
}

// sortBySource orders hooks by their source. Hooks of one source keep their order.
func sortBySource(hooks []*Hook) {
	slices.SortStableFunc(hooks, func(a, b *Hook) int { return int(a.Source) - int(b.Source) })
}
