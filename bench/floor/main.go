// Command floor plays the scenes of package scene with as little as a Go program needs: no prompt of its own, no policy,
// nothing on the disk. The costs of Pollux are measured beside its costs.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "--version" {
		fmt.Println("floor")
		return
	}
	if err := play(strings.Join(os.Args[1:], " ")); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

// content is a message of the conversation.
type content struct {
	Role  string `json:"role"`
	Parts []part `json:"parts"`
}

type part struct {
	Text     string  `json:"text,omitempty"`
	Call     *call   `json:"functionCall,omitempty"`
	Response *result `json:"functionResponse,omitempty"`
}

type call struct {
	ID   string            `json:"id"`
	Name string            `json:"name"`
	Args map[string]string `json:"args"`
}

type result struct {
	ID       string            `json:"id"`
	Name     string            `json:"name"`
	Response map[string]string `json:"response"`
}

const tools = `[{"functionDeclarations":[
	{"name":"read_file","parametersJsonSchema":{"type":"object","properties":{"file_path":{"type":"string"}}}},
	{"name":"run_shell_command","parametersJsonSchema":{"type":"object","properties":{"command":{"type":"string"}}}}]}]`

// play asks the model until it makes no calls, and prints its text.
func play(prompt string) error {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	body := []byte(`{"tools":` + tools + `,"contents":[`) // without the end; a message is encoded once
	add := func(c content) {
		b, _ := json.Marshal(c) // strings
		if body[len(body)-1] != '[' {
			body = append(body, ',')
		}
		body = append(body, b...)
	}
	add(content{"user", []part{{Text: prompt}}})
	for {
		calls, err := ask(io.MultiReader(bytes.NewReader(body), strings.NewReader("]}")), out)
		if err != nil || len(calls) == 0 {
			return err
		}
		asked, results := make([]part, len(calls)), make([]part, len(calls))
		var wg sync.WaitGroup
		for i, c := range calls {
			wg.Go(func() {
				asked[i].Call = c
				results[i].Response = &result{c.ID, c.Name, map[string]string{"output": c.run()}}
			})
		}
		wg.Wait()
		add(content{"model", asked})
		add(content{"user", results})
	}
}

// ask sends a request, prints the text of the answer, and returns its calls.
func ask(body io.Reader, out io.Writer) (calls []*call, err error) {
	resp, err := http.Post(os.Getenv("GOOGLE_GEMINI_BASE_URL")+"/v1beta/models/floor:streamGenerateContent?alt=sse", "application/json", body)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the model answers %s", resp.Status)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok {
			continue
		}
		var chunk struct {
			Candidates []struct{ Content content }
		}
		if err := json.Unmarshal(data, &chunk); err != nil {
			return nil, err
		}
		for _, c := range chunk.Candidates {
			for _, p := range c.Content.Parts {
				if p.Call != nil {
					calls = append(calls, p.Call)
				}
				_, _ = io.WriteString(out, p.Text)
			}
		}
	}
	return calls, lines.Err()
}

// run returns the result of a call.
func (c *call) run() string {
	if c.Name == "read_file" {
		b, err := os.ReadFile(c.Args["file_path"])
		if err != nil {
			return err.Error()
		}
		return string(b)
	}
	var kept head
	cmd := exec.Command("bash", "-c", c.Args["command"])
	cmd.Stdout, cmd.Stderr = &kept, &kept
	if err := cmd.Run(); err != nil {
		return string(kept) + err.Error()
	}
	return string(kept)
}

// head keeps the beginning of what is written to it.
type head []byte

// Write implements [io.Writer].
func (h *head) Write(p []byte) (int, error) {
	const most = 32 << 10
	*h = append(*h, p[:min(len(p), most-len(*h))]...)
	return len(p), nil
}
