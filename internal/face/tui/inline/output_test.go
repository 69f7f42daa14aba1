package inline

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"
)

func TestOutput(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe() // takes no byte that is not read
	o := NewOutput(w)
	defer o.Close()
	if o.Write(nil); o.IsBusy() {
		t.Error("an empty frame is written")
	}
	o.Write([]byte("one"))
	if _, ok := o.Wait(time.Millisecond); ok || !o.IsBusy() {
		t.Error("the frame counts as written")
	}
	got := make([]byte, 3)
	if _, err := io.ReadFull(r, got); err != nil || !bytes.Equal(got, []byte("one")) {
		t.Errorf("%q, %v", got, err)
	}
	if r := <-o.Written(); r.Err != nil {
		t.Error(r.Err)
	}
	if o.Done(); o.IsBusy() {
		t.Error("the output is still busy")
	}
	broken := errors.New("broken")
	_ = r.CloseWithError(broken)
	o.Write([]byte("two"))
	if err, ok := o.Wait(time.Minute); !errors.Is(err, broken) || !ok {
		t.Errorf("%v, %v", err, ok)
	}
	if err, ok := o.Wait(0); err != nil || !ok {
		t.Errorf("nothing is written: %v, %v", err, ok)
	}
}
