"""What tests of promises stand on: `ground` for the library, `machine` and `server` for the command line."""

from tests.lab.conftest import start_agent as start_agent
from tests.live.conftest import ground as ground
from tests.live.conftest import ssh_config as ssh_config
from tests.live.conftest import tmux_server as tmux_server
from tests.surfaces.conftest import machine as machine
from tests.surfaces.conftest import running as running
from tests.surfaces.conftest import server as server
