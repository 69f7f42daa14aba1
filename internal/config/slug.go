package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"pollux/internal/durable"
)

// The registry maps projects to slugs. It consists of projects.json, and a marker in each
// directory that names the project it belongs to. The markers are authoritative; the file is
// an index that is repaired from them. Other programs use both, so the file is written under a
// lock that they know (see durable.Lock).

const (
	markerName = ".project_root"
	// maxRegistry and maxMarker are the maximum sizes of the registry and of a marker, in bytes.
	maxRegistry = 16 << 20
	maxMarker   = 64 << 10
)

// ProjectHash returns the SHA-256 of the project's path in hexadecimal digits, which
// identifies the project in session records.
func (p *Paths) ProjectHash() string {
	sum := sha256.Sum256([]byte(p.dir))
	return hex.EncodeToString(sum[:])
}

// claim returns the project's slug, and creates its directories and markers. Usually it only
// reads.
func (p *Paths) claim() (string, error) {
	slug, err := p.claimSlug()
	if err != nil {
		return "", fmt.Errorf("find a place for project %s in %s: %w", p.dir, p.RuntimeDir(), err)
	}
	p.claimed.Store(&slug)
	return slug, nil
}

// claimHistory returns the project's directory below history, and creates it with its marker. Most runs change no file,
// and do without it.
func (p *Paths) claimHistory() (string, error) {
	slug, err := p.slug()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(p.history(), slug)
	owner, err := readMarker(dir)
	ours := owner == p.key()
	if err == nil && owner == "" {
		ours, err = makeMarked(dir, p.key())
	}
	if err == nil && !ours {
		err = fmt.Errorf("%s names another project: remove it if that is wrong", filepath.Join(dir, markerName))
	}
	if err != nil {
		return "", fmt.Errorf("find a place for the changes in %s: %w", p.dir, err)
	}
	return dir, nil
}

// key is what the registry and the markers call the project.
func (p *Paths) key() string {
	if runtime.GOOS == "windows" {
		return strings.ToLower(p.dir)
	}
	return p.dir
}

func (p *Paths) claimSlug() (string, error) {
	key := p.key()
	projects, err := p.readRegistry()
	if err != nil {
		return "", err
	}
	if slug := projects[key]; isSlug(slug) {
		if ours, err := p.mark(slug, key); ours || err != nil {
			return slug, err
		}
	}
	if err := os.MkdirAll(p.RuntimeDir(), 0o700); err != nil {
		return "", err
	}
	unlock, err := durable.Lock(p.lockedRegistry())
	if err != nil {
		return "", err
	}
	defer unlock()
	if projects, err = p.readRegistry(); err != nil {
		return "", err
	}
	slug, err := p.settle(projects, key)
	if err != nil {
		return "", err
	}
	projects[key] = slug
	return slug, p.writeRegistry(projects)
}

// settle finds the project's slug among the markers, or chooses a new one.
func (p *Paths) settle(projects map[string]string, key string) (string, error) {
	known := p.marked(key)
	if slug := projects[key]; isSlug(slug) {
		known = append([]string{slug}, known...)
	}
	for _, slug := range known {
		if ours, err := p.mark(slug, key); ours || err != nil {
			return slug, err
		}
	}
	taken := takenSlugs(projects)
	base := slugOf(key)
	for n := 0; ; n++ {
		slug := base
		if n > 0 {
			slug += "-" + strconv.Itoa(n)
		}
		if taken[slug] {
			continue
		}
		fresh := !exists(filepath.Join(p.tmp(), slug)) && !exists(filepath.Join(p.history(), slug))
		ours, err := p.mark(slug, key)
		if err != nil {
			return "", err
		}
		if ours {
			if fresh {
				p.adopt(slug, key)
			}
			return slug, nil
		}
	}
}

// takenSlugs returns the slugs that a new project cannot have: those of known projects, and names of other directories
// beside theirs.
func takenSlugs(projects map[string]string) map[string]bool {
	taken := map[string]bool{"bin": true, backgroundLogs: true, commandFiles: true, terminalMarks: true, staging: true}
	for _, slug := range projects {
		taken[slug] = true
	}
	return taken
}

