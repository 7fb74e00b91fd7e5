"""What an agent does, from all that its pane tells. A machine: the one arbiter between the sources.

Each source makes a claim. The strongest that makes one decides: a hook of the agent, what the program says of itself
(OSC 7501), its title, its progress bar, its screen. A weaker one overrules where it is direct counter-evidence: a
dialog that opened after the stronger one spoke, a mark of work that has stood for a while since, a composer without
any mark of work while nothing has moved for a while. So a word that was lost freezes nothing.

A hook tells of a moment, before anything shows it. Once another source says the same, that moment is over: from then
on the hook counts only where nothing else makes a claim.

A verdict changes by evidence, not by its absence: a screen on which nothing can be found is being painted, until it
stays so. What only the screen tells of has to stand for a moment: it can be caught half painted, and a program that is
away from its terminal may only paint. A word in the output stream is whole when it arrives.

What surprised us: a title says `at rest` during dialogs, and some agents never change it; it is believed once it has
been seen to tell of work. Codex tells of work for a moment while it starts. aider gives its terminal back to line
editing without a byte of output.
"""

from dataclasses import replace
from typing import Final

from paneward.core.profiles.row import Profile, Where
from paneward.core.readiness.away import Away
from paneward.core.readiness.rules import assess, compile_prompt
from paneward.core.result import ReadyVerdict
from paneward.core.screen.appearance import Appearance, ScreenState, read_appearance
from paneward.core.screen.turn import activity, broken_off, prompted
from paneward.core.state.claims import AWAITING, TURN, AgentState, Claim, Ending, Source, Standing
from paneward.core.state.hooks import Heard, HookClaims
from paneward.core.state.pacing import SOON, Naps
from paneward.core.state.titles import Title
from paneward.core.terminal.osc import TITLES, Osc, read_progress, read_status
from paneward.core.terminal.scene import Scene

PAINTED: Final = 0.01  # seconds that a composer or a dialog has to stand on the screen
LOST: Final = 5.0  # seconds after which what cannot be found on the screen will not show any more
SLOW: Final = 30.0  # seconds in which work that a hook told of may show: an agent that just started is slow
STALE: Final = 2.0  # seconds without output after which a word of work is no longer believed against the screen
PROGRESS_LASTS: Final = 15.0  # seconds for which a progress bar is believed, unless it is told again

_VERDICTS: Final = {
    ReadyVerdict.READY: AgentState.IDLE,
    ReadyVerdict.BUSY: AgentState.BUSY,
    ReadyVerdict.AWAITING_ANSWER: AgentState.AWAITING_QUESTION,
    ReadyVerdict.DEAD: AgentState.DEAD,
}
_TELLING: Final = (Source.HOOK, Source.STATUS)  # against which a mark of work has to stand for a while
_OF_ITSELF: Final = (Source.STATUS, Source.TITLE)  # that tell of work while a program starts
_UNWORDED: Final = (Source.HOOK, Source.STATUS, Source.TITLE)  # that tell of a dialog before the screen shows it
_TOLD: Final = {"idle": AgentState.IDLE, "done": AgentState.IDLE, "working": AgentState.BUSY}  # by `ProgramStatus`


def _asking(kind: str) -> AgentState:
    return AgentState.AWAITING_PERMISSION if kind == "permission" else AgentState.AWAITING_QUESTION


