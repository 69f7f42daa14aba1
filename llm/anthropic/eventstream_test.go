package anthropic

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// playFrames is play for a stream in Amazon's frames.
func playFrames(ctx context.Context, q *query, stream string, slowly bool) (chunks []*llm.Response, r *reply, err error) {
	res := &httpwire.Response{Header: http.Header{"Content-Type": {eventStream}}, Body: strings.NewReader(stream)}
	if slowly {
		res.Body = iotest.OneByteReader(res.Body)
	}
	r = &reply{q: q}
	e := newEventDecoder()
	defer e.release()
	for event, err := range new(bedrock).events(ctx, res) {
		if err == nil {
			err = handleEvent(res, r, e, event)
		}
		if err != nil {
			return chunks, r, err
		}
		if chunk := r.takeChunk(); chunk != nil {
			chunks = append(chunks, chunk)
		}
		if r.ended {
			break
		}
	}
	return chunks, r, nil
}

// TestFrameHeaders checks that header values of all types are skipped.
func TestFrameHeaders(t *testing.T) {
	t.Parallel()
	var m eventstream.Message
	for name, value := range map[string]eventstream.Value{
		"a": eventstream.BoolValue(true), "b": eventstream.BoolValue(false), "c": eventstream.Int8Value(1), "d": eventstream.Int16Value(1),
		"e": eventstream.Int32Value(1), "f": eventstream.Int64Value(1), "g": eventstream.BytesValue("x"), "h": eventstream.StringValue(""),
		"i": eventstream.TimestampValue(time.Unix(1, 0)), "j": eventstream.UUIDValue{1}, "text": eventstream.StringValue("found"), "z": eventstream.UUIDValue{2},
	} {
		m.Headers.Set(name, value)
	}
	var b bytes.Buffer
	if err := eventstream.NewEncoder().Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	f := newFrameReader(&b)
	if err := f.readFrame(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"text": "found", "a": "", "h": "", "none": ""} {
		if got, err := f.header(name); string(got) != want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, bad := range []string{"\x05a", "\x01a", "\x01a\x0a", "\x01a\x07\x00", "\x01a\x07\x00\x02x", "\x01a\x09xxx"} {
		f.headers = []byte(bad)
		if _, err := f.header("a"); err != errBadFrame {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestHugeFrame(t *testing.T) {
	t.Parallel()
	prelude := func(all, headers uint32) []byte {
		b := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, all), headers)
		return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	}
	for _, p := range [][]byte{prelude(1<<32-1, 0), prelude(maxFrame+1, 0), prelude(1<<20, maxHeaders+1)} {
		if err := newFrameReader(bytes.NewReader(p)).readFrame(); err != httpwire.ErrTooLarge {
			t.Errorf("%x: %v", p, err)
		}
	}
	for _, p := range [][]byte{prelude(0, 0), prelude(15, 0), prelude(16, 1), prelude(100, 1<<32-1)} {
		if err := newFrameReader(bytes.NewReader(p)).readFrame(); err != errBadFrame {
			t.Errorf("%x: %v", p, err)
		}
	}
	// The length that a frame claims does not allocate memory.
	f := newFrameReader(io.MultiReader(bytes.NewReader(prelude(maxFrame, 0)), strings.NewReader("x")))
	if err := f.readFrame(); err != errTruncated || len(f.buf) > 64<<10 {
		t.Errorf("%v, with %d bytes", err, len(f.buf))
	}
	// Large frames are read.
	big := chunkFrame(`{"type":"content_block_delta","delta":{"text":"` + strings.Repeat("x", 3<<20) + `"}}`)
	f = newFrameReader(iotest.HalfReader(bytes.NewReader(append(big, big...))))
	for range 2 {
		if data, err := f.nextEvent(); err != nil || len(data) < 3<<20 {
			t.Errorf("%d bytes, %v", len(data), err)
		}
	}
	if _, err := f.nextEvent(); err != io.EOF {
		t.Error(err)
	}
}

// FuzzFrames compares the frames in random bytes with those that Amazon's own decoder
// finds, at all read sizes, and checks that their contents give a response or an
// llm.Error.
func FuzzFrames(f *testing.F) {
	f.Add([]byte(framed(fullStream)))
	f.Add(append(chunkFrame(`{"type":"ping"}`), exceptionFrame("throttlingException", `{"message":"x"}`)...))
	f.Add(frame(map[string]string{":message-type": "error", ":error-code": "a", ":error-message": "b"}, nil))
	var all eventstream.Message
	all.Headers.Set("a", eventstream.BoolValue(true))
	all.Headers.Set("b", eventstream.Int64Value(1))
	all.Headers.Set("c", eventstream.BytesValue("x"))
	all.Headers.Set("d", eventstream.UUIDValue{1})
	all.Headers.Set(":message-type", eventstream.StringValue("event"))
	var b bytes.Buffer
	if err := eventstream.NewEncoder().Encode(&b, all); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, stream []byte) {
		stream = sealed(stream)
		ours, theirs := newFrameReader(iotest.OneByteReader(bytes.NewReader(stream))), bytes.NewReader(stream)
		defer ours.release()
		for {
			want, wrong := amazonDecodes(theirs)
			err := ours.readFrame()
			if err != nil {
				if wrong == nil {
					t.Fatalf("%v, but Amazon reads %+v", err, want)
				}
				break
			}
			kind, bad := ours.header(":message-type")
			if bad != nil {
				break // they take headers that break off
			}
			if wrong != nil {
				t.Fatalf("read what Amazon does not: %v", wrong)
			}
			if text, _ := want.Headers.Get(":message-type").(eventstream.StringValue); string(text) != string(kind) || !bytes.Equal(ours.payload, want.Payload) {
				t.Fatalf("%q %q, want %+v", kind, ours.payload, want)
			}
		}
		q := &query{Request: &llm.Request{}}
		fast, r, err := playFrames(t.Context(), q, string(stream), false)
		slow, _, err2 := playFrames(t.Context(), q, string(stream), true)
		if (err == nil) != (err2 == nil) || show(fast) != show(slow) {
			t.Fatalf("split makes a difference: %v, %v", err, err2)
		}
		var e *llm.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("error %v", err)
		}
		if so := r.partialBlocks(); !json.Valid(append(append([]byte{'['}, so...), ']')) {
			t.Fatalf("so far: %s", so)
		}
	})
}

// amazonDecodes reads a frame with Amazon's decoder, which panics on a header of an
// unknown type.
func amazonDecodes(r io.Reader) (m eventstream.Message, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return eventstream.NewDecoder().Decode(r, nil)
}

// sealed corrects the checksums of the frames in data, since fuzzing would hardly
// ever find correct ones.
func sealed(data []byte) []byte {
	data = bytes.Clone(data)
	for rest := data; len(rest) >= minFrame; {
		n := binary.BigEndian.Uint32(rest)
		if n < minFrame || int64(n) > int64(len(rest)) {
			break
		}
		binary.BigEndian.PutUint32(rest[8:], crc32.ChecksumIEEE(rest[:8]))
		binary.BigEndian.PutUint32(rest[n-4:], crc32.ChecksumIEEE(rest[:n-4]))
		rest = rest[n:]
	}
	return data
}
