package daemon

import (
	"encoding/json"
)

// setting is a request whose effect lasts: the next process has to be asked it, too.
type setting struct {
	what string // two requests with the same one are about the same thing
	off  bool   // it takes back what another one has set
}

// isSetting reports whether a request with this method may be a setting.
func isSetting(method string) bool {
	switch method {
	case "logging/setLevel", "resources/subscribe", "resources/unsubscribe":
		return true
	}
	return false
}

// settingOf is the setting that a request is; nil for any other request. line has nothing but the request.
func settingOf(method string, line []byte) *setting {
	if !isSetting(method) {
		return nil
	}
	if method == "logging/setLevel" {
		return &setting{what: "level"}
	}
	var whole struct {
		Params struct {
			URI string `json:"uri"`
		} `json:"params"`
	}
	if json.Unmarshal(line, &whole) != nil {
		return nil
	}
	return &setting{what: "resource " + whole.Params.URI, off: method == "resources/unsubscribe"}
}

const (
	maxSettings = 1000     // of one session that are kept; those beyond it are not
	maxSetting  = 16 << 10 // the length of one that is kept, in bytes
)

// settings are the requests whose effect lasts, by what they are about.
type settings map[string]*request

// answered notes that a setting was answered with a result.
func (s settings) answered(q *request) {
	_, known := s[q.sets.what]
	delete(s, q.sets.what)
	if q.sets.off || len(q.line) > maxSetting || !known && len(s) >= maxSettings {
		return
	}
	s[q.sets.what] = q
}
