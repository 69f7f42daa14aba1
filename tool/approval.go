package tool

// Approval describes a call to the person who approves it, besides the change, the command or the
// request itself: the reason for the question, the reach of the call, and the calls that a lasting
// answer would allow. The gate sets it, and each face shows it in its own form.
type Approval struct {
	Hooked
	// Reason is a sentence about the rule, setting or mode that requires approval; "" if none does
	// and the other members give the reason. IsUsual reports whether it is only the
	// approval mode.
	Reason  string
	IsUsual bool
	// IsRetry is true for a call that has run without success because it lacked a permission, and would run
	// again with more. Reason says which.
	IsRetry bool
	// Quoted is where the words of a call stand that a model wrote as text, such as "README.md":
	// text that neither the user nor the model has written. It is "" for other calls.
	Quoted string
	Reach
	// Permission is a sentence about a permission that the approval gives the call, which rules and modes do not; "" for none.
	Permission string
	// Offers are the lasting answers that the person may give, the one for the shortest time first.
	// It is empty if the answer can only be about this call.
	Offers []Offer
}

// Reach lists the files, hosts and programs that a call reaches, as far as its text shows. The lists
// are limited to [MaxReach] members each.
type Reach struct {
	// Commands are the commands of a shell call that runs more than one, those passed to other
	// shells included. The first ones are of different programs. Total counts the commands, with
	// repetitions.
	Commands []ShellCommand
	Total    int
	// Writes are the targets of output redirections, as written in the command.
	Writes []string
	// Outside are the files outside of the workspace that the call names: absolute paths, or words
	// of a command that the shell expands, as written.
	Outside []string
	// WritesOutside are those of Outside that are targets of output redirections.
	WritesOutside []string
	// Servers are the servers that the call names in URLs.
	Servers []Server
}

// MaxReach limits each list in a [Reach].
const MaxReach = 200

// ShellCommand is a command that a command line contains one or more times.
type ShellCommand struct {
	Program string
	Text    string // as written
	Times   int
}

// Server is a server that a call names in a URL.
type Server struct {
	URL  string // with the host in Unicode
	Host string // in ASCII
	// IsLookalike reports whether the host has characters that can look like others. Readable
	// is the host in Unicode.
	IsLookalike bool
	Readable    string
	// HasUser reports whether the URL has a text before an @, which can look like the host.
	HasUser bool
}

// Hooked is the part of an [Approval] about hooks.
type Hooked struct {
	// IsRequired is true if a hook requires a person's approval, whatever rules, the approval
	// mode and earlier answers allow.
	IsRequired bool
	// IsChanged is true if a hook has changed the arguments. Rules that allow the call as the
	// model wrote it do not allow this one.
	IsChanged bool
	// Message is the hook's message for the person; "" for none.
	Message string
	// Continues is the name of the tool that the model called, if a hook continues that call with this
	// one; else "".
	Continues string
}

// Once reports whether a person can approve only this call, not later ones.
func (h Hooked) Once() bool { return h.IsRequired || h.IsChanged }

// Once reports whether a person can approve only this call, not later ones.
func (a *Approval) Once() bool {
	return a.Hooked.Once() || a.Quoted != "" || a.IsRetry || a.Permission != ""
}

// Offer is a lasting answer that a person may give.
type Offer struct {
	Outcome Outcome
	// Rule is a short description of the calls that would run without a question.
	Rule string
	// Label says in a few words which calls that are, if the outcome does not say it.
	Label string
	// Runners are the programs that would be allowed and that run others, such as git.
	Runners []string
	// SavedIn is the file that stores the answer for future sessions, in the form that people
	// read; "" for an answer for this session.
	SavedIn string
	// IsFirst reports whether this should be the default answer.
	IsFirst bool
}
