package process

import (
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// What runtimes and tools wrote as they ended: node 20.20, Python 3.11, Go 1.26, rustc 1.97, rustup 1.29, OpenJDK
// 17, and .NET as in issues of its language servers. The middle of long stack traces is left out.
func TestReasonOfLastWords(t *testing.T) {
	for name, c := range map[string]struct{ written, want string }{
		"nothing":  {"", ""},
		"one line": {"loading\ncannot open the index\r\n", "cannot open the index"},
		"usage":    {"unknown flag -x\nusage: x\n  -a  all\n", "usage: x"},
		"frames":   {"beg\n    at c (d.js:2:1)\n", "beg"},
		"long":     {strings.Repeat("x", 400), strings.Repeat("x", 300) + "…"},
		"old trace": {
			"Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'k'\n1\n2\n3\n4\n5\n6\nport is taken\n", "port is taken"},
		"node throws": {
			"/x/a.js:1\nfunction boot(){ throw new Error(\"Cannot open index: EACCES\"); }\n                 ^\n\n" +
				"Error: Cannot open index: EACCES\n    at boot (/x/a.js:1:24)\n    at node:internal/main/run_main_module:28:49\n\nNode.js v20.20.2\n", "Error: Cannot open index: EACCES"},
		"node misses a module": {
			"node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\nError: Cannot find module './nothing/there'\nRequire stack:\n- /x/b.js\n" +
				"    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15) {\n  code: 'MODULE_NOT_FOUND',\n  requireStack: [ '/x/b.js' ]\n}\n\nNode.js v20.20.2\n",
			"Error: Cannot find module './nothing/there'"},
		"node's syntax": {
			"/x/c.js:1\nlet x = ;\n        ^\n\nSyntaxError: Unexpected token ';'\n    at wrapSafe (node:internal/modules/cjs/loader:1464:18)\n\nNode.js v20.20.2\n",
			"SyntaxError: Unexpected token ';'"},
		"node, two lines": {
			"/x/d.js:1\nPromise.reject(new TypeError(\"bad\\nsecond line\"))\n               ^\n\nTypeError: bad\nsecond line\n    at Object.<anonymous> (/x/d.js:1:16)\n\nNode.js v20.20.2\n",
			"TypeError: bad"},
		"node, a cause": {
			"Error: outer\n    at Object.<anonymous> (/x/f.js:1:11)\n    ... 4 lines matching cause stack trace ...\n    at node:internal/main/run_main_module:28:49 {\n" +
				"  [cause]: Error: inner\n      at Object.<anonymous> (/x/f.js:1:38)\n}\n\nNode.js v20.20.2\n",
			"Error: outer"},
		"node, a rejection": {
			"node:internal/process/promises:389\n      new UnhandledPromiseRejection(reason);\n      ^\n\nUnhandledPromiseRejection: The promise rejected with the reason \"nope\".\n" +
				"    at processPromiseRejections (node:internal/process/promises:470:17) {\n  code: 'ERR_UNHANDLED_REJECTION'\n}\n\nNode.js v20.20.2\n",
			"UnhandledPromiseRejection: The promise rejected with the reason \"nope\"."},
		"V8 out of memory": {
			"<--- JS stacktrace --->\n\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n----- Native stack trace -----\n\n" +
				" 1: 0xb78db3 node::OOMErrorHandler(char const*, v8::OOMDetails const&) [node]\n10: 0x195e476  [node]\n",
			"FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory"},
		"Python": {"Traceback (most recent call last):\n  File \"/x/a.py\", line 4, in <module>\n    {}[\"k\"]\n    ~~^^^^^\nKeyError: 'k'\n\nDuring handling of the above exception, another exception occurred:\n\n" +
			"Traceback (most recent call last):\n  File \"/x/a.py\", line 6, in <module>\n    f()\n  File \"/x/a.py\", line 2, in f\n    import nomodule_x\nModuleNotFoundError: No module named 'nomodule_x'\n",
			"ModuleNotFoundError: No module named 'nomodule_x'"},
		"Python, three lines": {
			"Traceback (most recent call last):\n  File \"/x/b.py\", line 1, in <module>\n    raise ValueError(\"first\\nsecond line\\n  third\")\nValueError: first\nsecond line\n  third\n", "ValueError: first"},
		"Python, a note": {
			"Traceback (most recent call last):\n  File \"/x/d.py\", line 1, in <module>\nValueError: v\na note\n",
			"ValueError: v"},
		"Python's syntax": {"  File \"/x/c.py\", line 1\n    x = = 1\n        ^\nSyntaxError: invalid syntax\n",
			"SyntaxError: invalid syntax"},
		"Go panics": {
			"panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x49e188]\n\n" +
				"goroutine 1 [running]:\nmain.main()\n\t./main.go:3 +0x48\nexit status 2\n",
			"panic: runtime error: invalid memory address or nil pointer dereference"},
		"Go panics again": {
			"panic: assignment to entry in nil map [recovered]\n\tpanic: wrapped: assignment to entry in nil map\n\ngoroutine 1 [running]:\nmain.main.func1()\n\t./main.go:4 +0xb3\n" +
				"panic({0x4b0320?, 0x580210?})\n\truntime/panic.go:860 +0x13a\nmain.f(...)\n\t./main.go:3\ncreated by main.main in goroutine 1\n\t./main.go:4 +0x45\n",
			"panic: wrapped: assignment to entry in nil map"},
		"Go, a method": {
			"panic: boom\n\ngoroutine 7 [running]:\ngolang.org/x/tools/gopls/internal/cache.(*Session).Load(0xc000, {0x1, 0x2})\n\t/x/load.go:9 +0x1\n", "panic: boom"},
		"Go deadlocks": {
			"fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [select (no cases)]:\nmain.main()\n\t./main.go:2 +0xf\n", "fatal error: all goroutines are asleep - deadlock!"},
		"Rust panics": {
			"\nthread 'main' (15664) panicked at rp/a.rs:1:54:\nindex out of bounds: the len is 0 but the index is 3\nstack backtrace:\n   0: __rustc::rust_begin_unwind\n" +
				"             at /rustc/5980/library/std/src/panicking.rs:689:5\n   1: a::main\nnote: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.\n",
			"index out of bounds: the len is 0 but the index is 3"},
		"Rust returns an error": {"Error: \"bad config\"\n", "Error: \"bad config\""},
		"rustup without the component": {
			"error: Unknown binary 'rust-analyzer' in official toolchain '1.95.0-x86_64-unknown-linux-gnu'.\n\nStack backtrace:\n   0: anyhow::kind::Adhoc::new\n" +
				"   1: anyhow::__private::format_err.3718\n  13: __libc_start_call_main\n             at ./csu/../sysdeps/nptl/libc_start_call_main.h:58:16\n  15: <unknown>\n",
			"error: Unknown binary 'rust-analyzer' in official toolchain '1.95.0-x86_64-unknown-linux-gnu'."},
		"Java": {"Exception in thread \"main\" java.lang.IllegalStateException: Cannot start the server\n\tat A.main(A.java:1)\nCaused by: java.lang.NullPointerException: Cannot invoke \"Object.toString()\"\n" +
			"\tat A.main(A.java:1)\n\t... 6 more\n",
			"Exception in thread \"main\" java.lang.IllegalStateException: Cannot start the server"},
		"Java's options": {
			"Unrecognized VM option 'NoSuch'\nError: Could not create the Java Virtual Machine.\nError: A fatal exception has occurred. Program will exit.\n", "Unrecognized VM option 'NoSuch'"},
		"Java, no class": {
			"Error: Could not find or load main class no.such.Main\nCaused by: java.lang.ClassNotFoundException: no.such.Main\n", "Error: Could not find or load main class no.such.Main"},
		"Java, no archive": {"Error: Unable to access jarfile nothing.jar\n",
			"Error: Unable to access jarfile nothing.jar"},
		"Java's small heap": {"Error occurred during initialization of VM\nToo small maximum heap\n",
			"Too small maximum heap"},
		".NET": {"Unhandled exception. System.InvalidOperationException: no MSBuild\n ---> System.IO.FileNotFoundException: gone\n   at A.B()\n   --- End of inner exception stack trace ---\n   at Program.Main()\n",
			"Unhandled exception. System.InvalidOperationException: no MSBuild"},
		".NET without a framework": {
			"You must install or update .NET to run this application.\n\nApp: /x/OmniSharp\nArchitecture: x64\nFramework: 'Microsoft.NETCore.App', version '10.0.0' (x64)\n" +
				".NET location: /x/dotnet/\n\nThe following frameworks were found:\n  8.0.21 at [/x/dotnet/shared/Microsoft.NETCore.App]\n\nLearn more:\nhttps://aka.ms/dotnet/app-launch-failed\n\n" +
				"To install missing framework, download:\nhttps://aka.ms/dotnet-core-applaunch?framework=Microsoft.NETCore.App\n", "You must install or update .NET to run this application."},
		"C++": {"terminate called after throwing an instance of 'std::runtime_error'\n  what():  boom\n",
			"what():  boom"},
	} {
		r := newRing(stderrBytes)
		_, _ = r.Write([]byte(c.written))
		testkit.Equal(t, r.Reason(), c.want, name)
	}
}
