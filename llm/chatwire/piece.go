package chatwire

import (
	"encoding/binary"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// Piece is an encoded part of a message. ID and Name are contents of JSON
// strings, without quotes.
type Piece struct {
	Kind Kind
	ID   []byte // of a call or result
	Name []byte // of the function
	Data []byte
}

// Kind is the kind of a [Piece] and determines the format of its data.
type Kind byte

// The kinds of pieces.
const (
	Text    Kind = 't' // contents of a JSON string
	Media   Kind = 'm' // protocol-specific
	Thought Kind = 'r' // protocol-specific
	Call    Kind = 'c' // protocol-specific, without the id
	Result  Kind = 'o' // contents of a JSON string
)

// Pieces is a list of encoded parts, of one or more messages.
type Pieces []Piece

// Has reports whether p contains a piece of kind k.
func (p Pieces) Has(k Kind) bool {
	for i := range p {
		if p[i].Kind == k {
			return true
		}
	}
	return false
}

// Join adds the id and data of all pieces of kind k to b, separated by between.
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

// beginPiece appends the head of a piece. The caller appends the data and calls
// endPiece.
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

// endPiece completes the piece that begins at dst[start].
func endPiece(dst []byte, start int) []byte {
	head := pieceHead + binary.LittleEndian.Uint32(dst[start+1:]) + binary.LittleEndian.Uint32(dst[start+5:])
	binary.LittleEndian.PutUint32(dst[start+9:], uint32(len(dst)-start)-head)
	return dst
}

// read decodes the first piece of record and returns the rest.
func (p *Piece) read(record []byte) []byte {
	head := record[:pieceHead]
	id := pieceHead + int(binary.LittleEndian.Uint32(head[1:]))
	name := id + int(binary.LittleEndian.Uint32(head[5:]))
	end := name + int(binary.LittleEndian.Uint32(head[9:]))
	p.Kind, p.ID, p.Name, p.Data = Kind(record[0]), record[pieceHead:id:id], record[id:name:name], record[name:end:end]
	return record[end:]
}

// AppendInner appends s as the contents of a JSON string, without quotes.
func AppendInner(dst []byte, s string) []byte {
	start := len(dst)
	dst = llm.AppendString(dst, s)
	copy(dst[start:], dst[start+1:])
	return dst[:len(dst)-2]
}
