// Package docs is the documentation, for the tool with which a model reads it.
package docs

import "embed"

// Pages are the pages of this directory.
//
//go:embed *.md
var Pages embed.FS
