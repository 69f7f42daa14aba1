package acceptance

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// a2aClient sends a request to the server that a script has started under the name server, and prints the answer: its status if that is not
// 200, then its lines. Its arguments are a method, a path, the file with the body or -, and headers. TASK in the body is the id of the last task.
func a2aClient() {
	if err := sendToAgent(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func sendToAgent(args []string) error {
	address, err := os.ReadFile(filepath.Join(os.Getenv("HOME"), "tmp", "server.out"))
	if err != nil {
		return err
	}
	known := filepath.Join(os.Getenv("HOME"), "tmp", "task")
	task, _ := os.ReadFile(known) // there is none at first
	body := ""
	if args[2] != "-" {
		text, err := os.ReadFile(args[2])
		if err != nil {
			return err
		}
		body = strings.ReplaceAll(string(text), "TASK", string(task))
	}
	r, err := http.NewRequest(args[0], strings.TrimSpace(string(address))+args[1][1:], strings.NewReader(body))
	if err != nil {
		return err
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, header := range args[3:] {
		name, value, _ := strings.Cut(header, ": ")
		if r.Header.Set(name, value); name == "Host" {
			r.Host = value
		}
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if id := regexp.MustCompile(`"kind":"task","id":"([^"]+)"`).FindSubmatch(text); id != nil {
		if err := os.WriteFile(known, id[1], 0o600); err != nil {
			return err
		}
	}
	if resp.StatusCode != http.StatusOK {
		fmt.Println("status", resp.StatusCode)
	}
	fmt.Printf("%s\n", strings.ReplaceAll(string(text), "\n\n", "\n"))
	return nil
}
