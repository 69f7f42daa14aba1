package terminal

import (
	"errors"
	"os"
	"testing"
)

func TestIsClosedPipe(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	_ = read.Close()
	if _, err := write.Write([]byte("x")); !IsClosedPipe(err) {
		t.Errorf("%v is not taken for a closed pipe", err)
	}
	for _, err := range []error{nil, errors.New("no"), os.ErrClosed} {
		if IsClosedPipe(err) {
			t.Errorf("%v is taken for a closed pipe", err)
		}
	}
}
