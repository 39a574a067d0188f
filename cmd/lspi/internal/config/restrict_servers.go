package config

import (
	"cmp"
	"slices"

	"lspi/contract"
	"lspi/lsp/spec"
)

// What a [[servers]] entry of a file that is not trusted does to the question which server answers about a file.

// rowFor is the row that an entry is laid over; nil when there is none. Its kind is its own, else the user's for
// this id.
func (r *restriction) rowFor(s *serverTable) *spec.Spec {
	return row(r.rows, cmp.Or(lookup[string](s.values, "kind"), lookup[string](r.base.valuesOf(s.id), "kind"), s.id))
}

// sameKind reports whether the kind is the user's, or the user configures no such server: the kind decides which
// arguments the user's command gets.
func sameKind(r *restriction, g setting) bool {
	of := r.base.server(g.id())
	return of == nil || contract.Fold(lookup[string](of.values, "kind")) == contract.Fold(g.value().(string))
}

// staysOff reports whether the entry does not start what the user has switched off.
func staysOff(r *restriction, g setting) bool {
	enabled, said := r.base.valuesOf(g.id())["enabled"].(bool)
	return g.value() == false || !said || enabled
}

// otherLanguage reports whether files of the server would be of another language than they are.
func otherLanguage(r *restriction, g setting) bool {
	of := r.rowFor(g.server)
	return of == nil || slices.ContainsFunc(of.Languages, func(l spec.Language) bool {
		return len(l.Extensions) > 0 && l.ID != g.value()
	})
}

// otherFiles reports whether the server serves fewer files than its row, or some that another server would serve.
func otherFiles(r *restriction, g setting) bool {
	of := r.rowFor(g.server)
	if of == nil {
		return false // it has no command, so it is left out
	}
	given, own := g.value().([]string), of.Extensions()
	return slices.ContainsFunc(given, func(ext string) bool {
		return !slices.Contains(own, ext) && r.first(ext, nil) != ""
	}) ||
		slices.ContainsFunc(own, func(ext string) bool { return !slices.Contains(given, ext) })
}

// takesOver reports whether the server comes before the one that answers about the same files without it. What it
// serves beyond its row is otherFiles' to tell.
func takesOver(r *restriction, g setting) bool {
	of := r.rowFor(g.server)
	return of != nil && of.Roles.Has(spec.RoleNavigation) &&
		slices.ContainsFunc(of.Extensions(), func(ext string) bool {
			first := r.first(ext, of)
			return first != "" && first != g.id()
		})
}

// first is the id of the server that is asked about files of an extension without the file; "" when it is the row
// of, or none. Rows that need a project file are passed over, since that decides about them.
func (r *restriction) first(ext string, of *spec.Spec) string {
	for _, s := range r.base.servers {
		extensions, said := s.values["extensions"].([]string)
		if own := r.rowFor(s); own != nil && !said {
			extensions = own.Extensions()
		}
		if s.values["enabled"] != false && slices.Contains(extensions, ext) {
			return s.id
		}
	}
	if !lookup[bool](r.base.values, "catalogue") {
		return ""
	}
	i := slices.IndexFunc(r.rows, func(sp spec.Spec) bool {
		return !sp.Roots.Required && sp.Roles.Has(spec.RoleNavigation) && slices.Contains(sp.Extensions(), ext)
	})
	if i < 0 || &r.rows[i] == of {
		return ""
	}
	return r.rows[i].ID
}

// bringsBack reports whether an entry is a server that the user has taken out: by switching its row off under
// another name, or by switching the catalogue off.
func (r *restriction) bringsBack(s *serverTable) bool {
	of := r.rowFor(s)
	if of == nil || r.base.server(s.id) != nil {
		return false // without a command it is told as that; one of the user's stays as enabled as it is
	}
	return !lookup[bool](r.base.values, "catalogue") ||
		slices.ContainsFunc(r.base.servers, func(other *serverTable) bool {
			return other.values["enabled"] == false && r.rowFor(other) == of
		})
}
