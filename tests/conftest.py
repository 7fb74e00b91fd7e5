"""For all tests: what is drawn by chance is judged by what comes of it, never by how long a busy machine takes."""

from hypothesis import HealthCheck, settings

settings.register_profile("paneward", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("paneward")
