//go:build !unix

package mcpclient_test

func ignoreTerm() {}

func startSleeper() int { return 0 }
