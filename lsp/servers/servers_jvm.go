package servers

import (
	"time"

	"lspi/lsp/spec"
)

var javaBuilds = []string{"pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"}

// javaRoots: a nested Gradle or Maven module belongs to the build that includes it, which is the topmost.
func javaRoots(own ...string) spec.RootRule {
	return roots(
		topmost("settings.gradle", "settings.gradle.kts", "mvnw", "gradlew"),
		topmost(append([]string{"pom.xml", "build.gradle", "build.gradle.kts"}, own...)...),
	)
}

func javaSkips(more ...string) []string {
	return append([]string{"target", "build", "bin", "out", ".gradle", ".idea", "node_modules"}, more...)
}

// javaWaits: the import of a Maven or Gradle build runs before the first answer.
var javaWaits = spec.Timeouts{Initialize: 3 * time.Minute, Request: time.Minute}

// javaLoads are the words of jdtls (1.59) for a build that it could not read; it says that it is ready all the same.
var javaLoads = spec.Loads{
	Failed:   []string{`Failed to import projects\n[\w.]+Exception: (?P<reason>[^\n]*)`},
	Broken:   []string{`"ProjectStatus".*"WARNING"`},
	Whole:    []string{`"ProjectStatus".*"OK"`},
	Outlines: true,
	Cures: []spec.Cure{{Said: `could not be resolved|Cannot download|UnknownHost|description of its build`,
		Have: "Make the build work on the command line first (mvn compile, gradle build): the server fetches the same plugins and dependencies."}},
}

var jvmServers = []spec.Spec{{
	ID: "jdtls", Title: "Eclipse JDT Language Server",
	Languages: languages("java"),
	Commands:  []spec.Command{run("jdtls")},
	// Some launchers need the folder, and two processes cannot use one. Without the variable it writes .project and
	// .settings into the tree.
	Outputs: []spec.Output{{Name: "data", Arg: "-data", Alone: true}},
	Sets:    map[string]string{"JDK_JAVA_OPTIONS": "-Djava.import.generatesMetadataFilesAtProjectRoot=false"},
	// What it offers would else be registered some time after it says that it is ready.
	Capabilities: offersAtOnce("references", "rename", "definition", "typeDefinition", "implementation", "declaration",
		"hover", "documentSymbol",
		"callHierarchy", "typeHierarchy", "signatureHelp", "documentHighlight", "foldingRange"),
	Roots: javaRoots(".classpath", ".project", "build.xml"),
	Readiness: spec.Readiness{Sign: spec.SignMessage, Tokens: []string{"language/status", "ServiceReady"},
		Loads: javaLoads},
	// It takes a new description of the build in some time later, and does not tell that an import failed before.
	Freshness: spec.Freshness{Watched: true, Globs: []string{"*.java"},
		RestartOn: append(javaBuilds[:len(javaBuilds):len(javaBuilds)], "gradle.properties", ".classpath", ".project")},
	Settings: map[string]any{"java": map[string]any{
		"configuration": map[string]any{"updateBuildConfiguration": "automatic"},
		"autobuild":     map[string]any{"enabled": false}, // it would write classes into the build's own folder
		"symbols":       map[string]any{"includeSourceMethodDeclarations": true},
	}},
	SkipDirs: javaSkips(".settings"),
	Timeouts: javaWaits,
	Install: []spec.Install{
		brew("jdtls"), nixProfile("jdt-language-server"), by("yay", "yay -S --noconfirm jdtls"),
		by("scoop", "scoop install jdtls"),
	},
}, {
	ID: "kotlin-lsp", Title: "Kotlin LSP (JetBrains)",
	Languages: languages("kotlin"),
	Commands:  []spec.Command{run("kotlin-lsp", "--stdio"), run("kotlin-lsp.sh", "--stdio")},
	Roots:     javaRoots("workspace.json"),
	// While it imports and indexes it gives empty answers as success (Kotlin/kotlin-lsp issue 267), and the end of
	// one progress is not the last.
	Freshness:   notified(append(javaBuilds[:len(javaBuilds):len(javaBuilds)], "gradle.properties")...),
	Diagnostics: pull(),
	SkipDirs:    javaSkips(),
	Timeouts:    javaWaits,
	Install:     []spec.Install{brew("JetBrains/utils/kotlin-lsp")},
}, {
	ID: "kotlin-language-server", Title: "Kotlin Language Server (fwcd)",
	Languages: languages("kotlin"),
	Commands:  []spec.Command{run("kotlin-language-server")},
	Roots:     javaRoots(),
	Readiness: silent(), // its "Indexing" is known to stay forever (issue 403)
	Freshness: notified(javaBuilds...),
	SkipDirs:  javaSkips(),
	Timeouts:  javaWaits,
	Install: []spec.Install{
		brew("kotlin-language-server"), nixProfile("kotlin-language-server"),
		by("scoop", "scoop install kotlin-language-server"),
	},
}, {
	ID: "metals", Title: "Metals",
	Languages: languages("scala"),
	Commands:  []spec.Command{run("metals")},
	Roots: roots(topmost("build.sbt", "build.sc", "build.mill", "project/build.properties"),
		topmost(javaBuilds...), closestTo("project.scala", ".scala-build")),
	// Without it Metals asks a person whether to import the build, and knows nothing until then.
	Settings: map[string]any{"metals": map[string]any{"autoImportBuilds": "all"}},
	Freshness: notified(append(javaBuilds[:len(javaBuilds):len(javaBuilds)], "build.sbt", "*.sbt", "build.sc",
		"build.mill")...),
	SkipDirs: javaSkips(".bloop", ".metals", ".bsp"),
	Timeouts: javaWaits,
	Install:  []spec.Install{coursier("metals"), brew("metals"), nixProfile("metals")},
}, {
	ID: "clojure-lsp", Title: "clojure-lsp",
	Languages: languages("clojure", "clojurescript"),
	Commands:  []spec.Command{run("clojure-lsp")},
	Roots:     roots(closestTo("deps.edn", "project.clj", "shadow-cljs.edn", "bb.edn", "build.boot")),
	Readiness: waits(), // analyses the project within initialize
	Freshness: notified("deps.edn", "project.clj"),
	SkipDirs:  javaSkips(".cpcache", ".clj-kondo", ".lsp", ".shadow-cljs"),
	Timeouts:  javaWaits,
	Install: []spec.Install{
		brew("clojure-lsp/brew/clojure-lsp-native"), nixProfile("clojure-lsp"),
		by("scoop", "scoop install clojure-lsp"),
	},
}}
