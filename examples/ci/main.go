// Command ci reviews a diff and ends with status 1 if it finds a bug:
//
//	export GEMINI_API_KEY=...   # or the key of another provider
//	git diff main... | go run ./examples/ci
//
// It does not trust the repository: a pull request cannot change the review, apart from
// convincing the model.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"pollux"
	"pollux/tool"
)

// finding is the arguments of the tool with which the model reports a bug.
type finding struct {
	File    string `json:"file"`
	Line    int    `json:"line" jsonschema:"the line in the new file"`
	Problem string `json:"problem" jsonschema:"the bug, in one sentence"`
}

func main() {
	n, err := review(context.Background(), os.Stdin)
	switch {
	case err != nil:
		log.Print(err)
		os.Exit(2)
	case n > 0:
		os.Exit(1)
	}
}

// review prints the findings, and returns their number.
func review(ctx context.Context, in io.Reader) (n int, err error) {
	diff, err := io.ReadAll(in)
	if err != nil {
		return 0, err
	}
	report, err := tool.Func("report_finding", "Reports a bug in the diff.", func(_ context.Context, f finding) (string, error) {
		n++
		fmt.Printf("%s:%d: %s\n", f.File, f.Line, f.Problem)
		return "Reported.", nil
	}, tool.ReadOnly)
	if err != nil {
		return 0, err
	}
	a, err := pollux.New(ctx, pollux.Options{Tools: []tool.Tool{report}})
	if err != nil {
		return 0, err
	}
	defer a.Close()
	prompt := "Review this diff. Read the files around it. Report each bug with report_finding, and nothing else.\n\n" + string(diff)
	for _, err := range a.Run(ctx, pollux.Prompt{Text: prompt, IsLiteral: true}) {
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
