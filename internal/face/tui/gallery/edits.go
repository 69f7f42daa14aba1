package gallery

import (
	"strings"

	"pollux/agent"
	"pollux/tool"
)

// editScenes returns the scenes of calls that change files.
func editScenes() []Scene {
	return []Scene{
		{"edit", func(s *stage) { s.edit("replace", zoneChange(), agent.Success) }},
		{"edit-new-file", func(s *stage) { s.edit("write_file", fileChange(), agent.Success) }},
		{"edit-approved", func(s *stage) {
			c, d := callOf("replace"), zoneChange()
			s.run(agent.ToolAsked{Call: c, Question: questionOf(c.Name, "", editQuestion())})
			s.run(began(c, tool.KindEdit, "internal/tide/station.go"), ended(c, agent.Success, changed(d)))
		}},
		{"edit-refused", func(s *stage) { s.edit("replace", zoneChange(), agent.CallCancelled) }},
		{"edit-long", func(s *stage) {
			d := fileChange()
			d.After = strings.Repeat("{\"station\": \"Port Anselm\", \"level\": 3.4}\n", 60)
			d.Stat.ModelAddedLines = 60
			s.edit("write_file", d, agent.Success)
		}},
	}
}

// edit shows a change of a file that no one was asked about.
func (s *stage) edit(name string, d tool.DiffDisplay, status agent.Status) {
	c := callOf(name)
	path := names{}.ShortPath(d.FilePath)
	s.run(began(c, tool.KindEdit, path, tool.Location{Path: d.FilePath}), ended(c, status, changed(d)))
}

// changed returns the result of an edit.
func changed(d tool.DiffDisplay) *tool.Result {
	return &tool.Result{Display: &d, Lines: tool.LineChange{Added: d.Stat.ModelAddedLines, Removed: d.Stat.ModelRemovedLines}}
}
