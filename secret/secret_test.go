package secret_test

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"wake/secret"
)

// The samples are put together at run time, so that no scanner of this repository takes them for real.
const (
	mixed36 = "a8Kd02mXqP7vLs4TzR1wYc6NbE9hJgFu35Ot"
	hex32   = "9f2c4a7be01d583c6f90ab12cd34ef56"
	uuid    = "b347611a-3ce9-497d-8bee-500fe7ee5fc3"
	base64k = "Kq8/ZtN3vLw1+YpRm5XcBd7GhJs0QeUaTo2iFg4k"
)

// Ensure every kind is found where it stands in real text, and that nothing around it is lost.
func TestMask(t *testing.T) {
	jwt := "ey" + "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
	jwe := "ey" + "JhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..YyLC3ZzHwnceWyv7.TvqaGsB-RhXebclpOpQzdSPxt0OYgdgE.OtAxW3rKf0q8mZbV"
	pem := "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIEpAIBAAKCAQEA7bq\nq8/ZtN3vLw1+YpRm5Xc=\n-----END RSA PRIVATE KEY-----"
	tests := []struct{ name, text, want string }{
		{"github in a sentence", "use ghp_" + mixed36 + ", please", "use [secret:github_token], please"},
		{"github assigned", "GITHUB_TOKEN=gho_" + mixed36, "GITHUB_TOKEN=[secret:github_token]"},
		{"github fine-grained", "github_pat_11ABCDEFG0_" + mixed36, "[secret:github_token]"},
		{"after an escaped newline", `"log":"x\nghp_` + mixed36 + `\n"`, `"log":"x\n[secret:github_token]\n"`},
		{"in colour", "\x1b[36mGITHUB_TOKEN\x1b[0m=\x1b[33mghp_" + mixed36 + "\x1b[0m", "\x1b[36mGITHUB_TOKEN\x1b[0m=\x1b[33m[secret:github_token]\x1b[0m"},
		{"before a move of the cursor", "ghp_" + mixed36 + "\x1b[1CIt is AKIA" + "IOSFODNN7EXAMPLE" + `\u001b[2;1HNEXT`, "[secret:github_token]\x1b[1CIt is [secret:aws_access_key]" + `\u001b[2;1HNEXT`},
		{"behind a move of the cursor", "token:\x1b[1C\x1b[33mghp_" + mixed36 + "\x1b[10Gx", "token:\x1b[1C\x1b[33m[secret:github_token]\x1b[10Gx"},
		{"behind a colour", "\x1b[31mghp_" + mixed36, "\x1b[31m[secret:github_token]"},
		{"in highlighted parts", "\x1b[01;31m\x1b[Kghp_\x1b[m\x1b[K" + mixed36 + "!", "\x1b[01;31m\x1b[K[secret:github_token]!"},
		{"in quoted colour", `"\u001b[31mghp_` + mixed36 + `\u001b[0m", "\x1b[1mDB_PASSWORD\x1b[0m=\x1b[33mGr33nTea!9\x1b[0m"`, `"\u001b[31m[secret:github_token]\u001b[0m", "\x1b[1mDB_PASSWORD\x1b[0m=\x1b[33m[secret:password]\x1b[0m"`},
		{"a password in colour", "\x1b[36mpassword\x1b[0m: \x1b[33m\"Gr33nTea!9\"\x1b[0m", "\x1b[36mpassword\x1b[0m: \x1b[33m\"[secret:password]\"\x1b[0m"},
		{"a line that is gone", "--- a\n-ghp_" + mixed36 + `\n-ghp_` + mixed36, "--- a\n-[secret:github_token]" + `\n-[secret:github_token]`},
		{"a line beside what grep found", ".env-12-ghp_" + mixed36, ".env-12-[secret:github_token]"},
		{"in a URL within another", "to=https%3A%2F%2Fx%3Ftoken%3Dghp_" + mixed36, "to=https%3A%2F%2Fx%3Ftoken%3D[secret:github_token]"},
		{"gitlab", "glpat-" + "x7Kd02mXqP7vLs4TzR1w", "[secret:gitlab_token]"},
		{"aws pair", "AKIA" + "IOSFODNN7EXAMPLE " + base64k, "[secret:aws_access_key] [secret:aws_secret_key]"},
		{"aws beside a commit", "AKIA" + "IOSFODNN7EXAMPLE 21e733bd0c2f4a5b6c7d8e9f00112233445566aa", "[secret:aws_access_key] 21e733bd0c2f4a5b6c7d8e9f00112233445566aa"},
		{"aws assigned", "aws_secret_access_key = " + base64k, "aws_secret_access_key = [secret:aws_secret_key]"},
		{"google", "key=AIza" + "SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY", "key=[secret:google_api_key]"},
		{"slack", "xoxb-" + "123456789012-1234567890123-" + mixed36[:24], "[secret:slack_token]"},
		{"stripe", "sk_" + "live_" + mixed36[:24] + ".", "[secret:stripe_key]."},
		{"openai", "sk-" + mixed36 + "aB1cD2eF3gH4", "[secret:openai_key]"},
		{"openai project", "sk-proj-" + mixed36 + "_-" + mixed36, "[secret:openai_key]"},
		{"anthropic", "ANTHROPIC_API_KEY: sk-ant-" + "api03-" + mixed36, "ANTHROPIC_API_KEY: [secret:anthropic_key]"},
		{"jwt", "cookie " + jwt + ";", "cookie [secret:jwt];"},
		{"bearer jwt", "Authorization: Bearer " + jwt, "Authorization: Bearer [secret:jwt]"},
		{"bearer opaque", `curl -H "Authorization: Bearer ` + mixed36 + `"`, `curl -H "Authorization: Bearer [secret:credential]"`},
		{"bearer in prose", "sent Bearer " + mixed36 + " again", "sent Bearer [secret:bearer_token] again"},
		{"basic", "authorization: Basic YWRtaW46czNjcjN0cGFzcw==", "authorization: Basic [secret:credential]"},
		{"private key", "a\n" + pem + "\nb", "a\n[secret:private_key]\nb"},
		{"private key cut off", "-----BEGIN OPENSSH PRIVATE " + "KEY-----\nb3BlbnNzaC1rZXktdjEA", "[secret:private_key]"},
		{"npm", "npm_" + mixed36, "[secret:npm_token]"},
		{"huggingface", "hf_" + mixed36[:34], "[secret:huggingface_token]"},
		{"sendgrid", "SG." + mixed36[:22] + "." + mixed36 + "abcdef7", "[secret:sendgrid_key]"},
		{"twilio", "SK" + hex32, "[secret:twilio_key]"},
		{"telegram", "bot 123456789:AA" + mixed36[:33] + " ok", "bot [secret:telegram_token] ok"},
		{"url", "postgres://app:s3cret-pw@db:5432/x", "postgres://app:[secret:url_password]@db:5432/x"},
		{"url with a token as user", "https://ghp_" + mixed36 + ":x-oauth-basic@github.com", "https://[secret:github_token]:[secret:url_password]@github.com"},
		{"url without a user", "redis://:hunter2@cache", "redis://:[secret:url_password]@cache"},
		{"azure", "AccountName=a;AccountKey=" + base64k + "==;Suffix=b", "AccountName=a;AccountKey=[secret:azure_key];Suffix=b"},
		{"connection string", "Server=db;User=sa;Password=Tr0ub4dor;", "Server=db;User=sa;Password=[secret:password];"},
		{"password assigned", "DB_PASSWORD=hunter2!x", "DB_PASSWORD=[secret:password]"},
		{"password in JSON", `{"password": "correct horse"}, {"password":"Gr33nTea"}`, `{"password": "correct horse"}, {"password":"[secret:password]"}`},
		{"password in escaped JSON", `{\"password\":\"Gr33nTea\"}`, `{\"password\":\"[secret:password]\"}`},
		{"password in Markdown", "**Password:** Gr33nTea", "**Password:** [secret:password]"},
		{"password by flag", "mysql --password Gr33nTea -h db", "mysql --password [secret:password] -h db"},
		{"password in German", "Passwort: Gr33nTea", "Passwort: [secret:password]"},
		{"password in Chinese", "密码：Gr33nTea。", "密码：[secret:password]。"},
		{"password in traditional Chinese", "資料庫密碼: Gr33nTea", "資料庫密碼: [secret:password]"},
		{"password in Japanese", "パスワード：Gr33nTea", "パスワード：[secret:password]"},
		{"password in Korean", "DB 비밀번호: Gr33nTea", "DB 비밀번호: [secret:password]"},
		{"password in Russian", "ПАРОЛЬ: Gr33nTea", "ПАРОЛЬ: [secret:password]"},
		{"password in Turkish", "Şifre=Gr33nTea, parola: Gr33nTea", "Şifre=[secret:password], parola: [secret:password]"},
		{"password in Thai", "รหัสผ่าน: Gr33nTea", "รหัสผ่าน: [secret:password]"},
		{"password in Hindi", "पासवर्ड: Gr33nTea", "पासवर्ड: [secret:password]"},
		{"password in Hebrew", "הסיסמה: Gr33nTea", "הסיסמה: [secret:password]"},
		{"password in Arabic", "كلمة المرور: Gr33nTea و كلمة السر: Gr33nTea", "كلمة المرور: [secret:password] و كلمة السر: [secret:password]"},
		{"password in Vietnamese", "Mật khẩu: Gr33nTea", "Mật khẩu: [secret:password]"},
		{"password in French", "Mot de passe : Gr33nTea", "Mot de passe : [secret:password]"},
		{"password of several words in capitals", "MOT DE PASSE : Gr33nTea, Mot de Passe : Gr33nTea, MẬT KHẨU: Gr33nTea", "MOT DE PASSE : [secret:password], Mot de Passe : [secret:password], MẬT KHẨU: [secret:password]"},
		{"password in a Chinese sentence", "数据库密码是Gr33n!Tea，密码为 Gr33n!Tea。", "数据库密码是[secret:password]，密码为 [secret:password]。"},
		{"password in a Japanese sentence", "パスワードは「Gr33n!Tea」です", "パスワードは「[secret:password]」です"},
		{"password in a Korean sentence", "비밀번호는 Gr33n!Tea입니다", "비밀번호는 [secret:password]입니다"},
		{"token in a Japanese sentence", "API_KEY は " + mixed36 + " です", "API_KEY は [secret:api_key] です"},
		{"said of passwords", "密码是必填项,密码为8位以上。パスワードはbcrypt12でハッシュ。비밀번호는 required", "密码是必填项,密码为8位以上。パスワードはbcrypt12でハッシュ。비밀번호는 required"},
		{"word of no password", "xuất khẩu: Gr33nTea, la passe : Gr33nTea, حركة المرور: Gr33nTea", "xuất khẩu: Gr33nTea, la passe : Gr33nTea, حركة المرور: Gr33nTea"},
		{"api key", "api_key: '" + hex32 + "'", "api_key: '[secret:api_key]'"},
		{"api key of words and a number", "API_KEY=supersecret1234", "API_KEY=[secret:api_key]"},
		{"client secret", "clientSecret = \"" + mixed36 + "\"", "clientSecret = \"[secret:secret]\""},
		{"query", "GET /x?access_token=" + mixed36 + "&page=2", "GET /x?access_token=[secret:token]&page=2"},
		{"gitlab trigger", "glptt-" + hex32 + "01234567", "[secret:gitlab_token]"},
		{"discord", "client.login('MTE4" + mixed36[:20] + ".GxI3yv." + mixed36 + "')", "client.login('[secret:discord_token]')"},
		{"discord, of other bots", "NTE4" + mixed36[:20] + ".GxI3yv." + mixed36 + ", OTE4" + mixed36[:20] + ".GxI3yv." + mixed36, "[secret:discord_token], [secret:discord_token]"},
		{"discord webhook", "https://discord.com/api/webhooks/172497958369832181/" + mixed36 + mixed36, "https://[secret:discord_webhook]"},
		{"terraform", `token "ON7UPSqPpfiVbb.atlasv1.` + mixed36 + mixed36 + `"`, `token "ON7UPSqPpfiVbb.[secret:terraform_token]"`},
		{"django", `SECRET_KEY = "django-insecure-f(q!9ZQh&RP9$VFEStrAa6Z5Y^vis+Qn7m"`, `SECRET_KEY = "[secret:django_secret_key]"`},
		{"rails", "SECRET_KEY_BASE=" + hex32 + hex32, "SECRET_KEY_BASE=[secret:secret]"},
		{"personal access token", "AZURE_DEVOPS_EXT_PAT=wvs7fa26irplxckxaw4ehwpuydsg74bibpf", "AZURE_DEVOPS_EXT_PAT=[secret:token]"},
		{"docker login kept", `"auth": "dXNlcjpQYXNzdzByZDk5"`, `"auth": "[secret:credential]"`},
		{"kubeconfig", "client-key-data: " + strings.Repeat(base64k, 50) + "\nname: x", "client-key-data: [secret:private_key]\nname: x"},
		{"long session token", "aws_session_token=" + strings.Repeat(mixed36, 30) + " next", "aws_session_token=[secret:token] next"},
		{"key that begins like a path", "PrivateKey = /" + base64k + "8=", "PrivateKey = [secret:secret]"},
		{"plain word in an environment", "export ADMIN_PASSWORD=sunshine\nPORT=1", "export ADMIN_PASSWORD=[secret:password]\nPORT=1"},
		{"password in XML", "<password>Gr33nTea</password>", "<password>[secret:password]</password>"},
		{"password in PHP", "define('DB_PASSWORD', 'Gr33nTea');", "define('DB_PASSWORD', '[secret:password]');"},
		{"password without a digit", "password: Green!Tea", "password: [secret:password]"},
		{"password in small letters", "password: gr33ntea", "password: [secret:password]"},
		{"password in capitals", "password: GR33NTEA", "password: [secret:password]"},
		{"password of words and a sign in a sentence", "the password is Green+Tea, keep it", "the password is [secret:password], keep it"},
		{"password in a sentence", "the password is Tr0ub4dor&3, keep it", "the password is [secret:password], keep it"},
		{"password in .netrc", "machine x login me password " + mixed36, "machine x login me password [secret:password]"},
		{"password with an @", "postgres://app:p@ss!w0rd9@db/x?to=a@b.c", "postgres://app:[secret:url_password]@db/x?to=a@b.c"},
		{"url beside an address", "postgres://app:s3cret-pw@db/x and a@b.c", "postgres://app:[secret:url_password]@db/x and a@b.c"},
		{"curl", "curl -u admin:Gr33nTea https://x", "curl -u admin:[secret:password] https://x"},
		{"sshpass", "sshpass -p 'Gr33nTea!' ssh x", "sshpass -p '[secret:password]' ssh x"},
		{"password in .netrc of words", "machine x\n  login me\n  password opensesame\n", "machine x\n  login me\n  password [secret:password]\n"},
		{"mysql", "mysqldump -u root -pGr33nTea shop", "mysqldump -u root -p[secret:password] shop"},
		{"redis-cli", "redis-cli -a Gr33nTea ping", "redis-cli -a [secret:password] ping"},
		{"basic, a short one", "Authorization: Basic dTpqdmxzYWlyYQ==", "Authorization: Basic [secret:credential]"},
		{"other scheme", "Authorization: ApiKey " + base64k, "Authorization: ApiKey [secret:credential]"},
		{"telegram in a URL", "https://api.telegram.org/bot123456789:AA" + mixed36[:33] + "/getMe", "https://api.telegram.org/bot[secret:telegram_token]/getMe"},
		{"jwt, encrypted", "session=" + jwe + ";", "session=[secret:jwt];"},
		{"gitlab with a route", "glpat-" + mixed36[:27] + ".01.0w1" + mixed36[:6] + ".", "[secret:gitlab_token]."},
		{"github app, a jwt", "ghs_123456_" + jwt, "[secret:github_token]"},
		{"slack of a browser", "xoxd-" + mixed36 + "%2B" + mixed36[:9] + "%3D", "[secret:slack_token]"},
		{"slack workflow", "https://hooks.slack.com/workflows/T0123/A0123/" + mixed36, "https://[secret:slack_webhook]"},
		{"heroku", "HRKU-" + "AA" + mixed36 + mixed36[:20], "[secret:heroku_key]"},
		{"age, against quanta", "AGE-SECRET-KEY-PQ-1" + strings.ToUpper(hex32+hex32[:26]), "[secret:age_key]"},
		{"laravel", "APP_KEY=base64:" + base64k + "8=", "APP_KEY=[secret:api_key]"},
		{"environment of a container", `{"name": "API_TOKEN", "value": "` + mixed36 + `"}`, `{"name": "API_TOKEN", "value": "[secret:token]"}`},
		{"environment of a pod", "- name: DB_PASSWORD\n  value: Gr33nTea\n", "- name: DB_PASSWORD\n  value: [secret:password]\n"},
		{"private key with numbered lines", "     1→-----BEGIN EC PRIVATE " + "KEY-----\n     2→" + base64k + "\n     3→" + base64k, "     1→[secret:private_key]"},
		{".pgpass", "db:5432:shop:app:Gr33nTea!\nlocalhost:*:*:*:Gr33nTea\n", "db:5432:shop:app:[secret:password]\nlocalhost:*:*:*:[secret:password]\n"},
		{"cookies", "Cookie: theme=dark; sid=" + mixed36 + "; lang=de; JSESSIONID=" + hex32, "Cookie: theme=dark; sid=[secret:cookie]; lang=de; JSESSIONID=[secret:cookie]"},
		{"cookie set", "< Set-Cookie: connect.sid=s%3A" + mixed36 + "." + base64k + "; Path=/", "< Set-Cookie: connect.sid=[secret:cookie]; Path=/"},
		{"token as a cookie", "Cookie: theme=dark; sid=ghp_" + mixed36, "Cookie: theme=dark; sid=[secret:github_token]"},
		{"cookie in JSON", `{"Cookie": "sid=` + mixed36 + `", "Host": "a=` + mixed36 + `"}`, `{"Cookie": "sid=[secret:cookie]", "Host": "a=` + mixed36 + `"}`},
		{"cookie of curl", "curl -sb 'x' -b 'sid=" + mixed36 + "' https://x", "curl -sb 'x' -b 'sid=[secret:cookie]' https://x"},
		{"session in a query", "/cart?PHPSESSID=" + hex32, "/cart?PHPSESSID=[secret:cookie]"},
		{"setx", `setx /x & setx DB_PASSWORD "Gr33nTea" /M`, `setx /x & setx DB_PASSWORD "[secret:password]" /M`},
		{"Dockerfile", "ENV API_KEY " + hex32 + "\nENV PORT 8080", "ENV API_KEY [secret:api_key]\nENV PORT 8080"},
		{"fish", "set -gx API_TOKEN " + mixed36, "set -gx API_TOKEN [secret:token]"},
		{"npm config", "npm config set //registry.npmjs.org/:_authToken " + mixed36, "npm config set //registry.npmjs.org/:_authToken [secret:token]"},
		{"azure client secret", "shown once: abc8" + "Q~" + mixed36[:30] + "_-.~.", "shown once: [secret:azure_secret]."},
		{"jdbc", "jdbc:oracle:thin:scott/tiger@db:1521/x", "jdbc:oracle:thin:scott/[secret:password]@db:1521/x"},
		{"sqlplus", "sqlplus scott/tiger@db", "sqlplus scott/[secret:password]@db"},
		{"net use", `net use Z: \\srv\share /user:DOM\ann Gr33nTea`, `net use Z: \\srv\share /user:DOM\ann [secret:password]`},
		{"net use, turned", `net use \\srv\share Gr33nTea /USER:ann`, `net use \\srv\share [secret:password] /USER:ann`},
		{"net user", "net user bob Gr33nTea /add", "net user bob [secret:password] /add"},
		{"net user, of one word", "net user Gr33nTea Gr33nTea /add", "net user Gr33nTea [secret:password] /add"},
		{"index with a token", "--index-url https://" + mixed36 + "@pypi.x/simple", "--index-url https://[secret:url_token]@pypi.x/simple"},
		{"terraform", `{"db_password": {"sensitive": true, "type": "string", "value": "Gr33nTea"}}`, `{"db_password": {"sensitive": true, "type": "string", "value": "[secret:password]"}}`},
		{"basic in front of a dash", "Authorization: Basic dTpqdmxzYWlyYXh4-ok", "Authorization: Basic [secret:credential]-ok"},
		{"basic as a key", "api_key=Basic YW5uOkdyMzNuVGVh", "api_key=Basic [secret:credential]"},
		{"basic alone", "it sent Basic dTpqdmxzYWlyYQ== again", "it sent Basic [secret:credential] again"},
		{"curl, options together", "curl -sSu ann:Gr33nTea -k x; curl -uann:Gr33nTea y; curl --user=ann:Gr33nTea z",
			"curl -sSu ann:[secret:password] -k x; curl -uann:[secret:password] y; curl --user=ann:[secret:password] z"},
		{"curl, in quotes", `curl -u 'ann:Gr33nTea' x; curl -u "ann@x.y:Gr33nTea" y`, `curl -u 'ann:[secret:password]' x; curl -u "ann@x.y:[secret:password]" y`},
		{"docker login", "docker login -u ann -p Gr33nTea reg.x", "docker login -u ann -p [secret:password] reg.x"},
		{"ldapsearch", "ldapsearch -D cn=admin -w Gr33nTea", "ldapsearch -D cn=admin -w [secret:password]"},
		{"sql", "CREATE USER a IDENTIFIED BY 'Gr33nTea!'; ALTER ROLE b PASSWORD 'Gr33nTea!';", "CREATE USER a IDENTIFIED BY '[secret:password]'; ALTER ROLE b PASSWORD '[secret:password]';"},
		{"gemini", "GOOGLE_KEY=AQ." + "Ab8RN6J" + mixed36 + mixed36[:9], "GOOGLE_KEY=[secret:google_api_key]"},
		{"azure of a mark", "VISION_KEY=" + mixed36 + mixed36[:16] + "JQQJ99BB" + "ACi5" + mixed36[:20] + ";", "VISION_KEY=[secret:azure_key];"},
		{"azure of a mark, digits first", "key 71834567" + mixed36 + mixed36[:8] + "JQQJ99BB" + "ACi5" + mixed36[:20], "key [secret:azure_key]"},
		{"azure subscription", "Ocp-Apim-Subscription-Key: " + hex32, "Ocp-Apim-Subscription-Key: [secret:api_key]"},
		{"vercel gateway", "vck_" + mixed36 + mixed36[:20], "[secret:vercel_key]"},
		{"cloudflare", "cfut_" + mixed36 + "aB3d5e6f7a8b", "[secret:cloudflare_token]"},
		{"dynatrace", "dt0c01." + strings.ToUpper(mixed36[:24]) + "." + strings.ToUpper(mixed36+mixed36[:28]), "[secret:dynatrace_token]"},
		{"jina", "jina_" + mixed36 + mixed36[:24], "[secret:jina_key]"},
		{"runpod", "rpa_" + mixed36 + mixed36[:10], "[secret:runpod_key]"},
		{"gitlab workspace", "glwt-" + mixed36[:20], "[secret:gitlab_token]"},
		{"api key in words", "API key: " + hex32 + "\nname: x", "API key: [secret:api_key]\nname: x"},
		{"api key in words, quoted", `the secret key = "` + mixed36 + `"`, `the secret key = "[secret:secret]"`},
		{"api key in a sentence", "my api key is " + mixed36 + ", use it", "my api key is [secret:api_key], use it"},
		{"token in a sentence", "Set the access token to `" + mixed36 + "`.", "Set the access token to `[secret:token]`."},
		{"token in German", "Das Token ist " + mixed36 + ".", "Das Token ist [secret:token]."},
		{"client secret in a sentence", "The client secret was " + mixed36, "The client secret was [secret:secret]"},
		{"YAML block", "db:\n  password: |\n    Gr33nTea\n  host: x", "db:\n  password: |\n    [secret:password]\n  host: x"},
		{"YAML folded", "api_key: >-\r\n  " + mixed36 + "\r\nport: 1", "api_key: >-\r\n  [secret:api_key]\r\nport: 1"},
		{"YAML on the next line", "api_key:\n  \"" + mixed36 + "\"\n", "api_key:\n  \"[secret:api_key]\"\n"},
		{"escaped quote", `{"password": "Gr33n\"Tea\\5\u0026x", "a": 1}`, `{"password": "[secret:password]", "a": 1}`},
		{"escaped quote after a word", `{"password": "green\"T3a"}`, `{"password": "[secret:password]"}`},
		{"end of a line in a quotation", `"log": "password=\"Gr33nTea\"\nbye"`, `"log": "password=\"[secret:password]\"\nbye"`},
		{"default of a variable", `os.getenv("API_KEY", "` + mixed36 + `")`, `os.getenv("API_KEY", "[secret:api_key]")`},
		{"variable of a test", `t.Setenv("DB_PASSWORD", "Gr33nTea")`, `t.Setenv("DB_PASSWORD", "[secret:password]")`},
		{"default of a variable in Python", `os.environ.get('API_KEY', '` + mixed36 + `')`, `os.environ.get('API_KEY', '[secret:api_key]')`},
		{"line of a long file", "123456789012:password: Gr33nTea", "123456789012:password: [secret:password]"},
		{"line of a search", "shop.env:3:API_KEY=" + mixed36 + "\n12:password: Gr33nTea", "shop.env:3:API_KEY=[secret:api_key]\n12:password: [secret:password]"},
		{"behind a token that ends in a digit", "ghp_" + mixed36 + "1:password=Gr33nTea", "[secret:github_token]:password=[secret:password]"},
		{"teams", "https://acme.webhook.office.com/webhookb2/" + uuid + "@" + uuid + "/IncomingWebhook/" + hex32 + "/" + uuid, "https://acme.[secret:teams_webhook]"},
		{"zapier", "https://hooks.zapier.com/hooks/catch/123456/" + "b1c2d3e/", "https://[secret:zapier_webhook]"},
		{"feishu", "https://open.feishu.cn/open-apis/bot/v2/hook/" + uuid + "。", "https://[secret:feishu_webhook]。"},
		{"wecom", "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=" + uuid, "https://[secret:wecom_webhook]"},
		{"doppler", "dp.ct." + mixed36 + "aB3d, dp.scim." + mixed36 + "aB3d", "[secret:doppler_token], [secret:doppler_token]"},
		{"alibaba", "LTAI" + "5t" + mixed36[:18], "[secret:alibaba_access_key]"},
		{"contentful", "CFPAT-" + mixed36 + "_-3dX7a", "[secret:contentful_token]"},
		{"sourcegraph", "sgp_" + hex32 + "01ab23cd, sgp_" + hex32[:16] + "_" + hex32 + "01ab23cd", "[secret:sourcegraph_token], [secret:sourcegraph_token]"},
		{"prefect", "pnu_" + mixed36, "[secret:prefect_key]"},
		{"readme", "rdme_" + strings.ToLower(mixed36+mixed36[:34]), "[secret:readme_key]"},
		{"typeform", "tfp_" + mixed36 + mixed36[:23], "[secret:typeform_token]"},
		{"adafruit", "aio_" + mixed36[:28], "[secret:adafruit_key]"},
		{"e2b", "e2b_" + hex32 + "01ab23cd", "[secret:e2b_key]"},
		{"shippo", "shippo_" + "live_" + hex32 + "01ab23cd", "[secret:shippo_token]"},
		{"duffel", "duffel_" + "live_" + mixed36 + "_-3dX7a", "[secret:duffel_token]"},
		{"easypost", "EZAK" + mixed36 + mixed36[:18], "[secret:easypost_key]"},
		{"flutterwave", "FLWSECK-" + hex32 + "-X", "[secret:flutterwave_key]"},
		{"wallet", "xprv" + "9s21ZrQH143K" + mixed36 + mixed36 + mixed36[:23], "[secret:wallet_key]"},
		{"putty", "Private-Lines: 2\n" + base64k + "\n" + base64k + "=\nPrivate-MAC: 1f", "Private-Lines: [secret:private_key]\nPrivate-MAC: 1f"},
		{"putty in a quotation", `Private-Lines: 1\r\n` + base64k + `\r\nPrivate-MAC: 1f`, `Private-Lines: [secret:private_key]Private-MAC: 1f`},
		{"two on a line", "a=ghp_" + mixed36 + " b=npm_" + mixed36, "a=[secret:github_token] b=[secret:npm_token]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := secret.Mask(tt.text); got != tt.want {
				t.Errorf("Mask(%q)\n got %q\nwant %q", tt.text, got, tt.want)
			}
		})
	}
}

