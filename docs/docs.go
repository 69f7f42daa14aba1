// Package docs contains the documentation, for the /docs command and for the tool with which a
// model reads it.
package docs

import (
	"embed"
	"io/fs"
	"regexp"
)

//go:embed *.md
var files embed.FS

// Pages holds the pages of this directory, without HTML comments: those are for tests.
var Pages pages

type pages struct{}

// Open opens a page or the directory ".". Reading from the file returns the comments, too; use
// ReadFile for the text.
func (pages) Open(name string) (fs.File, error) { return files.Open(name) }

// ReadDir lists the pages. The only directory is ".".
func (pages) ReadDir(name string) ([]fs.DirEntry, error) { return files.ReadDir(name) }

// ReadFile returns the text of a page without HTML comments. It returns an error if there is no
// such page.
func (pages) ReadFile(name string) ([]byte, error) {
	text, err := files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return regexp.MustCompile(`(?m)^<!--.*-->\n\n?`).ReplaceAll(text, nil), nil
}
