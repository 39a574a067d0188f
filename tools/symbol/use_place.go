package symbol

import "lspi/contract"

// UsePlace is where a symbol is used; it can be a key of maps.
type UsePlace struct {
	Path string
	At   contract.Position
}
