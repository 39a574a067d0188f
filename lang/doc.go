// Package lang holds what is known of each language without a server of it: its keywords and comments, and scanners of its sources that
// need no parser. Packages below it read the files that one language's tools know projects by. All of it is pure: it asks no server,
// and what reads files says so.
package lang
