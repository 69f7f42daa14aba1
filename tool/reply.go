package tool

import "context"

// QuestionConfirmation asks a person questions of the model. The answers are in a [Reply].
type QuestionConfirmation struct {
	Title     string
	Questions []Question
}

// Question is one question of a [QuestionConfirmation].
type Question struct {
	Text   string
	Header string // names the question in a word or two
	Kind   QuestionKind
	// Options are the options of a choice. Multi allows several of them.
	Options []Option
	Multi   bool
	// Closed refuses answers that are not an option.
	Closed bool
	// FreeText names on screen the answer that is not an option, such as "a name"; "" is "your own
	// words". Models cannot set it.
	FreeText string
	// Placeholder is an example of an answer in text.
	Placeholder string
	// Help explains the question to a person who asks for help. Models cannot set it.
	Help string
}

// QuestionKind is the kind of answer to a question.
type QuestionKind string

// The kinds of questions.
const (
	ChoiceQuestion QuestionKind = "choice" // one of its options, or text
	TextQuestion   QuestionKind = "text"   // text
	YesNoQuestion  QuestionKind = "yesno"
	// SecretQuestion asks for text that must not be shown or stored, such as an
	// API key. Models cannot ask it.
	SecretQuestion QuestionKind = "secret"
)

// Option is a possible answer.
type Option struct {
	Label, Description string
	// Key is a letter that selects the option, as its number does; "" is none. Models cannot
	// set it.
	Key string
	// IsDefault selects the option on screen before the person chooses; else that is the first one. Models cannot set it.
	IsDefault bool
}

// PlanConfirmation shows a plan and asks for approval. The decision, and feedback if the plan
// is rejected, are in a [Reply]. An answer without a Reply approves the plan.
type PlanConfirmation struct {
	Title string
	Path  string // absolute
	Plan  string // Markdown
}

func (*QuestionConfirmation) confirmation() {}
func (*PlanConfirmation) confirmation()     {}

// Reply is the content of a person's answer to a [QuestionConfirmation] or a
// [PlanConfirmation].
type Reply struct {
	// Answers holds the answers to a [QuestionConfirmation] by the number of the question: "0"
	// is the first. A question without an answer is missing. Several options are joined by ",
	// ".
	Answers map[string]string
	// Approved, Mode and Feedback answer a [PlanConfirmation]. Mode is the approval mode in
	// which to implement the plan, "" for the default one. Feedback describes the changes
	// to a rejected plan.
	Approved bool
	Mode     string
	Feedback string
}

// Answerable is implemented by invocations whose confirmation asks for a [Reply].
type Answerable interface {
	// Answer receives the person's reply, before the call runs.
	Answer(Reply)
}

// Ask shows a person a confirmation and waits for the answer. It returns an error only if no
// answer can arrive any more, because ctx or the call has ended.
type Ask func(ctx context.Context, details Confirmation) (Answer, error)

// Answer is a person's answer to a [Confirmation].
type Answer struct {
	Outcome Outcome
	// Content, if set, is the person's version of a proposed edit.
	Content *string
	// Reply, if set, answers a confirmation that asks for a reply.
	Reply *Reply
	// Feedback, with [Cancel], is the person's message to the model. The model gets it as the
	// result of the call, and the run continues.
	Feedback string
	// ByRules means that rules or the mode allow the call since they have changed, and that no person has answered.
	ByRules bool
	// Unattended, with [Cancel], means that no person was there to answer.
	Unattended bool
}
