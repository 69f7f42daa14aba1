// Package memory manages the instructions that the user and the project have written for the
// model: AGENTS.md, GEMINI.md and similar files.
//
// There are three tiers. The user's own files are part of the system instruction. Files of
// extensions and of the project are part of the first message of a session ([Memory.Texts]
// returns both). Files of subdirectories are appended to the first tool result from there
// ([Memory.Discover], which [Wrap] calls).
//
//   - names.go has the names of the files and the rules for several in one directory.
//   - files.go locates the files of the first two tiers, discover.go those of the third,
//     below.go finds all of them by a search from the top.
//   - read.go reads one file, once.go recognizes a file that is loaded already, limit.go cuts
//     the files of the first two tiers to a size.
//   - scan.go finds the imports in a text, imports.go replaces them.
//   - report.go formats memory for users and models, add.go adds an item.
//
// Files are read when they are first needed, and again by [Memory.Reload]. Sizes are limited to
// 256 KiB for one file, [Options.MaxStart] at the start, and 1 MiB and 1000 files in total; Pollux
// calls [Options.Warn] for cut files.
package memory

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"pollux/internal/workspace"
	"pollux/llm"
)

// Options configure a [Memory].
type Options struct {
	// Names are the names of memory files.
	Names Names
	// Global is the user's ~/.gemini, "" for none. GlobalNames are the names of the files there; none is Names.
	// Private is the directory of the user's private notes about this project, <project
	// temp>/memory, "" for none.
	Global, Private string
	GlobalNames     Names
	// Extensions are the absolute paths of the context files of active extensions.
	Extensions []string

	// Workspace contains the directories whose memory files are used in a trusted folder.
	Workspace *workspace.Workspace
	// IsTrusted reports whether the folder is trusted, which [Memory.Reload] asks again; nil is no.
	IsTrusted func() bool
	// Markers are names of files that mark the top directory of a project, where the upward
	// search ends. If there are none, or none is found, there is no upward search.
	Markers []string

	// MaxStart is the size in bytes of the files at the start. The user's own files and the
	// nearest one of the project stay whole. At most, and by default, it is 512 KiB.
	MaxStart int
	// Flat appends imported files to the importing file instead of replacing the imports.
	Flat bool
	// Eager reads subdirectories at the start, up to MaxDirs, and adds everything to the
	// system instruction, as releases without tiers did. Deeper files are still added by
	// tools.
	Eager   bool
	MaxDirs int

	// Warn reports problems to the user. Log writes to the debug log. Both may be nil.
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
	// Why is the rule by which the file was chosen, such as "by default" or "context.fileName".
	Why string
	// Text is the text for the model, including imports. Size is its length in bytes before it
	// was cut to [Options.MaxStart].
	Text string
	Size int
	// Imports are the absolute paths of all imported files, each once.
	Imports []string
	// Same are the paths of files that are not loaded because this one has their content.
	Same []string
	// Cut reports whether the text was cut because it was too long.
	Cut bool

	home string // the workspace directory that a file of the project was found for
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
	if o.MaxStart <= 0 || o.MaxStart > maxAll/2 {
		o.MaxStart = maxAll / 2 // the rest is for files of subdirectories
	}
	if len(o.GlobalNames.rules) == 0 {
		o.GlobalNames = o.Names
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

// Names returns the names of the files in order, each once: those that instructions for the model
// mention.
func (m *Memory) Names() []string {
	var names []string
	for _, f := range m.Files() {
		if name := filepath.Base(f.Path); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// ProjectFile returns the path of the memory file of the workspace for new entries, which need not
// exist.
func (m *Memory) ProjectFile() string {
	at := func(name string) string { return filepath.Join(m.o.Workspace.Root(), name) }
	return at(m.o.Names.ForNew(func(name string) bool {
		_, err := os.Lstat(at(name))
		return err == nil
	}))
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
	seen  []seenFile      // files that were read, including empty and imported ones
	room  int             // number of bytes that may still be added
	full  bool            // the warning about the limit was given
	roots map[string]*workspace.Workspace
	tops  map[string]string // by workspace directory
	// looked are directories without a memory file that was not tried, with the times of their last changes then.
	looked map[string]time.Time
}

func (m *Memory) load() *loaded {
	l := &loaded{Options: &m.o, room: maxAll, tried: map[string]bool{}}
	for _, c := range m.o.candidates() {
		if l.room < maxFile {
			l.fit() // the nearest file comes last
		}
		l.add(c)
	}
	l.fit()
	l.warnOfFit()
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

func (l *loaded) ofTier(t Tier) []File {
	return slices.DeleteFunc(slices.Clone(l.files), func(f File) bool { return f.Tier != t })
}

// add reads a file, unless it was tried before or its content is loaded already.
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
	if l.isLoaded(c, got) {
		return
	}
	l.seen = append(l.seen, newSeen(c, got, len(l.files)))
	if strings.TrimSpace(got.text) == "" {
		return
	}
	f := File{Path: c.path, Tier: c.tier, Why: c.why, Cut: got.cut, home: c.home}
	l.resolve(&f, got, c)
	f.Text = strings.TrimSpace(f.Text)
	if len(f.Text) > l.room {
		f.Text, f.Cut = cutText(f.Text, l.room), true
	}
	f.Size = len(f.Text)
	l.room -= f.Size
	if f.Cut {
		l.Warn("Warning: " + workspace.PrintableName(f.Path) + " is too large or imports a file that is too large. Pollux uses only the beginning.")
	}
	l.files = append(l.files, f)
}

// refuse warns once that the limit is reached.
func (l *loaded) refuse(path string) {
	if !l.full {
		l.full = true
		l.Warn("Warning: Too many context files; " + workspace.PrintableName(path) + " and the following ones are not loaded. Run pollux memory show to see what is loaded.")
	}
}
