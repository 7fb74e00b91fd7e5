"""The version of this code: data. `importlib.metadata` knows it too, and takes longer to load than a command to run."""

VERSION = "0.1.0"
