package unfinished

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// expression is a regular expression that is compiled when it is first needed: each costs a part of
// a millisecond, and most responses need none.
type expression func() *regexp.Regexp

func compiled(text string) expression {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// inAnyCase returns the expression of a text, regardless of upper and lower case.
func inAnyCase(text string) expression {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?i)" + text) })
}

var (
	// purpose matches a sentence that gives the purpose of the step before it.
	purpose = inAnyCase(`^(?:this|that|these|it) (?:will|should|way|helps?|lets?|gives?|allows?)\b|^(?:one moment|please wait|hold on|please hold)\b|` +
		`^das (?:hilft|wird)|^dadurch|^einen moment|^cela (?:me |nous )?(?:permettra|aidera)|^esto (?:me )?(?:permitirá|ayudará)|^这(?:样|将|会|有助)|^これにより`)
	// person matches a sentence that addresses the user.
	person = inAnyCase(`\b(?:you|your|please|bitte|sie|ihnen|vous|votre|usted|tu|você)\b|(?:^|\s)(?:вы|вам|ваш)|你|您|请|ください`)
	// example matches a text that explains calls.
	example = inAnyCase(`\b(?:you can|you could|you would|you may|for example|e\.g\.|example|zum beispiel|par exemple|por ejemplo)\b|例如|たとえば|例えば`)
	// definition matches a line that defines a name in a program.
	definition = compiled(`^\s*(?:def|class|import|from|func|function|package|public|#include|const|let|var|if|for|while|return)\b`)
	// call matches a line that calls a tool: the name and the rest of the line.
	call = compiled(`^(?:\$ |> )?(?:print\()?(?:[a-z_]\w* ?= ?)?(?:await )?(?:default_api\.|functions\.|tools\.)?([A-Za-z_]\w*)((?:\(| |$).*)$`)
	// named matches named arguments.
	named = compiled(`^\(\s*(?:\w+\s*[=:]|\{)`)
	// object matches a member of an object that names a tool.
	object = compiled(`"(?:name|tool|tool_name|tool_call|function|action)"\s*:\s*"([^"]+)"`)
	// clause matches the words between two main clauses.
	clause = inAnyCase(`; |, (?:so|but|and now) | [-–—] `)
)

// language recognizes announcements in a language.
type language struct {
	// mayAnnounce reports whether a sentence in plain form can be an announcement. Others need no expression.
	mayAnnounce func(sentence string) bool
	// An announcement is a sentence in which the speaker names a step that a tool can take; an exception puts
	// it off, offers it, or leaves it to the user.
	announcement, exception expression
}

func newLanguage(mayAnnounce func(sentence string) bool, announcement, exception string) language {
	return language{mayAnnounce, inAnyCase(announcement), inAnyCase(exception)}
}

// hasCue returns a function that reports whether a text has one of these.
func hasCue(cues ...string) func(text string) bool {
	return func(text string) bool {
		return slices.ContainsFunc(cues, func(cue string) bool { return strings.Contains(text, cue) })
	}
}

// hasLetter returns a function that reports whether a text has one of these letters.
func hasLetter(letters *unicode.RangeTable) func(text string) bool {
	return func(text string) bool {
		return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(letters, r) })
	}
}

