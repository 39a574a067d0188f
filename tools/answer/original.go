package answer

import (
	"encoding/json"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/session"
	"lspi/tools/symbol"
)

// The shape of the original lspi (the Rust program), which mcp.output.shape = "original" asks for, is made here and
// nowhere else, from the answer as it is written in the shape of today. Lists of lines become objects with LSP ranges:
// lines and characters from 0, characters in UTF-16, from the files as they are on disk. Fields that the original had
// not stay beside its own, but for those that say the same in another form. docs/from-original.md lists the
// differences; cmd/lspi/internal/gen makes that list by putting recorded answers through both shapes.

// originalVersion is schema_version of the original's answers.
const originalVersion = 1

// OriginalDefaults are the arguments by which tools tell all that the original's shape needs.
var OriginalDefaults = map[string]map[string]json.RawMessage{
	"get_document_symbols": {"detail": json.RawMessage("true")},
	"rename_symbol":        {"diff": json.RawMessage("true")},
}

// OriginalShape writes one answer in the shape of the original.
type OriginalShape struct {
	Called  string          // the name by which the tool was called, which may be an old one
	Root    string          // what relative paths of answers are relative to
	At      *symbol.Located // what the call asked about; nil when nobody knows
	Input   map[string]any  // the arguments of the call
	Servers []session.ServerConfig
	// Read returns the text of a file by its absolute path.
	Read func(path string) (*source.Text, error)
	// InRoots is [session.Workspace.InRoots]; nil where there is one root.
	InRoots func(shown string) []string

	texts map[string]*source.Text // what was read, nil for what could not be
}

// members is a JSON object.
type members = map[string]any

// originalTools has what makes the fields of each tool of the original. A tool that it did not have keeps its shape.
var originalTools = map[string]func(o *OriginalShape, a members){
	"find_definition":          (*OriginalShape).definitions,
	"find_references":          (*OriginalShape).references,
	"find_implementations":     (*OriginalShape).implementations,
	"hover":                    (*OriginalShape).hover,
	"call_hierarchy":           (*OriginalShape).calls,
	"get_document_symbols":     (*OriginalShape).documentSymbols,
	"search_workspace_symbols": (*OriginalShape).workspaceSymbols,
	"get_diagnostics":          (*OriginalShape).diagnostics,
	"rename_symbol":            (*OriginalShape).rename,
	"get_server_status":        (*OriginalShape).statuses,
	"list_servers":             (*OriginalShape).servers,
	"restart_server":           func(o *OriginalShape, a members) { o.controlled(a, "restarted") },
	"stop_server":              func(o *OriginalShape, a members) { o.controlled(a, "stopped") },
}

// asOriginal returns a written envelope in the shape of the original.
func asOriginal(c *Call, raw []byte) ([]byte, error) {
	var a members
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, err
	}
	o := &OriginalShape{Called: c.Request.Called, Root: c.Workspace.Root, Read: source.Read, InRoots: c.Workspace.InRoots}
	_ = json.Unmarshal(c.Request.Arguments, &o.Input) // of what is no members nothing is known
	if at := c.Subject().At; len(at) > 0 {
		o.At = &at[0]
	}
	if conf := c.Session.Settings.Configuration; conf != nil {
		o.Servers = conf.Servers
	}
	o.Shape(a)
	return contract.Marshal(a)
}

// Shape changes an answer in the shape of today to that of the original.
func (o *OriginalShape) Shape(a members) {
	tool, _ := a["tool"].(string)
	a["schema_version"] = originalVersion
	if o.Called != "" {
		a["tool"] = o.Called
	}
	if a["error"] != nil {
		o.failure(a)
		return
	}
	if make := originalTools[tool]; make != nil && a["results"] == nil { // several symbols in one call are of today
		make(o, a)
	}
}

// byPosition reports whether the call is one of the original's tools at a position.
func (o *OriginalShape) byPosition() bool {
	return strings.HasSuffix(o.Called, "_at") || strings.HasSuffix(o.Called, "_strict") ||
		o.Input["character"] != nil && o.Input["symbol_name"] == nil
}

// take returns a field of an answer and removes it: the original had it in another form.
func take(a members, names ...string) (first any) {
	for i, name := range names {
		if i == 0 {
			first = a[name]
		}
		delete(a, name)
	}
	return first
}

