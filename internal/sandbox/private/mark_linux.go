package private

import (
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
)

// Holds is whether this system has marks.
const Holds = true

// Mark marks a port until the mark is closed. A server marks its port before it listens.
func Mark(port int) (io.Closer, error) {
	l, err := net.Listen("unix", "@"+strings.TrimPrefix(prefix, "\x00")+strconv.Itoa(port)+"/"+rand.Text())
	if err != nil {
		return nil, fmt.Errorf("mark port %d: %w", port, err)
	}
	return l, nil
}
