// Package memory holds what the user and the project have written down for the
// model: GEMINI.md and its kin (spec/agent.md §23).
//
// A memory has three tiers. The user's own files are a part of the system
// instruction; those of extensions and of the project stand in the message that
// opens a session ([Memory.Texts] has both); those of subdirectories come along
// with the first tool result from there ([Memory.Discover], which [Wrap] calls).
//
//   - files.go says where the files of the first two tiers are, discover.go where
//     those of the third, below.go where a search from the top finds them all.
//   - read.go reads one of them, whatever it turns out to be.
//   - scan.go finds the imports in a text, imports.go puts them in.
//   - report.go has the forms in which people and models see it, add.go writes a
//     line.
//
// Files are read once, when they are first asked for, and again by
// [Memory.Reload]. All of it is bounded: a file to 256 KiB, everything together
// to 1 MiB and 1000 files; what is cut is told through [Options.Warn].
package memory

import (
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"

	"pollux/internal/workspace"
	"pollux/llm"
)

// Options say where memory is found, and in which form it is told.
type Options struct {
	// Names are the names of memory files, as [Names] returns them.
	Names []string
	// Global is the user's ~/.gemini, and Private the directory of what the user
	// alone is told about this project, <project temp>/memory; "" for none.
	Global, Private string
	// Extensions are the context files of the active extensions, absolute paths.
	Extensions []string

	// Workspace has the directories whose memory counts if the folder is trusted.
	Workspace *workspace.Workspace
	Trusted   bool
	// Markers are what stands in the topmost directory of a project: the search
	// upward ends there. With none, or where none is found, there is no search.
	Markers []string

	// Flat puts imported files behind the one that imports them, instead of in
	// the place of the import.
	Flat bool
	// Eager reads at the start what is in subdirectories too, in up to MaxDirs of
	// them, and tells everything at once, as releases before the tiers did. What
	// lies deeper still comes along with tools.
	Eager   bool
	MaxDirs int

	// Warn takes what the user should know and can live with, Log what only
	// debugging needs; nil drops it.
	Warn func(string)
	Log  *slog.Logger
}

// Names returns the names of memory files for the setting context.fileName: the
// user's in their order, and GEMINI.md behind them. The first one is the one
// that is written. A name that is no path below a directory is left out.
func Names(setting []string) []string {
	var names []string
	for _, name := range append(slices.Clone(setting), defaultName) {
		name = strings.TrimSpace(name)
		if isBelow(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

const defaultName = "GEMINI.md"

// Tier is where a file stands among those that a memory is made of.
type Tier string

// The tiers, in the order of the files.
const (
	Global     Tier = "global"
	Private    Tier = "private"
	Extension  Tier = "extension"
	Project    Tier = "project"
	Discovered Tier = "discovered" // in a subdirectory, by a tool or a search
)

// File is a memory file that was read.
type File struct {
	Path string
	Tier Tier
	// Text is what the model gets of it, imports included.
	Text string
	// Imports are the files that were imported, absolute, each once.
	Imports []string
	// Cut says that it was too large.
	Cut bool
}

// Tokens returns what the file costs the model, estimated.
func (f *File) Tokens() int { return llm.EstimateTokens([]llm.Part{llm.Text(block(f))}) }

// Memory is a session's memory. Its methods may be called from several
// goroutines at once.
type Memory struct {
	o Options

	mu  sync.Mutex
	now *loaded // nil until it is needed
}

// New returns the memory that o describes. Nothing is read yet.
func New(o Options) *Memory {
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Markers = slices.DeleteFunc(slices.Clone(o.Markers), func(m string) bool { return !isBelow(m) })
	return &Memory{o: o}
}

// Texts are what the model is told from the start, by the place where it is
// told. They can be compared.
type Texts struct {
	Global, Private    string // in the system instruction
	Extension, Project string // in the message that opens the session
	// All is everything, in the system instruction, if Options.Eager is set; the
	// others are then empty.
	All string
}

// Texts returns what the model is told from the start: the same strings until
// a reload finds something else.
func (m *Memory) Texts() Texts {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.loaded().texts
}

// Files returns the files that were read, in their order, those that tools
// have come across behind the others.
func (m *Memory) Files() []File {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.loaded().files)
}

// Reload reads everything anew. What tools have come across is forgotten, and
// told again when they come back.
func (m *Memory) Reload() {
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.loaded()
	m.now = m.load()
	if m.now.texts == old.texts {
		m.now.texts = old.texts // the same pointers, so that comparing costs nothing
	}
}

// SetTrusted says that the folder is trusted now, or no longer. It counts from the
// next [Memory.Reload] on.
func (m *Memory) SetTrusted(trusted bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.loaded() // as it was until now
	m.o.Trusted = trusted
}

// loaded returns what was read, and reads it first if that has not been done.
func (m *Memory) loaded() *loaded {
	if m.now == nil {
		m.now = m.load()
	}
	return m.now
}

// The bounds of what is read. A token is about four bytes.
const (
	maxFile  = 256 << 10 // of one file
	maxAll   = 1 << 20   // of all texts of a session
	maxFiles = 1000      // imports not counted
)

// loaded is what was read since the start or the last reload.
type loaded struct {
	*Options
	files []File
	texts Texts

	tried map[string]bool // paths, whatever became of them
	seen  []fs.FileInfo   // of files, and of those that were empty
	left  int             // bytes that may still be told
	full  bool            // it has been told that no more may be
	roots map[string]*workspace.Workspace
	tops  map[string]string // by directory of the workspace
}

func (m *Memory) load() *loaded {
	l := &loaded{Options: &m.o, left: maxAll, tried: map[string]bool{}}
	for _, c := range m.o.candidates() {
		l.add(c)
	}
	if m.o.Eager {
		l.addBelow()
		l.texts.All = blocks(l.files)
		return l
	}
	l.texts = Texts{
		Global: blocks(l.of(Global)), Private: blocks(l.of(Private)),
		Extension: blocks(l.of(Extension)), Project: blocks(l.of(Project)),
	}
	return l
}

// of returns the files of a tier.
func (l *loaded) of(t Tier) []File {
	return slices.DeleteFunc(slices.Clone(l.files), func(f File) bool { return f.Tier != t })
}

// add reads a file, unless that was tried before or it was read by another name.
func (l *loaded) add(c candidate) {
	if l.tried[c.path] {
		return
	}
	l.tried[c.path] = true
	if l.left <= 0 || len(l.seen) >= maxFiles {
		l.refuse(c.path)
		return
	}
	got, err := l.read(c)
	if err != nil {
		l.skipped(c.path, err)
		return
	}
	if slices.ContainsFunc(l.seen, func(other fs.FileInfo) bool { return os.SameFile(other, got.info) }) {
		return
	}
	l.seen = append(l.seen, got.info)
	if strings.TrimSpace(got.text) == "" {
		return
	}
	f := File{Path: c.path, Tier: c.tier, Cut: got.cut}
	l.resolve(&f, got, c)
	f.Text = strings.TrimSpace(f.Text)
	if len(f.Text) > l.left {
		f.Text, f.Cut = cutText(f.Text, l.left), true
	}
	l.left -= len(f.Text)
	if f.Cut {
		l.Warn("Warning: " + printable(f.Path) + " is too large for a memory file, or imports one that is: only the beginning is used.")
	}
	l.files = append(l.files, f)
}

// refuse tells once that there is no more room.
func (l *loaded) refuse(path string) {
	if !l.full {
		l.full = true
		l.Warn("Warning: There are more memory files than can be used; " + printable(path) + " and those behind it are left out. `pollux memory show` says what is used.")
	}
}