// Ensure the tokens of further issuers are found by their forms.
func TestMaskByForm(t *testing.T) {
	for kind, token := range map[string]string{
		"apify_token": "apify_api_" + mixed36, "axiom_token": "xaat-" + uuid, "plaid_token": "access-production-" + uuid, "databricks_secret": "dose" + hex32,
		"together_key": "tgp_v1_" + mixed36 + "x_K7-Qz", "deno_token": "ddp_" + mixed36, "fireworks_key": "fw_" + mixed36[:24], "voyage_key": "pa-" + mixed36 + "x_K7-Qz",
		"cursor_key": "crsr_" + hex32 + hex32, "aiven_password": "AVNS_" + mixed36[:19], "nostr_key": "nsec1" + strings.ToLower(mixed36+mixed36[:22]),
		"1password_key": "A3-" + "XQL9OT-K14GC1-K0XLZ-BJ8T3-IG1QQ-HCU3C", "cloudflare_key": "v1.0-" + hex32[:24] + "-" + strings.Repeat(hex32, 5)[:146],
		"braintree_token": "access_token$production$" + hex32[:16] + "$" + hex32, "yandex_key": "AQVN" + mixed36, "twitter_token": strings.Repeat("A", 21) + mixed36 + "%2B" + mixed36,
		"jfrog_key": "AKCp" + mixed36 + mixed36[:33], "harness_token": "pat." + mixed36[:22] + "." + hex32[:24] + "." + mixed36[:20], "sanity_token": "sk" + strings.Repeat(mixed36, 5),
		"clickup_token": "pk_" + "12345678_" + strings.ToUpper(mixed36[:32]), "inngest_key": "signkey-prod-" + hex32 + hex32, "twitch_token": "oauth:" + strings.ToLower(mixed36[:30]),
	} {
		for _, text := range []string{"Use %s, please.", "f(\"%s\")", "%s"} {
			if got, want := secret.Mask(strings.ReplaceAll(text, "%s", token)), strings.ReplaceAll(text, "%s", "[secret:"+kind+"]"); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	}
}

// Ensure what only resembles a secret is left alone.
func TestMaskLeavesOrdinaryText(t *testing.T) {
	for _, text := range []string{
		"",
		"commit 21e733bd0c2f4a5b6c7d8e9f00112233445566aa",
		"id 123e4567-e89b-12d3-a456-426614174000",
		"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		`"integrity": "sha512-` + base64k + base64k + `=="`,
		"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
		"password: required", "password: string", "Password must have 8 characters", `"password": ""`,
		"password=<your password>", "password=${DB_PASSWORD1}", "password: $2b$10$N9qo8uLOickgx2ZMRZoMye",
		"password: sha256", "pwd=/home/user1/src", "PASS: TestLogin2 (0.00s)", "passwordHash: abc123def456",
		"token = getToken2(ctx)", "token: auth_token_v2", "max_tokens=4096", "tokens: 15234", "next_token: null",
		"secretName: my-k8s-secret-1", "secret: kubernetes.io/service-account-token", "api_key: required2",
		"apiKey: process.env.API_KEY_2", "const token = user.accessToken2", "password: config.db.pass1",
		"sk-learn-pipeline-2024-model-v10", "the sk-prefix is old", "task_live_1234567890", "Bearer of bad news, internationalization2",
		"Basic authentication", "http://localhost:8080/a@b", "https://user:password@example.com", "git@github.com:a/b.git",
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----",
		"ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ", "key-value store", "hf_hub_download", "npm_config_registry",
		"encryptionKey = dk.encryptionKey1024", "PrivateKey: testP256PrivateKey", "new WebClient('xoxb-your-slack-token')",
		"Hashed password: pbkdf2:sha256:260000$zL6yRjZtQ5vGKwFf$5b7c7b7c", "12:30:45 12345678:AABB", "we decided to keep auth_token in the session: it is safe", "[secret:github_token]",
		"PublicKeyToken=b77a5c561934e089", "RESET_PASSWORD=true", "DB_PASSWORD=changeme", "NEW_PASSWORD=form.password", "PASSWORD=<secret>",
		"password is required1", "password is sha256", "password must contain 1 digit", "the password policy v2 is strict", "password to user1_table",
		"docker run -u 1000:1000 -p 8080:80", "curl -u $USER:$PASS", "--user www-data:www-data1", "define('PASSWORD_COST', 12)", `["password", "address1"]`,
		"<token>42</token>", "<th>password1</th>", "auth: jwt", "OID_CLIENT_AUTH = ExtendedKeyUsageOID.CLIENT_AUTH", "auth: oauth2-proxy-v2", "pat on the back", "MTUSize.Default.Value", "cloud.google.com/go v0.110.0",
		"token_count: 512", `{"name": "token", "value": "42"}`, `{"name": "id", "value": "` + mixed36 + `"}`, "type Password = NonEmptyString",
		"mkdir -pv /srv/data12", "docker run -p8080:80 mysql:8.0", "redis-cli -a $REDIS1", "ls -a file123", "bot12 says", "login to reset a password quickly1",
		"2002:0000:0000:1234:abcd:ffff:c0a8:0101/128", "main.go:1234:x:y: Test12", "a 10.0.0.1:8080:x:y:Test12", "main.go:12:x:y:Test12",
		"load_context {\"cursor\":\"contexts.5d9ef604.eyJrIjoi" + mixed36 + mixed36 + "\"}", // wake's own
		"the sort key is " + hex32, "primary key: " + hex32, "the key is " + hex32, "cache key: sha256-" + hex32, "the next page token is " + mixed36,
		"the secret is to keep it simple1", "the token is expired since 2026-01-31", "the API key is required2", "the token is validateToken2(ctx)", "  key: " + hex32,
		"a secret is in config/prod2/secrets.yml", "an API key is sk-your-key-here", "Secret: name-of-the-secret-1", "the token is 401", "API key: none1", "the token is a JWT",
		"Cookie: theme=dark; lang=de-DE; consent=yes", "the cookie: a=" + mixed36[:12], "Cookie: a\nb=" + mixed36, "session_id=123e4567-e89b-12d3-a456-426614174000",
		"ENV NODE_ENV production", "ENV PASSWORD_FILE /run/x1", "config set user.name ann12", "set -x", "setx /?", "NET USE", "net use of energy in 2024",
		"net user growth was 123a", "mysqldump -u root -port3306 shop", "cp -p mysql1 x2", "tar -p a1b2c3d4", "curl -b cookies.txt https://x",
		"q~ 8Q~short", "sqlplus /nolog", "jdbc:oracle:thin:@db:1521:x1", "https://cdn.x/npm/react@18.2", "ssh://git@github.com/a", "Basic responsibilities1",
		"arn:aws:secretsmanager:us-west-2:123456789012:secret:MySecret-a1b2c3", "Token: `urn:uuid:181d4fae-7d8c-11d0-a765-00a0c91e6bf2`",
		`"nextToken": "` + mixed36 + `"`, "PrivateKey: testEd25519PrivateKey", "private_key: ed25519.Ed25519PrivateKey", "machine string login string password string",
		`{"token": {"type": "string", "value": "x"}}`, `{"password": {"a": {"value": "Gr33nTea"}}}`,
		"password:\n  min_length2: 8", "if token:\n    refresh2(token)", "password:\n  rules1:\n    x", "password:\nGr33nTea1", "token: |\n  some words and 1 number",
		"https://hooks.zapier.com/hooks/catch", "https://open.feishu.cn/open-apis/bot/v2/hook/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "send?key=" + uuid,
		"sgp_request_handler_for_the_configuration_of_all", "aio_read_and_write_of_many_parts", "Private-Lines: 14", "xprv of a wallet", "LTAI2000",
		`os.getenv("PASSWORD_COST", "12")`, `f("password", "address1")`, `"password": "a\"b"`,
		"\x1b[31mFAIL\x1b[0m password: \x1b[1mrequired\x1b[0m", "\x1b[Kkey-value", "-password: required", "-hf_hub_download", "page-12-npm_config_registry", "100%25ghp_", "access-sandbox-setup",
		"sess-" + hex32 + hex32[:8], "m0-" + hex32 + hex32[:8], "ico-" + hex32 + ".png", "fw_" + hex32[:24], "\x1b[2Jkey\x1b[1Cof\x1b[1Call",
		"fw_version", "sess-id", "pa-system-of-the-town-hall-and-other-parts-42", "pk_" + "live_" + mixed36, "v1.0-rc1", "sdk-for-many-of-our-very-old-languages", "pat.example.com", "oauth:login", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==",
		"password: Gr3n", "https://" + mixed36 + ".example/x", "the value: " + mixed36, "Basic training", "Basic settings", "Basic trainingYQ==",
		"Gr33nTea9 password:\n  two words1\n", "token:\n  Gr33nTea42x:\n", "password:\n  see2it first\n", "machine x login me password <password>",
		"machine x user me password sunshine", "123456789:AA" + mixed36, "123456789:BB" + mixed36[:33], "123456789012:AA" + mixed36[:33], mixed36 + mixed36 + mixed36[:12],
		"sort -b sid=" + mixed36, "a password Gr33nT9 is short",
		"password=[secret:password]", "--password-file /run/x1", "SKU 12345", "dapi", "eyJ", "eyJhbGciOiJIUzI1NiJ9",
	} {
		if got := secret.Mask(text); got != text {
			t.Errorf("Mask(%q) = %q, want it unchanged", text, got)
		}
	}
}

// Ensure spans are in order, inside the text and apart, that masking twice changes nothing more, and that
// it never breaks UTF-8, whatever the text.
func TestMaskProperties(t *testing.T) {
	pieces := []string{"ghp_" + mixed36, "password=", "token: ", "\"", "://", "a:b@c", "-----BEGIN PRIVATE KEY-----", "-----END X-----",
		"Bearer ", hex32, mixed36, base64k, "eyJ", ".", "AKIAIOSFODNN7EXAMPLE", " ", "\n", "\\n", "密码：", "é", "--pw ", "=", ":", "x1Y2z3!", "[secret:", "\x1b[31m", `\u001b[0m`, "\x1b[", "\x1b[1C", "%3D", "-"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.OneOf(rapid.SampledFrom(pieces), rapid.String())).Draw(t, "pieces"), "")
		checkMask(t, text)
	})
}

