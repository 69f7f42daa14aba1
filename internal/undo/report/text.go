package report

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"pollux/internal/undo/revert"
	"pollux/internal/undo/state"
	"pollux/llm/ellipsis"
	"pollux/tool"
)

// Limits of the text for the model: files of one kind that are named, directories that stand for more, characters of a
// name, and the lines and bytes of the differences. A deleted file has none, and one that was created has its lines counted.
const (
	maxNamed     = 10
	maxGroups    = 6
	maxName      = 120
	maxDiffLines = 40
	maxDiffBytes = 3000
)

// text returns the text about changes for the model.
func (r *Reporter) text(c *tool.Changes, entries []entry, mayDiff bool) string {
	diff := ""
	if mayDiff && c.Repository == "" { // else git has both versions
		diff = r.diff(entries)
	}
	var parts []string
	for _, kind := range []tool.Change{tool.FileCreated, tool.FileChanged, tool.FileDeleted} {
		var list []*entry
		for i := range entries {
			if e := &entries[i]; e.change == kind {
				list = append(list, e)
			}
		}
		if len(list) > 0 {
			parts = append(parts, fmt.Sprintf("%d %s (%s)", len(list), kind, listed(list, diff == "" || kind == tool.FileCreated)))
		}
	}
	var b strings.Builder
	b.WriteString("[")
	if len(parts) > 0 {
		b.WriteString("Changed files: " + strings.Join(parts, ", "))
	}
	if c.Repository != "" {
		if len(parts) > 0 {
			b.WriteString(". ")
		}
		b.WriteString("Git repository: " + string(c.Repository))
	}
	if len(c.Beside) > 0 {
		b.WriteString(". Some of it may be the work of what ran at the same time: " + besides(c.Beside))
	}
	b.WriteString("]")
	if diff != "" {
		b.WriteString("\n" + tool.Untrusted(strings.TrimSuffix(diff, "\n")))
	}
	return b.String()
}

// listed names the entries, or the directories that they are in if there are many. hasLines adds the numbers of lines.
func listed(list []*entry, hasLines bool) string {
	if len(list) > maxNamed {
		return groups(list)
	}
	var names []string
	for _, e := range list {
		name := quoted(e.name)
		if hasLines && e.added > 0 && e.change != tool.FileDeleted {
			name += fmt.Sprintf(" +%d", e.added)
		}
		if hasLines && e.removed > 0 && e.change == tool.FileChanged {
			name += fmt.Sprintf(" -%d", e.removed)
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// groups returns the directories that the entries are in, those with the most entries first, with their numbers. It joins the
// deepest ones until there are few.
func groups(list []*entry) string {
	count := map[string]int{}
	for _, e := range list {
		count[path.Dir(strings.TrimSuffix(e.name, "/"))]++
	}
	depth := func(dir string) int {
		if dir == "." || dir == "/" {
			return 0
		}
		return strings.Count(dir, "/") + 1
	}
	for len(count) > maxGroups {
		deepest := 0
		for dir := range count {
			deepest = max(deepest, depth(dir))
		}
		if deepest <= 1 {
			break
		}
		for dir, n := range maps.Clone(count) {
			if depth(dir) == deepest {
				delete(count, dir)
				count[path.Dir(dir)] += n
			}
		}
	}
	dirs := slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) })
	var parts []string
	for i, dir := range dirs {
		if i == maxGroups {
			parts = append(parts, fmt.Sprintf("%s more", directories(len(dirs)-i)))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %d", quoted(strings.TrimSuffix(dir, "/")+"/"), count[dir]))
	}
	return strings.Join(parts, ", ")
}

func directories(n int) string {
	if n == 1 {
		return "1 directory"
	}
	return fmt.Sprintf("%d directories", n)
}

// quoted returns a name such that it cannot be taken for anything else.
func quoted(name string) string {
	name = ellipsis.Bytes(name, maxName)
	isUnusual := func(c rune) bool { return !unicode.IsPrint(c) || strings.ContainsRune("\uFFFD\"'`\\()[]<>, ", c) }
	if strings.ContainsFunc(name, isUnusual) {
		return strconv.Quote(name)
	}
	return name
}

// besides names other calls and commands.
func besides(list []string) string {
	const most, maxTitle = 3, 80
	var names []string
	for _, title := range list[:min(len(list), most)] {
		names = append(names, strconv.Quote(ellipsis.Bytes(title, maxTitle)))
	}
	if len(list) > most {
		names = append(names, fmt.Sprintf("%d more", len(list)-most))
	}
	return strings.Join(names, ", ")
}

// diff returns the differences of the files that have changed, "" if they are not short, or if models may not see them.
func (r *Reporter) diff(entries []entry) string {
	plan := &revert.Plan{}
	names := map[string]string{}
	size := 0
	for i := range entries {
		e := &entries[i]
		if e.change != tool.FileChanged {
			continue
		}
		if size += e.added + e.removed; !e.isCounted || size > maxDiffLines || len(names) == maxNamed {
			return ""
		}
		if e.step.From.State.Kind != state.Regular || e.step.To.State.Kind != state.Regular || r.IsHidden != nil && r.IsHidden(e.step.Path) {
			continue
		}
		names[e.step.Path] = e.name
		plan.Steps = append(plan.Steps, *e.step)
	}
	if len(plan.Steps) == 0 {
		return ""
	}
	text := plan.Diff(func(path string) string { return names[path] })
	if strings.Count(text, "\n") > maxDiffLines || len(text) > maxDiffBytes || r.Mask != nil && r.Mask(text) != text {
		return ""
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