// languages are those whose announcements are recognized.
var languages = sync.OnceValue(func() []language {
	return []language{
		newLanguage(mayAnnounceInEnglish, english(), englishException),
		newLanguage( // German
			hasCue("ich", "lass", "wir "),
			`^ich beginne (?:damit|mit)\s|^(?:(?:gut|ok(?:ay)?|also|klar|alles klar|verstanden|nun|jetzt|zuerst|zunächst|als (?:nächstes|erstes)|dann|danach|anschließend|um [^,.;]{1,80})[,.!:]*\s+)*`+
				`(?:ich werde|werde ich|ich muss|muss ich|lass(?:en sie)? (?:mich|uns))\s.*?(?:lesen|prüfen|ansehen|anschauen|nachsehen|suchen|öffnen|ausführen|starten|beginnen|anfangen|erstellen|schreiben|hinzufügen|aktualisieren|bearbeiten|ändern|anpassen|beheben|implementieren|umsetzen|untersuchen|analysieren|testen|auflisten|löschen|entfernen|umbenennen|ersetzen|korrigieren|durchführen|laufen lassen|verschaffen|vornehmen|einbauen|ergänzen|installieren|fortfahren|weitermachen)(?:[.!:…]|$|, )`+
				`|^(?:(?:gut|ok(?:ay)?|also|klar|alles klar)[,.!]*\s+)*(?:nun|jetzt|zuerst|zunächst|als (?:nächstes|erstes)|dann)\s+(?:lese|prüfe|überprüfe|schaue|sehe|suche|durchsuche|öffne|führe|starte|beginne|erstelle|schreibe|füge|aktualisiere|bearbeite|ändere|behebe|implementiere|untersuche|analysiere|teste)\s+ich\s`+
				`|^(?:(?:gut|ok(?:ay)?|also|klar|alles klar)[,.!]*\s+)*ich (?:lese|prüfe|überprüfe|schaue|sehe|suche|durchsuche|öffne|führe|starte|beginne|erstelle|schreibe|füge|aktualisiere|bearbeite|ändere|behebe|implementiere|untersuche|analysiere|teste)\s(?:.*\s)?(?:jetzt|nun|zuerst|zunächst|als nächstes)(?:\s|[.!:…]|$)`+
				`|^(?:schauen|sehen) wir (?:uns )?.*\ban[.!:…]?$`,
			`\b(?:(?:wenn|falls|sobald|sofern) (?:sie|du|ihr|nötig|gewünscht)|nicht|weil|wissen|sagen sie|sag mir|gern|gerne|warten?|später|morgen|künftig|in zukunft|ab (?:jetzt|sofort)|immer|nie|jedes mal|(?:ihre|deine) (?:bestätigung|zustimmung|antwort|freigabe))\b`,
		),
		newLanguage( // French
			hasCue("je ", "nous allons", "laisse", "permettez", "commen"),
			`^(?:(?:d'accord|ok|bien|très bien|parfait|compris|maintenant|d'abord|ensuite|alors|tout d'abord|pour [^,.;]{1,80})[,.!:]*\s+)*(?:je vais|je dois|nous allons|laissez-moi|laisse-moi|permettez-moi de|commençons par|commen[cç]ons à|je commence par)(?:\s+(?:maintenant|d'abord|ensuite|donc|à présent|tout|commencer par|le|la|les|y))*\s+`+
				`(?:lire|relire|vérifier|examiner|regarder|consulter|chercher|rechercher|ouvrir|exécuter|lancer|commencer|créer|écrire|ajouter|modifier|mettre à jour|corriger|implémenter|analyser|tester|explorer|lister|supprimer|remplacer|inspecter|parcourir)(?:\s|[.:!…]|$)`,
			`(?:si|dès que|quand|lorsque|une fois que) (?:vous|tu)|s'il (?:vous|te)|n'hésite|savoir|dites|dis-moi|attend|plus tard|demain|toujours|désormais|dorénavant|(?:votre|ton) (?:accord|confirmation|retour|réponse)|si besoin|si nécessaire`,
		),
		newLanguage( // Spanish
			hasCue("voy a", "vamos a", "déj", "permít", "necesito", "debo", "proced", "emp", "comen", "ré"),
			`^(?:(?:de acuerdo|vale|ok|bien|perfecto|entendido|claro|ahora|primero|luego|después|a continuación|entonces|para [^,.;]{1,80})[,.!:]*\s+)*(?:(?:voy a|vamos a|déjame|déjeme|permíteme|permítame|necesito|debo|procederé a|procedo a|empezaré por|empezaré a|comenzaré por|comenzaré a|comencemos por|empecemos por)(?:\s+(?:ahora|primero|luego|empezar por|comenzar por))*\s+`+
				`(?:leer|revisar|comprobar|verificar|examinar|mirar|buscar|abrir|ejecutar|empezar|comenzar|crear|escribir|añadir|agregar|modificar|actualizar|corregir|implementar|analizar|probar|explorar|listar|eliminar|reemplazar|inspeccionar|ver (?:qué|cómo|si|el|la|los))|(?:leeré|revisaré|buscaré|ejecutaré|comprobaré|verificaré|examinaré|abriré|crearé|modificaré|actualizaré|corregiré|analizaré))(?:\s|[.:!…]|$)`,
			`si (?:quieres|lo deseas|necesitas|usted|prefieres|hace falta|es necesario)|cuando (?:quieras|usted|lo)|avísa|dime|díga|hazme saber|háganme|esper|mañana|más tarde|siempre|de ahora en adelante|a partir de ahora|(?:tu|su) (?:confirmación|aprobación|respuesta)`,
		),
		newLanguage( // Portuguese
			hasCue("vou", "vamos", "irei", "deix", "preciso", "permita"),
			`^(?:(?:certo|ok|bem|perfeito|entendido|agora|primeiro|depois|em seguida|então|para [^,.;]{1,80})[,.!:]*\s+)*(?:vou|vamos|irei|deixe-me|deixa eu|preciso|permita-me)(?:\s+(?:agora|primeiro|começar por|começar a))*\s+`+
				`(?:ler|revisar|verificar|examinar|olhar|procurar|buscar|abrir|executar|rodar|começar|criar|escrever|adicionar|modificar|atualizar|corrigir|implementar|analisar|testar|explorar|listar|remover|substituir|inspecionar)(?:\s|[.:!…]|$)`,
			`se (?:você|quiser|precisar|desejar|necessário)|quando (?:você|quiser)|avise|me diga|aguard|esper|amanhã|mais tarde|sempre|a partir de agora`,
		),
		newLanguage( // Italian
			hasCue("procedo", "vado", "lascia", "fammi", "devo", "dobbiamo", "inizi", "cominci", "rò", "ora ", "adesso", "prima"),
			`^(?:(?:certo|ok|bene|perfetto|capito|ora|adesso|prima|poi|per [^,.;]{1,80})[,.!:]*\s+)*(?:(?:procedo a|vado a|lasciami|lasciatemi|fammi|devo|dobbiamo|iniziamo a|comincio a|inizio a)(?:\s+(?:ora|prima))*\s+(?:leggere|controllare|verificare|esaminare|guardare|cercare|aprire|eseguire|creare|scrivere|aggiungere|modificare|aggiornare|correggere|implementare|analizzare|provare|esplorare|elencare)`+
				`|(?:leggerò|controllerò|verificherò|esaminerò|cercherò|eseguirò|aprirò|creerò|modificherò|aggiornerò|analizzerò))(?:\s|[.:!…]|$)|^(?:ora|adesso|prima) (?:leggo|controllo|verifico|cerco|eseguo|apro|creo|modifico|aggiorno|analizzo|esamino)\s`,
			`se (?:vuoi|vuole|preferisci|serve|necessario)|quando (?:vuoi|vuole)|fammi sapere|dimmi|attend|domani|più tardi|sempre|d'ora in poi`,
		),
		newLanguage( // Russian
			hasLetter(unicode.Cyrillic),
			`^(?:(?:хорошо|понял|понятно|итак|сейчас|теперь|сначала|давайте|для начала|далее|затем|сперва|чтобы [^,.;]{1,80})[,.!:]*\s+)*(?:я\s+)?(?:сначала\s+|сейчас\s+|теперь\s+)?(?:прочита(?:ю|ем)|посмотр(?:ю|им)|провер(?:ю|им)|изуч(?:у|им)|откро(?:ю|ем)|найд(?:у|ём|ем)|запу(?:щу|стим)|созда(?:м|дим)|исправ(?:лю|им)|обнов(?:лю|им)|проанализиру(?:ю|ем)|начн(?:у|ём|ем)|добав(?:лю|им)|выполн(?:ю|им)|поищ(?:у|ем))(?:\s|[.:!…]|$)`,
			`если (?:вы|ты|нужно|хотите|хочешь)|когда (?:вы|ты)|как только|сообщите|скажите|позже|завтра|всегда|дайте знать|впредь|начнем с того|начнём с того`,
		),
		newLanguage( // Chinese
			hasLetter(unicode.Han),
			`(?:^|[,，。：:、])(?:好的?[,，]?)?(?:让我们?|我(?:现在|将|会|要|来|先|需要|接下来|马上|这就|首先)+|我们(?:先|来|现在|需要)+|接下来[,，]?(?:我|我们|让我)?(?:将|会|要|来)?|现在[,，]?(?:我|让我|我们)?(?:将|来|开始|要)|首先[,，]?(?:我|让我|我们)(?:来|将|会|要|先|需要)?|下面我(?:将|来|会)?)`+
				`[^,，。]{0,12}?(?:查看|读取|阅读|检查|看看|看一下|看一看|搜索|查找|运行|执行|修改|创建|打开|分析|编写|写入|添加|更新|修复|列出|测试|验证|调用|浏览|探索|确认|定位|删除|安装|编译|实现)`,
			`如果|若|(?:你|您)(?:可以|需要|应该|想|要)|请告诉|告诉我|需要的话|是否|吗|以后|明天|稍后|等待|等你|等您|随时|(?:您|你)的(?:确认|回复|批准|意见)|每次|始终|总是|今后|[查看取改行建开析写加新复试证索找除装译现]了`,
		),
		newLanguage( // Japanese
			hasLetter(unicode.Hiragana),
			`^(?:はい[、。]?|わかりました[、。]?|承知しました[、。]?)?(?:これから|今から|それでは|では[、]|さっそく|早速)[^。]*(?:読み|読み込み|確認し|調べ|調査し|検索し|実行し|作成し|修正し|変更し|開き|見|探し|更新し|追加し|テストし|分析し|始め|開始し|実装し|書き)(?:ます|ましょう)[。:：…!！]?$|(?:を|して|から|に)(?:[^。、]{0,8})(?:確認|調査|検索|実行|作成|修正|調べ|読ん|読み込ん|見|開い|探し|更新|追加|テスト|分析)(?:し)?て(?:み|いき)(?:ます|ましょう)[。:：…!！]?$`,
			`ください|これからは|場合|れば|たら|ご連絡|お知らせ|待ち|後で|明日|いつでも|今後|次回`,
		),
		newLanguage( // Korean
			hasCue("겠습니다"),
			`(?:읽|읽어 보|읽어보|확인하|확인해 보|확인해보|살펴보|살펴 보|검색하|검색해 보|실행하|실행해 보|수정하|작성하|찾아보|찾아 보|분석하|시작하|추가하|열어보|열어 보|조사하|업데이트하|생성하|테스트하)겠습니다[.!:…]?$`,
			`알려|원하시|필요하시|말씀|기다리|나중에|내일|앞으로|항상|경우`,
		),
	}
})

