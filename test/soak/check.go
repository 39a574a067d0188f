//go:build linux

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// verdict says whether an answer kept lspi's promise. From wrong on it did not.
type verdict uint8

const (
	right     verdict = iota // complete and true
	honest                   // partial or unknown, or an error that claims nothing about the code
	torn                     // the tree changed during the call, and the answer fits neither state
	cancelled                // by soak
	wrong                    // complete, and not true
	hung                     // no answer within callLimit
	broken                   // the answer breaks the contract
	late                     // edit loop: not what is on disk, though the answer says that something may be missing
)

func (v verdict) String() string {
	return [...]string{"right", "honest", "torn", "cancelled", "WRONG", "HUNG", "BROKEN", "LATE"}[v]
}

// absent are the kinds of errors that claim that something does not exist.
var absent = []string{"symbol_not_found", "file_not_found", "not_an_identifier", "position_out_of_range"}

// judge compares an answer with the states that the tree had during the call: one, or two when it changed.
func judge(q question, a answer, states ...*tree) (v verdict, why string) {
	switch {
	case errors.Is(a.err, errHang):
		return hung, ""
	case errors.Is(a.err, errByUs):
		return cancelled, ""
	case a.err != nil:
		return broken, a.err.Error()
	case a.Error != nil && !slices.Contains(absent, a.Reason()):
		return honest, ""
	case a.Error != nil && limited(a):
		return honest, ""
	case a.Error == nil && a.Completeness != "complete":
		return honest, ""
	}
	var got []string
	if a.Error == nil {
		var err error
		if got, err = q.read(a.raw); err != nil {
			return broken, err.Error()
		}
	}
	for _, t := range states {
		if want := q.truth(t); fits(a, got, want) {
			return right, ""
		} else {
			why += difference(got, want, a)
		}
	}
	if len(states) > 1 {
		return torn, why
	}
	return wrong, why
}

// limited reports whether an error has a warning by which it does not claim that something does not exist.
func limited(a answer) bool {
	for _, w := range a.Warnings {
		if w.Kind == "indexing" || w.Kind == "not_opened" || w.Kind == "stale_dropped" || w.Kind == "server_failed" ||
			w.Kind == "unlisted_sources" {
			return true
		}
	}
	return false
}

func fits(a answer, got, want []string) bool {
	if want == nil { // it does not exist, which an error or an empty list says
		return len(got) == 0
	}
	return a.Error == nil && slices.Equal(got, want)
}

// difference lists what an answer lacks, and what it has that is not true.
func difference(got, want []string, a answer) string {
	if a.Error != nil {
		return fmt.Sprintf("  the answer is %s; true is\n    %s\n", a.Reason(), strings.Join(want, "\n    "))
	}
	var b strings.Builder
	for _, w := range want {
		if !slices.Contains(got, w) {
			fmt.Fprintf(&b, "  lacks     %s\n", w)
		}
	}
	for _, g := range got {
		if !slices.Contains(want, g) {
			fmt.Fprintf(&b, "  has wrong %s\n", g)
		}
	}
	if b.Len() == 0 {
		return fmt.Sprintf("  order or number differs: %v, true is %v\n", got, want)
	}
	return b.String()
}
