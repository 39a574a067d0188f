package spec

// Loads says how a server tells that it could not load a project: a load that failed is no load that ended, though its
// sign of readiness comes all the same. The patterns are RE2. Failed, Loaded and Empty are matched against the texts of
// window/logMessage and window/showMessage; their group "folders" holds the folders of the projects, each with /...
// behind it as the go command writes it (without the group all projects are meant), and "reason" the server's own
// words.
type Loads struct {
	Failed []string // a load failed
	Loaded []string // a load of the same folders came to a good end
	Empty  []string // a load ended and found nothing, which is a failure where the folders hold sources of a build

	// Broken and Whole are matched against the parameters, as JSON, of the notification that has the sign of
	// readiness ([SignMessage]): the build of a project has errors, or none has any more.
	Broken, Whole []string
	// Outlines: without the project a document has no symbols either.
	Outlines bool

	// Health are the parts that the message of an experimental/serverStatus is made of, by how each begins. Parts
	// that the row does not know count for every answer.
	Health []HealthPart

	Cures []Cure // what helps against a reason, the most precise first
	// Writes are variables that name folders which the server's tools write to; where the server gives no reason,
	// one that cannot be written is it.
	Writes []string
	// Unwritten are patterns for what the server writes to stderr when it could not write there; they count while
	// that holds.
	Unwritten []string
}

// HealthPart is one complaint in a server's status.
type HealthPart struct {
	Begins string // pattern
	About  Complaint
	// Where: it is ComplaintHealth in a project that holds none of these; nil for all projects.
	Where []ProjectText
	// Stderr is a pattern for the reason in what the server wrote to stderr, where the message does not tell it.
	Stderr string
}

// Complaint says what a part of a server's status means for answers.
type Complaint uint8

// Cure is what helps against a load that failed for a reason.
type Cure struct {
	Said    string // pattern that the reason holds
	Have    string // what to do, one sentence; $1 is what the first group of Said stands for
	Command string // that does it, to be run in the project's folder; "" when none does
	Config  bool   // Have is about the user's configuration of lspi
}

// ComplaintHealth limits all answers in a way that the server's words tell. ComplaintLoad is a load that failed.
// ComplaintCheck is about the external checker alone ([Diagnostics].Check).
const (
	ComplaintHealth Complaint = iota
	ComplaintLoad
	ComplaintCheck
)
