// Package memory manages the instructions that the user and the project have written for the
// model: GEMINI.md and similar files.
//
// There are three tiers. The user's own files are part of the system instruction. Files of
// extensions and of the project are part of the first message of a session ([Memory.Texts]
// returns both). Files of subdirectories are appended to the first tool result from there
// ([Memory.Discover], which [Wrap] calls).
//
//   - files.go locates the files of the first two tiers, discover.go those of the third,
//     below.go finds all of them by a search from the top.
//   - read.go reads one file.
//   - scan.go finds the imports in a text, imports.go replaces them.
//   - report.go formats memory for users and models, add.go adds an item.
//
// Files are read when they are first needed, and again by [Memory.Reload]. Sizes are limited
// to 256 KiB for one file, and 1 MiB and 1000 files in total; [Options.Warn] is called for
// what is cut.
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

// Options configure a [Memory].
type Options struct {
	// Names are the names of memory files, as returned by [Names].
	Names []string
	// Global is the user's ~/.gemini, "" for none. GlobalNames are the names of the files there; nil is Names.
	// Private is the directory of the user's private notes about this project, <project
	// temp>/memory, "" for none.
	Global, Private string
	GlobalNames     []string
	// Extensions are the absolute paths of the context files of active extensions.
	Extensions []string

	// Workspace contains the directories whose memory files are used in a trusted folder.
	Workspace *workspace.Workspace
	// IsTrusted reports whether the folder is trusted, which [Memory.Reload] asks again; nil is no.
	IsTrusted func() bool
	// Markers are names of files that mark the top directory of a project, where the upward
	// search ends. If there are none, or none is found, there is no upward search.
	Markers []string

	// Flat appends imported files to the importing file instead of replacing the imports.
	Flat bool
	// Eager reads subdirectories at the start, up to MaxDirs, and adds everything to the
	// system instruction, as releases without tiers did. Deeper files are still added by
	// tools.
	Eager   bool
	MaxDirs int

	// Warn is called for problems that the user should know about. Log is for debugging. Both
	// may be nil.
	Warn func(string)
	Log  *slog.Logger
}

// ForSubagent returns a memory of the same files for another conversation, which has seen none of them.
func (m *Memory) ForSubagent() *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	o := m.o
	o.Warn = nil // this memory has warned
	return New(o)
}

// Names returns the names of memory files for the setting context.fileName: the user's names
// in their order, followed by GEMINI.md. New memory is written to the first one. Names that
// are not relative paths below a directory are dropped.
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

// Tier is the category of a memory file.
type Tier string

// The tiers, in the order of the files.
const (
	Global     Tier = "global"
	Private    Tier = "private"
	Extension  Tier = "extension"
	Project    Tier = "project"
	Discovered Tier = "discovered" // in a subdirectory, found by a tool or a search
)

// File is a memory file.
type File struct {
	Path string
	Tier Tier
	// Text is the text for the model, including imports.
	Text string
	// Imports are the absolute paths of all imported files, each once.
	Imports []string
	// Cut reports whether the text was cut because it was too long.
	Cut bool
}

// Tokens returns the estimated number of tokens of the file's text.
func (f *File) Tokens() int { return llm.EstimateTokens([]llm.Part{llm.Text(block(f))}) }

// Memory is the memory of a session. It is safe for concurrent use.
type Memory struct {
	o Options

	mu      sync.Mutex
	current *loaded // nil until it is needed
}

// New returns a memory. It reads no files yet.
func New(o Options) *Memory {
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.IsTrusted == nil {
		o.IsTrusted = func() bool { return false }
	}
	o.Markers = slices.DeleteFunc(slices.Clone(o.Markers), func(m string) bool { return !isBelow(m) })
	return &Memory{o: o}
}

// Texts are the texts for the start of a session, by where they are sent. They can be compared
// with ==.
type Texts struct {
	Global, Private    string // for the system instruction
	Extension, Project string // for the first message of the session
	// All is the complete memory, for the system instruction, if Options.Eager is set. The
	// other fields are empty then.
	All string
}

