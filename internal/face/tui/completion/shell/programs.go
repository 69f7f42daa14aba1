package shell

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"pollux/internal/crash"
	"pollux/internal/face/tui/completion/paths"
)

// Limits of the search for programs.
const (
	maxDirs    = 64     // directories of PATH
	maxEntries = 20_000 // entries of a directory
	// programsAge is the age after which a directory is read again, and programsWait how long to wait for all of them:
	// a directory on a network disk may not answer.
	programsAge  = 30 * time.Second
	programsWait = 500 * time.Millisecond
)

// programs are the programs in the directories of PATH.
type programs struct {
	dirs []string

	mu    sync.Mutex
	scans map[string]*scan // by directory
}

// scan is a directory that was read, or is being read.
type scan struct {
	names []string
	began time.Time
	done  chan struct{} // closed when the directory is read
}

// newPrograms returns the programs of the directories in the value of PATH. Those that are not absolute do not count.
func newPrograms(path string) *programs {
	p := &programs{scans: map[string]*scan{}}
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) && !slices.Contains(p.dirs, dir) && len(p.dirs) < maxDirs {
			p.dirs = append(p.dirs, dir)
		}
	}
	return p
}

// names returns the names of the programs that begin with a prefix, as far as they are known soon. A name may be there
// twice.
func (p *programs) names(ctx context.Context, prefix string, now time.Time) (names []string) {
	ctx, cancel := context.WithTimeout(ctx, programsWait)
	defer cancel()
	for _, running := range p.begin(now) {
		select {
		case <-running:
		case <-ctx.Done():
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, dir := range p.dirs {
		for _, name := range p.scans[dir].names {
			if strings.HasPrefix(name, prefix) {
				names = append(names, name)
			}
		}
	}
	return names
}

// begin begins to read the directories that have not been read lately, and returns those that are being read. A
// directory is not read twice at once.
func (p *programs) begin(now time.Time) (running []<-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, dir := range p.dirs {
		s := p.scans[dir]
		if s == nil {
			s = &scan{}
			p.scans[dir] = s
		}
		isRunning := s.done != nil && !isClosed(s.done)
		if s.done == nil || !isRunning && now.Sub(s.began) >= programsAge {
			s.began, s.done, isRunning = now, make(chan struct{}), true
			go p.read(dir, s, s.done)
		}
		if isRunning {
			running = append(running, s.done)
		}
	}
	return running
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// read reads a directory.
func (p *programs) read(dir string, s *scan, done chan<- struct{}) {
	defer close(done)
	defer crash.Recover()
	names := executables(dir)
	p.mu.Lock()
	defer p.mu.Unlock()
	s.names = names
}

// executables returns the names of the programs in a directory.
func executables(dir string) (names []string) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	for n := 0; n < maxEntries; {
		entries, err := f.ReadDir(512)
		for _, e := range entries {
			if name := programName(dir, e); name != "" && paths.IsTypable(name) {
				names = append(names, name)
			}
		}
		if n += len(entries); err != nil || len(entries) == 0 {
			break
		}
	}
	return names
}

// programName returns the name by which an entry of a directory is run, "" if it is no program.
func programName(dir string, e os.DirEntry) string {
	if runtime.GOOS == "windows" {
		switch ext := filepath.Ext(e.Name()); strings.ToLower(ext) {
		case ".exe", ".cmd", ".bat", ".com":
			return strings.TrimSuffix(e.Name(), ext)
		}
		return ""
	}
	if !e.Type().IsRegular() && e.Type()&os.ModeSymlink == 0 {
		return ""
	}
	info, err := os.Stat(filepath.Join(dir, e.Name()))
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return ""
	}
	return e.Name()
}
