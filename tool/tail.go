package tool

// Tail is an io.Writer that holds the last characters of what is written to
// it. It takes memory as text comes, up to 3 bytes a character. It is used by
// one goroutine at a time.
type Tail struct {
	units int
	max   int    // bytes
	buf   []byte // grows to max, then is written around
	next  int    // where the next byte goes, once it is full
}

// NewTail returns a Tail of n characters (UTF-16 units).
func NewTail(n int) *Tail { return &Tail{units: n, max: bytesFor(n)} }

// Write adds UTF-8, split anywhere. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.write(p)
	return len(p), nil
}

// String returns the last characters, as [Last] does.
func (t *Tail) String() string { return Last(string(t.bytes()), t.units) }

func (t *Tail) write(p []byte) {
	if len(p) > t.max {
		p = p[len(p)-t.max:]
	}
	if room := t.max - len(t.buf); room > 0 {
		n := min(room, len(p))
		t.buf = append(t.buf, p[:n]...)
		p = p[n:]
	}
	n := copy(t.buf[t.next:], p)
	t.next += n
	if t.next == t.max {
		t.next = 0
	}
	if n < len(p) {
		t.next = copy(t.buf, p[n:])
	}
}

// bytes returns a copy of the last bytes, at least as many as the characters take.
func (t *Tail) bytes() []byte {
	if len(t.buf) < t.max {
		return append([]byte(nil), t.buf...)
	}
	b := append(append(make([]byte, 0, t.max), t.buf[t.next:]...), t.buf[:t.next]...)
	for len(b) > 0 && isContinuation(b[0]) {
		b = b[1:] // the rest of a character that has gone
	}
	return b
}

// bytesFor is how many bytes n whole characters may take, and the rest of one
// that was cut.
func bytesFor(n int) int { return 3*n + 3 }
