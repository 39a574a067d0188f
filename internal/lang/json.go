package lang

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/tailscale/hujson"
)

// maxJSONBrackets bounds the brackets of a JSON file in a repository: hujson recurses for each that is open, and
// nothing recovers from a stack that overflows.
const maxJSONBrackets = 20_000

var errJSONBounds = errors.New("more brackets than a project's file has")

// DecodeJSON decodes a file of a project that may have comments, and commas before closing brackets. A value of another
// type than into has for it is left out.
func DecodeJSON(text []byte, into any) error {
	if bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) > maxJSONBrackets {
		return errJSONBounds
	}
	plain, err := hujson.Standardize(bytes.TrimPrefix(text, []byte("\ufeff")))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(plain, into); !errors.As(err, new(*json.UnmarshalTypeError)) {
		return err
	}
	return nil
}