// slugOf returns the preferred slug of a project.
func slugOf(path string) string {
	var b strings.Builder
	for _, c := range []byte(strings.ToLower(filepath.Base(path))) {
		switch {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			b.WriteByte(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if slug := strings.Trim(b.String(), "-"); slug != "" {
		return slug
	}
	return "project"
}

// isSlug reports whether a name read from a file is a valid slug. Other names could lead out
// of the directory.
func isSlug(name string) bool {
	if name == "" || len(name) > 255 {
		return false
	}
	for i := range len(name) {
		if c := name[i]; !isWord(c) && c != '-' {
			return false
		}
	}
	return true
}

// mark creates the project's directory for temporary files with its marker, and reports whether it belongs to the
// project. In the one below history it only writes a marker that is missing (see claimHistory). mark does not wait for
// the disk: Pollux makes directories lost in a power failure again, and a session syncs the directories with its file.
func (p *Paths) mark(slug, key string) (ours bool, err error) {
	temp, history := filepath.Join(p.tmp(), slug), filepath.Join(p.history(), slug)
	var missing []string
	for _, dir := range [...]string{temp, history} {
		owner, err := readMarker(dir)
		if err != nil || owner != "" && owner != key {
			return false, err
		}
		if owner == "" && (dir == temp || exists(dir)) {
			missing = append(missing, dir)
		}
	}
	for _, dir := range missing {
		if ours, err := makeMarked(dir, key); !ours || err != nil {
			return false, err
		}
	}
	return true, nil
}

// makeMarked creates a directory, and marks it as a project's own.
func makeMarked(dir, key string) (ours bool, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return false, err
	}
	return writeMarker(dir, key)
}

// exists reports whether there is something at the path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// readMarker returns the project that a directory belongs to, "" if there is no marker.
func readMarker(dir string) (string, error) {
	data, err := readFile(filepath.Join(dir, markerName), maxMarker)
	if errors.Is(err, errAbsent) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", filepath.Join(dir, markerName), err)
	}
	return strings.TrimSpace(string(data)), nil
}

// writeMarker marks a directory as a project's own. If several processes try this at the same
// time, it returns true in only one of them. The marker is created atomically.
func writeMarker(dir, key string) (ours bool, err error) {
	path := filepath.Join(dir, markerName)
	f, err := os.CreateTemp(dir, markerName+".*.tmp")
	if err != nil {
		return false, err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(key)
	if err = errors.Join(err, f.Close()); err != nil {
		return false, err
	}
	switch err := os.Link(f.Name(), path); {
	case err == nil:
		return true, nil
	case !errors.Is(err, fs.ErrExist): // a file system without hard links
		return createMarker(path, key)
	}
	switch owner, err := readMarker(dir); {
	case err != nil:
		return false, err
	case owner == "": // empty: left behind by a crash of another program
		return true, durable.WriteFile(path, []byte(key), 0o600)
	default:
		return owner == key, nil
	}
}

func createMarker(path, key string) (bool, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		owner, err := readMarker(filepath.Dir(path))
		return owner == key, err
	}
	if err != nil {
		return false, err
	}
	_, err = f.WriteString(key)
	return true, errors.Join(err, f.Close())
}

// marked returns the slugs whose markers name the project.
func (p *Paths) marked(key string) []string {
	var slugs []string
	for _, base := range [...]string{p.tmp(), p.history()} {
		entries, _ := os.ReadDir(base) // the directory may be missing or unreadable
		for _, entry := range entries {
			if !entry.IsDir() || !isSlug(entry.Name()) {
				continue
			}
			if owner, err := readMarker(filepath.Join(base, entry.Name())); err == nil && owner == key {
				slugs = append(slugs, entry.Name())
			}
		}
	}
	return slugs
}

// adopt copies the files that older versions stored under the hash of the project's path. It
// skips files that it cannot copy.
func (p *Paths) adopt(slug, key string) {
	for _, base := range [...]string{p.tmp(), p.history()} {
		from, to := filepath.Join(base, p.ProjectHash()), filepath.Join(base, slug)
		_ = filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
			rel, relErr := filepath.Rel(from, path)
			if err != nil || relErr != nil || rel == markerName {
				return nil
			}
			switch target := filepath.Join(to, rel); {
			case rel == ".":
				if entry.IsDir() {
					_, _ = makeMarked(to, key)
				}
			case entry.IsDir():
				_ = os.Mkdir(target, 0o700)
			case entry.Type().IsRegular():
				_ = copyFile(target, path)
			}
			return nil
		})
	}
}

func copyFile(to, from string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = dst.ReadFrom(src)
	return errors.Join(err, dst.Close())
}

func (p *Paths) registry() string { return filepath.Join(p.RuntimeDir(), "projects.json") }

// lockedRegistry returns the path to lock. Gemini CLI locks the file that a link leads to.
func (p *Paths) lockedRegistry() string {
	if real, err := filepath.EvalSymlinks(p.registry()); err == nil {
		return real
	}
	return p.registry()
}

// readRegistry returns the known projects. An invalid file counts as empty, and an invalid entry as
// missing: Gemini CLI ignores the whole file because of one.
func (p *Paths) readRegistry() (map[string]string, error) {
	data, err := readFile(p.registry(), maxRegistry)
	if err != nil && !errors.Is(err, errAbsent) {
		return nil, fmt.Errorf("read %s: %w", p.registry(), err)
	}
	var file struct {
		Projects map[string]any `json:"projects"`
	}
	projects := map[string]string{}
	if json.Unmarshal(data, &file) != nil {
		return projects, nil
	}
	for path, value := range file.Projects {
		if slug, ok := value.(string); ok && isSlug(slug) {
			projects[path] = slug
		}
	}
	return projects, nil
}

// writeRegistry writes the known projects. The first session of all does not wait for the disk: the project's marker
// restores an entry that a power failure takes.
func (p *Paths) writeRegistry(projects map[string]string) error {
	write := durable.WriteFile
	if _, err := os.Lstat(p.registry()); errors.Is(err, fs.ErrNotExist) {
		write = durable.WriteFileUnsynced
	}
	return write(p.registry(), encodeJSON(map[string]any{"projects": projects}, "", "  "), 0o600)
}
