package workspace

import (
	"bytes"
	"io"
	"runtime"
	"slices"
	"strings"
)

// What is read of one ignore file at most. Git has no such bounds, but a
// person who writes more does not exist.
const (
	maxIgnoreFile = 1 << 20
	maxRules      = 1 << 16
)

// foldCase says that the file system, and so git, takes a and A for the same.
const foldCase = runtime.GOOS == "darwin" || runtime.GOOS == "windows"

// rule is a line of an ignore file.
type rule struct {
	glob    string
	literal int    // bytes of glob before its first special character
	tail    string // what follows the last one: all that matches ends in it
	negated bool   // what matches is not ignored after all
	dirOnly bool
	nameOf  bool // matches the last name of a path, whatever is before it
}

// ruleFile is an ignore file. Rules are known by their place in it; the last
// one that matches decides.
type ruleFile struct {
	rules []rule
	// The rules by what they can match, each list from last to first.
	names    map[string][]int32 // "target"
	suffixes map[string][]int32 // "*.log", by the last dot of what follows the star
	globs    []int32            // other rules for names
	paths    []int32            // rules for paths
}

// parseIgnore reads an ignore file's content as git does.
func parseIgnore(data []byte) *ruleFile {
	data = data[:min(len(data), maxIgnoreFile)]
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	f := &ruleFile{}
	for line := range bytes.Lines(data) {
		if len(f.rules) == maxRules {
			break
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		line, _, _ = bytes.Cut(line, []byte{0}) // where git's strings end
		if r, ok := parseRule(string(line)); ok {
			f.rules = append(f.rules, r)
		}
	}
	f.index()
	return f
}

func parseRule(line string) (rule, bool) {
	if strings.HasPrefix(line, "#") || len(line) > maxPath {
		return rule{}, false
	}
	line = trimTrailingSpaces(line)
	var r rule
	line, r.negated = strings.CutPrefix(line, "!")
	line, r.dirOnly = strings.CutSuffix(line, "/")
	if line == "" {
		return rule{}, false
	}
	r.nameOf = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if foldCase {
		line = lowerASCII(line)
	}
	// "**/name" is what "name" is, which is far cheaper.
	if rest, ok := strings.CutPrefix(line, "**/"); ok && rest != "" && !strings.Contains(rest, "/") {
		line, r.nameOf = rest, true
	}
	r.glob = line
	last := strings.LastIndexAny(line, `*?[]\`)
	r.tail = line[last+1:]
	if last >= 0 && line[last] == '*' { // "**/" may stand for nothing
		r.tail = strings.TrimPrefix(r.tail, "/")
	}
	r.literal = strings.IndexAny(line, `*?[\`)
	if r.literal < 0 {
		r.literal = len(line)
	}
	return r, true
}

// trimTrailingSpaces removes the spaces at the end of a line, but no escaped one.
func trimTrailingSpaces(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		if line[i] == ' ' {
			continue
		}
		if line[i] == '\\' {
			if i++; i == len(line) {
				return line
			}
		}
		end = i + 1
	}
	return line[:end]
}

func (f *ruleFile) index() {
	for i, r := range slices.Backward(f.rules) {
		i := int32(i)
		switch {
		case !r.nameOf:
			f.paths = append(f.paths, i)
		case r.literal == len(r.glob):
			if f.names == nil {
				f.names = map[string][]int32{}
			}
			f.names[r.glob] = append(f.names[r.glob], i)
		default:
			if dot := strings.LastIndexByte(r.glob, '.'); dot > 0 && r.plainSuffix() {
				if f.suffixes == nil {
					f.suffixes = map[string][]int32{}
				}
				f.suffixes[r.glob[dot:]] = append(f.suffixes[r.glob[dot:]], i)
			} else {
				f.globs = append(f.globs, i)
			}
		}
	}
}

// plainSuffix reports whether the glob is a star and plain text.
func (r *rule) plainSuffix() bool {
	return r.glob[0] == '*' && !strings.ContainsAny(r.glob[1:], `*?[\`)
}

// pathsBelow returns those of the path rules in list that can match something
// in or below dir, a path that is empty or ends in a slash.
func (f *ruleFile) pathsBelow(list []int32, dir string) []int32 {
	keep := func(i int32) bool {
		r := &f.rules[i]
		l := r.glob[:r.literal]
		if len(l) >= len(dir) {
			return strings.HasPrefix(l, dir)
		}
		return r.literal < len(r.glob) && strings.HasPrefix(dir, l)
	}
	if !slices.ContainsFunc(list, func(i int32) bool { return !keep(i) }) {
		return list
	}
	var out []int32
	for _, i := range list {
		if keep(i) {
			out = append(out, i)
		}
	}
	return out
}

// match returns the last rule that matches, nil if none does. rel is the path
// relative to the ignore file; paths are the path rules to try, and name is
// the last name of rel. rel is not looked at if paths is empty.
func (f *ruleFile) match(rel, name string, dir bool, paths []int32) *rule {
	best := int32(-1)
	for _, i := range f.names[name] {
		if dir || !f.rules[i].dirOnly {
			best = i
			break
		}
	}
	if f.suffixes != nil {
		if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
			best = f.last(best, f.suffixes[name[dot:]], dir, func(r *rule) bool { return strings.HasSuffix(name, r.glob[1:]) })
		}
	}
	if len(f.globs) > 0 {
		best = f.last(best, f.globs, dir, func(r *rule) bool {
			return strings.HasPrefix(name, r.glob[:r.literal]) && strings.HasSuffix(name, r.tail) && wildmatch(r.glob, name, false)
		})
	}
	if len(paths) > 0 {
		best = f.last(best, paths, dir, func(r *rule) bool { return r.matchPath(rel) })
	}
	if best < 0 {
		return nil
	}
	return &f.rules[best]
}

// last returns the first of list (which runs from last to first) that comes
// after best and matches, or else best.
func (f *ruleFile) last(best int32, list []int32, dir bool, matches func(*rule) bool) int32 {
	for _, i := range list {
		if i < best {
			break
		}
		if r := &f.rules[i]; (dir || !r.dirOnly) && matches(r) {
			return i
		}
	}
	return best
}

// matchPath matches a path relative to the ignore file. Like git it compares
// the plain beginning first and the rest as a pattern of its own, so that in
// "a**/b" the stars are taken to stand at the start.
func (r *rule) matchPath(rel string) bool {
	rest, ok := strings.CutPrefix(rel, r.glob[:r.literal])
	if !ok || !strings.HasSuffix(rel, r.tail) {
		return false
	}
	if r.literal == len(r.glob) {
		return rest == ""
	}
	return wildmatch(r.glob[r.literal:], rest, true)
}

func lowerASCII(s string) string {
	if !strings.ContainsFunc(s, func(c rune) bool { return 'A' <= c && c <= 'Z' }) {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// readIgnore reads the ignore file at path; nil if there is none that can be
// read. Only a regular file is read, and of a large one only its beginning.
func readIgnore(path string) *ruleFile {
	data, err := readSome(path, maxIgnoreFile+1)
	if err != nil {
		return nil
	}
	if len(data) > maxIgnoreFile { // no half line
		data = data[:maxIgnoreFile]
		data = data[:bytes.LastIndexByte(data, '\n')+1]
	}
	return parseIgnore(data)
}

func readSome(path string, limit int64) ([]byte, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}
