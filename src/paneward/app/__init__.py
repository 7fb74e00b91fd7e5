"""The composition root: the only place that knows services and adapters both."""

from paneward.app.connecting import Transport as Transport
from paneward.app.connecting import connect as connect
from paneward.app.connection import Connection as Connection
from paneward.app.connection import Resident as Resident
from paneward.services.profile_report import Explanation as Explanation
