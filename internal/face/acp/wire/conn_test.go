package wire

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// echo answers with the parameters. Its other methods wait, fail or ask the other side.
type echo struct {
	conn  *Conn
	heard chan string // notifications
}

func (h *echo) Request(method string, params json.RawMessage) Answer {
	switch method {
	case "echo":
		return Result(params)
	case "wait":
		return func(ctx context.Context) (any, func(), error) {
			<-ctx.Done()
			return nil, nil, context.Cause(ctx)
		}
	case "fail":
		return Fail(errors.New("it is broken"))
	case "break":
		return Result(make(chan int))
	case "after":
		return func(context.Context) (any, func(), error) {
			return "first", func() { _ = h.conn.Notify("second", nil) }, nil
		}
	case "ask":
		return func(ctx context.Context) (any, func(), error) {
			var answer string
			err := h.conn.Call(ctx, "question", map[string]string{"text": "why?"}, &answer)
			return answer, nil, err
		}
	}
	return Fail(Unknown(method))
}

func (h *echo) handler() Handler {
	return Handler{Request: h.Request, Notify: h.Notify, End: func() {}}
}

func (h *echo) Notify(method string, params json.RawMessage) { h.heard <- method + string(params) }

// serve answers lines, and returns the lines that come back, sorted where several requests run at the same time.
func serve(t testing.TB, lines string) []string {
	t.Helper()
	var out strings.Builder
	c := New(strings.NewReader(lines), &out)
	if err := c.Serve(context.Background(), (&echo{c, make(chan string, 100)}).handler()); err != nil {
		t.Errorf("%q ends with %v", lines, err)
	}
	list := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	slices.Sort(list)
	return list
}

// TestRequests checks the answer to each kind of line. None ends the connection: a request behind it is answered.
func TestRequests(t *testing.T) {
	t.Parallel()
	const last = `{"jsonrpc":"2.0","id":"last","result":1}`
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"method":"echo","params":{"a":"<&>"}}`: `{"jsonrpc":"2.0","id":7,"result":{"a":"<&>"}}`,
		`{"id":"s6","method":"echo","params":[]}`:                       `{"jsonrpc":"2.0","id":"s6","result":[]}`,
		`{"id":"7","method":"echo"}`:                                    `{"jsonrpc":"2.0","id":"7","result":null}`,
		`{"id":-1.5e3,"method":"echo"}`:                                 `{"jsonrpc":"2.0","id":-1.5e3,"result":null}`,
		`{"id":null,"method":"echo"}`:                                   `{"jsonrpc":"2.0","id":null,"result":null}`,
		`{"id":1,"method":"a/b"}`:                                       `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: a/b","data":{"method":"a/b"}}}`,
		`{"id":1,"method":"fail"}`:                                      `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"it is broken"}}`,
		`{"id":1,"method":"break"}`:                                     `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Cannot write the answer: json: unsupported type: chan int."}}`,
		`{"id":1,"method":7}`:                                           `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request: the method is a string."}}`,
		`{"id":[1],"method":"echo"}`:                                    `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: the id is a string, a number or null."}}`,
		`{"id":1}`:                                                      `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request: a message has a method, or is the answer to a request."}}`,
		`{}`:                                                            `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: a message has a method, or is the answer to a request."}}`,
		`[{"id":1,"method":"echo"}]`:                                    `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: batches are not supported, send one message per line."}}`,
		`"text"`:                                                        `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: a message is a JSON object."}}`,
		`Windows PowerShell`:                                            `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: the line is not JSON."}}`,
		`{"id":1,"method":"echo"`:                                       `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: the line is not JSON."}}`,
		"\xff\x00\x1b[2J":                                               `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: the line is not JSON."}}`,
		strings.Repeat("[", 11_000):                                     `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: the line is not JSON."}}`,
		`{"method":"note"}`:                                             "",
		`{"id":99,"result":1}`:                                          "",
		"":                                                              "",
		"\r":                                                            "",
	} {
		got := serve(t, line+"\n"+`{"id":"last","method":"echo","params":1}`)
		list := []string{last}
		if want != "" {
			list = append(list, want)
		}
		slices.Sort(list)
		if !slices.Equal(got, list) {
			t.Errorf("%.100q is answered by\n%s\nwant\n%s", line, strings.Join(got, "\n"), strings.Join(list, "\n"))
		}
	}
}

// peer is the other side of a connection.
type peer struct {
	t     *testing.T
	in    io.WriteCloser
	out   *bufio.Scanner
	heard chan string
	ended chan error
}

func connect(t *testing.T) *peer {
	t.Helper()
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	c := New(toServer, fromServer)
	p := &peer{t, in, bufio.NewScanner(out), make(chan string, 10), make(chan error, 1)}
	p.out.Buffer(nil, MaxLine)
	go func() {
		err := c.Serve(context.Background(), (&echo{c, p.heard}).handler())
		fromServer.Close()
		p.ended <- err
	}()
	t.Cleanup(func() { in.Close() })
	return p
}

func (p *peer) send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) wants(lines ...string) {
	p.t.Helper()
	for _, want := range lines {
		if p.out.Scan(); p.out.Text() != want {
			p.t.Errorf("got  %.300s\nwant %.300s", p.out.Text(), want)
		}
	}
}

