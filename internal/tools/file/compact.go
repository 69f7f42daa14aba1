package file

import (
	"encoding/json"

	"pollux/tool"
)

// These are the declarations for a model with little room. Calls may have the parameters that
// they leave out.
var (
	compactList = &tool.Declaration{
		Description: "Lists a directory.",
		Schema:      json.RawMessage(`{"type":"object","properties":{"dir_path":{"type":"string"}},"required":["dir_path"]}`),
	}
	compactRead = &tool.Declaration{
		Description: "Returns the text of a file, or the lines from start_line to end_line, or its outline.",
		Schema: json.RawMessage(`{"type":"object","properties":{"file_path":{"type":"string"},` +
			`"start_line":{"type":"integer"},"end_line":{"type":"integer"},"outline":{"type":"boolean"}},"required":["file_path"]}`),
	}
	compactReplace = &tool.Declaration{
		Description: "Puts new_string in the place of old_string. old_string must be in the file once, exactly so, with its white space: " +
			"give a few lines around the change.",
		Schema: json.RawMessage(`{"type":"object","properties":{"file_path":{"type":"string"},"old_string":{"type":"string"},` +
			`"new_string":{"type":"string"},"allow_multiple":{"type":"boolean","description":"Replace every occurrence."}},` +
			`"required":["file_path","old_string","new_string"]}`),
	}
	compactWrite = &tool.Declaration{
		Description: "Writes a whole file: creates it or replaces all of it.",
		Schema: json.RawMessage(`{"type":"object","properties":{"file_path":{"type":"string"},"content":{"type":"string"}},` +
			`"required":["file_path","content"]}`),
	}
)
