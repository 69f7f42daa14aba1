package patch

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
)

// writeBinary writes two contents whole, so that the patch can be applied in both directions.
func writeBinary(b *bytes.Buffer, before, after string) {
	b.WriteString("GIT binary patch\n")
	writeLiteral(b, after)
	writeLiteral(b, before)
}

// perLine is the number of bytes in a line of a binary patch.
const perLine = 52

// writeLiteral writes a content: compressed, and in lines of letters that begin with the number of their bytes.
func writeLiteral(b *bytes.Buffer, data string) {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write([]byte(data)) // to a buffer
	_ = z.Close()
	fmt.Fprintf(b, "literal %d\n", len(data))
	for packed.Len() > 0 {
		line := packed.Next(perLine)
		if n := len(line); n <= 26 {
			b.WriteByte(byte('A' + n - 1))
		} else {
			b.WriteByte(byte('a' + n - 27))
		}
		writeBase85(b, line)
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
}

// digits are those of git's base 85.
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"

// writeBase85 writes five digits for each four bytes. Zeros complete the last four.
func writeBase85(b *bytes.Buffer, data []byte) {
	for len(data) > 0 {
		var four [4]byte
		data = data[copy(four[:], data):]
		n := binary.BigEndian.Uint32(four[:])
		var five [5]byte
		for i := len(five) - 1; i >= 0; i-- {
			five[i] = digits[n%85]
			n /= 85
		}
		b.Write(five[:])
	}
}
