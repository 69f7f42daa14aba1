package workspace

import (
	"bytes"
	"io"
	"runtime"
	"slices"
	"strings"
)

// Limits of one ignore file, in bytes and rules. Git has no such limits, but no real file is
// larger.
const (
	maxIgnoreFile = 1 << 20
	maxRules      = 1 << 16
)

// foldCase reports whether the file system, and so git, ignores case.
const foldCase = runtime.GOOS == "darwin" || runtime.GOOS == "windows"

// rule is a line of an ignore file.
type rule struct {
	source  string // the line of the file
	glob    string
	literal int    // length in bytes of glob before its first special character
	tail    string // the text after the last special character: every match ends in it
	negated bool   // a match is not ignored
	dirOnly bool
	nameOf  bool // matches the last name of a path, in any directory
}

// ruleFile is a parsed ignore file. Rules are identified by their index; the last matching
// rule decides.
type ruleFile struct {
	path  string
	rules []rule
	// The indexes of rules by the names that they can match, each list from last to first.
	names    map[string][]int32 // "target"
	suffixes map[string][]int32 // "*.log", by the text from the last dot on
	globs    []int32            // other rules for names
	paths    []int32            // rules for paths
}

func parseIgnore(data []byte) *ruleFile {
	data = data[:min(len(data), maxIgnoreFile)]
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	f := &ruleFile{}
	for line := range bytes.Lines(data) {
		if len(f.rules) == maxRules {
			break
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		line, _, _ = bytes.Cut(line, []byte{0}) // git's strings end at a NUL
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
	r := rule{source: line}
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
	// "**/name" means the same as "name", which is far cheaper.
	if rest, ok := strings.CutPrefix(line, "**/"); ok && rest != "" && !strings.Contains(rest, "/") {
		line, r.nameOf = rest, true
	}
	r.glob = line
	last := strings.LastIndexAny(line, `*?[]\`)
	r.tail = line[last+1:]
	if last >= 0 && line[last] == '*' { // "**/" can match nothing
		r.tail = strings.TrimPrefix(r.tail, "/")
	}
	r.literal = strings.IndexAny(line, `*?[\`)
	if r.literal < 0 {
		r.literal = len(line)
	}
	return r, true
}

// trimTrailingSpaces removes unescaped spaces from the end of a line.
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
			if dot := strings.LastIndexByte(r.glob, '.'); dot > 0 && r.isPlainSuffix() {
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

// isPlainSuffix reports whether the glob is a star followed by plain text.
func (r *rule) isPlainSuffix() bool {
	return r.glob[0] == '*' && !strings.ContainsAny(r.glob[1:], `*?[\`)
}

// pathsBelow returns the path rules of list that can match something in or below dir, a path
// that is empty or ends in a slash.
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

// match returns the last rule that matches, nil if there is none. rel is the path relative to
// the ignore file, name its last element, and paths are the path rules to try. rel is not used
// if paths is empty.
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

// last returns the first rule of list (which is sorted from last to first) that comes after
// best and matches, or else best.
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

// matchPath matches a path relative to the ignore file. Like git, it compares the literal
// beginning first and the rest as a pattern of its own, so that in "a**/b" the stars count as
// the beginning.
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

// readIgnore reads the ignore file at path; nil if it cannot be read. It reads only a regular
// file, and only the beginning of a large one.
func readIgnore(path string, open func(path string) (io.ReadCloser, error)) *ruleFile {
	data, err := readSome(path, maxIgnoreFile+1, open)
	if err != nil {
		return nil
	}
	if len(data) > maxIgnoreFile { // drop the incomplete last line
		data = data[:maxIgnoreFile]
		data = data[:bytes.LastIndexByte(data, '\n')+1]
	}
	f := parseIgnore(data)
	f.path = path
	return f
}

func readSome(path string, limit int64, open func(path string) (io.ReadCloser, error)) ([]byte, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

// openFollowing opens a file of the real disk, links followed.
func openFollowing(path string) (io.ReadCloser, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	return f, nil
}
