package tool

// Tail is an io.Writer that keeps the last characters of the text written to it. Its memory
// grows with the text, up to 3 bytes for each character. A Tail must not be used by several
// goroutines at once.
type Tail struct {
	units    int
	maxBytes int    // bytes
	buf      []byte // grows to maxBytes, then is a ring buffer
	next     int    // position in the full buf of the next byte
}

// NewTail returns a Tail of n characters (UTF-16 units).
func NewTail(n int) *Tail { return &Tail{units: n, maxBytes: bytesFor(n)} }

// Write adds UTF-8 text, which may be split at any byte. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.write(p)
	return len(p), nil
}

// String returns the last n characters, where n is the argument of [NewTail].
func (t *Tail) String() string { return Last(string(t.bytes()), t.units) }

func (t *Tail) write(p []byte) {
	if len(p) > t.maxBytes {
		p = p[len(p)-t.maxBytes:]
	}
	if room := t.maxBytes - len(t.buf); room > 0 {
		n := min(room, len(p))
		t.buf = append(t.buf, p[:n]...)
		p = p[n:]
	}
	n := copy(t.buf[t.next:], p)
	t.next += n
	if t.next == t.maxBytes {
		t.next = 0
	}
	if n < len(p) {
		t.next = copy(t.buf, p[n:])
	}
}

// bytes returns a copy of the last bytes, enough for the last characters.
func (t *Tail) bytes() []byte {
	first, second := t.halves()
	return append(append(make([]byte, 0, len(first)+len(second)), first...), second...)
}

// halves returns the last bytes in two pieces, until the next write.
func (t *Tail) halves() (first, second []byte) {
	if len(t.buf) < t.maxBytes {
		return t.buf, nil
	}
	first, second = t.buf[t.next:], t.buf[:t.next]
	for len(first) > 0 && isContinuation(first[0]) {
		first = first[1:] // the rest of an overwritten character
	}
	for len(first) == 0 && len(second) > 0 && isContinuation(second[0]) {
		second = second[1:]
	}
	return first, second
}

// bytesFor returns the maximum size of n characters in bytes, plus that of one incomplete
// character.
func bytesFor(n int) int { return 3*n + 3 }