func FuzzMask(f *testing.F) {
	f.Add("password=hunter2!x token: " + mixed36)
	f.Add("https://a:b1c2@d -----BEGIN PRIVATE KEY-----\nabc")
	f.Fuzz(func(t *testing.T, text string) { checkMask(t, text) })
}

func checkMask(t interface{ Fatalf(string, ...any) }, text string) {
	end := 0
	for _, s := range secret.Find(text) {
		if s.Kind == "" || s.Start < end || s.End <= s.Start || s.End > len(text) {
			t.Fatalf("bad span %+v after %d in %q", s, end, text)
		}
		end = s.End
	}
	once := secret.Mask(text)
	if twice := secret.Mask(once); twice != once {
		t.Fatalf("masking %q gave %q, then %q", text, once, twice)
	}
	if utf8.ValidString(text) && !utf8.ValidString(once) {
		t.Fatalf("masking %q broke UTF-8: %q", text, once)
	}
}

// Ensure a text in which each word announces a secret is searched once, not once for each of its words: a
// search that looks ahead at each takes minutes for a megabyte.
func TestFindWordsThatAnnounce(t *testing.T) {
	for _, words := range []string{"password is ", "password ", "the token is ", "Bearer ", "basic bearer "} {
		text := strings.Repeat(words, 1<<20/len(words))
		if got, want := secret.Mask(text+"password is Tr0ub4dor&3"), text+"password is [secret:password]"; got != want {
			t.Errorf("%q, a megabyte of it: the end is %q", words, got[len(got)-40:])
		}
	}
}

