package audit

import (
	"testing"

	"lspi/internal/source"
	"lspi/internal/testkit"
)

// The words of a comment begin no declaration.
func TestHeadsPassOverComments(t *testing.T) {
	text := source.New("/a.rs", "impl P {\n    /// Reads a class or a struct of them.\n    fn read(&self) -> Result<Either<A, B>> {}\n}\n\nimpl Shape for Either {}\n")
	found := heads(text, "Either")
	testkit.Equal(t, len(found), 1, found)
	testkit.Equal(t, found[0].at.Line, 6)
}
