package config

import "slices"

// editSection begins the keys of protected places.
const editSection = "edit."

// addPlaces makes the lists of protected places of a workspace's file add to what the files below say: what a repository brings
// opens none, also when the user trusts the file for what it runs.
func (l *loader) addPlaces(layer *layer) {
	table, ok := layer.values["edit"].(map[string]any)
	if !ok {
		return
	}
	for name, value := range table {
		list, ok := value.([]string)
		if !ok {
			continue
		}
		all := slices.Clone(lookup[[]string](l.merged, editSection+name))
		for _, place := range list {
			if !slices.Contains(all, place) {
				all = append(all, place)
			}
		}
		table[name] = all
	}
}
