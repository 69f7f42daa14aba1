package openai

import "encoding/binary"

// A message is kept as a record: its pieces in the form they have on the wire,
// and the few facts about them on which it depends how messages are joined.
// What a message becomes depends on its neighbours (which calls are answered,
// what is merged), and that is decided from the facts, for each request anew and
// without touching the pieces.

// piece is a part of a record.
type piece struct {
	kind kind
	id   []byte // of a call or output
	data []byte
}

type kind byte

const (
	text    kind = 't' // the inside of a JSON string
	media   kind = 'm' // an element of a message's content, whole
	thought kind = 'r' // what goes back with a message
	call    kind = 'c' // a call, behind its id
	output  kind = 'o' // what came of a call: the inside of a JSON string
)

const pieceHead = 6 // kind, size of the id, size of the data

// beginPiece begins a piece; its data is then appended to what it returns.
func beginPiece(dst []byte, k kind, id string) []byte {
	dst = append(dst, byte(k), byte(len(id)), 0, 0, 0, 0) // ids have at most maxID bytes
	return append(dst, id...)
}

// endPiece ends the piece that begins at start.
func endPiece(dst []byte, start int) []byte {
	size := len(dst) - start - pieceHead - int(dst[start+1])
	binary.LittleEndian.PutUint32(dst[start+2:], uint32(size))
	return dst
}

// nextPiece returns the first piece of a record, and the rest.
func nextPiece(record []byte) (piece, []byte) {
	id := pieceHead + int(record[1])
	end := id + int(binary.LittleEndian.Uint32(record[2:]))
	return piece{kind(record[0]), record[pieceHead:id:id], record[id:end:end]}, record[end:]
}
