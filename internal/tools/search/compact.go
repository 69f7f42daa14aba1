package search

import (
	"encoding/json"

	"pollux/tool"
)

// These are the declarations for a model with little room. Calls may have the parameters that
// they leave out.
var (
	compactGrep = &tool.Declaration{
		Description: "Finds the lines in files that match a regular expression.",
		Schema: json.RawMessage(`{"type":"object","properties":{"pattern":{"type":"string"},` +
			`"dir_path":{"type":"string","description":"Directory or file."},` +
			`"include_pattern":{"type":"string","description":"Glob of files, such as *.go."},` +
			`"exclude_pattern":{"type":"string","description":"Regular expression of lines to drop."},` +
			`"case_sensitive":{"type":"boolean","description":"Default: false."},` +
			`"context":{"type":"integer","description":"Lines around each match."}},"required":["pattern"]}`),
	}
	compactGlob = &tool.Declaration{
		Description: "Finds files by glob, such as src/**/*.ts, newest first.",
		Schema: json.RawMessage(`{"type":"object","properties":{"pattern":{"type":"string"},"dir_path":{"type":"string"}},` +
			`"required":["pattern"]}`),
	}
)
