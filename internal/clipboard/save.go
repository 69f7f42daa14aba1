package clipboard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// prefix begins the names of the files of pasted images.
const prefix = "clipboard-"

// maxAge is how long a file stays before the next image removes it.
const maxAge = time.Hour

// Save writes an image to a new file in a directory, which it creates, and returns the path. It removes the images that are
// older than an hour.
func (c Content) Save(dir string, now time.Time) (path string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	removeOld(dir, now)
	name := prefix + now.Format("20060102-150405.000")
	for n := 1; ; n++ {
		path = filepath.Join(dir, name+"."+c.Ext)
		if n > 1 {
			path = filepath.Join(dir, fmt.Sprintf("%s-%d.%s", name, n, c.Ext))
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(c.Image)
		if err = errors.Join(err, f.Close()); err != nil {
			_ = os.Remove(path) // half a file is none
			return "", err
		}
		return path, nil
	}
}

// removeOld removes the images of a directory that are too old.
func removeOld(dir string, now time.Time) {
	entries, _ := os.ReadDir(dir) // the next image tries again
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && strings.HasPrefix(e.Name(), prefix) && now.Sub(info.ModTime()) > maxAge {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// Label returns the name of a pasted image for people, such as "[Image …1345.123.png]".
func Label(path string) string {
	ext := filepath.Ext(path)
	name := []rune(strings.TrimSuffix(filepath.Base(path), ext))
	const most = 10
	short := string(name)
	if len(name) > most {
		short = "…" + string(name[len(name)-most:])
	}
	return "[Image " + short + ext + "]"
}
