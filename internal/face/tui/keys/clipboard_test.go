package keys

import (
	"encoding/base64"
	"reflect"
	"strings"
	"testing"
)

func TestClipboardData(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("A", 8<<10)
	for _, c := range []struct {
		in   string
		want []Event
	}{
		{"\x1b]5522;type=read:status=OK\x1b\\", []Event{ClipboardData{Status: "OK", Data: []byte{}, At: start}}},
		{"\x1b]5522;type=read:status=DATA:mime=Lg==;aW1hZ2UvcG5n\a", []Event{ClipboardData{"DATA", ".", []byte("image/png"), start}}},
		{"\x1b]5522;type=read:id=x:status=DATA:mime=dGV4dC9wbGFpbg==;AP8=\x1b\\", []Event{ClipboardData{"DATA", "text/plain", []byte("\x00\xff"), start}}},
		{"\x1b]5522;type=read:status=DATA:mime=Lg==;" + large + "\x1b\\", []Event{ClipboardData{"DATA", ".", make([]byte, 6<<10), start}}},
		{"\x1b]5522;type=read:status=EPERM\x1b\\", []Event{ClipboardData{Status: "EPERM", Data: []byte{}, At: start}}},
		{"\x1b]5522;type=write:status=DONE\x1b\\", nil},
		{"\x1b]5522;type=read\x1b\\", nil},
		{"\x1b]5522;type=read:status=DATA:mime=?;aW1h\x1b\\", nil},
		{"\x1b]5522;type=read:status=DATA;?\x1b\\", nil},
		{"\x1b]5522;type=read:status=\xc2\x9b;\x1b\\", nil},
		{"\x1bP5522;type=read:status=OK\x1b\\", nil},
		{"\x1b]5522;type=read:status=DATA:mime=Lg==;" + strings.Repeat(large, 5) + "\x1b\\", nil}, // too long
	} {
		if got := decodeAll(&Decoder{}, c.in); len(got) != len(c.want) || len(got) > 0 && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%.80q: %.200v", c.in, got)
		}
	}
}

// FuzzClipboardData checks that a reply is decoded to what it was made of, and that no other string fails.
func FuzzClipboardData(f *testing.F) {
	f.Add("OK", ".", []byte("image/png"), []byte("type=read:status=DATA:mime=Lg==;AA=="))
	f.Fuzz(func(t *testing.T, status, mime string, data, other []byte) {
		clipboardData(other)
		in := "type=read:status=" + status + ":mime=" + base64.StdEncoding.EncodeToString([]byte(mime)) + ";" + base64.StdEncoding.EncodeToString(data)
		got, ok := clipboardData([]byte(in))
		if ok && (printable(got.Status) != got.Status || printable(got.Type) != got.Type) {
			t.Errorf("%q: %+v", in, got)
		}
		if status != "" && !strings.ContainsAny(status, ":;=") && printable(status) == status && (!ok || got.Status != status || string(got.Data) != string(data)) {
			t.Errorf("%q: %+v", in, got)
		}
	})
}
