package charset

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// corpus has texts in their usual encodings: source code, pages, tables, single words.
var corpus = []struct {
	name  string
	codec encoding.Encoding
	texts []string
}{
	{"GB18030", simplifiedchinese.GBK, []string{
		"/* 计算校验和 */\nint sum(const char *p, int n)\n{\n\tint s = 0; // 累加结果\n\twhile (n--)\n\t\ts += *p++;\n\treturn s; // 返回校验和\n}\n",
		"# 安装说明\n\n请先安装依赖，然后运行 `make`。如果出现错误，请检查配置文件。\n\n- 支持中文路径\n- 日志写到 /var/log\n",
		"姓名,年龄,城市\n张伟,34,北京\n李娜,28,上海\n王芳,41,广州\n",
		"// 测试\n", "echo 打开文件失败\n", "无法找到该文件。\n", "错误: 不支持的操作\n", "printf(\"余额不足\\n\");\n",
		"他站在河边，看着水流过石头，想起了小时候的事情。风很大，树叶落了一地。\n",
		" 驱动器 C 中的卷没有标签。\n 卷的序列号是 1A2B-3C4D\n",
	}},
	{"GB18030", simplifiedchinese.GB18030, []string{"/* 㐀 𠀀 和 emoji 😀 的测试文件 */\nint 数据;\n"}},
	{"Big5", traditionalchinese.Big5, []string{
		"/* 計算檢查碼 */\nint sum(const char *p, int n)\n{\n\tint s = 0; // 累加結果\n\twhile (n--)\n\t\ts += *p++;\n\treturn s; // 傳回總和\n}\n",
		"# 安裝說明\n\n請先安裝相依套件，然後執行 `make`。如果發生錯誤，請檢查設定檔。\n",
		"姓名,年齡,城市\n陳怡君,34,臺北\n林志明,28,高雄\n", "// 開啟檔案失敗\n", "無法找到檔案。\n",
		"他站在河邊，看著水流過石頭，想起了小時候的事情。風很大，樹葉落了一地。\n",
	}},
	{"Shift_JIS", japanese.ShiftJIS, []string{
		"/* チェックサムを計算する */\nint sum(const char *p, int n)\n{\n\tint s = 0; // 合計\n\treturn s; // 結果を返す\n}\n",
		"# インストール\n\nまず依存関係をインストールしてから `make` を実行してください。エラーが出た場合は設定ファイルを確認します。\n",
		"氏名,年齢,住所\n佐藤健,34,東京都港区\n鈴木花子,28,大阪市\n", "// テスト\n", "ファイルが見つかりません。\n",
		"彼は川のほとりに立って、石の上を流れる水を見ていた。\n",
	}},
	{"EUC-JP", japanese.EUCJP, []string{
		"/* チェックサムを計算する */\nint sum(const char *p, int n)\n{\n\tint s = 0; // 合計\n\treturn s; // 結果を返す\n}\n",
		"# インストール\n\nまず依存関係をインストールしてから `make` を実行してください。\n",
		"// テスト\n", "ファイルが見つかりません。\n", "彼は川のほとりに立って、石の上を流れる水を見ていた。\n",
	}},
	{"EUC-KR", korean.EUCKR, []string{
		"/* 검사합을 계산한다 */\nint sum(const char *p, int n)\n{\n\tint s = 0; // 합계\n\treturn s; // 결과를 반환한다\n}\n",
		"# 설치\n\n먼저 의존성을 설치한 다음 `make`를 실행하십시오. 오류가 나면 설정 파일을 확인하십시오.\n",
		"이름,나이,도시\n김민수,34,서울\n이영희,28,부산\n", "// 안녕하세요\n", "파일을 찾을 수 없습니다.\n",
		"그는 강가에 서서 돌 위로 흐르는 물을 바라보았다.\n",
	}},
	{"windows-1251", charmap.Windows1251, []string{
		"/* Вычисляет контрольную сумму */\nint sum(const char *p, int n)\n{\n\tint s = 0; // итог\n\treturn s;\n}\n",
		"# Установка\n\nСначала установите зависимости, затем выполните `make`.\n", "имя;возраст;город\nИван;34;Москва\n",
		"Файл не найден.\n", "// проверка\n", "ОШИБКА: нет доступа\n", "Він стояв біля річки і дивився на воду. Її течія була тихою.\n", "Привет, мир!\n",
	}},
	{"KOI8-R", charmap.KOI8R, []string{
		"/* Вычисляет контрольную сумму */\nint sum(const char *p, int n);\n", "Файл не найден.\n", "Он стоял у реки и смотрел, как вода течёт по камням.\n",
	}},
	{"windows-1252", charmap.Windows1252, []string{
		"// Vérifie l'été\nint x;\n", "Überprüfung der Größe\n", "¿Dónde está el niño?\n", "Não há informações disponíveis\n", "caf\u00e9\n", "naïve\n", "Smörgåsbord på ön\n", "blåbær og rødgrød\n",
		"# Größe\n\nDie Datei wurde nicht gefunden. Bitte prüfen Sie die Einstellungen für die Übertragung.\n", "“quoted” – it’s 5 € or £3\n", "20 °C ± 1\n", "© 2009 Someone\n", "nom;prénom\nLefèvre;Hélène\n",
		"Il était une fois une forêt où l'on n'entendait que le cœur des bêtes, ça va de soi.\n", "Þetta er íslenskur texti með öllum stöfum, og það er gott.\n", "La città è più bella perché c'è il mare\n", "Straße\n", "ANHÄNGE\n",
	}},
	{"windows-1250", charmap.Windows1250, []string{
		"// Zażółć gęślą jaźń\n", "Nie można otworzyć pliku. Sprawdź ustawienia i spróbuj później.\n", "/* oblicza sumę kontrolną */ int x; // wartość początkowa\n",
		"Příliš žluťoučký kůň úpěl ďábelské ódy\n", "Soubor nebyl nalezen. Zkontrolujte nastavení připojení k síti.\n", "Árvíztűrő tükörfúrógép\n", "Datoteka nije pronađena, možda je već izbrisana. Provjerite čitač.\n",
	}},
	{"windows-1253", charmap.Windows1253, []string{
		"/* υπολογίζει το άθροισμα */ int x;\n", "Το αρχείο δεν βρέθηκε. Ελέγξτε τις ρυθμίσεις.\n", "Στεκόταν δίπλα στο ποτάμι και κοίταζε το νερό.\n", "Καλημέρα κόσμε\n",
	}},
	{"windows-1254", charmap.Windows1254, []string{"Dosya bulunamadı. Lütfen ayarları kontrol edip yeniden başlatın, değişiklik için İşlem düğmesi.\n", "/* sağlama toplamını hesaplar, çıkış değeri değişir */\n"}},
	{"windows-1255", charmap.Windows1255, []string{"הקובץ לא נמצא. בדוק את ההגדרות.\n"}},
	{"windows-1256", charmap.Windows1256, []string{"لم يتم العثور على الملف. تحقق من الإعدادات.\n"}},
	{"windows-1257", charmap.Windows1257, []string{"Failas nerastas. Patikrinkite nustatymus ir bandykite dar kartą, įvesčiai čia reikia šių žymių ūkyje.\n"}},
	{"UTF-8", encoding.Nop, []string{
		"", "int main(void) { return 0; }\n", "Größe – 中文 日本語 한국어 Русский 😀\n", "Gr\xc3\xb6\xc3\x9fe in \xc3\xbcber \xff one bad byte\n", "a long line with one bad \xff byte", "中文文件\xe6\x95",
	}},
	{"UTF-16LE", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), []string{"grüß dich\r\n", "中文\n", ""}},
	{"UTF-16BE", unicode.UTF16(unicode.BigEndian, unicode.UseBOM), []string{"grüß dich\r\n", "中文\n"}},
	{"UTF-16LE", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), []string{"Windows Registry Editor Version 5.00\r\n", "ls\n", "int x; // 测试文件 ok\n"}},
	{"UTF-16BE", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), []string{"Windows Registry Editor Version 5.00\r\n"}},
	{"UTF-32LE", utf32.UTF32(utf32.LittleEndian, utf32.UseBOM), []string{"grüß 😀\n"}},
	{"UTF-32BE", utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), []string{"plain text\n"}},
	{"binary", encoding.Nop, []string{
		"a\x00b", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00\x3e\x00", "%PDF-1.7 text", "\x81\x8d\x8f\x90 few", "\x08\x03\x12\x02\x03\x04", "x\xffy z\n", "\xff\n", "\xfd\xfea\xffb", "\x1f\x8b\x08\x08\xa1\x02\x03",
		"\x89PNG\r\n\x1a\n\x03\x01\x0d\x49\x48", "\x01\x00\x02\x00\x03\x00", "\xff\xd8\xff\xe0\x10\x4a\x46\x49\x46\x01\x01\x01\x2c\x01",
	}},
}

