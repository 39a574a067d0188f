package tools

var getDiagnostics = define("get_diagnostics", Navigation, diagnosticsOf)
