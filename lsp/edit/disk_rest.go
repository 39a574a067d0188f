//go:build unix && !linux && !darwin

package edit

import "os"

func moveNow(from, to string) error { return moveByLink(from, to, nothing) }

func exchangeNow(_, _ string) error { return errNoExchange }

func copyExtended(*os.File, string) {}
