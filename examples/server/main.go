// Command server has the conversations of many users in one process, each with an agent that waits in memory:
//
//	export GEMINI_API_KEY=...   # or the key of another provider
//	go run ./examples/server &
//	curl -d 'Which files are here?' localhost:8080/chat/ann
//
// With -load 100, it sends a message of 100 users to itself and prints the cost of a session that waits.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"

	"pollux"
	"pollux/agent"
)

func main() {
	addr := flag.String("addr", "localhost:8080", "the address to listen on")
	load := flag.Int("load", 0, "the number of users of a test, after which the server ends")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, *addr, *load); err != nil {
		log.Print(err)
	}
}

// serve answers requests until ctx ends, or until the test with load users has ended.
func serve(ctx context.Context, addr string, load int) error {
	c := &chats{agents: map[string]*pollux.Agent{}}
	defer c.close()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /chat/{user}", c.chat)
	if load > 0 {
		return measure(ctx, mux, c, load)
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: mux}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.Serve(listener); ctx.Err() == nil {
		return err
	}
	return nil
}

// chats has the agent of each user.
type chats struct {
	mu     sync.Mutex
	agents map[string]*pollux.Agent
}

// chat answers a message with the text of the response, as it arrives. The end of the request cancels the run.
func (c *chats) chat(w http.ResponseWriter, r *http.Request) {
	message, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a, err := c.agent(r.Context(), r.PathValue("user"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	for event, err := range a.Run(r.Context(), pollux.Prompt{Text: string(message), IsLiteral: true}) {
		if err != nil {
			fmt.Fprintln(w, "error:", err)
			return
		}
		if text, ok := event.(agent.Text); ok {
			fmt.Fprint(w, text.Text)
			http.NewResponseController(w).Flush()
		}
	}
	fmt.Fprintln(w)
}

// agent returns the agent of a user. A server for the public would give each user a directory, and close agents that
// have waited for long: with Recorded, their conversations can be resumed.
func (c *chats) agent(ctx context.Context, user string) (*pollux.Agent, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a := c.agents[user]; a != nil {
		return a, nil
	}
	a, err := pollux.New(ctx, pollux.Options{})
	if err == nil {
		c.agents[user] = a
	}
	return a, err
}

// close ends all runs and agents.
func (c *chats) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range c.agents {
		a.Close()
	}
}

// measure sends one message of each of n users at the same time, and prints the cost of a session that waits.
func measure(ctx context.Context, handler http.Handler, c *chats, n int) error {
	send := func(user int) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprint("/chat/", user), strings.NewReader("Hello."))
		if err == nil {
			handler.ServeHTTP(discard{}, r)
		}
	}
	goroutines, heap := usage()
	var all sync.WaitGroup
	for user := range n {
		all.Go(func() { send(user) })
	}
	all.Wait()
	goroutinesNow, heapNow := usage()
	fmt.Printf("%d idle sessions: %.2f goroutines and %.0f KB each\n", len(c.agents),
		float64(goroutinesNow-goroutines)/float64(n), float64(heapNow-heap)/1024/float64(n))
	return nil
}

// usage returns the goroutines of the process, and the bytes in use after a collection of garbage.
func usage() (goroutines int, heap int64) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return runtime.NumGoroutine(), int64(m.HeapAlloc)
}

// discard is a response that no client reads.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) WriteHeader(int)             {}
