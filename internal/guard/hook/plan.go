package hook

import (
	"slices"
	"strings"
	"time"

	"github.com/dlclark/regexp2"
)

// matchTimeout is the time limit of one match, because users' expressions may need backtracking.
const matchTimeout = time.Second

// target is what matchers of a firing select by: a tool's name, or the trigger of an event. The
// zero target is matched by all matchers.
type target struct{ tool, trigger string }

// plan returns the hooks of a firing, in their order, and whether they run one after the other. Of
// equal hooks the first one runs, but one of a project does not replace one of another source.
func (s *Set) plan(e Event, at target) (selected []*Hook, sequential bool) {
	seen := map[string]int{} // indices of selected
	for _, h := range s.byEvent[e] {
		if s.isDisabled(h) || !s.matches(h.Matcher, at) {
			continue
		}
		sequential = sequential || h.IsSequential
		switch i, isSeen := seen[h.key()]; {
		case !isSeen || h.Run != nil:
			seen[h.key()] = len(selected)
			selected = append(selected, h)
		case selected[i].Source == Workspace:
			selected[i] = h
		}
	}
	return selected, sequential
}

// matches reports whether a matcher selects the target.
func (s *Set) matches(matcher string, at target) bool {
	if m := strings.TrimSpace(matcher); m == "" || m == "*" {
		return true
	}
	switch {
	case at.tool != "":
		re, err := s.compile(matcher)
		if err != nil {
			return matcher == at.tool
		}
		found, err := re.MatchString(at.tool)
		if err != nil {
			s.o.Log.Debug("hook matcher failed", "matcher", matcher, "err", err)
		}
		return found
	case at.trigger != "":
		return matcher == at.trigger
	}
	return true
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
