package undo

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pollux/internal/crash"
	"pollux/internal/undo/aside"
	"pollux/internal/undo/gitbase"
	"pollux/internal/undo/store"
	"pollux/internal/undo/tree"
	"pollux/internal/undo/watch"
)

// Options configures a [Recorder].
type Options struct {
	// Store returns where operations are kept. It is called when that is first needed.
	Store func() (*store.Store, error)
	// Roots returns the directories in which calls may change anything: absolute, without links, none within another.
	// There may be more of them later.
	Roots func() []string
	// Skip are paths within Roots that are not recorded, such as the store's own.
	Skip []string
	// Git returns the git that reads the contents of tracked files that have not changed, so that they are not copied. It
	// is called when that is first needed; nil is for none.
	Git func() *gitbase.Git
	// Max is the number of files and directories that are recorded; 0 for [DefaultMax].
	Max int
	// Left is called once for each root, and each directory below one, whose files are not recorded, and gets the reason. root is "" if nothing is
	// recorded, because there is no place for it. Nil is for no call.
	Left func(root string, why error)
	// Background returns the programs that go on in the background now, and may change files, as the person knows them. It
	// is called around each call that may change anything; nil is for none. Session returns the id of the session for their
	// changes.
	Background func() []string
	Session    func() string
	// Lost gets the changed files of an operation whose contents before it were not kept, so that they cannot come back, and the reason
	// of the first; nil is for no call.
	Lost func(paths []string, why string)
	// Recorded gets each operation of this session when it is in the log, and must not call the recorder; nil is for no call.
	Recorded func(o *store.Operation)
	// Walked is the number of files and directories up to which each look at a root is at all of them: the kernel takes
	// longer to end a watch. 0 is for [DefaultWalked]; a negative number watches each root, and a large one none.
	Walked int
}

// DefaultMax is how many files and directories are recorded by default.
const DefaultMax = 1_000_000

// DefaultWalked is up to how many files and directories a root is not watched.
const DefaultWalked = 1000

// largest is the size of the largest file that is copied before it changes, in bytes.
const largest = 16 << 20

// Recorder records the changes that calls make. Its methods may be called from several goroutines at once.
type Recorder struct {
	opts Options

	opening sync.Mutex // guards the following until they are set
	base    *store.Base
	keep    *keeper

	mu      sync.Mutex
	reading chan struct{} // closed when the trees are read; nil before Start
	trees   []*tree.Tree
	watcher *watch.Watcher
	unread  error // why the trees cannot be used
	cancel  context.CancelFunc
	claimed map[string]bool // paths whose changes belong to operations with known paths, since the last look
	window  *window         // of calls that may change anything, nil if none runs
	own     map[int]bool    // the numbers of the operations that it has recorded
	thinned map[string]bool // directories with objects of repositories, of which some have gone
	saved   *manifest       // the versions in the trees, on the disk; nil before they are read
	isLost  bool            // a look failed: the watch has named changes that no look has seen
	closed  bool
	active  int       // runs that have begun and not ended
	isFull  bool      // the changes of a run that has ended wait for room on the disk: see abandon
	needed  uint32    // the last content that they need
	alive   []string  // programs that went on in the background at the last look
	noted   uint32    // the run that says so on the disk, 0 for none
	looked  time.Time // of the last look
	seen    int       // the newest operation in the log then

	isOff atomic.Bool // there is no place to keep anything
	left  sync.Map    // of true by roots, and directories in them, whose files are not recorded
}

// New returns a recorder, which reads and writes nothing yet.
func New(o Options) *Recorder {
	if o.Max == 0 {
		o.Max = DefaultMax
	}
	if o.Walked == 0 {
		o.Walked = DefaultWalked
	}
	return &Recorder{opts: o, claimed: map[string]bool{}, own: map[int]bool{}, thinned: map[string]bool{}}
}

// open opens the base, if it is not open yet.
func (r *Recorder) open() error {
	r.opening.Lock()
	defer r.opening.Unlock()
	if r.base != nil {
		return nil
	}
	s, err := r.opts.Store()
	var git *gitbase.Git
	if err == nil {
		if r.opts.Git != nil {
			git = r.opts.Git()
		}
		err = Recover(context.Background(), s, git)
	}
	var base *store.Base
	if err == nil {
		base, err = s.Open()
	}
	if err == nil {
		base.Avoid(r.opts.Roots)
		r.base, r.keep = base, &keeper{base: base, largest: largest, room: s.Limit() / 4, git: git, roots: r.opts.Roots, skip: r.opts.Skip}
	}
	return err
}

