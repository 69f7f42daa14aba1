package chatwire

import (
	"encoding/binary"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// Piece is a part of a message in the form it has on the wire. ID and Name are
// the insides of JSON strings.
type Piece struct {
	Kind Kind
	ID   []byte // of a call or its result
	Name []byte // of the function
	Data []byte
}

// Kind says what a piece is, and so what its data are.
type Kind byte

// The kinds.
const (
	Text    Kind = 't' // the inside of a JSON string
	Media   Kind = 'm' // as the protocol has it
	Thought Kind = 'r' // as the protocol has it
	Call    Kind = 'c' // as the protocol has it
	Output  Kind = 'o' // what came of a call: the inside of a JSON string
)

// Pieces are the parts of a message, or of some that become one.
type Pieces []Piece

// Has reports whether there is a piece of this kind.
func (p Pieces) Has(k Kind) bool {
	for i := range p {
		if p[i].Kind == k {
			return true
		}
	}
	return false
}

// Join adds the pieces of a kind, each behind its id.
func (p Pieces) Join(b *httpwire.Body, k Kind, between string) {
	first := true
	for i := range p {
		if p[i].Kind != k {
			continue
		}
		if !first {
			b.Text(between)
		}
		first = false
		b.Add(p[i].ID)
		b.Add(p[i].Data)
	}
}

const pieceHead = 1 + 3*4 // kind, sizes of id, name and data

// beginPiece begins a piece; its data is then appended to what it returns.
func beginPiece(dst []byte, k Kind, id, name string) []byte {
	start := len(dst)
	dst = append(dst, byte(k), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	at := len(dst)
	dst = AppendInner(dst, id)
	binary.LittleEndian.PutUint32(dst[start+1:], uint32(len(dst)-at))
	at = len(dst)
	dst = AppendInner(dst, name)
	binary.LittleEndian.PutUint32(dst[start+5:], uint32(len(dst)-at))
	return dst
}

// endPiece ends the piece that begins at start.
func endPiece(dst []byte, start int) []byte {
	head := pieceHead + binary.LittleEndian.Uint32(dst[start+1:]) + binary.LittleEndian.Uint32(dst[start+5:])
	binary.LittleEndian.PutUint32(dst[start+9:], uint32(len(dst)-start)-head)
	return dst
}

// read reads the first piece of a record, and returns the rest.
func (p *Piece) read(record []byte) []byte {
	head := record[:pieceHead]
	id := pieceHead + int(binary.LittleEndian.Uint32(head[1:]))
	name := id + int(binary.LittleEndian.Uint32(head[5:]))
	end := name + int(binary.LittleEndian.Uint32(head[9:]))
	p.Kind, p.ID, p.Name, p.Data = Kind(record[0]), record[pieceHead:id:id], record[id:name:name], record[name:end:end]
	return record[end:]
}

// AppendInner appends s as what stands between the quotes of a JSON string.
func AppendInner(dst []byte, s string) []byte {
	start := len(dst)
	dst = llm.AppendString(dst, s)
	copy(dst[start:], dst[start+1:])
	return dst[:len(dst)-2]
}
