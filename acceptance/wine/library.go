package main

import (
	"bytes"
	"encoding/binary"
)

// forwarder returns a library of Windows whose only function is that of another library.
func forwarder(name, function, target string) []byte {
	const (
		align   = 0x200  // of parts of the file
		address = 0x1000 // of the section in memory
		tables  = 52     // bytes before the texts: the directory, and the lists of functions, names and ordinals
	)
	texts := name + "\x00" + function + "\x00" + target + "\x00"
	at := uint32(address + tables)
	functionAt := at + uint32(len(name)) + 1
	targetAt := functionAt + uint32(len(function)) + 1

	var exports bytes.Buffer
	write(&exports, uint32(0), uint32(0), uint32(0), at, uint32(1), uint32(1), uint32(1), uint32(address+40), uint32(address+44), uint32(address+48))
	write(&exports, targetAt, functionAt, uint32(0)) // the ordinal is 0, and two bytes are padding
	exports.WriteString(texts)

	var file bytes.Buffer
	file.WriteString("MZ")
	file.Write(make([]byte, 58))
	write(&file, uint32(0x40)) // where the next part begins
	file.WriteString("PE\x00\x00")
	write(&file, uint16(0x8664), uint16(1), uint32(0), uint32(0), uint32(0), uint16(240), uint16(0x2022)) // x86-64, one section, a library
	write(&file, uint16(0x20b), uint16(14), uint32(0), uint32(align), uint32(0), uint32(0), uint32(address))
	write(&file, uint64(0x180000000), uint32(0x1000), uint32(align), uint16(6), uint16(0), uint16(0), uint16(0), uint16(6), uint16(0))
	write(&file, uint32(0), uint32(2*address), uint32(align), uint32(0), uint16(3), uint16(0x160))
	write(&file, uint64(1<<20), uint64(1<<12), uint64(1<<20), uint64(1<<12), uint32(0), uint32(16))
	write(&file, uint32(address), uint32(exports.Len())) // the first of 16 directories
	file.Write(make([]byte, 15*8))
	file.WriteString(".rdata\x00\x00")
	write(&file, uint32(exports.Len()), uint32(address), uint32(align), uint32(align), uint32(0), uint32(0), uint32(0), uint32(0x40000040))
	file.Write(make([]byte, align-file.Len()))
	file.Write(exports.Bytes())
	file.Write(make([]byte, 2*align-file.Len()))
	return file.Bytes()
}

// write appends numbers, the lowest byte first.
func write(to *bytes.Buffer, numbers ...any) {
	for _, n := range numbers {
		_ = binary.Write(to, binary.LittleEndian, n) // a buffer takes all
	}
}
