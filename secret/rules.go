package secret

// tokenRule describes credentials that are recognised by a prefix.
type tokenRule struct {
	kind, prefix string
	body         func(byte) bool // accepts the bytes after the prefix
	min, max     int             // number of these bytes
	random       bool            // the prefix alone is weak, so the body must look random too
}

// match returns how many bytes of rest, which follows the prefix, belong to the token;
// 0 if there is no token.
func (r tokenRule) match(rest string) int {
	n := run(rest, r.max+1, r.body)
	for n > 0 && rest[n-1] == '.' { // it ends the sentence
		n--
	}
	if n < r.min || n > r.max || r.random && (!looksRandom(rest[:n]) || r.min == r.max && r.body('z') && isHash(rest[:n])) {
		return 0
	}
	return n
}

// isHash reports whether s has only the digits of hashes and of many ids. No token of such a
// length that may have other letters too is without one.
func isHash(s string) bool { return len(s) >= 20 && run(s, len(s), isLowerHex) == len(s) }

// tokenRules are the forms published by the issuers. The minimum lengths are generous,
// because a prefix such as "ghp_" hardly occurs otherwise.
var tokenRules = []tokenRule{
	{"anthropic_key", "sk-ant-", isTokenByte, 16, 300, false},
	{"openai_key", "sk-proj-", isTokenByte, 16, 400, false},
	{"openai_key", "sk-svcacct-", isTokenByte, 16, 400, false},
	{"openrouter_key", "sk-or-v1-", isTokenByte, 16, 200, false},
	{"openai_key", "sk-", isTokenByte, 20, 200, true},
	{"github_token", "ghp_", isAlnum, 20, 255, false},
	{"github_token", "gho_", isAlnum, 20, 255, false},
	{"github_token", "ghu_", isAlnum, 20, 255, false},
	{"github_token", "ghs_", isDottedByte, 20, 2048, false},
	{"github_token", "ghr_", isAlnum, 20, 255, false},
	{"github_token", "github_pat_", isTokenByte, 20, 255, false},
	{"gitlab_token", "glpat-", isDottedByte, 16, 300, false},
	{"gitlab_token", "gldt-", isTokenByte, 16, 300, false},
	{"gitlab_token", "glrt-", isDottedByte, 16, 300, false},
	{"gitlab_token", "glptt-", isTokenByte, 16, 300, false},
	{"gitlab_token", "glcbt-", isTokenByte, 16, 300, false},
	{"gitlab_token", "glft-", isTokenByte, 16, 300, false},
	{"gitlab_token", "gloas-", isTokenByte, 16, 300, false},
	{"gitlab_token", "glsoat-", isTokenByte, 16, 300, false},
	{"gitlab_token", "glagent-", isTokenByte, 16, 300, false},
	{"gitlab_token", "glrtr-", isDottedByte, 16, 300, false},
	{"gitlab_token", "glffct-", isTokenByte, 16, 300, false},
	{"gitlab_token", "glimt-", isTokenByte, 16, 300, false},
	{"gitlab_token", "glwt-", isTokenByte, 16, 300, false},
	{"gitlab_token", "GR1348941", isTokenByte, 20, 20, false},
	{"aws_access_key", "AKIA", isUpperAlnum, 16, 16, false},
	{"aws_access_key", "ASIA", isUpperAlnum, 16, 16, false},
	{"aws_access_key", "ABIA", isUpperAlnum, 16, 16, false},
	{"aws_access_key", "ACCA", isUpperAlnum, 16, 16, false},
	{"aws_bedrock_key", "ABSK", isBase64Byte, 100, 300, true},
	{"aws_bedrock_key", "bedrock-api-key-", isBase64Byte, 40, 2048, true},
	{"google_api_key", "AIza", isTokenByte, 30, 45, false},
	{"google_api_key", "AQ.Ab", isTokenByte, 30, 100, true}, // of Gemini
	{"google_oauth_token", "ya29.", isDottedByte, 20, 2048, false},
	{"google_oauth_secret", "GOCSPX-", isTokenByte, 20, 60, false},
	{"slack_token", "xoxb-", isTokenByte, 10, 300, true},
	{"slack_token", "xoxp-", isTokenByte, 10, 300, true},
	{"slack_token", "xoxa-", isTokenByte, 10, 300, true},
	{"slack_token", "xoxr-", isTokenByte, 10, 300, true},
	{"slack_token", "xoxs-", isTokenByte, 10, 300, true},
	{"slack_token", "xoxc-", isTokenByte, 10, 300, true},
	{"slack_token", "xoxd-", isEscapedByte, 20, 400, true},
	{"slack_token", "xoxe", isHeaderByte, 20, 400, true},
	{"slack_token", "xapp-", isTokenByte, 20, 300, false},
	{"slack_webhook", "hooks.slack.com/services/", isHeaderByte, 20, 200, false},
	{"slack_webhook", "hooks.slack.com/workflows/", isHeaderByte, 20, 200, false},
	{"slack_webhook", "hooks.slack.com/triggers/", isHeaderByte, 20, 200, false},
	{"discord_webhook", "discord.com/api/webhooks/", isHeaderByte, 60, 120, true},
	{"discord_webhook", "discordapp.com/api/webhooks/", isHeaderByte, 60, 120, true},
	{"teams_webhook", "webhook.office.com/webhookb2/", isWebhookByte, 60, 300, true},
	{"zapier_webhook", "hooks.zapier.com/hooks/catch/", isHeaderByte, 10, 80, false},
	{"feishu_webhook", "open.feishu.cn/open-apis/bot/v2/hook/", isTokenByte, 32, 40, true},
	{"feishu_webhook", "open.larksuite.com/open-apis/bot/v2/hook/", isTokenByte, 32, 40, true},
	{"wecom_webhook", "qyapi.weixin.qq.com/cgi-bin/webhook/send?key=", isTokenByte, 32, 40, true},
	{"stripe_key", "sk_live_", isAlnum, 10, 300, false},
	{"stripe_key", "rk_live_", isAlnum, 10, 300, false},
	{"stripe_key", "sk_test_", isAlnum, 10, 300, false},
	{"stripe_key", "rk_test_", isAlnum, 10, 300, false},
	{"stripe_key", "sk_org_live_", isAlnum, 10, 300, false},
	{"stripe_key", "whsec_", isBase64Byte, 20, 300, true},
	{"npm_token", "npm_", isAlnum, 30, 60, true},
	{"pypi_token", "pypi-AgE", isTokenByte, 30, 500, false},
	{"huggingface_token", "hf_", isAlnum, 25, 60, true},
	{"huggingface_token", "api_org_", isAlnum, 25, 60, true},
	{"sendgrid_key", "SG.", isHeaderByte, 40, 120, true},
	{"twilio_key", "SK", isLowerHex, 32, 32, true},
	{"mailgun_key", "key-", isLowerHex, 32, 32, true},
	{"digitalocean_token", "dop_v1_", isLowerHex, 32, 80, false},
	{"digitalocean_token", "doo_v1_", isLowerHex, 32, 80, false},
	{"digitalocean_token", "dor_v1_", isLowerHex, 32, 80, false},
	{"docker_token", "dckr_pat_", isTokenByte, 16, 100, false},
	{"docker_token", "dckr_oat_", isTokenByte, 16, 100, false},
	{"shopify_token", "shpat_", isAlnum, 20, 60, false},
	{"databricks_token", "dapi", isLowerHex, 32, 32, true},
	{"grafana_token", "glsa_", isTokenByte, 20, 100, false},
	{"vault_token", "hvs.", isTokenByte, 20, 300, false},
	{"vault_token", "hvb.", isTokenByte, 20, 400, false},
	{"linear_key", "lin_api_", isAlnum, 20, 80, false},
	{"linear_key", "lin_oauth_", isAlnum, 20, 80, false},
	{"groq_key", "gsk_", isAlnum, 30, 100, true},
	{"xai_key", "xai-", isAlnum, 30, 120, true},
	{"perplexity_key", "pplx-", isAlnum, 30, 100, true},
	{"replicate_token", "r8_", isAlnum, 30, 60, true},
	{"notion_token", "ntn_", isAlnum, 30, 80, true},
	{"cerebras_key", "csk-", isAlnum, 40, 60, true},
	{"nvidia_key", "nvapi-", isTokenByte, 50, 100, true},
	{"tavily_key", "tvly-", isTokenByte, 24, 80, true},
	{"firecrawl_key", "fc-", isLowerHex, 32, 32, true},
	{"jina_key", "jina_", isAlnum, 40, 80, true},
	{"runpod_key", "rpa_", isAlnum, 40, 60, true},
	{"pinecone_key", "pcsk_", isTokenByte, 50, 100, true},
	{"atlassian_token", "ATATT3", isHeaderByte, 30, 400, false},
	{"atlassian_token", "ATCTT3", isHeaderByte, 30, 400, false},
	{"bitbucket_password", "ATBB", isAlnum, 32, 32, true},
	{"age_key", "AGE-SECRET-KEY-1", isUpperAlnum, 40, 80, false},
	{"age_key", "AGE-SECRET-KEY-PQ-1", isUpperAlnum, 40, 80, false},
	{"shopify_token", "shpss_", isAlnum, 20, 60, false},
	{"shopify_token", "shpca_", isAlnum, 20, 60, false},
	{"shopify_token", "shppa_", isAlnum, 20, 60, false},
	{"grafana_token", "glc_", isBase64Byte, 60, 400, true},
	{"notion_token", "secret_", isAlnum, 43, 43, true},
	{"terraform_token", "atlasv1.", isTokenByte, 60, 80, true}, // the id before it is none
	{"figma_token", "figd_", isTokenByte, 30, 60, true},
	{"sentry_token", "sntrys_", isHeaderByte, 40, 400, true},
	{"sentry_token", "sntryu_", isLowerHex, 64, 64, false},
	{"postman_key", "PMAK-", isTokenByte, 59, 59, true},
	{"sonar_token", "sqp_", isLowerHex, 40, 40, false},
	{"sonar_token", "squ_", isLowerHex, 40, 40, false},
	{"sonar_token", "sqa_", isLowerHex, 40, 40, false},
	{"dynatrace_token", "dt0c01.", isDottedByte, 80, 100, true},
	{"newrelic_key", "NRAK-", isUpperAlnum, 27, 27, false},
	{"planetscale_token", "pscale_tkn_", isHeaderByte, 30, 64, true},
	{"planetscale_password", "pscale_pw_", isHeaderByte, 30, 64, true},
	{"planetscale_token", "pscale_oauth_", isHeaderByte, 30, 64, true},
	{"supabase_token", "sbp_", isLowerHex, 40, 40, false},
	{"supabase_key", "sb_secret_", isTokenByte, 30, 60, false},
	{"heroku_key", "HRKU-", isTokenByte, 36, 80, true},
	{"vercel_token", "vercel_blob_rw_", isTokenByte, 30, 80, true},
	{"vercel_key", "vck_", isAlnum, 40, 80, true},
	{"vercel_token", "vcp_", isAlnum, 40, 80, true},
	{"cloudflare_token", "cfut_", isAlnum, 40, 60, true},
	{"cloudflare_token", "cfat_", isAlnum, 40, 60, true},
	{"netlify_token", "nfp_", isAlnum, 36, 36, true},
	{"neon_key", "napi_", isLowerAlnum, 64, 64, true},
	{"circleci_token", "CCIPAT_", isTokenByte, 40, 80, true},
	{"posthog_key", "phx_", isAlnum, 40, 60, true},
	{"resend_key", "re_", isTokenByte, 33, 33, true},
	{"brevo_key", "xkeysib-", isTokenByte, 60, 100, false},
	{"brevo_key", "xsmtpsib-", isTokenByte, 60, 100, false},
	{"openshift_token", "sha256~", isTokenByte, 43, 43, true},
	{"mapbox_token", "sk.eyJ", isDottedByte, 60, 200, true},
	{"square_token", "EAAA", isTokenByte, 60, 60, true},
	{"square_token", "sq0atp-", isTokenByte, 22, 60, false},
	{"square_secret", "sq0csp-", isTokenByte, 43, 43, true},
	{"facebook_token", "EAACEdEose0cBA", isAlnum, 20, 400, false},
	{"facebook_token", "EAA", isAlnum, 100, 400, true},
	{"fly_token", "fm2_", isBase64Byte, 60, 4000, true},
	{"dropbox_token", "sl.", isDottedByte, 100, 2000, true},
	{"pulumi_token", "pul-", isLowerHex, 40, 40, false},
	{"doppler_token", "dp.pt.", isAlnum, 40, 44, true},
	{"doppler_token", "dp.st.", isHeaderByte, 40, 80, true},
	{"doppler_token", "dp.ct.", isAlnum, 40, 44, true},
	{"doppler_token", "dp.sa.", isAlnum, 40, 44, true},
	{"doppler_token", "dp.scim.", isAlnum, 40, 44, true},
	{"1password_token", "ops_eyJ", isBase64Byte, 100, 2000, false},
	{"buildkite_token", "bkua_", isLowerHex, 40, 40, false},
	{"rubygems_key", "rubygems_", isLowerHex, 48, 48, false},
	{"crates_token", "cio", isAlnum, 32, 32, true},
	{"nuget_key", "oy2", isLowerAlnum, 43, 43, true},
	{"clojars_token", "CLOJARS_", isLowerHex, 60, 60, false},
	{"tailscale_key", "tskey-", isTokenByte, 20, 80, true},
	{"langsmith_key", "lsv2_pt_", isTokenByte, 32, 60, true},
	{"langsmith_key", "lsv2_sk_", isTokenByte, 32, 60, true},
	{"elevenlabs_key", "sk_", isLowerHex, 48, 48, false},
	{"airtable_token", "pat", isHeaderByte, 79, 79, true},
	{"hubspot_token", "pat-na1-", isTokenByte, 36, 36, true},
	{"hubspot_token", "pat-eu1-", isTokenByte, 36, 36, true},
	{"alibaba_access_key", "LTAI", isAlnum, 12, 24, true},
	{"contentful_token", "CFPAT-", isTokenByte, 43, 43, true},
	{"sourcegraph_token", "sgp_", isTokenByte, 40, 60, true},
	{"prefect_key", "pnu_", isAlnum, 36, 36, true},
	{"readme_key", "rdme_", isLowerAlnum, 70, 70, true},
	{"typeform_token", "tfp_", isTokenByte, 44, 64, true},
	{"adafruit_key", "aio_", isAlnum, 28, 28, true},
	{"e2b_key", "e2b_", isLowerHex, 40, 40, true},
	{"shippo_token", "shippo_live_", isLowerHex, 40, 40, true},
	{"duffel_token", "duffel_live_", isTokenByte, 43, 43, true},
	{"easypost_key", "EZAK", isAlnum, 54, 54, true},
	{"flutterwave_key", "FLWSECK-", isTokenByte, 32, 36, true},
	{"wallet_key", "xprv", isAlnum, 107, 107, true},
	{"django_secret_key", "django-insecure-", isPrintable, 30, 80, false},
	{"aiven_password", "AVNS_", isTokenByte, 15, 30, false},
	{"apify_token", "apify_api_", isAlnum, 30, 60, true},
	{"axiom_token", "xaat-", isTokenByte, 36, 36, true},
	{"axiom_token", "xapt-", isTokenByte, 36, 36, true},
	{"braintree_token", "access_token$production$", func(c byte) bool { return isLowerAlnum(c) || c == '$' }, 40, 60, true},
	{"plaid_token", "access-production-", isTokenByte, 36, 36, true},
	{"plaid_token", "access-development-", isTokenByte, 36, 36, true},
	{"plaid_token", "access-sandbox-", isTokenByte, 36, 36, true},
	{"render_key", "rnd_", isAlnum, 28, 40, true},
	{"databricks_secret", "dose", isLowerHex, 32, 32, true},
	{"vault_token", "hvr.", isTokenByte, 20, 400, true},
	{"infracost_key", "ico-", isAlnum, 32, 32, true},
	{"harness_token", "pat.", isDottedByte, 60, 90, true},
	{"harness_token", "sat.", isDottedByte, 60, 90, true},
	{"jfrog_key", "AKCp", isAlnum, 60, 80, true},
	{"jfrog_token", "cmVmdGtu", isAlnum, 56, 56, true},
	{"packagist_token", "packagist_", isTokenByte, 60, 100, true},
	{"deno_token", "ddp_", isAlnum, 36, 40, true},
	{"deno_token", "ddo_", isAlnum, 36, 40, true},
	{"jsr_token", "jsrp_", isAlnum, 36, 60, true},
	{"openai_key", "sess-", isAlnum, 40, 40, true},
	{"together_key", "tgp_v1_", isTokenByte, 40, 60, true},
	{"fireworks_key", "fw_", isAlnum, 24, 24, true},
	{"voyage_key", "pa-", isTokenByte, 43, 43, true},
	{"brave_key", "BSA", isTokenByte, 28, 28, true},
	{"browserbase_key", "bb_live_", isTokenByte, 24, 40, true},
	{"mem0_key", "m0-", isAlnum, 40, 40, true},
	{"clickup_token", "pk_", func(c byte) bool { return isUpperAlnum(c) || c == '_' }, 38, 46, true},
	{"intercom_token", "dG9rO", isBase64Byte, 50, 60, true},
	{"hubspot_token", "pat-na2-", isTokenByte, 36, 36, true},
	{"hubspot_token", "pat-ap1-", isTokenByte, 36, 36, true},
	{"honeycomb_key", "hcaik_", isLowerAlnum, 50, 70, true},
	{"honeycomb_key", "hcxik_", isLowerAlnum, 50, 70, true},
	{"launchdarkly_key", "sdk-", isTokenByte, 36, 36, true},
	{"netlify_token", "nfc_", isAlnum, 36, 36, true},
	{"netlify_token", "nfo_", isAlnum, 36, 36, true},
	{"netlify_token", "nfb_", isAlnum, 36, 36, true},
	{"netlify_token", "nfu_", isAlnum, 36, 36, true},
	{"vercel_token", "vca_", isAlnum, 40, 80, true},
	{"vercel_token", "vci_", isAlnum, 40, 80, true},
	{"vercel_token", "vcr_", isAlnum, 40, 80, true},
	{"cloudflare_key", "v1.0-", func(c byte) bool { return isLowerHex(c) || c == '-' }, 160, 180, true},
	{"akamai_token", "akab-", isTokenByte, 33, 33, true},
	{"socket_token", "sktsec_", isTokenByte, 30, 80, true},
	{"nostr_key", "nsec1", isLowerAlnum, 58, 58, true},
	{"1password_key", "A3-", func(c byte) bool { return isUpperAlnum(c) || c == '-' }, 35, 37, false},
	{"flutterwave_key", "FLWSECK_TEST-", isTokenByte, 32, 36, true},
	{"newrelic_key", "NRII-", isTokenByte, 32, 32, true},
	{"yandex_key", "AQVN", isTokenByte, 34, 40, true},
	{"yandex_token", "y0_", isTokenByte, 50, 70, true},
	{"yandex_token", "t1.", isDottedByte, 100, 400, true},
	{"instagram_token", "IGQV", isTokenByte, 100, 400, true},
	{"instagram_token", "IGAA", isTokenByte, 100, 400, true},
	{"twitter_token", "AAAAAAAAAAAAAAAAAAAAA", isEscapedByte, 70, 140, true},
	{"wandb_key", "wandb_v1_", isTokenByte, 60, 100, true},
	{"cursor_key", "crsr_", isLowerHex, 64, 64, true},
	{"cursor_key", "key_", isLowerHex, 64, 64, true},
	{"modal_secret", "as-", isAlnum, 22, 22, true},
	{"context7_key", "ctx7sk-", isTokenByte, 36, 36, true},
	{"polar_token", "polar_oat_", isAlnum, 30, 60, true},
	{"paddle_key", "pdl_live_apikey_", isTokenByte, 45, 60, true},
	{"trigger_key", "tr_prod_", isAlnum, 20, 30, true},
	{"inngest_key", "signkey-prod-", isLowerHex, 32, 80, true},
	{"mailersend_token", "mlsn.", isLowerHex, 64, 64, true},
	{"onesignal_key", "os_v2_app_", isLowerAlnum, 90, 120, true},
	{"onesignal_key", "os_v2_org_", isLowerAlnum, 90, 120, true},
	{"depot_token", "depot_org_", isLowerHex, 64, 64, true},
	{"e2b_key", "sk_e2b_", isLowerHex, 40, 40, true},
	{"daytona_key", "dtn_", isLowerHex, 64, 64, true},
	{"wakatime_key", "waka_", isTokenByte, 36, 36, true},
	{"stytch_secret", "secret-live-", isTokenByte, 36, 36, true},
	{"stytch_secret", "secret-test-", isTokenByte, 36, 36, true},
	{"twitch_token", "oauth:", isLowerAlnum, 30, 30, true},
	{"elastic_key", "essu_", isBase64Byte, 50, 120, true},
	{"confluent_secret", "cflt", isBase64Byte, 60, 60, true},
	{"zuplo_key", "zpka_", isTokenByte, 40, 60, true},
	{"cal_key", "cal_live_", isLowerHex, 32, 32, true},
	{"xata_key", "xau_", isAlnum, 30, 60, true},
	{"frameio_token", "fio-u-", isTokenByte, 64, 64, true},
	{"gitea_token", "gto_", isAlnum, 40, 60, true},
	{"factory_key", "fk-", isTokenByte, 80, 100, true},
	{"warp_key", "wk-1.", isLowerHex, 64, 64, true},
	{"doppler_token", "dp.audit.", isAlnum, 40, 44, true},
	{"anyscale_key", "esecret_", isAlnum, 24, 30, true},
	{"cartesia_key", "sk_car_", isTokenByte, 20, 60, true},
	{"slack_token", "xoxo-", isTokenByte, 20, 300, true},
	{"sanity_token", "sk", isAlnum, 150, 200, true},
	{"upcloud_token", "ucat_", isAlnum, 24, 40, true},
}