func encoded(t testing.TB, codec encoding.Encoding, text string) []byte {
	t.Helper()
	data, err := codec.NewEncoder().Bytes([]byte(text))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return data
}

func TestDetect(t *testing.T) {
	t.Parallel()
	code := strings.Repeat("\tif (p == NULL) return -1;\n", 400)
	for _, c := range corpus {
		for _, text := range c.texts {
			data := encoded(t, c.codec, text)
			got := Detect(data)
			if got.Name() != c.name {
				t.Errorf("%q in %s: %s: %q", text, c.name, got.Name(), got.Decode(data))
				continue
			}
			if got.IsText() && c.codec != encoding.Nop && got.Decode(data) != text {
				t.Errorf("%q in %s: %q", text, c.name, got.Decode(data))
			}
			if got.IsText() && !got.IsExact(data) {
				t.Errorf("%q in %s: is not exact", text, c.name)
			}
			if c.codec == encoding.Nop || strings.HasPrefix(c.name, "UTF") {
				continue
			}
			// In a large file, and with its end cut off.
			large := append(append([]byte(code), data...), code...)
			if got := Detect(large); got.Name() != c.name {
				t.Errorf("%q in %s, in a large file: %s", text, c.name, got.Name())
			}
			long := bytes.Repeat(data, 30)
			if got := Detect(long[:len(long)-2]); got.Name() != c.name {
				t.Errorf("%q in %s, cut off: %s", text, c.name, got.Name())
			}
		}
	}
}

func TestEncodeUnsupported(t *testing.T) {
	t.Parallel()
	e := Detect(encoded(t, traditionalchinese.Big5, "// 開啟檔案失敗\n"))
	_, err := e.Encode("開啟\n檔😀案\n")
	u, ok := err.(*UnsupportedError)
	if !ok || u.Char() != `"😀" (U+1F600)` || u.Line() != 2 || u.Error() != `Big5 has no character "😀" (U+1F600)` {
		t.Errorf("%#v", err)
	}
}

func TestUTF8Reader(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{"": true, "plain": true, "Größe 中文 😀": true, "a\xffb": false, "中\xe6\x95": false, "\xe6": false, "é\xc3": false} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(text), "bytes": iotest.OneByteReader(strings.NewReader(text)), "end": iotest.DataErrReader(strings.NewReader(text))} {
			got, err := io.ReadAll(NewUTF8Reader(r))
			if (err == nil) != ok || ok && string(got) != text {
				t.Errorf("%q, %s: %q, %v", text, name, got, err)
			}
		}
	}
}
