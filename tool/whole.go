package tool

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// Frame is what stands before and after the output in the text of a result, both in Content and in OutputFile: a
// mark that it is not written by the user, or how it has ended. A summary of the output stays within it.
type Frame struct{ Before, After string }

// Whole returns the text of a result as it was before the tool has shortened it, or as its file has it. Of a text of more than most bytes, it
// returns the first fifth and the last four fifths of most, with a line between them that says how much is left out and
// where it is. ok is false if Content is not a single text, or if the whole text cannot be read.
func (r *Result) Whole(most int64) (text string, ok bool) {
	if r.Error != nil || len(r.Content) != 1 || !r.Content[0].IsText() {
		return "", false
	}
	if r.OutputFile == "" {
		return r.Content[0].Text, true
	}
	f, err := os.Open(r.OutputFile)
	if err != nil {
		return "", false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	var b strings.Builder
	if info.Size() <= most {
		_, err = io.Copy(&b, f)
		return b.String(), err == nil
	}
	head := most / 5
	_, err = io.CopyN(&b, f, head)
	begin := strings.ToValidUTF8(b.String(), "")
	b.Reset()
	if err == nil {
		_, err = f.Seek(head-most, io.SeekEnd)
	}
	if err == nil {
		_, err = io.Copy(&b, f)
	}
	return begin + fmt.Sprintf("\n\n... [%s bytes omitted; %s] ...\n\n", groupThousands(int(info.Size()-most)), r.WhereOutput(r.OutputFile)) + strings.ToValidUTF8(b.String(), ""), err == nil
}

// WhereOutput returns which part of the output is in a file with it: "all of it is in FILE".
func (r *Result) WhereOutput(file string) string {
	if r.IsOutputCut {
		return "its beginning and its end are in " + file
	}
	return "all of it is in " + file
}

// WithOutput returns the result with another text in place of the output, within the frame of the result.
func (r *Result) WithOutput(text string) *Result {
	changed := *r
	content := r.Content[0]
	content.Text = r.Frame.Before + text + r.Frame.After
	changed.Content = append(changed.Content[:0:0], content)
	return &changed
}

// Output returns the output in a text that [Result.Whole] has returned, without the frame.
func (f Frame) Output(whole string) string {
	return strings.TrimSuffix(strings.TrimPrefix(whole, f.Before), f.After)
}

// Save writes a text to the file that create returns, and returns the file's name, "" if that fails. A nil create creates no
// file.
func Save(text string, create func() (*os.File, error)) (file string) {
	if create == nil {
		return ""
	}
	f, err := create()
	if err != nil {
		return ""
	}
	_, err = f.WriteString(text)
	if closed := f.Close(); err != nil || closed != nil {
		_ = os.Remove(f.Name()) // half of it would mislead
		return ""
	}
	return f.Name()
}

// WhereWhole returns the sentence that says where a whole output is, "" for no file.
func WhereWhole(file string) string {
	if file == "" {
		return ""
	}
	return "For full output see: " + file
}
