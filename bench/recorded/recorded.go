// Package recorded records sessions for measurements, with the journal of Pollux.
package recorded

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/journal"
	"pollux/llm"
)

// recorder records a session. After the first error it records nothing more.
type recorder struct {
	journal *journal.Journal
	ctx     context.Context
	count   int // of messages
	err     error
}

// begin begins a session in a directory.
func begin(ctx context.Context, dir string) *recorder {
	r := &recorder{ctx: ctx, journal: journal.New(journal.Options{Dir: func() (string, error) { return dir, nil }, ProjectHash: "hash"})}
	r.err = r.journal.Begin(ctx, "00000000-0000-4000-8000-000000000000", nil)
	return r
}

func (r *recorder) message(c *llm.Content) agent.Message {
	r.count++
	return agent.Message{ID: fmt.Sprint("m", r.count), Content: c, Time: time.Now()}
}

func (r *recorder) add(c *llm.Content, calls ...agent.CallRecord) {
	if r.err == nil {
		r.err = r.journal.Append(r.ctx, agent.Entry{Message: r.message(c), Calls: calls})
	}
}

// read records a call of read_file and its result.
func (r *recorder) read(page, output string) {
	id := fmt.Sprint("c", r.count)
	args, _ := json.Marshal(map[string]string{"file_path": page}) // texts
	r.add(llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: "read_file", Args: args}}))
	r.add(llm.User(llm.Part{FunctionResponse: llm.Output(id, "read_file", output)}), agent.CallRecord{ID: id, Status: agent.Success})
}

func (r *recorder) end() error {
	r.journal.Close()
	return r.err
}

// Line is a line of the page that the sessions of [Pages] read.
const Line = "a line of a file that the model reads\n"

// Pages records a session of this size in bytes in a directory, which reads pages of 100 lines, and is compressed each time that it
// has got longer by every bytes.
func Pages(ctx context.Context, dir string, size, every int) error {
	r := begin(ctx, dir)
	r.add(llm.User(llm.Text("Read all.")))
	output := strings.Repeat(Line, 100)
	for i, last := 0, 0; i*len(output) < size && r.err == nil; i++ {
		r.read("a", output)
		if i*len(output)-last > every && size-i*len(output) > every/10 {
			last = i * len(output)
			r.err = r.journal.Replace(ctx, []agent.Message{r.message(llm.User(llm.Text(output)))})
		}
	}
	r.add(llm.Model(llm.Text("All is read.")))
	return r.end()
}

// Items records a session of so many messages in a directory: prompts, calls with their results, and answers.
func Items(ctx context.Context, dir string, count int) error {
	r := begin(ctx, dir)
	for i := 0; i < count/4; i++ {
		r.add(llm.User(llm.Text(fmt.Sprintf("What is on page %d?", i))))
		r.read(fmt.Sprint("page", i), fmt.Sprintf("This is page %d.", i))
		r.add(llm.Model(llm.Text(fmt.Sprintf("It says that it is *page* `%d`, and nothing else of interest.", i))))
	}
	return r.end()
}
