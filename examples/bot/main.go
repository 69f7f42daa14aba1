// Command bot answers messages of several users. Each user has a conversation, which is on disk between two
// messages, so that the bot can end and start at any time:
//
//	export GEMINI_API_KEY=...   # or the key of another provider
//	echo 'ann: Which files are here?' | go run ./examples/bot
package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"pollux"
	"pollux/agent"
)

func main() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		user, message, found := strings.Cut(in.Text(), ": ")
		if !found {
			log.Printf("not a message: %q", in.Text())
			continue
		}
		text, err := reply(context.Background(), user, message)
		if err != nil {
			log.Printf("message of %s: %v", user, err)
			continue
		}
		fmt.Printf("@%s %s\n", user, text)
	}
}

// reply returns the response to a message. The message is literal: users of the bot cannot attach files with "@".
// The agent may still read files of the directory, but changes nothing.
func reply(ctx context.Context, user, message string) (string, error) {
	a, err := conversation(ctx, user)
	if err != nil {
		return "", err
	}
	defer a.Close()
	var text strings.Builder
	for event, err := range a.Run(ctx, pollux.Prompt{Text: message, IsLiteral: true}) {
		if err != nil {
			return "", err
		}
		switch e := event.(type) {
		case agent.Text:
			text.WriteString(e.Text)
		case agent.Retried: // the response begins again
			text.Reset()
		}
	}
	return text.String(), nil
}

// conversation opens the conversation of a user, a new one for the first message.
func conversation(ctx context.Context, user string) (*pollux.Agent, error) {
	id := "bot-" + hex.EncodeToString([]byte(user))
	a, err := pollux.New(ctx, pollux.Options{Resume: id})
	if errors.Is(err, pollux.ErrNoSession) {
		a, err = pollux.New(ctx, pollux.Options{SessionID: id, Recorded: true})
	}
	return a, err
}
