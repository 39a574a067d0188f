package clangd

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/source"
)

// linkedBy are the extensions of files in which the linker, and bindings to other languages, take symbols of C by their
// names: assembler, linker and version scripts, lists of exports, SWIG and Cython; and of sources that are compiled
// with headers of C and C++ and that clangd is not asked about, or from which such are made.
var linkedBy = strings.Fields("s asm nasm ld lds map ver sym syms exp export exports def i swg pyx pxd pxi xs vapi " +
	"m mm cu cuh hip ispc cl metal y yy l ll lex rl gperf qc in j2 jinja mustache")

// binds matches what files of other languages that use symbols of C by their names have.
var binds = source.LazyRegexp(`(?i)\bctypes\b|\bcffi\b|\bffi\b|\bfiddle\b|\bdlsym\b|import "C"|extern "C|` +
	`\bbind ?\(c|DllImport|LibraryImport|@cImport|importc|foreign import|\bccall\b|@_cdecl|@_silgen_name`)

// maxBinding bounds the files of other languages that are read for what they use.
const maxBinding = 1 << 20 // bytes

// usedIn is [lsp.CoverageHooks].UsedIn.
func (a *Process) usedIn(_ context.Context, path, _ string) bool {
	ext := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	if slices.Contains(linkedBy, ext) {
		return true
	}
	if !slices.Contains(bindingExtensions, ext) {
		return false
	}
	text, err := source.ReadRegular(path, maxBinding)
	return err == nil && binds.MatchString(string(text))
}

// bindingExtensions are those of languages whose files may bind to C by its names.
var bindingExtensions = strings.Fields("py rs go lua rb php js ts cs fs swift d zig nim hs ml jl cr f90 f95 f03 f08 f for " +
	"ada adb ads java kt scala vala")
