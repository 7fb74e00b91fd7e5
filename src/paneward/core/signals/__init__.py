"""What agents say of themselves beside their work: markers, notifications of the terminal, other channels.

signal.py: one signal, its source, and when two channels tell the same thing;
marker.py: the grammar of markers, and what is only quoted;
detector.py: markers in lines of output;
stream.py: the same where the program also clears, scrolls and draws again; page.py: what may be drawn again;
painted.py: markers on the screen of a program that paints;
memory.py: which of them were there before;
channels.py: notifications (OSC 9, 777, 99), progress and the bell.
"""

from paneward.core.signals.channels import Bells as Bells
from paneward.core.signals.channels import notified as notified
from paneward.core.signals.detector import Detector as Detector
from paneward.core.signals.marker import Grammar as Grammar
from paneward.core.signals.marker import Marker as Marker
from paneward.core.signals.memory import Memory as Memory
from paneward.core.signals.memory import Sighting as Sighting
from paneward.core.signals.painted import Painted as Painted
from paneward.core.signals.signal import Channel as Channel
from paneward.core.signals.signal import Signal as Signal
from paneward.core.signals.signal import SignalState as SignalState
from paneward.core.signals.signal import worded as worded
