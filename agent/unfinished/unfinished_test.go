package unfinished

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"testing"

	"pollux/agent"
)

var tools = []string{"read_file", "grep_search", "glob", "list_directory", "replace", "write_file", "run_shell_command"}

// answers are final answers: nothing is left to do, or it is up to the user.
var answers = []string{
	// English
	"Done.",
	"The function `total` in main.go adds the tax twice. I removed the second addition, and all tests pass.",
	"The tests pass now. Let me know if you want me to add more cases.",
	"I fixed the typo in README.md. I'll be happy to help with anything else.",
	"Paris is the capital of France.",
	"Let me explain: a closure captures variables, not values.",
	"I can't read that file because it lies outside of the workspace.",
	"Would you like me to run the tests now?",
	"I'll create the branch. Which name do you prefer?",
	"I will wait for your review before I change anything.",
	"If you agree, I will now delete the old directory.",
	"Once you have set the key, I'll run the script again.",
	"I'll leave the refactoring to you.",
	"Let me know how you would like to proceed.",
	"You should now run `make test` to check the change.",
	"Next, you need to update the configuration:\n```yaml\nport: 8080\n```",
	"To see the files, run:\n```bash\nls -la\n```",
	"The server will now read the configuration at start, and I have added a test for that.",
	"The program will open the file, read it and print each line.",
	"Here is the translation:\n\n> I will now read the file.",
	"\"I will check the logs tomorrow.\"",
	"I'll keep it short: no.",
	"Understood. I'll write commit messages in English from now on.",
	"I will always run the tests before I report success.",
	"I should add that this only works on Linux.",
	"I should note that the cache is never cleared.",
	"The command failed with exit status 2, because the directory does not exist. I need your approval to create it.",
	"There are 21 TODOs in 6 files.",
	"I changed three files:\n- main.go\n- util.go\n- main_test.go",
	"Summary of what I did:\n1. Read the configuration\n2. Fixed the port\n3. Ran the tests",
	"Use `glob` from the standard library:\n```python\nimport glob\nfor f in glob.glob('*.go'):\n    print(f)\n```",
	"Python's built-in is called like this:\n```python\nglob(\"*.py\")\n```",
	"You can call the tool like this:\n```json\n{\"name\": \"read_file\", \"arguments\": {\"file_path\": \"a\"}}\n```",
	"{\"verdict\": \"ok\", \"bugs\": []}",
	"{\"name\": \"shop\", \"version\": 2}",
	"Let me summarize. The bug was in the parser, and it is fixed.",
	"Let me check. Yes, 17 is a prime number.",
	"The next step would be to update the docs, which I can do if you like.",
	"I'm going to need more information: which of the two files do you mean?",
	"The missing character is a colon: `:`",
	"| file | lines |\n| --- | --- |\n| a.go | 12 |",
	"I replaced `replace(a, b)` with `swap(a, b)` in util.go.",
	"OK",
	"Qwen writes\n```json\n{\"name\": \"read_file\", \"arguments\": {}}\n```\nand Gemma\n```python\nread_file(file_path=\"a\")\n```",
	"The build will start automatically when you push.",
	"I'll start with the answer: yes, it is safe. The lock is held for the whole call.",
	"The follow-up is easy: I'll add the tests in another PR.",
	// German
	"Der Fehler ist behoben, alle Tests laufen durch.",
	"Soll ich die Tests jetzt ausführen?",
	"Wenn Sie möchten, werde ich die Datei jetzt löschen.",
	"Sagen Sie mir gern, ob ich die Dokumentation anpassen soll.",
	"Ich werde auf Ihre Bestätigung warten, bevor ich etwas lösche.",
	"Ich habe die Datei gelesen und den Fehler korrigiert.",
	"Das Programm wird die Datei jetzt beim Start lesen.",
	// French
	"J'ai corrigé l'erreur dans main.go et les tests passent.",
	"Si vous voulez, je vais lancer les tests.",
	"N'hésitez pas à me le faire savoir si vous voulez d'autres changements.",
	"Voulez-vous que je lance les tests ?",
	// Spanish
	"He corregido el error y todas las pruebas pasan.",
	"Si quieres, voy a ejecutar las pruebas.",
	"Avísame si necesitas algo más.",
	"¿Quieres que revise el resto del código?",
	// Portuguese, Italian, Russian
	"Corrigi o erro e os testes passam.",
	"Se quiser, vou executar os testes.",
	"Ho corretto l'errore in main.go.",
	"Se vuoi, controllerò anche gli altri file.",
	"Я исправил ошибку, все тесты проходят.",
	"Если вы согласны, я запущу тесты.",
	// Chinese
	"错误已经修复,所有测试都通过了。",
	"如果需要,我可以继续修改其他文件。",
	"请告诉我您想查看哪个文件。",
	"需要我运行测试吗?",
	"我已经检查了所有文件,没有发现问题。",
	"这个函数会读取文件并返回内容。",
	// Japanese
	"バグを修正し、テストはすべて成功しました。",
	"テストを実行しますか？",
	"この関数はファイルを読み込み、内容を返します。",
	"必要であれば、他のファイルも確認します。",
	"ご不明な点があればお知らせください。",
	// Korean
	"오류를 수정했고 모든 테스트가 통과했습니다.",
	"원하시면 다른 파일도 확인하겠습니다.",
	"테스트를 실행할까요?",
	// near misses
	"I've finished the refactoring. All 142 tests pass, and `go vet` is clean.",
	"The race is between `Close` and `Write`. I added a mutex; see conn.go:88.",
	"No files match that pattern.",
	"I can't do that without network access.",
	"To apply the fix yourself, open config.go and change line 12 to:\n\n```go\nconst limit = 20\n```",
	"Here's a summary of the changes:\n\n- `main.go`: handle nil\n- `main_test.go`: new test",
	"Let me put it differently: the map is never locked.",
	"I'll assume you meant the v2 API. With that, the answer is 42.",
	"I will not run that command, because it deletes the repository.",
	"I'll stop here, as the remaining failures are unrelated to this change.",
	"We'll need a database migration for that; it isn't part of this change.",
	"I'd be glad to write the tests as well.",
	"Just say the word and I'll create the pull request.",
	"Tell me which one you prefer and I'll implement it.",
	"With your permission, I'll delete the branch.",
	"After the merge, I'll be able to update the docs.",
	"The agent prints \"Let me check the logs.\" before each call, which is what you saw.",
	"In this mode I can't edit files. Switch to auto_edit and I will apply the patch.",
	"Proposed diff:\n```diff\n-a\n+b\n```",
	"Then we will see a speedup of about 3x.",
	"Let's look at the numbers: 12 of 40 requests failed.",
	"The script will run every night and delete old files.",
	"I need to run this as root, which is not possible here.",
	"I'm going to stop here and report what I found: the bug is in the parser.",
	"Running.",
	"Reading the file takes 2 ms now.",
	"Checking is done in validate().",
	"Ich habe den Fehler gefunden: In Zeile 12 fehlt eine Klammer.",
	"Ich werde die Datei nicht löschen, weil sie noch gebraucht wird.",
	"Jetzt läuft alles.",
	"Gib mir Bescheid, dann werde ich die Änderungen umsetzen.",
	"Je vais bien, merci !",
	"Je ne peux pas lire ce fichier.",
	"Dites-moi lequel et je vais le modifier.",
	"No puedo ejecutar ese comando.",
	"Dime cuál y voy a modificarlo.",
	"我会说中文。",
	"我将其改为使用互斥锁,测试已通过。",
	"我先检查了配置,然后修复了错误。",
	"现在测试全部通过。",
	"我已经开始使用新的接口,并更新了文档。",
	"それでは、よろしくお願いします。",
	"設定を確認してみてください。",
	"これからも対応します。",
	"확인했습니다.",
	"안녕하세요! 무엇을 도와드릴까요?",
	"Hello! How can I help you today?",
	"Hi! I'm ready to help. Let me know what you need.",
	"I'm ready. What should I do first?",
	"Let me be clear: this is not safe.",
	"Let me give you an example:\n```go\nx := 1\n```",
	"Here's how to do it:\n\n1. Open the file\n2. Edit line 3\n3. Run the tests",
	"I'll do it in three steps, as you asked me to plan:\n1. Read\n2. Write\n3. Test\n\nShall I begin?",
	"The command to run is:\n```sh\nmake test\n```\n",
	"First I read the file, then I fixed the bug, and finally I ran the tests.",
	"I've updated the handler and added a regression test. Run `go test ./...` to verify.",
	"No changes were needed: the function already handles empty input.",
	"I was unable to reproduce the failure. To investigate further, I need the exact command you ran and its output.",
	"Let's see: 12 * 12 = 144.",
	"I need to see the error message to help further.",
	"I need to check with the team before changing this.",
	"We should fix this in the next release.",
	"First, read the file. Then run the tests.",
	"To run the program, build it with `go build` and then execute `./app`.",
	"The plan:\n1. Read the file\n2. Fix the bug\n3. Run tests",
	"Proposed plan:\n\n1. I will add a flag.\n2. I will update the docs.\n\nShall I go ahead?",
	"Dear Anna,\n\nthank you for your mail. I will review the document and get back to you.\n\nBest,\nTom",
	"Commit message:\n\n    Fix total\n\n    Let me add the tax once.",
	"The log says \"I will now read the file\".",
	"Now checking works again, and the tests pass.",
	"Running the tests now takes 3 seconds instead of 9.",
	"The limit is 10 s; after that we will update the cache in the background.",
	"Everything is in place. From here, we need to add monitoring, but that is out of scope.",
	"Remaining work:\n- Add tests\n- Update docs",
	"I'd suggest we start with the parser.",
	"Ich habe nun die Tests ausgeführt. Sie laufen.",
	"Ich würde zuerst die Konfiguration prüfen.",
	"我建议先查看日志。",
	"现在可以运行测试了。",
	"首先读取配置,然后启动服务器。",
	"接下来你可以运行测试。",
	"我们来看这个例子:函数返回 3。",
	"まず設定を読み込み、次にサーバーを起動します。",
	"これからは新しい設定が使われます。",
	"Je dois préciser que cela ne marche que sous Linux.",
	"Voy a resumir: el error estaba en el parser.",
	"Let's run through it: the loop starts at 0 and ends at n-1.",
	"I'll do that differently than you suggested, because the lock is held there.",
	"Let me start by saying that the design is sound.",
	"Let me add that the tests are slow.",
	"I have to read the file twice because it is compressed.",
	"We need to check for nil here, which the patch does.",
	"Good. Let's continue with the next question.",
	"I'll open an issue for that.",
	"So we need to find the smallest x, which is 3.",
	"Step 2 is done. Step 3 (update docs) is up to you.",
	"glob(pattern) returns the files that match.",
	"read_file(path) returns the content of a file.",
	// reports that end with an offer, an obstacle, or a next step for the user
	"The title is fixed, and `git diff` shows one changed line. If you like, I can also run the performance tests.",
	"I changed the title. Next, you could run the performance test alone to see whether it is only slow because of load.",
	"All tests pass. Next I would add a test for the empty list, if you want one.",
	"The fix works. Just tell me if I should also commit it.",
	"The build fails for another reason: gcc is missing. I need to install it, but there is no network here.",
	"Both bugs are fixed. What I have not done is to change the title, as you asked.",
	"Now I understand why it was slow: the cache is never used.",
	"First I changed the title, then I ran the tests. Now they pass.",
	"Next I read the log and found nothing else.",
	"The tests pass, but I still need to know whether the old format matters to you.",
	"Fixed. To see the effect, change the title in the settings and run the program again.",
	"It is done. Now the title is right, and the next run of `make` picks it up.",
	"I ran the suite twice. I would need to change the public interface to go further, so I stopped here.",
	"You will now see the new title. You may want to run the performance test next.",
	"For the second part I need to change the schema; say so if that is fine.",
	"The patch is ready. On request I will commit it.",
	"Please run `make deploy` now; I will fix whatever it reports as soon as you send me the output.",
	"I have to correct myself: the test was right, and the code was wrong.",
	"Let me correct myself. The limit is 20.",
	"The remaining failure needs a database. Once you have started one, I'll run the tests again.",
	"Next steps for you: run the migration, then restart the server.",
	"I still have to read the whole log each time because it has no index. That is how the tool works.",
	"The feature works. Next comes the documentation, which is not part of this task.",
	"Done - I'll update you if the nightly build fails.",
}

