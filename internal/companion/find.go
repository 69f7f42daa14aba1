package companion

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/config"
	"pollux/internal/workspace"
)

// The reasons for no connection, as people read them.
var (
	errNoEditor = errors.New("no editor with a companion extension has this folder open. Install it with /ide install, and open the folder in the editor")
	errNoFolder = errors.New("no folder is open in the editor. Open this folder in it, and try again")
	errElse     = errors.New("the editor has another folder open. Start Pollux in a folder that is open there, or open this one in the editor")
	errGone     = errors.New("the editor has closed the connection")
)

// place is where to look for the companion of an editor.
type place struct {
	dir   string // in which Pollux runs, without links
	files string // the directory with the files of companions
	env   *config.Env
}

// listing is the file in which a companion says how to reach it. Gemini CLI takes a program from it as well ("stdio"), which Pollux does not: each command in
// the sandbox can write to directories for temporary files.
type listing struct {
	Port  json.Number `json:"port"`
	Roots string      `json:"workspacePath"`
	Token string      `json:"authToken"`
	IDE   struct {
		Name        string `json:"name"`
		DisplayName string `json:"displayName"`
	} `json:"ideInfo"`

	pid int // of the editor, 0 if there is no file
}

const (
	// maxListings is the number of files of companions that are read, maxListing the size of one in bytes.
	maxListings = 200
	maxListing  = 64 << 10
)

// listingName matches the names of the files of companions.
const listingName = `^gemini-ide-server-(\d+)(-\d+)?\.json$`

// find returns the listing of the companion whose editor has the directory open. It is a zero one if the environment alone says
// how to reach the editor. The error says why no editor is taken.
func find(p place) (listing, error) {
	list := p.read()
	if best := p.choose(list); best.pid != 0 {
		return best, nil
	}
	roots, isSet := p.env.Lookup("GEMINI_CLI_IDE_WORKSPACE_PATH")
	switch {
	case hasAddress(p.env) && (!isSet || isOpen(p.dir, roots)):
		return listing{}, nil
	case !hasAddress(p.env) && len(list) == 0:
		return listing{}, errNoEditor
	}
	for _, l := range list {
		roots = cmp.Or(roots, l.Roots)
	}
	if roots == "" {
		return listing{}, errNoFolder
	}
	return listing{}, errElse
}

// hasAddress reports whether the environment says how to reach an editor.
func hasAddress(env *config.Env) bool {
	return env.First("GEMINI_CLI_IDE_SERVER_PORT", "GEMINI_CLI_IDE_SERVER_STDIO_COMMAND") != ""
}

// choose returns the listing of an editor that has the directory open: of several, that of the terminal's editor, else that
// with the nearest folder, else the one that began last. It is a zero listing if there is none.
func (p place) choose(list []listing) listing {
	list = slices.DeleteFunc(slices.Clone(list), func(l listing) bool { return !isOpen(p.dir, l.Roots) })
	if len(list) == 0 {
		return listing{}
	}
	port, pid := p.env.Get("GEMINI_CLI_IDE_SERVER_PORT"), p.env.Get("GEMINI_CLI_IDE_PID")
	rank := func(l listing) (n int) {
		if port != "" && l.Port.String() == port {
			n += 2 << 20
		}
		if pid != "" && strconv.Itoa(l.pid) == pid {
			n += 1 << 20
		}
		return n + nearest(p.dir, l.Roots)
	}
	return slices.MaxFunc(list, func(a, b listing) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.pid, b.pid))
	})
}

// isOpen reports whether a directory is in one of the folders of a list.
func isOpen(dir, roots string) bool { return nearest(dir, roots) > 0 }

// nearest returns the length of the longest path in a list of folders that a directory is in, 0 if it is in none.
func nearest(dir, roots string) (n int) {
	for _, root := range filepath.SplitList(roots) {
		if !filepath.IsAbs(root) || len(root) > maxListing {
			continue
		}
		root = workspace.RealPath(filepath.Clean(root))
		if workspace.IsWithin(dir, root) {
			n = max(n, len(root))
		}
	}
	return n
}

// read reads the listings of the editors that run. It leaves out those that another user can write.
func (p place) read() (list []listing) {
	dir, err := os.Open(p.files)
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(maxListings) // some are better than none
	pattern := regexp.MustCompile(listingName)
	for _, name := range names {
		m := pattern.FindStringSubmatch(name)
		if m == nil {
			continue
		}
		pid, err := strconv.Atoi(m[1])
		if err != nil || !isAlive(pid) {
			continue
		}
		if l, ok := readListing(filepath.Join(p.files, name)); ok {
			l.pid = pid
			list = append(list, l)
		}
	}
	return list
}

// readListing reads the file of a companion.
func readListing(path string) (l listing, ok bool) {
	f, err := openOwn(path)
	if err != nil {
		return l, false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxListing+1))
	if err != nil || len(data) > maxListing || json.Unmarshal(data, &l) != nil {
		return listing{}, false
	}
	return l, true
}

// tempDir returns the directory for temporary files that the editor has: that of the user's environment.
func tempDir(env *config.Env) string {
	if dir := strings.TrimSpace(env.Get("TMPDIR")); dir != "" && filepath.IsAbs(dir) {
		return dir
	}
	return os.TempDir()
}