class StateMachine:
    """Fed with OSC and looks, it says where the agent stands."""

    def __init__(self) -> None:
        self._profile: Profile | None = None
        self._claims: dict[Source, Claim] = {}
        self._hooks = HookClaims()
        self._met: Claim | None = None  # the claim of a hook that another source has made too
        self._lag = 0.0  # seconds that work of which a hook told took to show: rest takes as long
        self._title = Title()
        self._worked = False  # it was said to work since it began
        self._scene: Scene | None = None
        self._nothing_since: float | None = None  # since when the screen shows nothing that is known
        self._away = Away()
        self._composed = False  # its composer or a dialog was seen
        self._doing = ""  # the activity that was seen last
        self._ended = ""  # the agent that was here before the program in the foreground
        self._look_at: float | None = None
        self._nap_ends: float | None = None  # when to look at what changes without output
        self._patience = LOST  # seconds after which a look may tell more, although nothing was printed
        self._naps = Naps()
        self.standing = Standing(AgentState.UNKNOWN, Source.NONE, "not looked at yet", 0.0)

    # --- what it is fed with

    def hear(self, osc: Osc, now: float) -> Standing:
        """A command of the output stream."""
        if osc.code in TITLES:
            self._retitle(osc.text.strip(), now)
        elif (status := read_status(osc)) is not None:
            state = _TOLD.get(status.told, _asking(status.kind))
            self._say(Claim(Source.STATUS, state, f"OSC 7501 {osc.text}", now, status.kind))
        elif (shown := read_progress(osc)) is not None:
            self._claims.pop(Source.PROGRESS, None)
            if shown:
                self._claims[Source.PROGRESS] = Claim(Source.PROGRESS, AgentState.BUSY, f"OSC 9;{osc.text}", now)
        return self._decide(now, looked=False)

    def tell(self, heard: Heard, age: float, now: float) -> Standing:
        """A hook of the agent, which ran `age` seconds ago."""
        self._hooks.hear(heard, age, now)
        return self._decide(now, looked=False)

    def see(self, scene: Scene, profile: Profile, title_heard: bool = False) -> Standing:
        """A look at the pane. With `title_heard` the stream tells titles, and that of the look may be newer than it."""
        if profile is not self._profile:
            self._begin(profile)
        self._scene = scene
        if not title_heard:
            self._retitle(scene.snapshot.title.strip(), scene.now)
        self._retell(Source.PROCESS, self._alive(scene))
        claim = self._shown(scene, profile)
        self._retell(Source.SCREEN, claim)
        self._composed = self._composed or claim is not None
        if claim is not None:
            self._nothing_since = None
        elif self._nothing_since is None:
            self._nothing_since = scene.now
        return self._decide(scene.now)

    def gap(self) -> None:
        """Output was lost, and with it perhaps what the program said of itself since."""
        self._claims.pop(Source.STATUS, None)
        self._claims.pop(Source.PROGRESS, None)

    def deadline(self, moving: bool = False) -> float | None:
        """When to look again although nothing was printed, or, while it is `moving`, nothing new."""
        if moving or self._nap_ends is None:
            return self._look_at
        return self._nap_ends if self._look_at is None else min(self._look_at, self._nap_ends)

    # --- the sources

    def _begin(self, profile: Profile) -> None:
        """Another program, or another version of it: what the old one said is forgotten."""
        if self._profile is not None and self._profile.name != profile.name:
            self._ended = self._profile.about if self._composed and self._profile.dialogs else ""
            self._claims.clear()
            self._hooks = HookClaims()
            self._title, self._worked, self._composed = Title(), False, False
        self._profile, self._away = profile, Away()

    def _say(self, claim: Claim) -> None:
        """Keep a claim; one that only repeats the last is as old as that."""
        before = self._claims.get(claim.source)
        if before is not None and (before.state, before.kind) == (claim.state, claim.kind):
            claim = replace(claim, since=before.since)
        self._claims[claim.source] = claim

    def _retell(self, source: Source, claim: Claim | None) -> None:
        if claim is None:
            self._claims.pop(source, None)
        else:
            self._say(claim)

    def _retitle(self, title: str, now: float) -> None:
        if self._profile is not None and title != self._title.text:
            self._retell(Source.TITLE, self._title.read(title, self._profile, now))

    def _alive(self, scene: Scene) -> Claim | None:
        if scene.gone:
            return Claim(Source.PROCESS, AgentState.DEAD, "the pane is gone", scene.now)
        if scene.snapshot.dead:
            how = scene.snapshot.dead_status or "status unknown"
            return Claim(Source.PROCESS, AgentState.DEAD, f"the program ended ({how})", scene.now)
        if self._ended and scene.process is not None and scene.process.shell:
            evidence = f"{self._ended} ended: {scene.process.command} is in the foreground"
            return Claim(Source.PROCESS, AgentState.DEAD, evidence, scene.now)
        return None

    def _shown(self, scene: Scene, profile: Profile) -> Claim | None:
        if not profile.framed:
            return self._assessed(scene, profile)
        seen = self._appearance(scene, profile)
        match seen.state:
            case ScreenState.IDLE:
                return Claim(Source.SCREEN, AgentState.IDLE, seen.evidence, scene.now)
            case ScreenState.BUSY if self._composed or not self._by_terminal() or prompted(scene, profile):
                return Claim(Source.SCREEN, AgentState.BUSY, seen.evidence, scene.now)
            case ScreenState.DIALOG:
                return Claim(Source.SCREEN, _asking(seen.kind), seen.evidence, scene.now, seen.kind, seen.question)
        return None

    def _assessed(self, scene: Scene, profile: Profile) -> Claim | None:
        """Of a program whose composer cannot be told from the rest of the screen: what the rules of readiness find."""
        found = assess(scene, profile, compile_prompt(profile.prompt))
        self._patience = found.look_again
        self._away.see(found.working and found.soon, scene.now)
        state = AgentState.BUSY if found.working else _VERDICTS.get(found.verdict) if found.verdict else None
        if state is None:
            return None
        return Claim(Source.SCREEN, state, found.evidence, scene.now, question=found.question or "")

    @staticmethod
    def _appearance(scene: Scene, profile: Profile) -> Appearance:
        """What the screen shows; what the title says is another source."""
        return read_appearance(replace(scene.snapshot, title=""), profile, scene.process)

    # --- the verdict

    def _decide(self, now: float, looked: bool = True) -> Standing:
        self._look_at = self._nap_ends = None
        before = self.standing
        self._heed_hooks(now)
        winner = self._winner(now) or self._without_claims(now)
        if winner is None or not self._settled(winner, now):
            self.standing = replace(before, claims=self._all())
            return self.standing
        state = winner.state
        since = before.since if state is before.state else now
        self.standing = Standing(
            state=state,
            source=winner.source,
            evidence=winner.evidence,
            since=since,
            activity=(self._activity(before) if looked else before.activity) if state is AgentState.BUSY else "",
            ending=self._ending(before) if state is AgentState.IDLE else Ending.NONE,
            kind=winner.kind if state in AWAITING else "",
            question=winner.question if state in AWAITING else "",
            claims=self._all(),
        )
        if state is not before.state:
            self._naps.begin()
        self._worked = self._worked or state is AgentState.BUSY
        if state in TURN:
            self._look_soon(now)
        return self.standing

    def _all(self) -> tuple[Claim, ...]:
        return tuple(self._claims[source] for source in Source if source in self._claims)

    def _heed_hooks(self, now: float) -> None:
        """What the last hook claims, until its time is over."""
        self._claims.pop(Source.HOOK, None)
        if (claim := self._hooks.claim(now)) is not None:
            self._claims[Source.HOOK] = claim
            self._look_by(self._hooks.until)

    def _winner(self, now: float) -> Claim | None:
        """The claim of the strongest source, unless a weaker one is evidence against it."""
        claims = [claim for claim in self._all() if not _expired(claim, now) and not _rests(claim)]
        hook = next((claim for claim in claims if claim.source is Source.HOOK), None)
        others = [claim for claim in claims if claim is not hook]
        found = self._best(others, now)
        if hook is not None and hook is not self._met and found is not None and _agree(hook, found):
            self._met = hook
            if hook.state is AgentState.BUSY:
                self._lag = min(max(now - hook.since, 0.0), SLOW)
        if hook is not None and (found is None or (hook is not self._met and found.source is not Source.PROCESS)):
            found = self._best([hook, *others], now)
        return None if found is None else self._worded(found)

    def _best(self, claims: list[Claim], now: float) -> Claim | None:
        if not claims:
            return None
        best, *others = claims
        for other in others:
            if best.source is not Source.PROCESS and self._overrules(other, best, now):
                best = other
        return best

    def _overrules(self, other: Claim, best: Claim, now: float) -> bool:
        if other.state is best.state:
            return False
        if best.source in (Source.TITLE, Source.HOOK) and best.state in AWAITING and other.state in AWAITING:
            return other.source is Source.SCREEN  # others tell that something is asked, the screen what
        if other.state in TURN and other.since > best.since:
            needed = self._shows_within(best) if other.state is AgentState.BUSY and best.source in _TELLING else PAINTED
            if now >= other.since + needed:
                return True
            self._look_by(other.since + needed)
        if best.source is Source.HOOK and now < (shows := best.since + self._shows_within(best)):
            self._look_by(shows)  # what it told of may not show yet
            return False
        if best.source is Source.HOOK and other.source is Source.SCREEN and best.state is not AgentState.BUSY:
            return True  # nothing of it shows: it was not so, or is over
        quiet = self._scene.quiet if self._scene is not None else 0.0
        return other.state is AgentState.IDLE and best.state in TURN and quiet >= STALE

    def _shows_within(self, told: Claim) -> float:
        """Seconds that it may take to show: rest as long as work did."""
        return SLOW if told.state is AgentState.BUSY else max(STALE, self._lag)

    def _worded(self, claim: Claim) -> Claim:
        """The claim with the words of the dialog, which only the screen knows, or knew: a title still tells of it."""
        screen, now = self._claims.get(Source.SCREEN), self.standing
        if claim.source is not Source.SCREEN and screen is not None and screen.state is claim.state:
            return replace(claim, kind=claim.kind or screen.kind, question=screen.question)
        if claim.source is Source.TITLE and claim.state in AWAITING and now.state in AWAITING:
            return replace(claim, state=now.state, kind=now.kind, question=now.question)
        return claim

    def _without_claims(self, now: float) -> Claim | None:
        if self._scene is None:
            return None
        if not self._composed and self._profile is not None and self._profile.framed:
            return Claim(Source.NONE, AgentState.STARTING, "its composer was not seen yet", now)
        since = now if self._nothing_since is None else self._nothing_since
        if now >= since + LOST:
            return Claim(Source.NONE, AgentState.UNKNOWN, f"nothing known on the screen for {now - since:.1f} s", now)
        self._look_by(min(since + LOST, now + max(self._patience, SOON)))
        return None

    def _settled(self, winner: Claim, now: float) -> bool:
        """Whether it may be said already; else when to look again."""
        if self._only_starts(winner) and now < winner.since + STALE:
            self._look_by(winner.since + STALE)
            return False
        if winner.source is Source.SCREEN and self.standing.state is AgentState.IDLE and self._away.briefly(now):
            self._look_by(now + SOON)
            return False
        fresh = self.standing.state in (AgentState.UNKNOWN, AgentState.STARTING, AgentState.DEAD)
        if winner.source is not Source.SCREEN or winner.state is self.standing.state or fresh:
            return winner.source not in _UNWORDED or winner.state not in AWAITING or self._asked(winner, now)
        if winner.state is AgentState.BUSY or self._rests() or self._painted(winner, now) or self._foretold(winner):
            return True
        self._look_by(winner.since + PAINTED)
        return False

    def _only_starts(self, winner: Claim) -> bool:
        """An agent that does so tells of work before any was seen, and its screen shows none, or was not seen yet."""
        stirs = self._profile is not None and self._profile.stirs and not self._worked
        screen = self._claims.get(Source.SCREEN)
        idle = screen.state is AgentState.IDLE if screen is not None else not self._composed
        tells = winner.source in _OF_ITSELF and winner.state is AgentState.BUSY
        return stirs and idle and tells and self.standing.state is not AgentState.UNKNOWN

    def _painted(self, winner: Claim, now: float) -> bool:
        """It stood for a moment, or nothing was printed for as long."""
        return now >= winner.since + PAINTED or (self._scene is not None and self._scene.quiet >= PAINTED)

    def _foretold(self, winner: Claim) -> bool:
        """A hook told of it just before."""
        hook = self._claims.get(Source.HOOK)
        return hook is not None and _agree(hook, winner) and 0 <= winner.since - hook.since < STALE

    def _asked(self, winner: Claim, now: float) -> bool:
        """It is told that something is asked; what, the screen of an agent tells a moment later, if ever."""
        screen = self._claims.get(Source.SCREEN)
        shows = self._profile is not None and bool(self._profile.dialogs)
        known = not shows or (screen is not None and screen.state in AWAITING)
        until = winner.since + LOST
        if known or now >= until:
            return True
        self._look_by(until)
        return False

    def _rests(self) -> bool:
        """The title or the terminal says so, and it would tell of work."""
        title = self._claims.get(Source.TITLE)
        return (title is not None and _rests(title)) or (self._by_terminal() and self._canonical() is False)

    def _by_terminal(self) -> bool:
        """The mode of its terminal tells whether it works."""
        return self._profile is not None and any(mark.where is Where.TERMINAL for mark in self._profile.busy)

    def _canonical(self) -> bool | None:
        return self._scene.process.canonical if self._scene is not None and self._scene.process is not None else None

    def _look_by(self, at: float) -> None:
        self._look_at = at if self._look_at is None else min(self._look_at, at)

    def _look_soon(self, now: float) -> None:
        """Some things change without output: at first look again soon, then ever less often."""
        if self._scene is None or self._profile is None:
            return
        quiet = self._scene.quiet
        if self._by_terminal() or not self._profile.framed:
            self._nap_ends = now + self._naps.next(quiet, self._by_terminal())
        elif quiet < STALE:
            self._look_by(now + STALE - quiet)

    def _activity(self, before: Standing) -> str:
        """What it does. Another thing than before has to be seen twice, since a screen can be caught half painted."""
        assert self._scene is not None
        assert self._profile is not None
        found, last = activity(self._scene, self._profile), self._doing
        self._doing = found
        if found in (last, before.activity) or before.state is not AgentState.BUSY:
            return found
        self._look_by(self._scene.now + PAINTED)
        return before.activity

    def _ending(self, before: Standing) -> Ending:
        """How the turn ended. That it was broken off can be drawn a moment after the composer."""
        if before.state not in TURN and before.ending is not Ending.DONE:
            return before.ending
        if self._scene is None or self._profile is None:
            return Ending.DONE
        return Ending.INTERRUPTED if broken_off(self._scene, self._profile) else Ending.DONE


def _agree(one: Claim, other: Claim) -> bool:
    return one.state is other.state or (one.state in AWAITING and other.state in AWAITING)


def _rests(claim: Claim) -> bool:
    """A title at rest proves nothing (it is so in dialogs too), but then the screen can be believed at once."""
    return claim.source is Source.TITLE and claim.state is AgentState.IDLE


def _expired(claim: Claim, now: float) -> bool:
    return claim.source is Source.PROGRESS and now - claim.since > PROGRESS_LASTS
