"""Figures for Prometheus. Counted here: requests and streams; the rest is read when somebody asks."""

from collections import Counter as Tally
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from paneward.core.agent.events import NearMiss, Stored
from paneward.surfaces.http.access.tokens import Clock

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
METRICS: Mapping[str, str] = {
    "paneward_requests_total": "answered requests, by route, method and status",
    "paneward_request_seconds": "how long requests took, by route",
    "paneward_streams_open": "open event streams and terminals, by kind",
    "paneward_events_total": "events since the server started, by kind",
    "paneward_gaps_total": "times that a reader of the event stream was told of a gap, by reason",
    "paneward_signals_total": "signals of agents, by source",
    "paneward_signal_lag_seconds": "from a signal's coming to its being written down, by source",
    "paneward_tokens_total": "tokens of agents that were counted since the server started, by program and kind",
    "paneward_near_misses_total": "lines that began like a marker and were none",
    "paneward_recordings": "recordings that are being written",
    "paneward_recorded_bytes_total": "bytes written to recordings since the server started",
    "paneward_recording_gaps_total": "gaps in recordings since the server started",
    "paneward_last_seq": "the number of the last event",
    "paneward_agents": "agents, by their state as it is shown",
    "paneward_hosts": "hosts, by where the connection to them stands",
    "paneward_hooks_total": "hooks and signals that were taken, by what they told, or why they led to nothing",
    "paneward_up_seconds": "seconds since the server started",
}


class Figures(Collector):
    """What the server knows of itself at the moment of asking."""

    def __init__(
        self,
        states: Callable[[], list[str]],
        seq: Callable[[], int],
        up: Callable[[], float],
        events: Tally[str],
        hooks: Tally[str],
        hosts: Callable[[], list[str]],
        tokens: Tally[tuple[str, str]],
        recordings: Callable[[], tuple[int, int, int]],
    ) -> None:
        self._states = states
        self._seq = seq
        self._up = up
        self._events = events
        self._hooks = hooks
        self._hosts = hosts
        self._tokens = tokens
        self._recordings = recordings

    def collect(self) -> Iterator[Metric]:
        yield GaugeMetricFamily("paneward_last_seq", METRICS["paneward_last_seq"], self._seq())
        yield GaugeMetricFamily("paneward_up_seconds", METRICS["paneward_up_seconds"], self._up())
        for name, states in (("paneward_agents", self._states()), ("paneward_hosts", self._hosts())):
            standing = GaugeMetricFamily(name, METRICS[name], labels=["state"])
            for state, count in sorted(Tally(states).items()):
                standing.add_metric([state], count)
            yield standing
        events = CounterMetricFamily("paneward_events", METRICS["paneward_events_total"], labels=["kind"])
        for kind, count in sorted(self._events.items()):
            events.add_metric([kind], count)
        yield events
        tokens = CounterMetricFamily("paneward_tokens", METRICS["paneward_tokens_total"], labels=["program", "kind"])
        for (program, kind), count in sorted(self._tokens.items()):
            tokens.add_metric([program, kind], count)
        yield tokens
        running, written, gaps = self._recordings()
        yield GaugeMetricFamily("paneward_recordings", METRICS["paneward_recordings"], running)
        yield CounterMetricFamily("paneward_recorded_bytes", METRICS["paneward_recorded_bytes_total"], written)
        yield CounterMetricFamily("paneward_recording_gaps", METRICS["paneward_recording_gaps_total"], gaps)
        missed = self._events[NearMiss.kind]
        yield CounterMetricFamily("paneward_near_misses", METRICS["paneward_near_misses_total"], missed)
        hooks = CounterMetricFamily("paneward_hooks", METRICS["paneward_hooks_total"], labels=["what"])
        for what, count in sorted(self._hooks.items()):
            hooks.add_metric([what], count)
        yield hooks


class Metrics:
    """Counters of one server; two in a process do not share them."""

    def __init__(self, figures: Figures) -> None:
        self.registry = CollectorRegistry(auto_describe=False)
        self.registry.register(figures)
        labels = ("route", "method", "status")
        self._requests = Counter(
            "paneward_requests", METRICS["paneward_requests_total"], labels, registry=self.registry
        )
        self._seconds = Histogram(
            "paneward_request_seconds",
            METRICS["paneward_request_seconds"],
            ("route",),
            buckets=BUCKETS,
            registry=self.registry,
        )
        self._streams = Gauge(
            "paneward_streams_open", METRICS["paneward_streams_open"], ("kind",), registry=self.registry
        )
        self._gaps = Counter("paneward_gaps", METRICS["paneward_gaps_total"], ("reason",), registry=self.registry)

        self._signals = Counter(
            "paneward_signals", METRICS["paneward_signals_total"], ("source",), registry=self.registry
        )
        self._lags = Histogram(
            "paneward_signal_lag_seconds",
            METRICS["paneward_signal_lag_seconds"],
            ("source",),
            buckets=BUCKETS,
            registry=self.registry,
        )

    def signal(self, event: Stored) -> None:
        """An agent told something."""
        source = str(event.data["source"])
        self._signals.labels(source).inc()
        if not event.data["caught_up"]:
            self._lags.labels(source).observe(event.data["lag"])

    def text(self) -> bytes:
        return generate_latest(self.registry)

    def answered(self, route: str, method: str, status: int, seconds: float) -> None:
        self._requests.labels(route, method, status).inc()
        self._seconds.labels(route).observe(seconds)

    def gap(self, reason: str) -> None:
        self._gaps.labels(reason).inc()

    @contextmanager
    def stream(self, kind: str) -> Iterator[None]:
        self._streams.labels(kind).inc()
        try:
            yield
        finally:
            self._streams.labels(kind).dec()


class Counted:
    """Counts what passes. A request that fits no route is counted under `-`: its path is a stranger's text."""

    def __init__(self, app: ASGIApp, metrics: Metrics, clock: Clock) -> None:
        self._app = app
        self._metrics = metrics
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = self._clock.now(), 500

        async def watch(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, watch)
        finally:
            route = getattr(scope.get("route"), "path", "-")
            self._metrics.answered(route, scope["method"], status, self._clock.now() - began)
