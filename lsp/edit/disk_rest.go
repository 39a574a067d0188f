//go:build unix && !linux && !darwin

package edit

func moveNow(from, to string) error { return moveByLink(from, to, nothing) }

func exchangeNow(_, _ string) error { return errNoExchange }
