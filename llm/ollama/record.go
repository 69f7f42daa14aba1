package ollama

import "encoding/binary"

// A message is kept as a record: its pieces in the form they have on the wire,
// and the few facts about them on which it depends how messages are joined.
// What a message becomes depends on its neighbours (which calls are answered,
// what is merged), and that is decided from the facts, for each request anew and
// without touching the pieces.

// piece is a part of a record. All of it is JSON: id, name and data are the
// insides of strings where not said otherwise.
type piece struct {
	kind kind
	id   []byte // of a call or its result
	name []byte // of the function
	data []byte
}

type kind byte

const (
	text    kind = 't'
	image   kind = 'i' // a string of base64, whole
	thought kind = 'r'
	call    kind = 'c' // its arguments, an object
	output  kind = 'o' // what came of a call
)

const pieceHead = 1 + 3*4 // kind, sizes of id, name and data

// beginPiece begins a piece; its data is then appended to what it returns.
func beginPiece(dst []byte, k kind, id, name string) []byte {
	start := len(dst)
	dst = append(dst, byte(k), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	at := len(dst)
	dst = appendInner(dst, id)
	binary.LittleEndian.PutUint32(dst[start+1:], uint32(len(dst)-at))
	at = len(dst)
	dst = appendInner(dst, name)
	binary.LittleEndian.PutUint32(dst[start+5:], uint32(len(dst)-at))
	return dst
}

// endPiece ends the piece that begins at start.
func endPiece(dst []byte, start int) []byte {
	head := pieceHead + binary.LittleEndian.Uint32(dst[start+1:]) + binary.LittleEndian.Uint32(dst[start+5:])
	binary.LittleEndian.PutUint32(dst[start+9:], uint32(len(dst)-start)-head)
	return dst
}

// nextPiece returns the first piece of a record, and the rest.
func nextPiece(record []byte) (piece, []byte) {
	size := func(at int) int { return int(binary.LittleEndian.Uint32(record[at:])) }
	id := pieceHead + size(1)
	name := id + size(5)
	end := name + size(9)
	return piece{kind(record[0]), record[pieceHead:id:id], record[id:name:name], record[name:end:end]}, record[end:]
}
