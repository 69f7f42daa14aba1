package gallery

import "pollux/tool"

// formScenes returns the scenes of questions to which the user writes or chooses an answer.
func formScenes() []Scene {
	return []Scene{
		form("form-choice", nil, storeField()),
		form("form-own-words", []string{"up", "A table in the repository"}, storeField()),
		form("form-several", []string{"1", "3"}, checksField()),
		form("form-text", []string{"Port An"}, nameField()),
		form("form-empty-text", nil, nameField()),
		form("form-yes-no", nil, tool.Question{Header: "Release", Text: "Shall the next release have this change?", Kind: tool.YesNoQuestion}),
		form("form-secret", []string{"sk-tide-1234"}, tool.Question{
			Header: "Key", Text: "Paste the API key for api.tideline.example.", Kind: tool.SecretQuestion, Help: "Pollux stores it in the keychain of this computer.",
		}),
		form("form-pages", []string{"2"}, storeField(), checksField(), nameField()),
		form("form-review", []string{"2", "1", "tab", "Port Anselm", "enter"}, storeField(), checksField(), nameField()),
	}
}

// form returns the scene of a form after these keys.
func form(name string, pressed []string, questions ...tool.Question) Scene {
	return Scene{name, func(s *stage) {
		s.ask(&tool.QuestionConfirmation{Title: "Ask User", Questions: questions}, true, pressed...)
	}}
}

func storeField() tool.Question {
	return tool.Question{Header: "Storage", Text: "Where should the zones of the stations be kept?", Kind: tool.ChoiceQuestion, Options: []tool.Option{
		{Label: "stations.csv", Description: "One more column, which the importer has to learn"},
		{Label: "A file of its own", Description: "Nothing else changes, but two files must fit together"},
	}}
}

func checksField() tool.Question {
	return tool.Question{Header: "Checks", Text: "Which checks should run before the commit?", Kind: tool.ChoiceQuestion, Multi: true, Options: []tool.Option{
		{Label: "Tests", Description: "go test ./..."}, {Label: "Race detector", Description: "4 times slower"}, {Label: "Linter"},
	}}
}

func nameField() tool.Question {
	return tool.Question{Header: "Station", Text: "Which station should the example in the documentation use?", Kind: tool.TextQuestion, Placeholder: "Cape Verrill"}
}
