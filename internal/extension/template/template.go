// Package template has the extensions that new ones begin as: one example for each thing that an
// extension can bring.
package template

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/extension"
)

//go:embed all:files
var files embed.FS

// name stands for the name of the extension in manifests of templates.
const name = `"NAME"`

// Names returns the names of the templates, sorted.
func Names() []string {
	entries, _ := files.ReadDir("files") // they are in the program
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Write makes dir with an extension in it, which is named after the directory. template is one of
// [Names], or "" for an extension that brings nothing yet.
func Write(dir, template string) error {
	if _, err := os.Lstat(dir); err == nil {
		return fmt.Errorf("path already exists: %s", dir)
	}
	manifest, err := json.MarshalIndent(map[string]string{"name": filepath.Base(dir), "version": "1.0.0"}, "", "  ")
	if err != nil {
		return err
	}
	if _, err := extension.ParseManifest(manifest); err != nil {
		return err
	}
	if template == "" {
		if err := durable.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		return durable.WriteFile(filepath.Join(dir, extension.ManifestName), append(manifest, '\n'), 0o644)
	}
	from := path.Join("files", template)
	return fs.WalkDir(files, from, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(at, from)))
		if d.IsDir() {
			return durable.MkdirAll(to, 0o755)
		}
		data, err := files.ReadFile(at)
		if err != nil {
			return err
		}
		if d.Name() == extension.ManifestName {
			data = []byte(strings.Replace(string(data), name, fmt.Sprintf("%q", filepath.Base(dir)), 1))
		}
		return durable.WriteFile(to, data, 0o644)
	})
}