// objects returns the objects of a list.
func objects(v any) (out []members) {
	list, _ := v.([]any)
	for _, item := range list {
		if one, ok := item.(members); ok {
			out = append(out, one)
		}
	}
	return out
}

// texts returns the strings of a list.
func texts(v any) (out []string) {
	list, _ := v.([]any)
	for _, item := range list {
		if one, ok := item.(string); ok {
			out = append(out, one)
		}
	}
	return out
}

func text(v any) string { s, _ := v.(string); return s }

func number(v any) int {
	switch n := v.(type) {
	case float64:
		return int(n)
	case int:
		return n
	}
	return 0
}

func atoi(s string) int { n, _ := strconv.Atoi(s); return n }

// absolute returns the path that an answer shows, absolute.
func (o *OriginalShape) absolute(shown string) string {
	if filepath.IsAbs(shown) {
		return shown
	}
	if o.InRoots != nil {
		if meant := o.InRoots(shown); len(meant) == 1 {
			return meant[0]
		}
	}
	return filepath.Join(o.Root, filepath.FromSlash(shown))
}

// uri returns the URI of a file.
func uri(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // a drive of Windows
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// line returns a line of a file, from 1; "" when it cannot be read.
func (o *OriginalShape) line(path string, n int) string {
	t := o.text(path)
	if t == nil || n < 1 || n > t.Lines() {
		return ""
	}
	return t.Line(n)
}

// text returns a file as it is on disk; nil when it cannot be read.
func (o *OriginalShape) text(path string) *source.Text {
	t, known := o.texts[path]
	if !known {
		t, _ = o.Read(path)
		if o.texts == nil {
			o.texts = map[string]*source.Text{}
		}
		o.texts[path] = t
	}
	return t
}

// position is a position of LSP: a line from 1, and a column from 1 in code points.
func (o *OriginalShape) position(path string, line, character int) members {
	if t := o.text(path); t != nil {
		if p, err := t.Inward(source.UTF16, contract.Position{Line: line, Character: character}); err == nil {
			return members{"line": int(p.Line), "character": int(p.Character)}
		}
	}
	return members{"line": max(line-1, 0), "character": max(character-1, 0)}
}

// named is the range of a name at a position: of the name itself where it stands there, else of the identifier there.
func (o *OriginalShape) named(path string, line, character int, name string) members {
	runes := []rune(o.line(path, line))
	rest := runes[min(max(character-1, 0), len(runes)):]
	parts := symbol.Components(name)
	length := 0
	if n := len(parts); n > 0 && strings.HasPrefix(string(rest), parts[n-1]) {
		length = len([]rune(parts[n-1]))
	} else {
		for length < len(rest) && (rest[length] == '_' || unicode.IsLetter(rest[length]) || unicode.IsDigit(rest[length])) {
			length++
		}
	}
	return members{"start": o.position(path, line, character), "end": o.position(path, line, character+length)}
}

// column finds a name in a line, from 1; the first letter of the line when the name is not there.
func (o *OriginalShape) column(path string, line int, name string) int {
	whole := o.line(path, line)
	if parts := symbol.Components(name); len(parts) > 0 {
		if found := source.Occurrences(whole, parts[len(parts)-1]); len(found) > 0 {
			return len([]rune(whole[:found[0]])) + 1
		}
	}
	return len([]rune(whole)) - len([]rune(strings.TrimLeft(whole, " \t"))) + 1
}

// from1 is a range with lines and characters from 1.
func from1(r members) members {
	end := func(name string) members {
		p := r[name].(members)
		return members{"line": p["line"].(int) + 1, "character": p["character"].(int) + 1}
	}
	return members{"start": end("start"), "end": end("end")}
}

// location is a place with the range of the name there.
func (o *OriginalShape) location(shown string, line, character int, name string) members {
	path := o.absolute(shown)
	return members{"file_path": path, "uri": uri(path), "range": o.named(path, line, character, name)}
}

// snippet is a text of code around a line of a file; its own first line may be a comment above.
func (o *OriginalShape) snippet(path string, line int, code string) members {
	first, at := line, strings.TrimSpace(o.line(path, line))
	for i, one := range strings.Split(code, "\n") {
		if at != "" && strings.TrimSpace(one) == at {
			first = line - i
			break
		}
	}
	return members{"start_line": max(first-1, 0), "text": code, "truncated": strings.HasSuffix(code, "…")}
}

// kind is the number of a kind of symbol; nil for one that LSP has not.
func kind(name string) any {
	if i := slices.Index(lsp.SymbolKinds(), lsp.SymbolKind(name)); i >= 0 {
		return i + 1
	}
	return nil
}

// symbolAt is a symbol with its ranges: whole lines, and the name.
func (o *OriginalShape) symbolAt(shown, name, kindName string, line, last, character int) members {
	path := o.absolute(shown)
	whole := members{"start": o.position(path, line, 1),
		"end": o.position(path, max(last, line), len([]rune(o.line(path, max(last, line))))+1)}
	at := o.named(path, line, character, name)
	return members{"name": name, "kind": kind(kindName), "range": whole, "selection_range": at,
		"range_1based": from1(whole), "selection_range_1based": from1(at),
		"selection_start_1based": from1(at)["start"], "document_file_path": path, "document_uri": uri(path)}
}

// asked is the symbol that the call asked about; nil when nobody knows it. Its kind is null where neither the answer
// nor the way to the symbol tells it.
func (o *OriginalShape) asked(kindName string) any {
	if o.At == nil {
		return nil
	}
	if o.At.Sym != nil {
		kindName = string(o.At.Sym.Sym.Kind)
	}
	return o.symbolAt(o.At.Path, o.At.Name, kindName, o.At.At.Line, o.At.At.Line, o.At.At.Character)
}

// usedPosition puts in the position that the server was asked about.
func (o *OriginalShape) usedPosition(a members) {
	a["used_lsp_position"] = nil
	if o.At != nil {
		a["used_lsp_position"] = o.position(o.At.Path, o.At.At.Line, o.At.At.Character)
	}
}

// found puts in places by the name of their list and of their number; a call by name has them below its symbol.
func (o *OriginalShape) found(a members, list, count, kindName string, places []members) {
	o.usedPosition(a)
	a[count] = len(places)
	if o.byPosition() {
		a[list] = orNone(places)
		return
	}
	a["needs_disambiguation"] = false
	a["symbol_matches"] = 1
	a["results"] = []members{{"symbol": o.asked(kindName), list: orNone(places), "truncated": a["truncated"]}}
}

func orNone(list []members) []members {
	if list == nil {
		return []members{}
	}
	return list
}

func (o *OriginalShape) definitions(a members) {
	var places []members
	kindName := ""
	for _, d := range objects(take(a, "definitions")) {
		p := o.location(text(d["file_path"]), number(d["line"]), number(d["character"]), text(d["symbol"]))
		if code := text(d["snippet"]); code != "" {
			p["snippet"] = o.snippet(text(p["file_path"]), number(d["line"]), code)
		}
		kindName = text(d["kind"])
		places = append(places, p)
	}
	if o.Input["target"] == "type_definition" {
		o.usedPosition(a)
		a["type_definition_locations"], a["type_definitions"] = len(places), orNone(places)
		return
	}
	o.found(a, "definitions", "definition_locations", kindName, places)
}

var linePattern = source.LazyRegexp(`^(\d+):(\d+)(?: (.*))?$`)

// inFiles returns the places of files[].references and the like.
func (o *OriginalShape) inFiles(a members, list string) (places []members) {
	for _, f := range objects(take(a, "files", "total", "returned", "left_out")) {
		for _, item := range texts(f[list]) {
			m := linePattern.FindStringSubmatch(item)
			if m == nil {
				continue
			}
			p := o.location(text(f["file_path"]), atoi(m[1]), atoi(m[2]), "")
			if m[3] != "" {
				p["snippet"] = o.snippet(text(p["file_path"]), atoi(m[1]), m[3])
			}
			places = append(places, p)
		}
	}
	return places
}

func (o *OriginalShape) references(a members) {
	estimate := a["total"]
	places := o.inFiles(a, "references")
	if a["truncated"] == true {
		a["total_estimate"], a["returned_results"] = estimate, len(places)
	}
	o.found(a, "references", "reference_locations", "", places)
	a["limited_by_max_results"] = a["truncated"]
}

func (o *OriginalShape) implementations(a members) {
	places := o.inFiles(a, "implementations")
	o.usedPosition(a)
	a["implementation_locations"], a["implementations"] = len(places), orNone(places)
}

func (o *OriginalShape) hover(a members) {
	o.usedPosition(a)
	var parts []string
	for _, name := range []string{"signature", "documentation"} {
		if part := text(a[name]); part != "" {
			parts = append(parts, part)
		}
	}
	a["hover"], a["hover_raw"] = nil, nil
	if len(parts) > 0 {
		whole := strings.Join(parts, "\n\n")
		a["hover"], a["hover_raw"] = whole, members{"contents": members{"kind": "plaintext", "value": whole}}
	}
}

var treeNode = source.LazyRegexp(`^(.*?):(\d+) (?:generated )?(?:@([\d,]+) )?(?:seen )?(?:\+\d+ )?([a-z_]+) (.+)$`)

// node reads one line of a tree; above is the path of the line above. ok is false for what is no node.
func (o *OriginalShape) node(item, above string) (shown string, it members, lines []int, ok bool) {
	m := treeNode.FindStringSubmatch(strings.TrimPrefix(strings.TrimLeft(item, " "), "… "))
	if m == nil {
		return above, nil, nil, false
	}
	if shown = m[1]; shown == "" {
		shown = above
	}
	for _, n := range strings.Split(m[3], ",") {
		if n != "" {
			lines = append(lines, atoi(n))
		}
	}
	name, line := m[5], atoi(m[2])
	s := o.symbolAt(shown, name, m[4], line, line, o.column(o.absolute(shown), line, name))
	it = members{"name": name, "kind": s["kind"], "range": s["range"], "range_1based": s["range_1based"],
		"selection_range": s["selection_range"], "selection_range_1based": s["selection_range_1based"],
		"selection_start_1based": s["selection_start_1based"],
		"location": members{"file_path": s["document_file_path"], "uri": s["document_uri"], "range": s["range"],
			"range_1based": s["range_1based"]}}
	return shown, it, lines, true
}

func (o *OriginalShape) calls(a members) {
	o.usedPosition(a)
	a["target"] = nil
	rootPath, rootName := "", ""
	if shown, root, _, ok := o.node(text(take(a, "root")), ""); ok {
		a["target"], rootPath, rootName = root, shown, text(root["name"])
	}
	if !o.byPosition() {
		a["needs_disambiguation"], a["selected_symbol"] = false, a["target"]
	}
	out := []members{}
	for _, way := range []struct{ list, end string }{{"incoming", "from"}, {"outgoing", "to"}} {
		above := ""
		for _, item := range texts(take(a, way.list)) {
			shown, node, lines, ok := o.node(item, above)
			above = shown
			if !ok || strings.HasPrefix(item, " ") { // the original went one level deep
				continue
			}
			path, name := shown, rootName
			if way.end == "to" {
				path, name = rootPath, text(node["name"])
			}
			out = append(out, members{way.end: node, "from_ranges": o.ranges(path, name, lines)})
		}
	}
	a["calls"], a["call_count"] = out, len(out)
}

// ranges returns where a name stands in lines of a file.
func (o *OriginalShape) ranges(shown, name string, lines []int) []members {
	path, out := o.absolute(shown), []members{}
	for _, line := range lines {
		r := o.named(path, line, o.column(path, line, name), name)
		out = append(out, members{"range": r, "range_1based": from1(r)})
	}
	return out
}

var (
	declared = source.LazyRegexp(`^ *(\d+)(?:-(\d+))? ([a-z_]+) (.+)$`)
	withLine = source.LazyRegexp(`^(.+):(\d+)$`)
	searched = source.LazyRegexp(`^(.+):(\d+) (?:generated )?([a-z_]+) (.+)$`)
)

// documentSymbols makes the symbols of a file; the list of a folder is of today.
func (o *OriginalShape) documentSymbols(a members) {
	list, ok := a["symbols"].([]any)
	if !ok {
		return
	}
	out := []members{}
	shown := text(o.Input["file_path"])
	for _, item := range texts(list) {
		m := declared.FindStringSubmatch(item)
		if m == nil {
			continue
		}
		names, kindName := []string{withoutDetail(m[4])}, m[3]
		if kind(kindName) == nil { // several in one line
			names, kindName = strings.Split(m[4], ", "), singular(kindName)
		}
		for _, name := range names {
			line, last := atoi(m[1]), max(atoi(m[1]), atoi(m[2]))
			if own := withLine.FindStringSubmatch(name); own != nil && len(names) > 1 {
				name, line, last = own[1], atoi(own[2]), atoi(own[2])
			}
			out = append(out, o.symbolAt(shown, name, kindName, line, last, o.column(o.absolute(shown), line, name)))
		}
	}
	take(a, "total", "returned")
	a["symbols"], a["symbol_count"] = out, len(out)
}

// withoutDetail returns the name before what a server says of it.
func withoutDetail(text string) string { name, _, _ := strings.Cut(text, ": "); return name }

// singular returns the kind that a word in the plural is of.
func singular(word string) string {
	for _, ends := range [][2]string{{"ies", "y"}, {"es", ""}, {"s", ""}} {
		if one := strings.TrimSuffix(word, ends[0]) + ends[1]; one != word && kind(one) != nil {
			return one
		}
	}
	return word
}

func (o *OriginalShape) workspaceSymbols(a members) {
	out := []members{}
	for _, item := range texts(take(a, "symbols", "returned")) {
		m := searched.FindStringSubmatch(item)
		if m == nil {
			continue
		}
		name, line := withoutDetail(m[4]), atoi(m[2])
		at := o.location(m[1], line, o.column(o.absolute(m[1]), line, name), name)
		at["range_1based"] = from1(at["range"].(members))
		out = append(out, members{"name": name, "kind": kind(m[3]), "location": at})
	}
	a["matches"], a["match_count"] = out, len(out)
}

// severities are the numbers of LSP.
var severities = map[string]int{"error": 1, "warning": 2, "information": 3, "hint": 4}

func (o *OriginalShape) diagnostics(a members) {
	out := []members{}
	for _, f := range objects(take(a, "files", "total", "returned")) {
		path := o.absolute(text(f["file_path"]))
		for _, d := range objects(f["diagnostics"]) {
			line, last := number(d["line"]), number(d["end_line"])
			one := members{"file_path": path, "severity": severities[text(d["severity"])], "message": d["message"],
				"range": members{"start": o.position(path, line, number(d["character"])),
					"end": o.position(path, max(line, last), number(d["end_character"]))}}
			for _, name := range []string{"code", "source", "tags"} {
				if d[name] != nil {
					one[name] = d[name]
				}
			}
			out = append(out, one)
		}
	}
	a["diagnostics"], a["count"] = out, len(out)
}

func (o *OriginalShape) rename(a members) {
	a["dry_run"] = a["applied"] != true
	if o.byPosition() {
		o.usedPosition(a)
	} else {
		a["symbol"] = o.asked("")
	}
	files, modified, backups := []members{}, []string{}, []string{}
	for _, f := range objects(take(a, "files")) {
		path := o.absolute(text(f["file_path"]))
		one := members{"uri": uri(path), "file_path": path, "before_sha256": f["before_sha256"],
			"edits": edits(text(f["diff"]))}
		if k := text(f["kind"]); k != "" && k != "change" {
			one["kind"], one["from"] = k, f["from"]
		}
		files, modified = append(files, one), append(modified, path)
	}
	for _, path := range texts(take(a, "paths")) { // of the short answer
		modified = append(modified, o.absolute(path))
		files = append(files, members{"uri": uri(o.absolute(path)), "file_path": o.absolute(path), "edits": []members{}})
	}
	a["edit"] = members{"files": files}
	if a["applied"] != true {
		return
	}
	kept, _ := a["backups"].(members)
	for _, file := range slices.Sorted(maps.Keys(kept)) {
		backups = append(backups, o.absolute(text(kept[file])))
	}
	a["apply"] = members{"files_modified": modified, "backup_files": backups}
}

var hunk = source.LazyRegexp(`^@@ -(\d+)(?:,(\d+))? `)

// edits returns the edits of whole lines that a unified diff of one file makes, as LSP has them.
func edits(diff string) []members {
	out := []members{}
	old, from, added, open := 0, 0, "", false // old is the next line of the old text, from 0; from begins the open edit
	flush := func() {
		if open {
			out = append(out, members{"newText": added, "range": members{
				"start": members{"line": from, "character": 0}, "end": members{"line": old, "character": 0}}})
		}
		open, added = false, ""
	}
	inside := false
	for _, line := range strings.SplitAfter(diff, "\n") {
		if m := hunk.FindStringSubmatch(line); m != nil {
			flush()
			inside, old = true, atoi(m[1])-1
			if m[2] == "0" { // behind this line
				old++
			}
			continue
		}
		if !inside || line == "" {
			continue
		}
		if !open && (line[0] == '-' || line[0] == '+') {
			open, from = true, old
		}
		switch line[0] {
		case '-':
			old++
		case '+':
			added += line[1:]
		case '\\': // no newline at the end of the line before
			added = strings.TrimSuffix(added, "\n")
		default:
			flush()
			old++
		}
	}
	flush()
	return out
}

// server returns how a server is configured; nil for one that nobody knows.
func (o *OriginalShape) server(id string) members {
	i := slices.IndexFunc(o.Servers, func(s session.ServerConfig) bool { return s.ID == id })
	if i < 0 {
		return nil
	}
	raw, _ := json.Marshal(o.Servers[i]) // strings and numbers
	var out members
	_ = json.Unmarshal(raw, &out)
	return out
}

func (o *OriginalShape) statuses(a members) {
	out := []members{}
	for _, s := range objects(take(a, "servers")) {
		with := o.server(text(s["server_id"]))
		state := text(s["state"])
		s["kind"], s["extensions"] = with["kind"], with["extensions"]
		s["running"] = state == "ready" || state == "indexing" || state == "starting"
		s["started_ms_ago"] = s["uptime_ms"]
		used := s["last_used_ms_ago"]
		s["last_used_ms_ago"] = used // null where it was not used
		s["server_status"] = nil
		if index, ok := s["index"].(members); ok {
			s["server_status"] = members{"health": index["health"], "quiescent": index["ready"], "message": index["message"]}
		}
		out = append(out, s)
	}
	a["statuses"], a["status_count"] = out, len(out)
}

func (o *OriginalShape) servers(a members) {
	list := objects(a["servers"])
	for _, s := range list {
		for name, value := range o.server(text(s["id"])) {
			if _, there := s[name]; !there {
				s[name] = value
			}
		}
		s["env"] = nil
	}
	take(a, "total", "returned")
	a["server_count"] = len(list)
}

// controlled makes the answer about servers that were restarted or stopped.
func (o *OriginalShape) controlled(a members, done string) {
	ids := []string{}
	for _, s := range objects(take(a, "servers")) {
		if id := text(s["server_id"]); s["error"] == nil && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	a[done], a["busy"], a["requested_extensions"] = ids, []string{}, orEmptyList(o.Input["extensions"])
}

func orEmptyList(v any) any {
	if v == nil {
		return []string{}
	}
	return v
}

// originalCategories are the values of error.kind that the original had, too. It told the rest as internal_error.
var originalCategories = []string{"invalid_params", "read_only", "internal_error"}

// failure makes an error: the kinds are those of the original, and ours stand beside them.
func (o *OriginalShape) failure(a members) {
	e, _ := a["error"].(members)
	data, _ := e["data"].(members)
	ours, _ := data["lspi_error"].(members)
	if was := text(take(data, "original_kind")); was != "" {
		data["kind_today"], ours["kind"] = ours["kind"], was
	}
	if ours["candidates"] != nil {
		a["needs_disambiguation"], a["candidates"] = true, o.candidates(objects(ours["candidates"]))
	}
	if category := text(e["kind"]); !slices.Contains(originalCategories, category) {
		e["kind_today"], e["kind"] = category, "internal_error"
		if was := text(ours["kind"]); was == "no_match" || was == "rename_failed" || was == "not_implemented" {
			e["kind"] = was
		}
	}
}

// candidates are the symbols that a name may mean.
func (o *OriginalShape) candidates(list []members) []members {
	out := []members{}
	for _, c := range list {
		line, character := number(c["line"]), number(c["character"])
		at := o.location(text(c["file_path"]), line, character, text(c["symbol_name"]))
		out = append(out, members{"name": c["symbol_name"], "kind": kind(text(c["kind"])), "file_path": at["file_path"],
			"uri": at["uri"], "line": line, "character": character, "selection_range": at["range"],
			"selection_start_1based": members{"line": line, "character": character}})
	}
	return out
}
