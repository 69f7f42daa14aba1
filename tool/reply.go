package tool

// QuestionConfirmation asks a person what the model wants to know
// (spec/tools.md §3.14). The answer comes with a [Reply].
type QuestionConfirmation struct {
	Title     string
	Questions []Question
}

// Question is one of them.
type Question struct {
	Text   string
	Header string // names the question in a word or two
	Kind   QuestionKind
	// Options are what a choice is made of; Multi lets several be chosen.
	Options []Option
	Multi   bool
	// Closed is a choice that takes nothing but its options.
	Closed bool
	// Placeholder shows what an answer in words could look like.
	Placeholder string
}

// QuestionKind is how a question is answered.
type QuestionKind string

// The kinds of questions.
const (
	ChoiceQuestion QuestionKind = "choice" // one of its options, or in words
	TextQuestion   QuestionKind = "text"   // in words
	YesNoQuestion  QuestionKind = "yesno"
	// SecretQuestion is answered in words that nobody should see or keep. Models
	// don't get to ask it.
	SecretQuestion QuestionKind = "secret"
)

// Option is a possible answer.
type Option struct{ Label, Description string }

// PlanConfirmation shows a plan and asks whether it may be carried out
// (spec/tools.md §3.15). A person who wants another plan says so in a [Reply];
// one without is a yes.
type PlanConfirmation struct {
	Title string
	Path  string // absolute
	Plan  string // Markdown
}

func (*QuestionConfirmation) confirmation() {}
func (*PlanConfirmation) confirmation()     {}

// Reply is what a person says to a [Confirmation] that asks for more than
// consent (spec/tools.md §1.4).
type Reply struct {
	// Answers are those to a [QuestionConfirmation], by the number of the
	// question: "0" is the first. One that is missing was not answered. Several
	// options are joined by ", ".
	Answers map[string]string
	// Approved, Mode and Feedback answer a [PlanConfirmation]: Mode is the
	// approval mode to carry the plan out in, "" for the default one; Feedback
	// says what should be otherwise.
	Approved bool
	Mode     string
	Feedback string
}

// Answerable is implemented by invocations whose confirmation asks for a [Reply].
type Answerable interface {
	// Answer is called with what the person said, before the call runs.
	Answer(Reply)
}
