package resolve

// unsearched is a file that may hold a name and was not searched for it. Path is "" when there is none;
// Why is nil when the time was over.
type unsearched struct {
	Path string
	Why  error
}
