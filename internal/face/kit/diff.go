package kit

import (
	"pollux/internal/crash"
	"pollux/tool"
)

// showInEditor shows the change that a question is about in the person's editor, too, if the editor can. The answer that
// comes first counts.
func (d *Driver) showInEditor(q *inquiry) {
	edit, ok := q.details.(*tool.EditConfirmation)
	s := d.current()
	if !ok || !edit.Modifiable || s == nil {
		return
	}
	diff, editor := s.ShowDiff(q.shown.ctx, edit.FilePath, edit.After)
	if diff == nil {
		return
	}
	q.diff = diff
	q.shown.isInEditor(editor)
	go func() {
		defer crash.Recover()
		choice, err := diff.Wait()
		if err != nil {
			return // the editor does not answer any more, but the person does
		}
		a, did := tool.Answer{Outcome: tool.Cancel}, "rejected"
		if choice.IsAccepted {
			a, did = withText(tool.Answer{Outcome: tool.ProceedOnce}, choice.Text, edit.After), "accepted"
		}
		d.do(func() {
			if q.diff == diff {
				d.emit(Notice{"You have " + did + " the change in " + editor + "."})
				d.settle(q, a)
			}
		})
	}()
}

// answerOpen answers the open question. If the editor shows the change, too, the person approves its text there, which
// they may have edited.
func (d *Driver) answerOpen(a tool.Answer) {
	q := d.open
	diff := q.diff
	if diff == nil {
		d.settle(q, a)
		return
	}
	q.diff = nil
	go func() {
		defer crash.Recover()
		text := diff.Close(d.ctx)
		if a.Outcome != tool.Cancel {
			a = withText(a, text, q.details.(*tool.EditConfirmation).After)
		}
		d.do(func() {
			if d.open == q {
				d.settle(q, a)
			}
		})
	}()
}

// withText adds a text that the person has approved in an editor to an answer, if it is not the proposed one.
func withText(a tool.Answer, text, proposed string) tool.Answer {
	if text != proposed && a.Content == nil {
		a.Content = &text
	}
	return a
}

// leaveEditor closes the change of a question that needs no answer any more.
func (d *Driver) leaveEditor(q *inquiry) {
	diff := q.diff
	if diff == nil {
		return
	}
	q.diff = nil
	go func() {
		defer crash.Recover()
		diff.Close(d.ctx)
	}()
}
