package workspace

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Filter selects ignore rules: Git those of .gitignore files and .git/info/exclude, and .git
// itself; Gemini those of .geminiignore and the custom ignore files. The zero Filter ignores
// nothing.
type Filter struct{ Git, Gemini bool }

// With returns the filter with other members, as far as they are not nil.
func (f Filter) With(git, gemini *bool) Filter {
	if git != nil {
		f.Git = *git
	}
	if gemini != nil {
		f.Gemini = *gemini
	}
	return f
}

// Ignored reports whether the ignore rules match a path. dir reports whether the path is a
// directory, which matters to some patterns. A link is ignored if either its own name or its
// target is.
//
// The rules are those of `git check-ignore`, with two exceptions: a directory of the workspace
// is never ignored because of a directory above it, and .geminiignore and the custom files
// take precedence.
//
// Each call checks the ignore files on the way to the path, so that changes take effect at
// once, but reads them only if they have changed.
func (w *Workspace) Ignored(abs string, dir bool, f Filter) bool {
	if f == (Filter{}) {
		return false
	}
	abs = filepath.Clean(abs)
	if w.hidden(abs, dir, f) {
		return true
	}
	if target, isDir, ok := linkTarget(abs); ok {
		return w.hidden(target, isDir, f)
	}
	return false
}

// linkTarget returns the target of the link at path, and whether that is a directory; ok is
// false if path is not a link.
func linkTarget(path string) (target string, dir, ok bool) {
	if fi, err := os.Lstat(path); err != nil || fi.Mode()&fs.ModeSymlink == 0 {
		return "", false, false
	}
	target = RealPath(path)
	fi, err := os.Stat(target)
	return target, err == nil && fi.IsDir(), true
}

// GitOnly reports whether f selects no other rules than git's: Gemini is false, or
// .geminiignore and the custom ignore files contain no rules.
func (w *Workspace) GitOnly(f Filter) bool {
	if !f.Gemini {
		return true
	}
	return !slices.ContainsFunc(w.rules.gemini, func(path string) bool { return w.rules.load(path, true) != nil })
}

func (w *Workspace) hidden(abs string, dir bool, f Filter) bool {
	if slices.Contains(w.all(), abs) {
		return false
	}
	d := w.rulesFor(filepath.Dir(abs), f)
	return d.hides(abs, filepath.Base(abs), dir)
}

// anchor returns the innermost directory of the workspace that contains dir, or dir itself if
// there is none. No rule applies to it or the directories above it.
func (w *Workspace) anchor(dir string) string {
	best := ""
	for _, d := range w.all() {
		if _, ok := within(dir, d); ok && len(d) > len(best) {
			best = d
		}
	}
	if best == "" {
		return dir
	}
	return best
}

// ruleSet caches the ignore files of a workspace.
type ruleSet struct {
	w      *Workspace
	root   string
	user   string   // the user's own git excludes file, "" if there is none
	gemini []string // .geminiignore and the custom files, strongest first

	mu    sync.Mutex
	files map[string]*cachedFile
	rules int // in all files
}

// maxCachedRules limits the memory that ignore files can take.
const maxCachedRules = 4 * maxRules

// cachedFile is the content of an ignore file at the time of info.
type cachedFile struct {
	info  fs.FileInfo
	rules *ruleFile
}

func (w *Workspace) newRuleSet(root string, o Options) *ruleSet {
	s := &ruleSet{w: w, root: root, user: o.GitExcludes, files: map[string]*cachedFile{}}
	for _, path := range o.IgnoreFiles {
		if !filepath.IsAbs(path) {
			path = filepath.Join(root, path)
		}
		s.gemini = append(s.gemini, path)
	}
	s.gemini = append(s.gemini, filepath.Join(root, ".geminiignore"))
	return s
}

// load returns the ignore file at path, nil if there is none or it has no rules. Like git, it
// ignores a .gitignore that is a link (follow false).
func (s *ruleSet) load(path string, follow bool) *ruleFile {
	stat := s.w.lstatPath
	if follow {
		stat = s.w.statPath
	}
	if s.w.isReal {
		return s.read(path, stat, openFollowing)
	}
	return s.read(path, stat, s.w.disk.Stream)
}

// loadOwn is like load for a file of git or the user, which is on the real disk.
func (s *ruleSet) loadOwn(path string) *ruleFile { return s.read(path, os.Stat, openFollowing) }

func (s *ruleSet) read(path string, stat func(string) (fs.FileInfo, error), open func(string) (io.ReadCloser, error)) *ruleFile {
	fi, err := stat(path)
	if err != nil || !fi.Mode().IsRegular() {
		return nil
	}
	s.mu.Lock()
	c := s.files[path]
	s.mu.Unlock()
	if c == nil || !sameFile(c.info, fi) {
		c = &cachedFile{info: fi, rules: readIgnore(path, open)}
		s.keep(path, c)
	}
	if c.rules == nil || len(c.rules.rules) == 0 {
		return nil
	}
	return c.rules
}

