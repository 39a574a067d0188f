//go:build !unix

package config

func ownedWith(_, path string) bool { return ownedByUser(path) }