// Start begins to read the directories, beside whatever else happens. It may be called more than once.
func (r *Recorder) Start() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reading != nil || r.closed {
		return
	}
	r.reading = make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	go func() {
		defer close(r.reading)
		defer crash.Recover()
		r.read(ctx)
	}()
}

// read reads the trees. No other goroutine uses them meanwhile.
func (r *Recorder) read(ctx context.Context) {
	if r.unread = r.open(); r.unread != nil {
		return
	}
	if r.saved, r.unread = createManifest(r.base.File(manifestFile)); r.unread == nil {
		r.unread = r.readNew(ctx)
	}
}

// readNew reads the trees of roots that have none.
func (r *Recorder) readNew(ctx context.Context) error {
	r.keep.looks.Add(1)
	for _, root := range r.opts.Roots() {
		if r.isLeft(root) || slices.ContainsFunc(r.trees, func(t *tree.Tree) bool { return t.Root() == root }) {
			continue
		}
		t := tree.New(root, r.options(nil))
		err := t.Read(ctx)
		if err == nil {
			err = r.watch(ctx, t)
		}
		if err != nil {
			t.Drop()
			if isFatal(ctx, err) {
				return fmt.Errorf("read %s: %w", root, err)
			}
			r.leave(root, err)
			continue
		}
		for _, dir := range t.Foreign() {
			r.leave(absolute(root, dir), errForeign)
		}
		r.trees = append(r.trees, t)
		if err := r.save(t); err != nil {
			return err
		}
	}
	return nil
}

// errForeign is why a directory is not recorded that has a mount.
var errForeign = errors.New("it is on another file system")

// watch begins to watch a tree that is large.
func (r *Recorder) watch(ctx context.Context, t *tree.Tree) error {
	if t.Len() <= r.opts.Walked || ignoresCase(t.Root()) {
		return nil
	}
	if r.watcher == nil {
		w, err := watch.Open()
		if err != nil {
			return nil // each look is at all files
		}
		r.watcher = w
	}
	return t.Watch(ctx, r.watcher)
}

// leave gives up on a root, or on a directory below one.
func (r *Recorder) leave(root string, why error) {
	r.left.Store(root, true)
	if errors.Is(why, tree.ErrTooLarge) {
		why = fmt.Errorf("it has more than %d files", r.opts.Max)
	}
	if r.opts.Left != nil {
		r.opts.Left(root, why)
	}
}

// save writes the versions of a tree that was read.
func (r *Recorder) save(t *tree.Tree) error {
	err := r.saveTree(r.saved, t)
	if err == nil {
		err = r.saved.flush()
	}
	if err != nil {
		return fmt.Errorf("keep files for undo: %w", err)
	}
	return nil
}

func (r *Recorder) options(w *watch.Watcher) tree.Options {
	own := string(filepath.Separator) + aside.Name()
	return tree.Options{
		Keeper: r.keep, Watcher: w, Max: r.opts.Max,
		Skip: func(path string) bool { return strings.HasSuffix(path, own) || slices.Contains(r.opts.Skip, path) },
	}
}

// optionsOutside returns the options for a tree that need not be in the roots, and is not watched.
func (r *Recorder) optionsOutside() tree.Options {
	o := r.options(nil)
	o.Keeper = outside{r.keep}
	return o
}

// IsOutside reports whether no root contains an absolute path.
func (r *Recorder) IsOutside(path string) bool {
	return !slices.ContainsFunc(r.opts.Roots(), func(root string) bool { return contains(root, path) })
}

// Covers reports whether everything below a directory is recorded that commands may change there.
func (r *Recorder) Covers(dir string) bool {
	covers := !r.isOff.Load() && !r.IsOutside(dir)
	r.left.Range(func(left, _ any) bool {
		covers = covers && !contains(left.(string), dir) && !contains(dir, left.(string))
		return covers
	})
	return covers
}

func (r *Recorder) isLeft(root string) bool {
	_, isLeft := r.left.Load(root)
	return isLeft
}

// Close ends the recording, and removes the contents that only it needs. Operations stay.
func (r *Recorder) Close() {
	r.mu.Lock()
	wasClosed := r.closed
	r.closed = true
	reading, cancel := r.reading, r.cancel
	r.mu.Unlock()
	if wasClosed {
		return
	}
	if reading != nil {
		cancel()
		<-reading
	}
	if r.watcher != nil {
		r.watcher.Close()
	}
	if r.saved != nil {
		_ = r.saved.file.Close() // the base goes
	}
	switch {
	case r.base == nil:
	case r.isFull:
		r.base.DropAfter(r.needed)
		r.base.Leave()
	default:
		r.base.Close()
	}
}
