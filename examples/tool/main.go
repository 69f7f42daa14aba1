// Command tool gives the agent a tool of its own, which knows the opening hours of a shop:
//
//	export GEMINI_API_KEY=...   # or the key of another provider
//	go run ./examples/tool
package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	"pollux"
	"pollux/agent"
	"pollux/tool"
)

// question is the arguments of the tool. The model sees the names, the descriptions and the
// values that it may choose from.
type question struct {
	Days []string `json:"days" enum:"mon,tue,wed,thu,fri,sat,sun" jsonschema:"the days to look up"`
	Shop string   `json:"shop,omitempty" jsonschema:"the city of the shop; the main shop if it is missing"`
}

// hours answers a call of the tool. The model gets the text, or the text of the error.
func hours(_ context.Context, q question) (string, error) {
	if q.Shop != "" && q.Shop != "Bremen" {
		return "", fmt.Errorf("there is no shop in %s", q.Shop)
	}
	var lines []string
	for _, day := range q.Days {
		open := map[string]string{"sat": "10:00-14:00", "sun": "closed"}[day]
		if open == "" {
			open = "9:00-18:00"
		}
		lines = append(lines, day+": "+open)
	}
	return strings.Join(lines, "\n"), nil
}

func main() {
	ctx := context.Background()
	openingHours, err := tool.Func("opening_hours", "Returns the opening hours of a shop.", hours, tool.ReadOnly)
	if err != nil {
		log.Fatal(err)
	}
	a, err := pollux.New(ctx, pollux.Options{Tools: []tool.Tool{openingHours}})
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()
	for event, err := range a.Run(ctx, pollux.Prompt{Text: "Can I visit the shop in Bremen on a weekend?"}) {
		if err != nil {
			log.Print(err)
			return
		}
		switch e := event.(type) {
		case agent.ToolFinished:
			fmt.Printf("[%s %s: %s]\n", e.Call.Name, e.Call.Args, e.Status)
		case agent.Text:
			fmt.Print(e.Text)
		}
	}
	fmt.Println()
}
