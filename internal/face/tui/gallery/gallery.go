// Package gallery draws the parts of the terminal user interface with invented content, each one alone, for people who
// change their look. The tests compare each [Scene] with a golden screen.
//
//   - stage.go has the place where a scene is drawn. A scene gives it events of a session, or the lines of a part.
//   - answers.go, notes.go, calls.go, edits.go and agents.go have the scenes of the conversation.
//   - questions.go and forms.go have those of the dialogs, composer.go and status.go those of the area around the input,
//     panes.go those of the dialogs that the user opens, with their contents in desks.go.
//   - content.go and code.go have the texts.
//
// Everything in a scene is fixed, the time included, so that it looks the same each time.
package gallery

import (
	"slices"

	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// Scene is a part of the user interface in one state.
type Scene struct {
	Name string // such as "question-edit"
	draw func(*stage)
}

// Lines returns the scene for a terminal of width columns. As in a session, the terminal wraps lines of code and of
// output. A cell in reverse marks the cursor.
func (s Scene) Lines(width int, t theme.Theme) []styled.Line { return s.play(width, t).screen() }

// play draws the scene on a new stage.
func (s Scene) play(width int, t theme.Theme) *stage {
	on := newStage(width, t)
	s.draw(on)
	return on
}

// Scenes returns all scenes, in the order in which people see the parts.
func Scenes() []Scene {
	return slices.Concat(
		greetingScenes(), promptScenes(), answerScenes(), noteScenes(), rowScenes(), commandScenes(), editScenes(), agentScenes(),
		questionScenes(), formScenes(), composerScenes(), workingScenes(), toastScenes(), trayScenes(), edgeScenes(), paneScenes(),
	)
}