// The parts of the English expression.
const (
	// lead may stand before the announcement in its sentence.
	lead = `^(?:(?:ok(?:ay)?|sure|great|alright|all right|perfect|good|right|understood|got it|thanks|thank you|certainly|of course|absolutely|yes|well|now|next|first|firstly|then|so|finally|lastly|also|still|however|but|and|hmm?|oops|sorry|therefore|instead|in addition|additionally|afterwards|from here|after that|` +
		`as (?:the|a|my) (?:next|first|last|final) step|(?:once|when|after|with) (?:that|this|it)\b[^,.;]{0,60}|before (?:i|we|that)\b[^,.;]{0,80}|to (?:start|begin)(?: with)?|(?:to|since|because|based on|in order to|for) [^,.;]{1,80})[,.!:;]*\s+)*`
	adverb = `(?:now|first|then|next|also|just|still|quickly|briefly|carefully|go ahead and|proceed to|continue to|try to|try|take a moment to|need to|have to|by|start by|begin by|do that by)`
	// present are verbs whose present tense is not also their past tense.
	present = `re-?check|check|look|examine|inspect|search|find out|find the|find all|find where|open|run|re-?run|execute|list|view|explore|start|begin|create|write|re-?write|add|append|insert|update|edit|modify|change|correct|adjust|adapt|extend|fix|implement|apply|test|verify|validate|confirm|double-check|analy[sz]e|investigate|review|call|invoke|grep|delete|remove|drop|rename|refactor|simplify|replace|convert|copy|restore|revert|undo|stage|commit|install|build|compile|fetch|continue (?:with|by)|proceed|gather|locate|scan|trace|debug|reproduce|measure|compare|document|generate|move|clean up|take a (?:closer |quick )?look|have a (?:closer |quick )?look|determine|identify|figure out|retrieve|browse|patch|query`
	verb    = present + `|read|re-?read|set up|see (?:what|how|where|which|if|whether)|try (?:again|that|this|it|another|a different)|` +
		`do (?:this|that|so|it|the following)|reading|checking|looking|searching|examining|listing|running|exploring|opening|inspecting|use (?:the )?[\w.-]+ (?:tool|command|function)|make (?:the|these|those|this|that|a|some|an)\s+(?:\w+\s+){0,3}(?:changes?|edits?|fix(?:es)?|updates?|modifications?|corrections?)`
	progressive = `reading|checking|running|searching|looking|opening|inspecting|creating|starting|analy[sz]ing|examining|exploring|updating|fetching|listing|fixing|adding|changing|removing|testing|writing`
)

