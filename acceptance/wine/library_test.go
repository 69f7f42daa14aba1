package main

import (
	"bytes"
	"debug/pe"
	"testing"
)

func TestForwarder(t *testing.T) {
	t.Parallel()
	file, err := pe.NewFile(bytes.NewReader(forwarder("a.dll", "Function", "B.Other")))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if file.Machine != pe.IMAGE_FILE_MACHINE_AMD64 || len(file.Sections) != 1 {
		t.Fatalf("%+v", file.FileHeader)
	}
	data, err := file.Sections[0].Data()
	if err != nil {
		t.Fatal(err)
	}
	directory := file.OptionalHeader.(*pe.OptionalHeader64).DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_EXPORT]
	if directory.VirtualAddress != file.Sections[0].VirtualAddress || !bytes.Contains(data[:directory.Size], []byte("a.dll\x00Function\x00B.Other\x00")) {
		t.Errorf("%+v: %q", directory, data[:directory.Size])
	}
}