// TestConcurrency checks that requests are answered while others wait, that a request can be cancelled, that an id is not used
// twice at a time, and that the end of the input cancels the rest.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	p := connect(t)
	p.send(`{"id":1,"method":"wait"}`)
	p.send(`{"id":"1","method":"wait"}`)
	p.send(`{"id":2,"method":"echo","params":"now"}`)
	p.wants(`{"jsonrpc":"2.0","id":2,"result":"now"}`)
	p.send(`{"id":1,"method":"echo"}`)
	p.wants(`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request: another request with this id is not answered yet."}}`)
	p.send(`{"method":"$/cancel_request","params":{"requestId":7}}`)
	p.send(`{"method":"$/cancel_request","params":{"requestId":1}}`)
	p.wants(`{"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"The request was cancelled."}}`)
	p.send(`{"id":1,"method":"after"}`)
	p.wants(`{"jsonrpc":"2.0","id":1,"result":"first"}`, `{"jsonrpc":"2.0","method":"second"}`)
	p.in.Close()
	p.wants(`{"jsonrpc":"2.0","id":"1","error":{"code":-32603,"message":"the connection is closed"}}`)
	if err := <-p.ended; err != nil {
		t.Error(err)
	}
}

// TestCall checks requests to the other side: results, errors, answers that are none, ids that come back as texts, and the
// withdrawal of a request.
func TestCall(t *testing.T) {
	t.Parallel()
	p := connect(t)
	n := 0
	for answer, want := range map[string]string{
		`"result":"because"`:                          `"result":"because"`,
		`"error":{"code":-32000,"message":"no"}`:      `"error":{"code":-32000,"message":"no"}`,
		`"error":"no"`:                                `"error":{"code":-32603,"message":"The client has failed: \"no\""}`,
		`"result":7`:                                  `"error":{"code":-32603,"message":"json: cannot unmarshal number into Go value of type string"}`,
		`"result":null`:                               `"result":""`,
		`"error":null,"result":"both"`:                `"result":"both"`,
		`"result":"kept","error":null,"unknown":true`: `"result":"kept"`,
	} {
		p.send(`{"id":"q","method":"ask"}`)
		p.wants(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"question","params":{"text":"why?"}}`, n))
		id := fmt.Sprint(n)
		if n%2 == 1 {
			id = fmt.Sprintf("%q", id)
		}
		p.send(`{"id":` + id + `,` + answer + `}`)
		p.wants(`{"jsonrpc":"2.0","id":"q",` + want + `}`)
		n++
	}
	p.send(`{"id":"q","method":"ask"}`)
	p.wants(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"question","params":{"text":"why?"}}`, n))
	p.send(`{"method":"$/cancel_request","params":{"requestId":"q"}}`)
	p.wants(fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":%d}}`, n))
	p.wants(`{"jsonrpc":"2.0","id":"q","error":{"code":-32800,"message":"The request was cancelled."}}`)
	p.send(`{"method":"note","params":{"late":1}}`)
	if got := <-p.heard; got != `note{"late":1}` {
		t.Errorf("heard %s", got)
	}
	p.in.Close()
	if err := <-p.ended; err != nil {
		t.Error(err)
	}
}

// TestLongLines checks lines up to the limit, and one behind it, which is skipped.
func TestLongLines(t *testing.T) {
	t.Parallel()
	const limit = 100_000
	long := strings.Repeat("x", limit)
	in := newLines(strings.NewReader("a\n\n"+long+"\n"+long+"y\n"+long+long+"\r\n  b \n"+long+"z"), limit)
	for _, want := range []string{"a", long, "", "", "b", ""} {
		got, err := in.next()
		if string(got) != want || errors.Is(err, errTooLong) != (want == "") {
			t.Errorf("%d bytes, %v, want %d bytes", len(got), err, len(want))
		}
	}
	if _, err := in.next(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

// brokenPipe is a client that does not read any more.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestClosedOutput checks that the connection ends when no answer can be sent.
func TestClosedOutput(t *testing.T) {
	t.Parallel()
	in, out := io.Pipe()
	defer out.Close()
	c := New(in, brokenPipe{})
	ended := make(chan error)
	go func() { ended <- c.Serve(context.Background(), (&echo{c, nil}).handler()) }()
	if _, err := io.WriteString(out, `{"id":1,"method":"echo"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if err := c.Notify("late", nil); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}

// FuzzLines checks that no line ends the connection, and that each answer is a message.
func FuzzLines(f *testing.F) {
	for _, line := range []string{`{"id":1,"method":"echo","params":{}}`, `{"id":1,"result":2}`, "[]", "null", `{"id":{},"method":"x"}`, "\xff", `{"method":"$/cancel_request","params":{"requestId":1}}`, `{"ID":1,"METHOD":"echo"}`} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "wait") || strings.Contains(line, "ask") || strings.Count(line, "\n") > 50 {
			t.Skip("it waits for an answer")
		}
		for _, answer := range serve(t, line+"\n"+`{"id":"last","method":"echo","params":1}`) {
			var m struct {
				Version string          `json:"jsonrpc"`
				ID      json.RawMessage `json:"id"`
			}
			if err := json.Unmarshal([]byte(answer), &m); err != nil || m.Version != "2.0" {
				t.Errorf("%q is answered by %q, %v", line, answer, err)
			}
		}
	})
}

// TestEnd checks that the end of the input ends long work at once, and that other requests are still answered.
func TestEnd(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	c := New(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"turn"}`+"\n"+`{"jsonrpc":"2.0","id":2,"method":"list"}`+"\n"), &out)
	ended := make(chan struct{})
	h := Handler{
		Request: func(method string, _ json.RawMessage) Answer {
			return func(ctx context.Context) (any, func(), error) {
				<-ended // both take until then
				return method, nil, ctx.Err()
			}
		},
		End: func() { close(ended) },
	}
	if err := c.Serve(context.Background(), h); err != nil {
		t.Error(err)
	}
	for _, want := range []string{`"id":1,"result":"turn"`, `"id":2,"result":"list"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no answer %s in %s", want, &out)
		}
	}
}
