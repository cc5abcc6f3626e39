"""The vendor behind a kind of secret, and the page on which its key is revoked."""

from __future__ import annotations

from functools import cache

UNKNOWN_VENDOR = "whoever gave it out"
# word a kind begins with | name | page
_VENDOR_ROWS = """
adafruit|Adafruit IO|https://io.adafruit.com
airtable|Airtable|https://airtable.com/create/tokens
algolia|Algolia|https://dashboard.algolia.com/account/api-keys
alibaba|Alibaba Cloud|https://ram.console.aliyun.com
anthropic|Anthropic|https://console.anthropic.com/settings/keys
apify|Apify|https://console.apify.com/settings/integrations
artifactory|JFrog|https://jfrog.com
asana|Asana|https://app.asana.com/0/my-apps
atlassian|Atlassian|https://id.atlassian.com/manage-profile/security/api-tokens
aws|Amazon Web Services|https://console.aws.amazon.com/iam/home#/security_credentials
azure|Microsoft Azure|https://portal.azure.com
bitbucket|Bitbucket|https://bitbucket.org/account/settings/app-passwords
brevo|Brevo|https://app.brevo.com/settings/keys/api
buildkite|Buildkite|https://buildkite.com/user/api-access-tokens
circleci|CircleCI|https://app.circleci.com/settings/user/tokens
clickup|ClickUp|https://app.clickup.com/settings/apps
cloudflare|Cloudflare|https://dash.cloudflare.com/profile/api-tokens
cohere|Cohere|https://dashboard.cohere.com/api-keys
crates|crates.io|https://crates.io/settings/tokens
databricks|Databricks|https://accounts.cloud.databricks.com
datadog|Datadog|https://app.datadoghq.com/organization-settings/api-keys
deepseek|DeepSeek|https://platform.deepseek.com/api_keys
digitalocean|DigitalOcean|https://cloud.digitalocean.com/account/api/tokens
discord|Discord|https://discord.com/developers/applications
docker|Docker|https://app.docker.com/settings/personal-access-tokens
doppler|Doppler|https://dashboard.doppler.com
dropbox|Dropbox|https://www.dropbox.com/developers/apps
elevenlabs|ElevenLabs|https://elevenlabs.io/app/settings/api-keys
facebook|Meta|https://developers.facebook.com/apps
figma|Figma|https://www.figma.com/settings
flyio|Fly.io|https://fly.io/user/personal_access_tokens
gcp|Google Cloud|https://console.cloud.google.com/apis/credentials
github|GitHub|https://github.com/settings/tokens
gitlab|GitLab|https://gitlab.com/-/user_settings/personal_access_tokens
google|Google Cloud|https://console.cloud.google.com/apis/credentials
grafana|Grafana|https://grafana.com/orgs
groq|Groq|https://console.groq.com/keys
heroku|Heroku|https://dashboard.heroku.com/account/applications
hubspot|HubSpot|https://app.hubspot.com/private-apps
huggingface|Hugging Face|https://huggingface.co/settings/tokens
instagram|Meta|https://developers.facebook.com/apps
jfrog|JFrog|https://jfrog.com
langsmith|LangChain|https://smith.langchain.com/settings
launchdarkly|LaunchDarkly|https://app.launchdarkly.com/settings/authorization
linear|Linear|https://linear.app/settings/account/security
linkedin|LinkedIn|https://www.linkedin.com/developers/apps
linode|Linode|https://cloud.linode.com/profile/tokens
mailchimp|Mailchimp|https://us1.admin.mailchimp.com/account/api
mailgun|Mailgun|https://app.mailgun.com/settings/api_security
mapbox|Mapbox|https://account.mapbox.com/access-tokens
mistral|Mistral|https://console.mistral.ai/api-keys
mongodb|MongoDB|https://cloud.mongodb.com
neon|Neon|https://console.neon.tech/app/settings/api-keys
netlify|Netlify|https://app.netlify.com/user/applications
newrelic|New Relic|https://one.newrelic.com/api-keys
notion|Notion|https://www.notion.so/my-integrations
npm|npm|https://www.npmjs.com/settings/~/tokens
nvidia|NVIDIA|https://build.nvidia.com/settings/api-keys
okta|Okta|https://login.okta.com
openai|OpenAI|https://platform.openai.com/api-keys
openrouter|OpenRouter|https://openrouter.ai/settings/keys
perplexity|Perplexity|https://www.perplexity.ai/settings/api
pinecone|Pinecone|https://app.pinecone.io
planetscale|PlanetScale|https://app.planetscale.com
posthog|PostHog|https://app.posthog.com/settings/user-api-keys
postman|Postman|https://go.postman.co/settings/me/api-keys
pulumi|Pulumi|https://app.pulumi.com/account/tokens
pypi|PyPI|https://pypi.org/manage/account/token/
render|Render|https://dashboard.render.com/u/settings
replicate|Replicate|https://replicate.com/account/api-tokens
resend|Resend|https://resend.com/api-keys
rubygems|RubyGems|https://rubygems.org/profile/api_keys
sendgrid|SendGrid|https://app.sendgrid.com/settings/api_keys
sentry|Sentry|https://sentry.io/settings/account/api/auth-tokens/
shopify|Shopify|https://partners.shopify.com
slack|Slack|https://api.slack.com/apps
snyk|Snyk|https://app.snyk.io/account
square|Square|https://developer.squareup.com/apps
stripe|Stripe|https://dashboard.stripe.com/apikeys
supabase|Supabase|https://supabase.com/dashboard/account/tokens
tailscale|Tailscale|https://login.tailscale.com/admin/settings/keys
tavily|Tavily|https://app.tavily.com
telegram|Telegram|https://t.me/BotFather
terraform|Terraform Cloud|https://app.terraform.io/app/settings/tokens
twilio|Twilio|https://console.twilio.com
twitter|X|https://developer.x.com/en/portal/dashboard
vercel|Vercel|https://vercel.com/account/tokens
xai|xAI|https://console.x.ai
yandex|Yandex Cloud|https://console.yandex.cloud
"""
_ADVICE_BY_KIND = {
    "private-key": "make a new key pair and take the public half off every host and service that has it",
    "login": "change the password of that account",
    "password": "change the password of that account",
    "url-password": "change the password of that account",
    "password-hash": "change the password of that account",
    "seed-phrase": "move what it opens to a new wallet",
    "age-secret-key": "make a new key pair and encrypt anew what the old one opened",
    "jwt": "sign out its session, or change the key it is signed with",
}


def find_vendor(kind: str) -> tuple[str, str]:
    """Who gave a secret of this kind out, and where to have it revoked: an address, or what to do."""
    if kind in _ADVICE_BY_KIND:
        return UNKNOWN_VENDOR, _ADVICE_BY_KIND[kind]
    word = kind.partition("-")[0]
    if word in _vendors_by_prefix():
        return _vendors_by_prefix()[word]
    return _name_vendor(word), ""


def _name_vendor(word: str) -> str:
    from commonplace.redact.markers import GENERIC_KINDS
    from commonplace.redact.rules_services import NO_VENDOR as SHAPES

    nobodys = {kind.partition("-")[0] for kind, _, _ in SHAPES} | {kind.partition("-")[0] for kind in GENERIC_KINDS}
    return UNKNOWN_VENDOR if word in nobodys else word.capitalize()


@cache
def _vendors_by_prefix() -> dict[str, tuple[str, str]]:
    rows = (line.split("|") for line in _VENDOR_ROWS.strip().split("\n"))
    return {word: (name, page) for word, name, page in rows}