func sameFile(a, b fs.FileInfo) bool {
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && os.SameFile(a, b)
}

func (s *ruleSet) keep(path string, c *cachedFile) {
	n := 1
	if c.rules != nil {
		n += len(c.rules.rules)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rules += n; s.rules > maxCachedRules {
		clear(s.files)
		s.rules = n
	}
	s.files[path] = c
}

// dirRules are the rules for the entries of one directory.
type dirRules struct {
	path    string
	filter  Filter
	git     bool    // the directory is in a repository
	hidden  bool    // the directory itself is ignored, and so is everything in it
	layers  []layer // strongest first
	gemini  int     // number of layers that are not git's
	noPaths bool    // no layer has path rules
}

// layer is an ignore file as it applies to one directory.
type layer struct {
	file  *ruleFile
	base  int     // offset of the path relative to the file in an absolute path
	paths []int32 // the file's path rules that can match in or below the directory
}

func (w *Workspace) rulesFor(dir string, f Filter) *dirRules {
	anchor := w.anchor(dir)
	d := w.rules.top(anchor, f)
	below, _ := within(dir, anchor)
	for name := range strings.SplitSeq(below, string(filepath.Separator)) {
		if name != "" {
			d = w.rules.enter(d, name, d.hides(joinPath(d.path, name), name, true))
		}
	}
	return d
}

// top returns the rules for a directory that is not ignored.
func (s *ruleSet) top(dir string, f Filter) *dirRules {
	d := &dirRules{path: dir, filter: f}
	if f.Gemini {
		if _, ok := within(dir, s.root); ok {
			for _, path := range s.gemini {
				d.add(s.load(path, true), s.root)
			}
		}
		d.gemini = len(d.layers)
	}
	if f.Git {
		if repo, ok := s.w.repository(dir); ok {
			d.git = true
			s.addRepository(d, repo)
			below, _ := within(dir, repo)
			at := repo
			for name := range strings.SplitSeq(below, string(filepath.Separator)) {
				if name != "" {
					at = filepath.Join(at, name)
					d.insert(d.gemini, s.load(filepath.Join(at, ".gitignore"), false), at)
				}
			}
		}
	}
	d.narrow()
	return d
}

func (s *ruleSet) addRepository(d *dirRules, repo string) {
	d.add(s.load(filepath.Join(repo, ".gitignore"), false), repo)
	d.add(s.loadOwn(filepath.Join(gitCommonDir(repo), "info", "exclude")), repo)
	if s.user != "" {
		d.add(s.loadOwn(s.user), repo)
	}
}

// enter returns the rules for the directory called name in d. hidden reports whether d ignores
// it.
func (s *ruleSet) enter(d *dirRules, name string, hidden bool) *dirRules {
	path := joinPath(d.path, name)
	sub := &dirRules{path: path, filter: d.filter, git: d.git, hidden: hidden, layers: d.layers, gemini: d.gemini, noPaths: d.noPaths}
	if hidden {
		return sub
	}
	changed := false
	if d.filter.Git {
		if s.w.isRepository(path) { // the rules of the outer repository end here
			sub.git = true
			sub.layers = slices.Clone(d.layers[:d.gemini])
			s.addRepository(sub, path)
			changed = true
		} else if sub.git {
			if file := s.load(joinPath(path, ".gitignore"), false); file != nil {
				sub.layers = slices.Clone(d.layers)
				sub.insert(sub.gemini, file, path)
				changed = true
			}
		}
	}
	if changed || !d.noPaths {
		if !changed {
			sub.layers = slices.Clone(d.layers)
		}
		sub.narrow()
	}
	return sub
}

func (d *dirRules) add(file *ruleFile, base string) { d.insert(len(d.layers), file, base) }

func (d *dirRules) insert(at int, file *ruleFile, base string) {
	if file != nil {
		d.layers = slices.Insert(d.layers, at, layer{file: file, base: len(withSlash(base)), paths: file.paths})
	}
}

// narrow drops the path rules that cannot match anything in or below the directory.
func (d *dirRules) narrow() {
	d.noPaths = true
	dir := fold(withSlash(d.path))
	for i := range d.layers {
		l := &d.layers[i]
		if len(l.paths) > 0 {
			l.paths = l.file.pathsBelow(l.paths, dir[l.base:])
			d.noPaths = d.noPaths && len(l.paths) == 0
		}
	}
}

// hides reports whether the rules ignore the entry called name. abs is its path, which is not
// used if d.noPaths is set.
func (d *dirRules) hides(abs, name string, dir bool) bool {
	if d.hidden {
		return true
	}
	if _, r := d.deciding(abs, name, dir); r != nil && !r.negated {
		return true
	}
	return d.git && fold(name) == ".git" || isUndo(name)
}

// UndoPrefix begins the names of directories with second names of files, which Pollux keeps for undo. No tool shows them.
const UndoPrefix = ".pollux-undo-"

func isUndo(name string) bool { return strings.HasPrefix(name, UndoPrefix) }

// deciding returns the rule that decides whether the entry called name is ignored, and its file;
// nil if none matches. abs is as in hides.
func (d *dirRules) deciding(abs, name string, dir bool) (*ruleFile, *rule) {
	name = fold(name)
	if !d.noPaths {
		abs = fold(abs)
	}
	for i := range d.layers {
		l := &d.layers[i]
		rel := ""
		if len(l.paths) > 0 {
			rel = abs[l.base:]
		}
		if r := l.file.match(rel, name, dir, l.paths); r != nil {
			return l.file, r
		}
	}
	return nil, nil
}

// IgnoredBy returns the rule because of which a file is ignored, as it is written in an ignore
// file, and the path of that file. Both are "" if no such rule is found, for example because the
// rule matches the target of a link. isGit reports whether it is one of git's files.
func (w *Workspace) IgnoredBy(abs string, f Filter) (file, rule string, isGit bool) {
	abs = filepath.Clean(abs)
	anchor := w.anchor(filepath.Dir(abs))
	d := w.rules.top(anchor, f)
	below, _ := within(abs, anchor)
	names := strings.Split(strings.Trim(below, string(filepath.Separator)), string(filepath.Separator))
	for i, name := range names {
		path := joinPath(d.path, name)
		if file, r := d.deciding(path, name, i < len(names)-1); r != nil && !r.negated {
			return file.path, r.source, !slices.Contains(w.rules.gemini, file.path)
		}
		d = w.rules.enter(d, name, false)
	}
	return "", "", false
}

// repository returns the innermost directory that contains dir, or is dir, and has a .git.
func (w *Workspace) repository(dir string) (string, bool) {
	for ; !w.isRepository(dir); dir = filepath.Dir(dir) {
		if dir == filepath.Dir(dir) {
			return "", false
		}
	}
	return dir, true
}

func (w *Workspace) isRepository(dir string) bool {
	_, err := w.lstatPath(joinPath(dir, ".git"))
	return err == nil
}

// HasIrregularIgnoreFile reports whether an ignore file of git's for dir is a FIFO, a device or a
// link to one. Programs that read it may wait or read forever; Pollux ignores it.
func HasIrregularIgnoreFile(dir string) bool {
	if isIrregular(joinPath(dir, ".gitignore")) {
		return true
	}
	_, err := os.Lstat(joinPath(dir, ".git"))
	return err == nil &&
		(isIrregular(filepath.Join(gitDir(dir), "commondir")) || isIrregular(filepath.Join(gitCommonDir(dir), "info", "exclude")))
}

// isIrregular reports whether path is something other than a file or directory, links followed.
func isIrregular(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && !fi.Mode().IsRegular() && !fi.IsDir()
}

// gitDir returns the git directory of a repository. It follows the .git file of a work tree or
// submodule.
func gitDir(repo string) string {
	dir := filepath.Join(repo, ".git")
	fi, err := os.Stat(dir)
	if err != nil || fi.IsDir() {
		return dir
	}
	data, _ := readSome(dir, maxPath, openFollowing)
	at, ok := strings.CutPrefix(string(data), "gitdir: ")
	if !ok {
		return dir
	}
	return joinAbs(repo, strings.TrimRight(at, "\r\n"))
}

// gitCommonDir returns the git directory that the work trees of a repository share.
func gitCommonDir(repo string) string {
	dir := gitDir(repo)
	if data, err := readSome(filepath.Join(dir, "commondir"), maxPath, openFollowing); err == nil {
		dir = joinAbs(dir, strings.TrimRight(string(data), "\r\n"))
	}
	return dir
}

func joinAbs(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// joinPath is filepath.Join for a clean directory and the name of an entry.
func joinPath(dir, name string) string { return withSlash(dir) + name }

func withSlash(dir string) string {
	if dir != "" && os.IsPathSeparator(dir[len(dir)-1]) {
		return dir
	}
	return dir + string(filepath.Separator)
}

// fold returns names in lower case where the file system ignores case, and paths with slashes.
func fold(s string) string {
	if !foldCase {
		return s
	}
	return lowerASCII(filepath.ToSlash(s))
}
