package plan

import (
	"encoding/json"
	"fmt"

	"pollux/tool"
)

// Confine keeps a tool that writes file_path inside the plans for as long as
// the session is in plan mode (spec/tools.md §3.5). A policy sees the path as it
// is written; here links count, which a project may have put among its plans.
func Confine(t tool.Tool, o Options) tool.Tool {
	return confined{t, &session{Options: o}}
}

type confined struct {
	tool.Tool

	s *session
}

// Build implements [tool.Tool].
func (c confined) Build(raw json.RawMessage) (tool.Invocation, error) {
	if c.s.Mode() == "plan" {
		var args map[string]json.RawMessage // by their exact names
		if err := json.Unmarshal(raw, &args); err != nil {
			return nil, fmt.Errorf("params must be valid JSON: %w", err)
		}
		var path string
		if err := json.Unmarshal(args["file_path"], &path); err != nil {
			return nil, fmt.Errorf("read file_path: %w", err)
		}
		real, err := c.s.file(path)
		if err != nil {
			return nil, err
		}
		if args["file_path"], err = json.Marshal(real); err != nil {
			return nil, fmt.Errorf("write file_path: %w", err)
		}
		if raw, err = json.Marshal(args); err != nil {
			return nil, fmt.Errorf("write the arguments: %w", err)
		}
	}
	return c.Tool.Build(raw)
}
