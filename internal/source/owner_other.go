//go:build !unix

package source

// OfThisUser returns true: owners are not looked at here, since the system's access lists protect the folders of
// users.
func OfThisUser(string) bool { return true }

func OfAnotherUser(string) bool { return false }