// Texts returns the texts for the start of a session. They stay the same strings until a
// reload finds a change.
func (m *Memory) Texts() Texts {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.loaded().texts
}

// Files returns the memory files in order. Those found by tools come last.
func (m *Memory) Files() []File {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.loaded().files)
}

// Reload reads all files again. Files found by tools are forgotten, and added again when tools
// find them.
func (m *Memory) Reload() {
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.loaded()
	m.current = m.load()
	if m.current.texts == old.texts {
		m.current.texts = old.texts // the same pointers, so that comparing costs nothing
	}
}

// loaded returns the content, and reads it if necessary.
func (m *Memory) loaded() *loaded {
	if m.current == nil {
		m.current = m.load()
	}
	return m.current
}

// Limits in bytes or files. A token has about four bytes.
const (
	maxFile  = 256 << 10 // one file
	maxAll   = 1 << 20   // all texts of a session
	maxFiles = 1000      // without imports
)

// loaded is the content since the start or the last reload.
type loaded struct {
	*Options
	files []File
	texts Texts

	tried map[string]bool // paths that were tried, with any result
	seen  []seenFile      // files that were read, including empty ones
	room  int             // number of bytes that may still be added
	full  bool            // the warning about the limit was given
	roots map[string]*workspace.Workspace
	tops  map[string]string // by workspace directory
}

func (m *Memory) load() *loaded {
	l := &loaded{Options: &m.o, room: maxAll, tried: map[string]bool{}}
	for _, c := range m.o.candidates() {
		l.add(c)
	}
	if m.o.Eager {
		l.addBelow()
		l.texts.All = blocks(l.files)
		return l
	}
	l.texts = Texts{
		Global: blocks(l.ofTier(Global)), Private: blocks(l.ofTier(Private)),
		Extension: blocks(l.ofTier(Extension)), Project: blocks(l.ofTier(Project)),
	}
	return l
}

// ofTier returns the files of a tier.
func (l *loaded) ofTier(t Tier) []File {
	return slices.DeleteFunc(slices.Clone(l.files), func(f File) bool { return f.Tier != t })
}

// add reads a file, unless it was tried before or already read under another name.
func (l *loaded) add(c candidate) {
	if l.tried[c.path] {
		return
	}
	l.tried[c.path] = true
	if l.room <= 0 || len(l.seen) >= maxFiles {
		l.refuse(c.path)
		return
	}
	got, err := l.read(c)
	if err != nil {
		l.skipped(c.path, err)
		return
	}
	if slices.ContainsFunc(l.seen, func(s seenFile) bool { return s.is(got.info) }) {
		return
	}
	l.seen = append(l.seen, seenFile{c.path, got.info})
	if strings.TrimSpace(got.text) == "" {
		return
	}
	f := File{Path: c.path, Tier: c.tier, Cut: got.cut}
	l.resolve(&f, got, c)
	f.Text = strings.TrimSpace(f.Text)
	if len(f.Text) > l.room {
		f.Text, f.Cut = cutText(f.Text, l.room), true
	}
	l.room -= len(f.Text)
	if f.Cut {
		l.Warn("Warning: " + workspace.PrintableName(f.Path) + " is too large or imports a file that is too large. Pollux uses only the beginning.")
	}
	l.files = append(l.files, f)
}

// seenFile is a file that was read: its path, and its description at that time.
type seenFile struct {
	path string
	info fs.FileInfo
}

// is reports whether info describes the same file, under this or another name. The system
// may give the number of a deleted file to a new one, so equal numbers count only if the path
// still leads to the file, or if the file was moved without a change.
func (s seenFile) is(info fs.FileInfo) bool {
	if !os.SameFile(s.info, info) {
		return false
	}
	now, err := os.Stat(s.path)
	return err == nil && os.SameFile(now, info) || s.info.Size() == info.Size() && s.info.ModTime().Equal(info.ModTime())
}

// refuse warns once that the limit is reached.
func (l *loaded) refuse(path string) {
	if !l.full {
		l.full = true
		l.Warn("Warning: Too many context files; " + workspace.PrintableName(path) + " and the following ones are not loaded. Run pollux memory show to see what is loaded.")
	}
}
