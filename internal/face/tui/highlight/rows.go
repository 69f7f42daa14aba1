package highlight

// rows describes the languages. It is constant data: nothing of it is computed before a language is used.
var rows = [...]row{
	{
		names: "go golang", files: ".go", line: "//", block: "/* */", quotes: "\":e ':e `:m",
		keywords:  "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var",
		types:     "any bool byte comparable complex128 complex64 error float32 float64 int int16 int32 int64 int8 rune string uint uint16 uint32 uint64 uint8 uintptr",
		literals:  "false iota nil true",
		functions: "append cap clear close complex copy delete imag len make max min new panic print println real recover",
	},
	{
		names: "python py python3 py3 pypy gyp", files: ".py .pyi .pyw .bzl sconstruct", line: "#", quotes: `""":em ''':em ":e ':e`,
		prefixes:  "r b f u t R B F U T rb br fr rf Rb bR RB BR",
		keywords:  "and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield",
		types:     "bool bytearray bytes complex dict float frozenset int list object set str tuple type",
		literals:  "Ellipsis False None NotImplemented True",
		functions: "abs all any enumerate filter isinstance len map max min open print range repr reversed sorted sum super zip",
		decorator: "@", isUpper: true,
	},
	{
		names: "javascript js jsx node mjs cjs", files: ".js .jsx .mjs .cjs", line: "//", block: "/* */", quotes: "\":e ':e `:em",
		keywords: "as async await break case catch class const continue debugger default delete do else export extends finally for from function get if import in instanceof let new of return set static super switch this throw try typeof var void while with yield",
		literals: "false Infinity NaN null true undefined", decorator: "@", isUpper: true,
	},
	{
		names: "typescript ts tsx mts cts deno", files: ".ts .tsx .mts .cts", line: "//", block: "/* */", quotes: "\":e ':e `:em",
		keywords: "abstract as async await break case catch class const continue debugger declare default delete do else enum export extends finally for from function get if implements import in infer instanceof interface is keyof let namespace new of override private protected public readonly return satisfies set static super switch this throw try type typeof var void while with yield",
		types:    "any bigint boolean never number object string symbol unknown",
		literals: "false Infinity NaN null true undefined", decorator: "@", isUpper: true,
	},
	{
		names: "java", files: ".java", line: "//", block: "/* */", quotes: `""":em ":e ':e`,
		keywords: "abstract assert break case catch class const continue default do else enum extends final finally for goto if implements import instanceof interface native new package permits private protected public record return sealed static strictfp super switch synchronized this throw throws transient try var volatile while yield",
		types:    "boolean byte char double float int long short void", literals: "false null true", decorator: "@", isUpper: true,
	},
	{
		names: "kotlin kt kts", files: ".kt .kts", line: "//", block: "/* */", isNested: true, quotes: `""":m ":e ':e`,
		keywords: "abstract actual annotation as break by catch class companion const constructor continue crossinline data do else enum expect external final finally for fun if import in infix init inline inner interface internal is lateinit noinline object open operator out override package private protected public reified return sealed super suspend tailrec this throw try typealias val var vararg when where while",
		literals: "false null true", decorator: "@", isUpper: true,
	},
	{
		names: "c h", files: ".c .h", line: "//", block: "/* */", quotes: `":e ':e`, directive: "#",
		keywords: "alignas alignof auto break case const constexpr continue default do else enum extern for goto if inline register restrict return sizeof static static_assert struct switch typedef typeof union volatile while",
		types:    "bool char double float int int16_t int32_t int64_t int8_t intptr_t long ptrdiff_t short signed size_t ssize_t uint16_t uint32_t uint64_t uint8_t uintptr_t unsigned void wchar_t FILE",
		literals: "NULL false nullptr true",
	},
	{
		names: "cpp c++ cc cxx hpp objc objective-c arduino cuda", files: ".cpp .cc .cxx .hpp .hh .hxx .ino .cu .m .mm", line: "//", block: "/* */", quotes: `R"(~)":m ":e ':e`, directive: "#",
		keywords: "alignas alignof asm auto break case catch class co_await co_return co_yield concept const const_cast consteval constexpr constinit continue decltype default delete do dynamic_cast else enum explicit export extern final for friend goto if inline mutable namespace new noexcept operator override private protected public register reinterpret_cast requires return sizeof static static_assert static_cast struct switch template this thread_local throw try typedef typeid typename union using virtual volatile while",
		types:    "bool char char16_t char32_t char8_t double float int int16_t int32_t int64_t int8_t long map short signed size_t string string_view uint16_t uint32_t uint64_t uint8_t unique_ptr unsigned vector void wchar_t",
		literals: "NULL false nil nullptr true",
	},
	{
		names: "csharp c# cs dotnet", files: ".cs .csx", line: "//", block: "/* */", quotes: `""":m @"~":m $"~":e ":e ':e`, directive: "#",
		keywords: "abstract as async await base break case catch checked class const continue default delegate do else enum event explicit extern finally fixed for foreach get goto if implicit in init interface internal is lock namespace new operator out override params partial private protected public readonly record ref required return sealed set sizeof stackalloc static struct switch this throw try typeof unchecked unsafe using var virtual volatile when where while with yield",
		types:    "bool byte char decimal double dynamic float int long nint nuint object sbyte short string uint ulong ushort void",
		literals: "false null true", isUpper: true,
	},
	{
		names: "rust rs", files: ".rs", line: "//", block: "/* */", isNested: true, quotes: `r##"~"##:m r#"~"#:m r"~":m ":em ':c`, directive: "#", prefixes: "b c",
		keywords: "as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move mut pub ref return self static struct super trait type union unsafe use where while",
		types:    "Self bool char f32 f64 i128 i16 i32 i64 i8 isize str u128 u16 u32 u64 u8 usize", literals: "false true", isUpper: true,
	},
	{
		names: "swift", files: ".swift", line: "//", block: "/* */", isNested: true, quotes: `""":em ":e`, directive: "#", decorator: "@",
		keywords: "actor any as associatedtype async await break case catch class continue default defer deinit do else enum extension fallthrough fileprivate final for func guard if import in indirect init inout internal is lazy let mutating open operator override private protocol public repeat required rethrows return self some static struct subscript super switch throw throws try typealias unowned var weak where while",
		types:    "Self", literals: "false nil true", isUpper: true,
	},
	{
		names: "ruby rb irb rake", files: ".rb .rake .gemspec .ru gemfile rakefile podfile vagrantfile", line: "#", block: "=begin =end", quotes: `":em ':em ` + "`:e", letters: "?",
		keywords: "alias and attr_accessor attr_reader attr_writer begin break case class def defined? do else elsif end ensure extend for if in include module next not or private protected public raise redo require require_relative rescue retry return self super then undef unless until when while yield",
		literals: "false nil true", sigils: "@$", symbols: ":", isUpper: true,
	},
	{
		names: "php php8", files: ".php .phtml", line: "// #", block: "/* */", quotes: `":em ':em`,
		keywords: "abstract and as break case catch class clone const continue declare default do echo else elseif empty enum extends final finally fn for foreach function global goto if implements include include_once instanceof insteadof interface isset list match namespace new or print private protected public readonly require require_once return static switch throw trait try unset use var while xor yield",
		types:    "array bool callable float int iterable mixed never object self string void", literals: "false null true FALSE NULL TRUE", sigils: "$", isUpper: true,
	},
	{
		names: "bash sh zsh shell shellscript ksh fish console shellsession", files: ".sh .bash .zsh .ksh .fish .bashrc .zshrc .profile .bash_profile .envrc", line: "#", isSpaced: true, quotes: `":em ':m`, letters: "-",
		keywords:  "case coproc declare do done elif else esac export fi for function if in local readonly return select set shift then time trap typeset unset until while",
		functions: "alias awk bg cat cd chmod chown cp curl cut docker echo eval exec exit find git grep head jq kill ls make mkdir mv npm printf pwd read rm sed sleep sort source ssh sudo tail tar tee test touch tr wc wget xargs",
		literals:  "false true", sigils: "$",
	},
	{
		names: "powershell pwsh ps1 ps", files: ".ps1 .psm1 .psd1", line: "#", block: "<# #>", quotes: `@"~"@:m @'~'@:m ":m ':m`, letters: "-", isFolded: true,
		keywords: "begin break catch class continue data do dynamicparam else elseif end enum exit filter finally for foreach from function hidden if in param process return static switch throw trap try until using while",
		literals: "$false $null $true", sigils: "$",
	},
	{
		names: "batch bat cmd dos", files: ".bat .cmd", line: "rem ::", quotes: `":`, isFolded: true,
		keywords: "call cd cls copy del do echo else endlocal exit for goto if in mkdir move not pause rd set setlocal shift start", sigils: "%",
	},
	{
		names: "sql mysql postgresql postgres pgsql plsql sqlite sqlite3 tsql", files: ".sql .ddl .psql", line: "--", block: "/* */", quotes: "':m \":m `:", isFolded: true,
		keywords: "add all alter analyze and any as asc begin between by cascade case check collate column commit conflict constraint create cross current database default delete desc distinct do drop else end except exists explain foreign from full function grant group having if ilike in index inner insert intersect into is join key lateral left like limit lock materialized natural not nothing of offset on or order outer over partition primary procedure recursive references replace returning returns revoke right rollback row rows schema select sequence set table temp temporary then to transaction trigger truncate union unique update using values view when where window with",
		types:    "bigint binary bit blob boolean bytea char character date datetime decimal double float int integer interval json jsonb money numeric precision real serial smallint text time timestamp timestamptz tinyint uuid varbinary varchar xml",
		literals: "false null true", functions: "avg coalesce count max min now sum",
	},
	{names: "html xml xhtml svg vue svelte xsl xsd rss plist htm jinja handlebars", files: ".html .htm .xml .xhtml .svg .vue .svelte .xsl .xsd .plist .csproj .pom", mode: modeMarkup},
	{
		names: "css scss less sass", files: ".css .scss .less .sass", line: "//", block: "/* */", quotes: `":e ':e`, letters: "-", keys: ":", decorator: "@", sigils: "$", symbols: "#",
		keywords: "and from important not only or to", literals: "auto block flex grid inherit initial none unset",
	},
	{names: "json jsonc json5 jsonl ndjson geojson", files: ".json .jsonc .json5 .jsonl .ndjson .geojson .webmanifest", line: "//", block: "/* */", quotes: `":e ':e`, keys: ":", literals: "false null true"},
	{
		names: "yaml yml", files: ".yaml .yml .clang-format", line: "#", isSpaced: true, quotes: `":e ':`, letters: "-./", keys: ":", noCalls: true,
		literals: "false False no null off on true True yes ~", sigils: "&*", decorator: "!",
	},
	{names: "toml", files: ".toml cargo.lock poetry.lock", line: "#", quotes: `""":em ''':m ":e ':`, letters: "-.", keys: "=", directive: "[", literals: "false inf nan true", noCalls: true},
	{names: "ini cfg conf dotenv env properties editorconfig gitconfig systemd", files: ".ini .cfg .conf .env .properties .editorconfig .gitconfig .service .desktop", line: "# ;", isSpaced: true, quotes: `":e`, letters: "-.", keys: "=:", directive: "[", literals: "false no off on true yes", sigils: "$", noCalls: true},
	{
		names: "dockerfile docker containerfile", files: "dockerfile containerfile .dockerfile", line: "#", isSpaced: true, quotes: `":e ':`, letters: "-", isFolded: true, isLeading: true, sigils: "$",
		keywords: "add arg cmd copy entrypoint env expose from healthcheck label maintainer onbuild run shell stopsignal user volume workdir",
	},
	{
		names: "makefile make mk gnumake", files: "makefile gnumakefile .mk .mak", line: "#", quotes: `":e ':`, letters: "-./%", keys: ":=?+", sigils: "$", isLeading: true,
		keywords: "define else endef endif export ifdef ifeq ifndef ifneq include override undefine unexport vpath",
	},
	{
		names: "cmake", files: ".cmake cmakelists.txt", line: "#", quotes: `":em`, sigils: "$", isFolded: true,
		keywords: "break else elseif endforeach endfunction endif endmacro endwhile foreach function if include macro return set while", literals: "false off on true",
	},
	{
		names: "lua luau", files: ".lua", line: "--", block: "--[[ ]]", quotes: `[[~]]:m ":e ':e`,
		keywords: "and break do else elseif end for function goto if in local not or repeat return then until while", literals: "false nil true",
		functions: "assert error ipairs pairs pcall print require select setmetatable tonumber tostring type",
	},
	{
		names: "perl pl pm", files: ".pl .pm .t", line: "#", isSpaced: true, quotes: `":em ':em`, sigils: "$@%",
		keywords: "and cmp continue do each else elsif eq for foreach ge gt if last le local lt my ne next no not or our package redo require return sub unless until use while xor",
	},
	{
		names: "r rscript rlang", files: ".r .rmd", line: "#", quotes: `":em ':em`, letters: ".",
		keywords: "break else for function if in next repeat return while", literals: "FALSE Inf NA NULL NaN TRUE", functions: "library",
	},
	{
		names: "scala sbt", files: ".scala .sc .sbt", line: "//", block: "/* */", isNested: true, quotes: `""":m ":e ':c`, decorator: "@", isUpper: true,
		keywords: "abstract case catch class def derives do else enum export extends extension final finally for given if implicit import inline lazy match new object opaque override package private protected return sealed super then this throw trait transparent try type using val var while with yield", literals: "false null true",
	},
	{
		names: "groovy gradle", files: ".groovy .gradle jenkinsfile", line: "//", block: "/* */", quotes: `""":em ''':em ":e ':e`, decorator: "@", isUpper: true,
		keywords: "as assert break case catch class continue def default do else enum extends final finally for if implements import in instanceof interface new package private protected public return static super switch this throw throws trait try while",
		types:    "boolean byte char double float int long short void", literals: "false null true",
	},
	{
		names: "dart", files: ".dart", line: "//", block: "/* */", isNested: true, quotes: `""":em ''':em ":e ':e`, prefixes: "r", decorator: "@", isUpper: true,
		keywords: "abstract as assert async await base break case catch class const continue covariant default deferred do else enum export extends extension external factory final finally for get hide if implements import in interface is late library mixin new on operator part required rethrow return sealed set show static super switch sync this throw try typedef var when while with yield",
		types:    "bool double dynamic int num void", literals: "false null true",
	},
	{
		names: "elixir ex exs", files: ".ex .exs .heex", line: "#", quotes: `""":em ''':em ":em ':e`, letters: "?!", sigils: "@", symbols: ":", isUpper: true,
		keywords: "after alias and case catch cond def defdelegate defexception defguard defimpl defmacro defmodule defp defprotocol defstruct do else end fn for if import in not or quote raise receive require rescue try unless unquote use when with", literals: "false nil true",
	},
	{
		names: "erlang erl", files: ".erl .hrl", line: "%", quotes: `":em ':e`, isUpper: true,
		keywords: "after and andalso begin case catch else end fun if of or orelse receive try when", literals: "false true undefined",
	},
	{
		names: "haskell hs purescript elm", files: ".hs .purs .elm", line: "--", block: "{- -}", isNested: true, quotes: `":e ':c`, letters: "'", isUpper: true,
		keywords: "as case class data default deriving do else family forall foreign hiding if import in infix infixl infixr instance let module newtype of qualified then type where",
	},
	{
		names: "ocaml ml fsharp fs f#", files: ".ml .mli .fs .fsx", line: "//", block: "(* *)", isNested: true, quotes: `""":m ":em ':c`, letters: "'", isUpper: true,
		keywords: "and as begin class do done downto else end exception external for fun function functor if in include inherit initializer lazy let match member method module mutable new object of open private rec ref sig struct then to try type val virtual when while with yield",
		types:    "array bool char float int list option string unit", literals: "false true",
	},
	{
		names: "clojure clj lisp elisp scheme racket cljs", files: ".clj .cljs .edn .lisp .el .scm .rkt", line: ";", quotes: `":em`, letters: "-!?*<>=+/.", symbols: ":", noCalls: true,
		keywords: "begin case cond def defmacro defmethod defn defparameter defun define defvar do else fn for if lambda let let* letrec loop ns progn quote recur require set! setq unless when", literals: "false nil t true",
	},
	{names: "diff patch udiff", files: ".diff .patch", mode: modeDiff},
	{names: "markdown md mdx", files: ".md .markdown .mdx", mode: modeMarkdown},
	{
		names: "proto protobuf proto3", files: ".proto", line: "//", block: "/* */", quotes: `":e ':e`, isUpper: true,
		keywords: "enum extend extensions import message oneof option optional package public repeated required reserved returns rpc service stream syntax to",
		types:    "bool bytes double fixed32 fixed64 float int32 int64 map sfixed32 sfixed64 sint32 sint64 string uint32 uint64", literals: "false true",
	},
	{
		names: "graphql gql", files: ".graphql .gql", line: "#", quotes: `""":m ":e`, sigils: "$", decorator: "@", isUpper: true, noCalls: true,
		keywords: "directive enum extend fragment implements input interface mutation on query scalar schema subscription type union", literals: "false null true",
	},
	{
		names: "hcl terraform tf tofu nomad", files: ".tf .tfvars .hcl .tofu", line: "# //", block: "/* */", quotes: `":e`, letters: "-", keys: "=",
		keywords: "check data dynamic for for_each if import in locals module moved output provider resource terraform variable", types: "any bool list map number object set string tuple", literals: "false null true",
	},
	{
		names: "nix", files: ".nix", line: "#", block: "/* */", quotes: `'':m ":em`, letters: "-", keys: "=",
		keywords: "assert else if in inherit let or rec then with", literals: "false null true", functions: "import map throw",
	},
	{
		names: "zig", files: ".zig .zon", line: "//", quotes: `":e ':e`, decorator: "@",
		keywords: "addrspace align allowzero and anyframe anytype asm async await break callconv catch comptime const continue defer else enum errdefer error export extern fn for if inline noalias nosuspend opaque or orelse packed pub resume return struct suspend switch test threadlocal try union unreachable usingnamespace var volatile while",
		types:    "anyerror anyopaque bool c_int comptime_float comptime_int f16 f32 f64 i16 i32 i64 i8 isize noreturn type u1 u16 u32 u64 u8 usize void", literals: "false null true undefined",
	},
	{
		names: "julia jl", files: ".jl", line: "#", block: "#= =#", isNested: true, quotes: `""":em ":em ':c`, letters: "!", decorator: "@", symbols: ":", isUpper: true,
		keywords: "abstract baremodule begin break catch const continue do else elseif end export finally for function global if import in let local macro module mutable quote return struct try using where while", literals: "false missing nothing true",
	},
	{
		names: "solidity sol", files: ".sol", line: "//", block: "/* */", quotes: `":e ':e`, isUpper: true,
		keywords: "abstract as break calldata case constant constructor continue contract delete do else emit enum error event external fallback for function if immutable import indexed interface internal is library mapping memory modifier new override payable pragma private public pure receive return returns revert storage struct this throw try using var view virtual while",
		types:    "address bool bytes bytes32 int int256 string uint uint256 uint8", literals: "false true",
	},
	{
		names: "nginx", files: "nginx.conf .nginx", line: "#", quotes: `":em ':em`, sigils: "$", letters: "-", isLeading: true,
		keywords: "access_log error_log events http if include index listen location proxy_pass proxy_set_header return rewrite root server server_name set try_files upstream user worker_processes", literals: "off on",
	},
	{
		names: "vim viml vimscript", files: ".vim .vimrc", line: "", quotes: `':`, letters: ":", sigils: "&",
		keywords: "autocmd call command echo else elseif endfor endfunction endif endwhile execute for function if in let map nmap nnoremap noremap return set silent source syntax unlet while",
	},
	{
		names: "assembly asm nasm gas", files: ".asm .s", line: "; # //", isSpaced: true, quotes: `":e ':e`, letters: ".%", isFolded: true,
		keywords: "add and call cmp dec div inc int ja jb je jg jge jl jle jmp jne jnz jz lea mov mul nop not or pop push ret shl shr sub syscall test xor",
	},
}
