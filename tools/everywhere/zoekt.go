// Package everywhere asks a Zoekt web server, the search engine of GitLab and Sourcegraph, for a name in all
// repositories that it has indexed. What it finds are texts and the symbols of ctags as of the commit that was indexed,
// and no resolved uses; whoever shows them says so.
//
// [Engine.Search] sends one request (Zoekt's JSON API, POST /api/search) and keeps nothing. The repository that the
// question is asked in is left out, since its servers know it better.
package everywhere

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"lspi/contract"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// Engine is a Zoekt web server that was started with -rpc.
type Engine session.Search

// Bounds of a search and its answer.
const (
	searchTime   = 10 * time.Second
	maxAnswer    = 16 << 20 // bytes of the engine's answer
	maxFiles     = 500      // that the engine is asked for
	maxShown     = 60       // matches
	maxShownFile = 5        // matches of one file
	maxCode      = 120      // code points of a line
)

// Found is what an engine found, repository by repository, those with the most matches first.
type Found struct {
	Matches      int          `json:"matches"` // of the lines that the engine returned
	Files        int          `json:"files"`
	Returned     int          `json:"returned"`
	Repositories []Repository `json:"repositories"`

	// Cut says why there may be more matches than these; "" when the engine has looked everywhere.
	Cut string `json:"-"`
}

// Repository is one repository with matches.
type Repository struct {
	Name    string `json:"repository"`
	Commit  string `json:"commit,omitempty"` // that was indexed; "" where the engine does not know it
	Matches int    `json:"matches"`
	Files   []File `json:"files"`
}

// File has the matches of one file, as "line:column code"; a symbol of ctags has its kind and container in front of its
// code: "line:column [function in Server] code".
type File struct {
	Path    string   `json:"file_path"`
	Matches []string `json:"matches"`
}

// fileMatch is FileMatch of zoekt's api.go, as far as it is read.
type fileMatch struct {
	FileName    string
	Repository  string
	Version     string
	LineMatches []struct {
		Line          []byte
		LineNumber    int
		FileName      bool
		LineFragments []struct {
			LineOffset int
			SymbolInfo *struct{ Kind, Parent string }
		}
	}
}

// searchResult is SearchResult of zoekt's api.go, as far as it is read.
type searchResult struct {
	Result *struct {
		FilesSkipped, ShardsSkipped, Crashes int
		FileCount                            int
		Files                                []fileMatch
	}
	Error string
}

// UsesOf is the query for a name as a whole word, in its own case.
func UsesOf(name string) string { return "case:yes content:\\b" + escaped(name) + "\\b" }

// DeclarationsOf is the query for declarations whose name has a part.
func DeclarationsOf(part string) string { return "sym:" + escaped(part) }

// escaped is a literal in Zoekt's query language, in which a space ends an expression.
func escaped(text string) string { return strings.ReplaceAll(regexp.QuoteMeta(text), " ", `\s`) }

// Search asks for a query. own is the name of the repository that is left out, as the engine has it; "" for none. The
// error says what is wrong with the engine, with its address.
func (e Engine) Search(ctx context.Context, query, own string) (*Found, error) {
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	raw, err := json.Marshal(map[string]any{"Q": query, "Opts": map[string]any{"MaxDocDisplayCount": maxFiles,
		"TotalMaxMatchCount": 100 * maxFiles, "ShardMaxMatchCount": 100 * maxFiles,
		"MaxWallTime": searchTime.Nanoseconds() * 8 / 10}})
	if err != nil {
		return nil, err
	}
	address := strings.TrimSuffix(e.URL, "/") + "/api/search"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if e.Token != "" {
		request.Header.Set("Authorization", "Bearer "+e.Token)
	}
	// Without a proxy of this process: whose session it is decides what is between. Nothing is kept open, since
	// nobody ends it.
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("the search engine at %s does not answer: %w", e.URL, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	var answered searchResult
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the answer of %s: %w", address, err)
	case len(body) > maxAnswer:
		return nil, fmt.Errorf("the answer of %s is larger than %d MB: ask for a rarer name", address, maxAnswer>>20)
	case json.Unmarshal(body, &answered) != nil || answered.Result == nil && answered.Error == "":
		return nil, fmt.Errorf("%s is no JSON API of Zoekt (zoekt-webserver -rpc): it answered %s: %s", address,
			response.Status, answer.CutText(contract.OneLine(string(body)), 200))
	case answered.Error != "" || response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s refused the search: %s", address, cmp.Or(answered.Error, response.Status))
	}
	r := answered.Result
	found := grouped(r.Files, own)
	switch {
	case r.Crashes > 0 || r.ShardsSkipped > 0:
		found.Cut = fmt.Sprintf("the engine has not looked into all of its repositories (%d of its parts failed, %d were "+
			"left out)", r.Crashes, r.ShardsSkipped)
	case r.FilesSkipped > 0 || r.FileCount > len(r.Files):
		found.Cut = fmt.Sprintf("the engine found more files than the %d that it returned", len(r.Files))
	case found.Returned < found.Matches:
		found.Cut = fmt.Sprintf("%d of %d matches are shown", found.Returned, found.Matches)
	}
	return found, nil
}

