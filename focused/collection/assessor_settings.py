"""Settings of the assessor. Its key comes from the environment (`KEY_VARIABLE`) and from nowhere else."""

from __future__ import annotations

from focused.utils.setting import USER, Setting

KEY_VARIABLE = "ASSESSOR_API_KEY"
"""Environment variable with the endpoint's key, if it wants one."""

URL = Setting(
    "FOCUSED_ASSESSOR_URL",
    "",
    "Endpoint of `scrapy judge --assessor` that speaks the OpenAI chat protocol (`http://127.0.0.1:8080/v1`); its key is the "
    "environment variable ASSESSOR_API_KEY. Empty: none.",
    set_by=USER,
)
MODEL = Setting("FOCUSED_ASSESSOR_MODEL", "", "Name of the model that the endpoint is asked for.", set_by=USER)
MAX_CALLS = Setting(
    "FOCUSED_ASSESSOR_MAX_CALLS",
    200,
    "Requests that one `scrapy judge --assessor` sends at most.",
    least=1,
    set_by=USER,
)
MAX_TOKENS = Setting(
    "FOCUSED_ASSESSOR_MAX_TOKENS",
    500_000,
    "Tokens that one `scrapy judge --assessor` uses at most: what the endpoint says, but at least one for eight characters. "
    "No page is asked about for which the rest is too little, by the dearest request so far.",
    least=1,
    set_by=USER,
)
TIMEOUT_SECS = Setting(
    "FOCUSED_ASSESSOR_TIMEOUT_SECS", 60.0, "Seconds that an answer of the endpoint may take.", above=0, set_by=USER
)
MAX_CHARS = Setting(
    "FOCUSED_ASSESSOR_MAX_CHARS",
    6000,
    "Characters of a page's text that the endpoint is shown.",
    least=100,
    set_by=USER,
)
ASSESSOR_SETTINGS = (URL, MODEL, MAX_CALLS, MAX_TOKENS, TIMEOUT_SECS, MAX_CHARS)