// announcements are answers that leave work undone.
var announcements = []string{
	// English
	"I will now read the file main.go.",
	"Let me look at the configuration first.",
	"Let me check the tests:",
	"I'll start by reading the README.",
	"I’ll examine the code to find the bug.",
	"Okay, I will run the tests now.",
	"Sure! Let me search for the function in the project.",
	"The bug is in the parser. Next, I'll fix it in parser.go.",
	"To find the cause, I need to look at the logs.",
	"I'm going to list the files in the directory. This will help me understand the structure.",
	"First, let's take a look at the project structure.",
	"Now I need to update the tests.",
	"I have read both files. I will now apply the changes.",
	"Let me use the grep_search tool to find it.",
	"Reading main.go...",
	"Now checking the test results…",
	"Let me run this:\n```bash\nls -la\n```",
	"I'll do the following:\n1. Read main.go\n2. Fix the bug\n3. Run the tests",
	"Here is the content of the file:",
	"I'll make the necessary changes to `util.go`.",
	"Understood. Let me **analyze** the code.",
	"Since the test fails, I'll debug it.",
	"```python\nread_file(file_path=\"main.go\")\n```",
	"```python\nprint(default_api.read_file(file_path=\"main.go\"))\n```",
	"```bash\nread_file main.go\n```",
	"```json\n{\"name\": \"read_file\", \"arguments\": {\"file_path\": \"main.go\"}}\n```",
	"{\"tool\": \"list_directory\", \"args\": {\"dir_path\": \".\"}}",
	"I'll look.\n\nread_file(\"main.go\")",
	"```python\nglob(pattern=\"**/*.go\")\n```",
	"```\nrun_shell_command(command=\"go test ./...\")",
	// German
	"Ich werde jetzt die Datei main.go lesen.",
	"Lassen Sie mich zuerst den Code ansehen.",
	"Als Nächstes prüfe ich die Konfiguration.",
	"Ich schaue mir jetzt die Tests an.",
	"Gut, ich werde die Tests ausführen:",
	// French
	"Je vais maintenant lire le fichier main.go.",
	"Laissez-moi vérifier la configuration.",
	"Commençons par examiner le code.",
	// Spanish
	"Voy a leer el archivo main.go.",
	"Ahora voy a ejecutar las pruebas.",
	"Déjame revisar el código primero.",
	"Primero, revisaré la configuración.",
	// Portuguese, Italian, Russian
	"Vou verificar os testes agora.",
	"Ora leggo il file main.go.",
	"Сейчас я прочитаю файл main.go.",
	"Давайте посмотрим на тесты.",
	// Chinese
	"我现在来读取 main.go 文件。",
	"让我先查看一下项目结构。",
	"好的,我将运行测试。",
	"接下来,我会修改配置文件。",
	// Japanese
	"これから main.go を読みます。",
	"まずファイルの内容を確認してみます。",
	"それでは、テストを実行します。",
	// Korean
	"이제 main.go 파일을 읽어 보겠습니다.",
	"먼저 테스트를 실행하겠습니다.",
	// with more around
	"I'll take a look at the code and find the bug.",
	"Let me begin by listing the files.",
	"Alright, I'm going to read `main.go` and then fix the bug.",
	"Let's start by exploring the repository structure to understand what we're working with.",
	"I understand. I will read the file and report back.",
	"Now let me create the file.",
	"Now, I will write the test.",
	"Got it! I'll update the README file with the new instructions.",
	"The file doesn't exist. Let me try searching for it.",
	"I see the problem. Let me fix that.",
	"Let me try a different approach:",
	"I need to first understand the code. Let me read it.",
	"Great, the tests pass. Now I'll update the documentation.",
	"Jetzt werde ich die Tests schreiben.",
	"Ich beginne mit dem Lesen der Datei main.go.",
	"我来帮你查看这个文件。",
	"我需要先看一下 main.go 的内容。",
	"J'ai trouvé le problème. Je vais maintenant le corriger.",
	// with something before or after
	"The fix works. Next I will run the performance test alone to see whether it is only slow because of load.",
	"The title is wrong. I will now change it.",
	"Now I fix the title.",
	"Now I need to change the title and run git diff.",
	"Let me also check the `git log`.",
	"The line is missing. I will add it next.",
	"The title is wrong, so I will now change it.",
	"The test still fails; let me look at the log.",
	"The fix works - now I run the whole suite.",
	"I still have to update the documentation.",
	"I need to fix the title.",
	"With that fixed, I will run the tests, which takes a minute.",
	"Let me find out which file it is.",
	"I will now fix the issue.",
	"Before I report, I will run go vet.",
	"Running the tests now.",
	"I see. Let me change it! 🚀",
}

