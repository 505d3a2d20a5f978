"""A client for Daybook, a long-term memory for AI agents.

    from daybook import Daybook

    memory = Daybook(user="ana")
    memory.add("I moved to Lisbon.", wait=True)
    print(memory.ask("Where does Ana live?").answer)
"""

from . import types
from ._async import AsyncDaybook
from ._sync import Daybook
from .errors import Conflict, ConnectionFailed, DaybookError, InvalidRequest, NotAllowed, NotFound, RateLimited, Unavailable

__all__ = [
    "AsyncDaybook", "Conflict", "ConnectionFailed", "Daybook", "DaybookError", "InvalidRequest", "NotAllowed", "NotFound",
    "RateLimited", "Unavailable", "types",
]
__version__ = "0.1.0"
