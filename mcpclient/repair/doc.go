// Package repair mends what MCP servers answer outside of the protocol, so that a host sees something it can decode. It is pure: JSON in,
// JSON and a word on what was mended out.
//
// The measure of what is well formed is the decoder of the SDK (go-sdk 1.8.0), since hosts are at least as strict: there one content block
// without a type, of an unknown type or with bad base64 fails the whole result, and an answer that is no object fails the call. What
// that decoder takes, and has content, is passed on byte by byte.
package repair