// grouped are the matches by repository and file, but for those of own.
func grouped(files []fileMatch, own string) *Found {
	found := &Found{Repositories: []Repository{}}
	at := map[string]int{}
	for _, f := range files {
		if own != "" && f.Repository == own {
			continue
		}
		i, ok := at[f.Repository]
		if !ok {
			i = len(found.Repositories)
			at[f.Repository] = i
			found.Repositories = append(found.Repositories, Repository{Name: f.Repository, Commit: f.Version, Files: []File{}})
		}
		in := &found.Repositories[i]
		file := File{Path: f.FileName}
		for _, l := range f.LineMatches {
			if l.FileName || len(l.LineFragments) == 0 {
				continue
			}
			in.Matches++
			if len(file.Matches) < maxShownFile {
				file.Matches = append(file.Matches, shown(l.LineNumber, l.LineFragments[0].LineOffset, l.Line,
					l.LineFragments[0].SymbolInfo))
			}
		}
		if len(file.Matches) > 0 {
			in.Files = append(in.Files, file)
			found.Files++
		}
	}
	slices.SortStableFunc(found.Repositories, func(a, b Repository) int { return b.Matches - a.Matches })
	room := maxShown
	for i := range found.Repositories {
		in := &found.Repositories[i]
		found.Matches += in.Matches
		for j := range in.Files {
			if in.Files[j].Matches = in.Files[j].Matches[:min(room, len(in.Files[j].Matches))]; room == 0 {
				in.Files = in.Files[:j]
				break
			}
			room -= len(in.Files[j].Matches)
			found.Returned += len(in.Files[j].Matches)
		}
	}
	return found
}

// shown is a match as a line. The engine counts columns in bytes, from 0.
func shown(line, offset int, text []byte, symbol *struct{ Kind, Parent string }) string {
	column := utf8.RuneCount(text[:min(max(offset, 0), len(text))]) + 1
	what := ""
	if symbol != nil && symbol.Kind != "" {
		if what = "[" + symbol.Kind; symbol.Parent != "" {
			what += " in " + symbol.Parent
		}
		what += "] "
	}
	return fmt.Sprintf("%d:%d %s%s", line, column, what, answer.CutText(contract.OneLine(strings.TrimSpace(string(text))),
		maxCode))
}

// Tell writes what was found.
func (f *Found) Tell(s *answer.Sheet) {
	if f == nil {
		return
	}
	s.Line(0, "In other repositories, as text: %s in %s of %s; %d shown", answer.Counted(f.Matches, "line"),
		answer.Counted(f.Files, "file"), counted(len(f.Repositories)), f.Returned)
	for _, r := range f.Repositories {
		at := ""
		if r.Commit != "" {
			at = " at " + r.Commit[:min(len(r.Commit), 12)]
		}
		s.Line(0, "%s%s (%d)", r.Name, at, r.Matches)
		for _, file := range r.Files {
			s.Line(1, "%s", file.Path)
			for _, m := range file.Matches {
				s.Line(2, "%s", m)
			}
		}
	}
}

func counted(n int) string {
	if n == 1 {
		return "1 repository"
	}
	return fmt.Sprintf("%d repositories", n)
}
