package gitbase

import (
	"path"
	"path/filepath"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/gitstate/index"
	"pollux/internal/undo/state"
)

// attributes say which files git may convert when it reads or writes them, so that their blobs have other contents, maybe
// of the same size. Conversions of line ends always change the size, so that [Repository.Verify] finds them.
//
// All files of attributes count, each line for itself: a later line that takes an attribute away has no effect. So paths are
// excluded that need not be, but no other way round.
type attributes struct{ rules []rule }

// rule excludes the paths below a directory that match a pattern.
type rule struct {
	dir     string // in lower case, "" or with a slash at the end
	pattern pattern
}

// attributeLine is a line of a file of attributes.
type attributeLine struct {
	dir, pattern string // the pattern is "" for the definition of a macro
	macro        string
	names        []string // of the attributes that it sets
}

// converting are the attributes with which git converts contents by something else than line ends.
var converting = map[string]bool{"filter": true, "ident": true, "working-tree-encoding": true}

const maxAttributes = 1 << 20 // bytes of a file

// readAttributes reads the files of attributes of the system, the user, the repository and its work tree.
func (g *Git) readAttributes(top string, r *Repository, c *config) attributes {
	var all attributeReader
	for _, path := range append(g.userFiles("attributes"), c.attributesFiles...) {
		all.read(path, "", false)
	}
	for _, dir := range []string{r.commonDir, r.gitDir} {
		all.read(filepath.Join(dir, "info", "attributes"), "", false)
	}
	for dir, isTracked := range attributeDirs(r.index) {
		all.read(top+string(filepath.Separator)+filepath.FromSlash(dir)+".gitattributes", dir, isTracked)
	}
	return all.attributes()
}

// attributeDirs returns the directories in which files of attributes may be, "" or with a slash at the end: all that have
// tracked files. The value reports whether the file of attributes is tracked itself.
func attributeDirs(x *index.Index) map[string]bool {
	dirs := map[string]bool{"": false}
	last := ""
	for i := range x.Len() {
		dir, name := path.Split(x.Name(i))
		if name == ".gitattributes" {
			dirs[dir] = true
		}
		if dir == last {
			continue
		}
		last = dir
		for at := dir; at != ""; at, _ = path.Split(strings.TrimSuffix(at, "/")) {
			if _, ok := dirs[at]; ok {
				break
			}
			dirs[at] = false
		}
	}
	return dirs
}

// attributeReader collects the lines of files of attributes, because a macro may be defined after its use.
type attributeReader struct {
	lines []attributeLine
	rules []rule // for files that cannot be read
}

// read reads a file of attributes that concerns the paths below a directory. If it cannot be read, or does not exist although
// it must, nothing is known about these paths.
func (a *attributeReader) read(path, dir string, mustExist bool) {
	text, err := durable.ReadFile(path, maxAttributes)
	if err != nil {
		if mustExist || !state.IsAbsent(err) {
			a.rules = append(a.rules, rule{lower(dir), anything})
		}
		return
	}
	for line := range strings.Lines(strings.TrimPrefix(string(text), "\ufeff")) {
		if l, ok := parseAttributeLine(line); ok {
			l.dir = dir
			a.lines = append(a.lines, l)
		}
	}
}

const blanks = " \t\r\n\v\f"

// parseAttributeLine parses a line such as "*.psd filter=lfs -text". It is not ok for one that sets nothing.
func parseAttributeLine(line string) (l attributeLine, ok bool) {
	line = strings.Trim(line, blanks)
	if line == "" || line[0] == '#' {
		return l, false
	}
	rest := ""
	if macro, isMacro := strings.CutPrefix(line, "[attr]"); isMacro {
		macro = strings.TrimLeft(macro, blanks)
		at := strings.IndexAny(macro+" ", blanks)
		l.macro, rest = macro[:at], macro[at:]
	} else if l.pattern, rest, ok = unquote(line); !ok {
		at := strings.IndexAny(line+" ", blanks)
		l.pattern, rest = line[:at], line[at:]
	}
	for _, field := range strings.Fields(rest) {
		if name, _, _ := strings.Cut(field, "="); name != "" && name[0] != '-' && name[0] != '!' {
			l.names = append(l.names, name)
		}
	}
	return l, len(l.names) > 0
}

// unquote returns the string in quotes, as in C, that a line begins with, and the rest of the line.
func unquote(line string) (text, rest string, ok bool) {
	if line[0] != '"' {
		return "", "", false
	}
	var b strings.Builder
	for i := 1; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"':
			return b.String(), line[i+1:], true
		case c != '\\':
			b.WriteByte(c)
		case i+1 == len(line):
			return "", "", false
		case line[i+1] >= '0' && line[i+1] <= '3':
			if i+3 >= len(line) {
				return "", "", false
			}
			b.WriteByte((line[i+1]-'0')<<6 | (line[i+2]-'0')&7<<3 | (line[i+3]-'0')&7)
			i += 3
		default:
			at := strings.IndexByte(`abfnrtv\"`, line[i+1])
			if at < 0 {
				return "", "", false
			}
			b.WriteByte("\a\b\f\n\r\t\v\\\""[at])
			i++
		}
	}
	return "", "", false
}

// attributes returns the rules of the lines that set an attribute with which git converts contents, itself or by macros.
func (a *attributeReader) attributes() attributes {
	isConverting := func(l attributeLine, macros map[string]bool) bool {
		for _, name := range l.names {
			if converting[name] || macros[name] {
				return true
			}
		}
		return false
	}
	macros := map[string]bool{}
	for found := true; found; {
		found = false
		for _, l := range a.lines {
			if l.macro != "" && !macros[l.macro] && isConverting(l, macros) {
				macros[l.macro], found = true, true
			}
		}
	}
	rules := a.rules
	for _, l := range a.lines {
		if l.macro == "" && isConverting(l, macros) {
			rules = append(rules, rule{lower(l.dir), compile(l.pattern)})
		}
	}
	return attributes{rules}
}

// mayConvert reports whether the blob of a path may have another content than its file.
func (a attributes) mayConvert(path string) bool {
	if len(a.rules) == 0 {
		return false
	}
	path = lower(path)
	for i := range a.rules {
		r := &a.rules[i]
		if rest, ok := strings.CutPrefix(path, r.dir); ok && r.pattern.matches(rest) {
			return true
		}
	}
	return false
}