// rulesByStart holds tokenRules by the first two bytes of their prefix, by their lower five
// bits. There are too many to try all for each word.
var rulesByStart = func() (table [1 << 10][]tokenRule) {
	for _, r := range tokenRules {
		at := start(r.prefix)
		table[at] = append(table[at], r)
	}
	return table
}()

func start(word string) uint { return uint(word[0]&31)<<5 | uint(word[1]&31) }

// discordFirst and discordThird are the possible beginnings of a Discord token, which
// begins with the number of its bot in base64.
var (
	discordFirst = []string{"MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"}
	discordThird = "AEIMQUYcgk"
)

// mayBegin reports whether a word may be a token of [finder.token]. It rules out
// nearly all others.
func mayBegin(word string) bool {
	if len(word) < 3 {
		return false
	}
	if isDigit(word[0]) {
		return len(word) > 8 && isDigit(word[1]) && isDigit(word[7]) || isAzureKey(word)
	}
	at := beginning(word)
	return beginnings[at>>6]&(1<<(at&63)) != 0 || isAzureKey(word)
}

// beginnings is the set of the first three bytes of tokens, by their lower five bits.
var beginnings = func() (table [1 << 15 / 64]uint64) {
	put := func(word string) {
		at := beginning(word)
		table[at>>6] |= 1 << (at & 63)
	}
	put("eyJ") // of a JSON web token
	put("bearer")
	put("basic")
	put("bot") // before a bot's token in a URL
	for _, command := range []string{"ENV", "set", "config", "sqlplus", "net", "identified"} {
		put(command)
	}
	for _, word := range []string{"password", "token", "secret", "key"} { // see [finder.said]
		put(word)
	}
	for _, first := range discordFirst {
		for _, third := range discordThird {
			put(first + string(third))
		}
	}
	for _, r := range tokenRules {
		if len(r.prefix) > 2 {
			put(r.prefix)
			continue
		}
		for c := range byte(32) {
			put(r.prefix + string(rune(c)))
		}
	}
	return table
}()

func beginning(word string) uint {
	return uint(word[0]&31)<<10 | uint(word[1]&31)<<5 | uint(word[2]&31)
}
