package theme

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pollux/internal/workspace"
)

// maxFile is the size of the largest theme file that is read.
const maxFile = 1 << 20

// LoadFile returns the custom theme that a JSON file defines; see [Parse]. The path is absolute. After following links
// the file must be inside the user's home directory, which home is. A theme without a name gets the name of the file.
// If the theme cannot be loaded, it is the zero Theme and a warning says why.
func LoadFile(path, home string) (Theme, []string) {
	data, err := readInside(path, home)
	var object map[string]any
	if err == nil {
		object, err = objectOf(data)
	}
	if err != nil {
		return Theme{}, []string{"Theme file " + quote(path) + ": " + err.Error() + "."}
	}
	name, _ := object["name"].(string)
	if cleanName(name) == "" {
		name = strings.TrimSuffix(filepath.Base(path), ".json")
	}
	return Parse(name, object)
}

// readInside reads a theme file if it is inside the home directory.
func readInside(path, home string) ([]byte, error) {
	if !filepath.IsAbs(path) || !filepath.IsAbs(home) {
		return nil, errors.New("the path is not absolute")
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, cause(err)
	}
	if home, err = filepath.EvalSymlinks(home); err != nil {
		return nil, cause(err)
	}
	if !workspace.IsWithin(target, home) {
		return nil, errors.New("it is outside of your home directory")
	}
	info, err := os.Stat(target)
	switch {
	case err != nil:
		return nil, cause(err)
	case !info.Mode().IsRegular(): // opening a pipe would wait for its writer
		return nil, errors.New("it is not a regular file")
	}
	f, err := os.Open(target)
	if err != nil {
		return nil, cause(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, cause(err)
	case len(data) > maxFile:
		return nil, errors.New("it is larger than 1 MB")
	}
	return data, nil
}

// cause returns an error without the path, which the message has already.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