// english returns the expression for English: "I will VERB", "now I VERB", "I need to VERB" unless
// a reason or an obstacle follows, "VERBing ...".
func english() string {
	return lead + `(?:i'll|i will|i'm (?:now )?going to|i am (?:now )?going to|i'm about to|i am about to|i should (?:now|next|first)|we'll|we will|let me|let us|let's)(?:\s+` + adverb + `)*\s+(?:` + verb + `)\b` +
		`|^(?:(?:now|next|then|first)[,:]?\s+(?:i|we)|i now)(?:\s+(?:also|just))?\s+(?:` + present + `|read [^,]{1,60}\.$)\b` +
		`|` + needs + `(?:` + verb + `)\b` +
		`|^(?:(?:ok(?:ay)?|sure|now|next|first)[,.!]*\s+)*(?:` + progressive + `)\b.*(?:\.\.\.|…)$|^(?:` + progressive + `) (?:the|it|that|this|these)(?: [\w.-]+)? now[.:!]?$`
}

// mayAnnounceInEnglish reports whether a sentence in plain form may match the expression for English, which takes some
// milliseconds to compile.
func mayAnnounceInEnglish(sentence string) bool {
	return hasSpeaker(sentence) || strings.Contains(sentence, "ing") && hasProgress(sentence)
}