func TestCheck(t *testing.T) {
	t.Parallel()
	if len(answers) < 60 || len(announcements) < 40 {
		t.Errorf("%d answers, %d announcements", len(answers), len(announcements))
	}
	for _, text := range answers {
		for _, called := range []bool{false, true} {
			if Check(agent.Ending{Text: text, Tools: tools, HasCalled: called}) {
				t.Errorf("called %v: taken for unfinished: %q", called, text)
			}
		}
	}
	for _, text := range announcements {
		if !Check(agent.Ending{Text: text, Tools: tools}) {
			t.Errorf("taken for an answer: %q", text)
		}
	}
}

// Each sentence that an expression matches has a cue of its language: sentences are made from the
// expressions themselves.
func TestCues(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for i, l := range languages() {
		tree, err := syntax.Parse(l.announcement().String(), syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		matched := 0
		for range 5000 {
			var b strings.Builder
			write(&b, tree, random)
			sentence := b.String()
			if !l.announcement().MatchString(sentence) {
				continue // the end of a word, where another word follows
			}
			matched++
			if !l.mayAnnounce(plainForm(sentence)) {
				t.Fatalf("language %d: no cue in %q", i, sentence)
			}
		}
		if matched < 500 {
			t.Errorf("language %d: only %d sentences", i, matched)
		}
	}
}

// write writes a text that an expression may match.
func write(b *strings.Builder, e *syntax.Regexp, random *rand.Rand) {
	repeat := func(least, most int) {
		for range least + random.IntN(most-least+1) {
			write(b, e.Sub[0], random)
		}
	}
	switch e.Op {
	case syntax.OpLiteral:
		b.WriteString(string(e.Rune))
	case syntax.OpCharClass:
		at := random.IntN(len(e.Rune)/2) * 2
		b.WriteRune(e.Rune[at])
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('x')
	case syntax.OpCapture:
		write(b, e.Sub[0], random)
	case syntax.OpConcat:
		for _, sub := range e.Sub {
			write(b, sub, random)
		}
	case syntax.OpAlternate:
		write(b, e.Sub[random.IntN(len(e.Sub))], random)
	case syntax.OpStar:
		repeat(0, 2)
	case syntax.OpPlus:
		repeat(1, 2)
	case syntax.OpQuest:
		repeat(0, 1)
	case syntax.OpRepeat:
		repeat(e.Min, min(max(e.Max, e.Min), e.Min+3))
	}
}

// After a call, code that names a tool is part of an answer, but an announcement is not.
func TestCheckAfterCall(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": true,
		"The file is main.go. I will now fix it.":                 true,
		"The call was:\n```python\nread_file(\"main.go\")\n```":   false,
		"I'll do the following:\n1. Read main.go\n2. Fix the bug": false,
	} {
		if got := Check(agent.Ending{Text: text, Tools: tools, HasCalled: true}); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// A long response is no announcement, and costs nothing to see.
func TestLongResponses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		strings.Repeat("x", 16<<20), strings.Repeat("Now I read the file. ", 1<<20), strings.Repeat("a line of text\n", 1<<20) + "Now I will fix it.",
	} {
		if Check(agent.Ending{Text: text, Tools: []string{"read_file"}}) {
			t.Errorf("%d bytes that end with %q are unfinished", len(text), text[len(text)-20:])
		}
	}
}

// BenchmarkFirstCheck checks one response in a new process, with the compilation of the patterns it needs.
func BenchmarkFirstCheck(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		list := languages()
		for i, l := range list {
			list[i].announcement, list[i].exception = compiled(l.announcement().String()), compiled(l.exception().String())
		}
		b.StartTimer()
		if Check(agent.Ending{Text: "Hello! How can I help?", Tools: tools}) || Check(agent.Ending{Text: "The bug is fixed.", Tools: tools}) {
			b.Fatal("an answer is unfinished")
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	report := strings.Repeat("The parser drops the last line, because the reader ends at the line end. I changed `reader.go:14`.\n", 150) + "All tests pass."
	for b.Loop() {
		if Check(agent.Ending{Text: report, HasCalled: true, Tools: []string{"read_file", "run_shell_command"}}) {
			b.Fatal("a report is unfinished")
		}
	}
}
