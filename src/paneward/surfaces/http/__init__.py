"""The HTTP surface: routes, streams, the door before them. `build` makes an ASGI app of a running server."""