// The time that a clean megabyte takes, and texts made to be slow.
func BenchmarkMask(b *testing.B) {
	prose := strings.Repeat("We decided to keep the auth_token in the session, because it is safer: see https://example.com/a?b=c.\n", 1<<20/100)
	random := make([]byte, 3<<18)
	for i, r := 0, rand.New(rand.NewPCG(1, 2)); i < len(random); i++ {
		random[i] = byte(r.Uint32())
	}
	for name, text := range map[string]string{
		"prose":      prose,
		"base64":     base64.StdEncoding.EncodeToString(random),
		"json":       strings.Repeat(`{"name":"x1","value":[1,2,3],"time":"2026-01-02T03:04:05Z"},`, 1<<20/60),
		"assignment": strings.Repeat(`password="`, 1<<20/10),
		"begin":      strings.Repeat("-----BEGIN PRIVATE KEY", 1<<20/22),
		"jwt":        strings.Repeat("eyJ-", 1<<20/4),
		"jwt dots":   strings.Repeat("eyJ.", 1<<20/4),
		"cookies":    strings.Repeat("Cookie:", 1<<20/7),
		"crumbs":     strings.Repeat("Cookie: "+strings.Repeat("=x", 2000)+"\n", 1<<20/4009),
		"net use":    strings.Repeat("net use ", 1<<20/8),
		"pgpass":     strings.Repeat("a:1234:", 1<<20/7),
		"value":      strings.Repeat(`"value":`, 1<<20/8),
		"said":       strings.Repeat("password is ", 1<<20/12),
		"urls":       strings.Repeat("a://b:", 1<<20/6),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				secret.Mask(text)
			}
		})
	}
}
