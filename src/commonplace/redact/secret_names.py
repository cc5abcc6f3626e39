"""Words that name a secret, and services whose keys have no format of their own."""

from __future__ import annotations

_PASSWORDS = """
pass passw password passwd pwd passphrase passcode psk userpass pswd
pw passwort kennwort wachtwoord contrasena losenord senha mdp
"""
_TOKENS = """
secret secrets token apikey accesskey secretkey privatekey authkey authtoken auth authorization bearer credential
credentials creds jwt accesstoken apitoken clientsecret appsecret appkey signingkey encryptionkey masterkey refreshtoken
webhooksecret licensekey idtoken
"""
_KEYS = "key cookie sessid phpsessid"
_KEY_KINDS = "api secret access private auth encryption signing license master app deploy account service"
_HARMLESS_ENDS = """
name names url uri path file type env id ref expiry expires count length limit size field label hint policy version
format prefix header ttl at date time by for manager store provider class param arg index source status mode hash public
pub fingerprint checksum digest sha integrity commit revision ids list map
"""
_SCHEMES = "bearer basic token apikey digest bot key negotiate pass"

_CLOUDS = """
alibaba aliyun aws azure bunnycdn cloudflare cloudsmith contabo digitalocean dreamhost equinix exoscale fastly
firebase flyio gcp godaddy hetzner heroku ibmcloud imperva linode meraki namecheap netlify openshift ovhcloud
packagecloud portainer scaleway scalingo softlayer supabase tailscale tencent upcloud vercel vultr yandex
zerotier
"""
_CODE = """
appcenter artifactory atlassian azuredevops bitbucket bitrise browserstack bugsnag buildkite circleci codacy
codeclimate codecov codemagic confluence coveralls crowdin dockerhub droneci github gitea gitlab jenkins jfrog
jira jumpcloud lambdatest launchdarkly linear lokalise npmjs octopus optimizely packagist phrase postman pulumi
rollbar rubygems sauce saucelabs semaphoreci snyk sonar sonarcloud sonarqube sourcegraph stackhawk statsig
teamcity terraform travis travisci weblate
"""
_MODELS = """
anthropic assemblyai cerebras clarifai cohere deepgram deepl deepseek elevenlabs exa falai fireworks gemini groq
huggingface infracost langfuse langsmith mistral nvidia openai openrouter perplexity pinecone privateai qdrant
replicate rapidapi runpod serpapi serper stability tavily together voyageai wandb weaviate wolfram
"""
_DATA = """
adafruit airtable algolia apify apollo brightdata clickhouse coda confluent contentful couchbase databricks
datastax elastic elasticsearch fivetran geoapify geocodio graphcms hereapi ipinfo ipstack looker mapbox mapquest
maxmind meilisearch metabase mongodb mixpanel nasa neo4j newsapi nylas nytimes opencage openweather
openweathermap planetscale polygonio positionstack prismic scraperapi scrapingbee sendbird shodan sanity
snowflake storyblok thingsboard tomtom typesense upstash virustotal abuseipdb securitytrails urlscan weatherapi
weatherbit accuweather censys
"""
_MONEY = """
adyen alchemy alphavantage avalara binance bitfinex bitmex bittrex bluesnap braintree chargebee checkoutcom
coinapi coinbase coinmarketcap cryptocompare currencylayer duffel easypost etherscan finicity finnhub fixer
flutterwave freshbooks gocardless gumroad infura intrinio klarna kraken kucoin lob mollie moralis oanda paddle
paypal paystack plaid poloniex quickbooks razorpay recurly shippo shopify squareup stripe taxjar tiingo tradier
transferwise twelvedata xero zuora iexcloud worldpay dwolla paymongo chartmogul baremetrics
"""
_PEOPLE = """
adobe asana basecamp beamer bitly box calendly canva clearbit clickup discord docusign dropbox etsy eventbrite
evernote facebook figma flickr foursquare freshdesk gitter giphy helpscout hubspot instagram intercom jotform
linkedin lastfm mattermost medium meetup miro monday notion pandadoc pastebin pinterest pipedrive pixabay podio
reddit salesforce smartsheet snapchat spotify squarespace strava surveymonkey telegram tiktok todoist toggl
trello tumblr twitch twitter typeform unsplash vimeo webex webflow wix wordpress wrike yelp youtube zapier
zendesk zoho lemlist hunterio rocketreach
"""
_MESSAGES = """
activecampaign aweber brevo bulksms clicksend customerio convertkit drift elasticemail frontapp getresponse
infobip iterable klaviyo mailchimp mailerlite mailersend mailgun mailjet mandrill messagebird nexmo onesignal
plivo postmark pubnub pushbullet pusher pushover ringcentral sendgrid sendinblue sendpulse sinch slack sparkpost
telnyx textmagic twilio vonage signalwire ably
"""
_WATCH = """
airbrake appdynamics auth0 authy bitwarden cloudinary cronitor datadog dynatrace fullstory grafana honeybadger
honeycomb hotjar keycloak lightstep loggly logdna logtail logzio newrelic okta onelogin opsgenie pagerduty
papertrail pingdom posthog segment sentry splunk statuscake statuspage stytch sumologic uptimerobot amplitude
appsflyer zenhub droneio intra42 settlemint tines tray netsuite workday servicenow particle blynk
"""


def _split_word_lists(*texts: str) -> frozenset[str]:
    return frozenset(" ".join(texts).split())


PASSWORD_WORDS = _split_word_lists(_PASSWORDS)
TOKEN_WORDS = _split_word_lists(_TOKENS)
KEY_WORDS = _split_word_lists(_KEYS)  # not `session`: a memory cites the ids of sessions
KEY_QUALIFIERS = _split_word_lists(_KEY_KINDS)  # an `api key` is a secret where a mere `key` may be a word or a digest
HARMLESS_SUFFIXES = _split_word_lists(_HARMLESS_ENDS)  # a `token_url` is no token
AUTH_SCHEMES = frozenset(word.encode() for word in _split_word_lists(_SCHEMES))
VENDOR_NAMES = _split_word_lists(_CLOUDS, _CODE, _MODELS, _DATA, _MONEY, _PEOPLE, _MESSAGES, _WATCH)
