package media

import (
	"strings"
	"testing"

	"pollux/llm"
)

// TestType checks the type of data by its bytes, and why data is no medium.
func TestType(t *testing.T) {
	t.Parallel()
	const (
		png  = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
		jpeg = "\xff\xd8\xff\xe0\x00\x10JFIF"
		heic = "\x00\x00\x00\x18ftypheic\x00\x00\x00\x00"
	)
	for _, tt := range []struct{ declared, data, mime, problem string }{
		{"image/png", png, "image/png", ""},
		{"IMAGE/JPG; q=1", jpeg, "image/jpeg", ""},
		{"image/png", jpeg, "image/jpeg", ""},
		{"", png, "image/png", ""},
		{"application/octet-stream", png, "image/png", ""},
		{"image/x", "GIF89a", "image/gif", ""},
		{"image/webp", "RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp", ""},
		{"image/bmp", "BM\x00\x00\x00\x00", "image/bmp", ""},
		{"image/tiff", "II*\x00\x08", "image/tiff", ""},
		{"image/png", "MM\x00*\x00", "image/tiff", ""},
		{"image/heif", heic, "image/heif", ""},
		{"image/jpeg", heic, "image/heic", ""},
		{"image/heic", "\x00\x00\x00\x18ftypavif", "image/avif", ""},
		{"application/pdf", "%PDF-1.7\n", "application/pdf", ""},
		{"application/pdf", "\n\n%PDF-1.7\n", "application/pdf", ""},
		{"image/svg+xml", "<svg/>", "image/svg+xml", ""},
		{"text/plain", "words", "text/plain", ""},
		{"audio/mp3", "\xff\xfb\x90\x00\x00", "audio/mpeg", ""},
		{"audio/mpeg", "RIFF\x00\x00\x00\x00WAVEfmt ", "audio/wav", ""},
		{"audio/ogg", "OggS\x00\x02", "audio/ogg", ""},
		{"audio/flac", "fLaC\x00", "audio/flac", ""},
		{"video/mp4", "\x00\x00\x00\x18ftypisom", "video/mp4", ""},
		{"video/x", "\x00\x01\x02", "video/x", ""},
		{"application/zip", "PK\x03\x04", "application/zip", ""},

		{"image/png", "", "image/png", "it is empty"},
		{"image/png", "<!DOCTYPE html><title>404</title>", "image/png", "its content is text"},
		{"image/png", "\x00\x01\x02\x03", "image/png", "its content is not that of a PNG image"},
		{"image/png", png[1:], "image/png", "its content is not that of a PNG image"},
		{"application/pdf", "PK\x03\x04\x00", "application/pdf", "its content is not that of a PDF document"},
		{"audio/mpeg", "not found", "audio/mpeg", "its content is text"},
	} {
		b := &llm.Blob{MIMEType: tt.declared, Data: []byte(tt.data)}
		if mime, problem := Type(b); mime != tt.mime || problem != tt.problem {
			t.Errorf("%q of %q: %q, %q", tt.data, tt.declared, mime, problem)
		}
		if reason := Reason(b); tt.problem != "" && reason != tt.problem || tt.problem == "" && !strings.Contains(reason, "this model does not take it") {
			t.Errorf("%q of %q: reason %q", tt.data, tt.declared, reason)
		}
	}
}
