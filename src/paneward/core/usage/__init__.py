"""What agents use: tokens, what they cost, and how much context is left. Each module says its shape."""

from paneward.core.usage.account import Account, TranscriptFile
from paneward.core.usage.budget import Budget, Price, crossed, price, window
from paneward.core.usage.readers import KINDS, moment
from paneward.core.usage.told import MalformedTranscript, Tally, TranscriptLine, Usage, many, money

__all__ = [
    "KINDS",
    "Account",
    "Budget",
    "MalformedTranscript",
    "Price",
    "Tally",
    "TranscriptFile",
    "TranscriptLine",
    "Usage",
    "crossed",
    "many",
    "moment",
    "money",
    "price",
    "window",
]