var (
	hasSpeaker = hasCue("i'll", "i will", "i'm", "i am", "i should", "we'll", "we will", "let me", "let us", "let's", "need to", "have to",
		"i now", "now i", "now, i", "now: i", "now we", "now, we", "now: we", "next i", "next, i", "next: i", "next we", "next, we", "next: we",
		"then i", "then, i", "then: i", "then we", "then, we", "then: we", "first i", "first, i", "first: i", "first we", "first, we", "first: we")
	hasProgress = hasCue("...", "…", " now")
)

// needs is the beginning of an announcement as a need.
const needs = lead + `(?:i|we) (?:(?:still|also|now) )?(?:need|have) to (?:(?:now|first|also|still) )*`

const englishException = `\b(?:let me know|(?:if|once|when|whenever|after|until|unless|should|would|could|do|as soon as) you|tomorrow|later|next (?:time|week|sprint|session|month|release)|from now on|in (?:the )?future|going forward|follow-?up|another (?:pr|pull request)|separate (?:pr|pull request)|soon|tonight|(?:on|by) (?:mon|tues|wednes|thurs|fri|satur|sun)day|your (?:approval|confirmation|review|go-ahead|reply|answer|response|call|decision|word|ok)|for you to|wait|leave|happy to|glad to|whenever|each time|every time|before (?:each|every)|after (?:each|every)|add (?:that|here|one|only)|(?:start|begin) (?:with the (?:answer|conclusion)|by (?:saying|noting|thanking|explaining))|out of scope|(?:check|run|go) (?:with (?:the|my|our)|through)|look (?:with|into it|through)|check (?:in|back)|update you|correct myself|than you|questions?|(?:open|file|create|raise|write) an? (?:\w+ )?issue|if needed|if necessary|on request|tell me|say so)\b` +
	`|` + needs + `.*\b(?:because|which|but|before|not|cannot|can't|twice|each|permissions?|access|from you|to help|to answer)\b|^we (?:need|have) to\b|^so we (?:need|have) to\b`
