package llmtest

import (
	"bytes"
	"io"
)

// Pieces returns a reader that returns data in pieces of one to seven bytes, as a
// network may deliver it. cuts determines the sizes; without cuts it returns all data
// at once.
func Pieces(data, cuts []byte) io.Reader { return &pieces{data, bytes.Clone(cuts)} }

type pieces struct{ data, cuts []byte }

func (p *pieces) Read(to []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	n := len(p.data)
	if len(p.cuts) > 0 {
		n = min(n, int(p.cuts[0])%7+1)
		p.cuts = append(p.cuts[1:], p.cuts[0]+1)
	}
	n = copy(to, p.data[:n])
	p.data = p.data[n:]
	return n, nil
}
