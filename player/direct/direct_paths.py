"""The lines of one match without a table: who rides on them, and where the other player comes
in.
"""

from player.direct.direct_acceptor import DirectAcceptor
from player.direct.direct_client import DirectClient
from player.multipath.discovery import LineDiscovery, LineTerms, route_to
from protocol.identity.keys import JoinLink
from protocol.messages.lobby import MATCH


class DirectPaths(LineDiscovery):
    """All lines of one side of a match. `share`: the person lets the other side know addresses."""

    def __init__(
        self,
        client: DirectClient,
        *,
        share: bool,
        link: JoinLink | None = None,
        table: JoinLink | None = None,
    ) -> None:
        """`link`: of who has invited us; `table`: through which there is a line, too, for when
        others break.
        """
        environment = client.environment
        self._client = client
        routes = [route_to(environment, link)] if link else []
        line_terms = LineTerms(MATCH, share, table)
        super().__init__(
            client,
            environment,
            line_terms,
            lambda transports: DirectAcceptor(client, transports, environment),
            routes,
        )

    async def close(self) -> None:
        """Hang up everywhere, listen no more, and let go of the match's files."""
        try:
            await super().close()
        finally:  # also for one who does not wait for the others to hang up
            if self._client.playing is not None:
                self._client.playing.close()
