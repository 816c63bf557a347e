# requires: asyncpg==0.32.0
"""asyncpg against a server of made-up people: every value is binary, and types are looked up in the system catalog."""

import asyncio
import datetime
import os

import asyncpg

REGIONS = "SELECT region, count(*) AS n, avg(cost) AS mean FROM visits GROUP BY region ORDER BY region"


async def main():
    connection = await asyncpg.connect(os.environ["POINTILLIST_POSTGRES"], ssl=False)
    notices = []
    connection.add_log_listener(lambda _, notice: notices.append(str(notice)))
    await connection.execute("SET pointillist.epsilon = 0.05")
    rows = await connection.fetch(REGIONS)
    assert len(rows) == 4 and isinstance(rows[0]["n"], int), rows
    assert await connection.fetch(REGIONS) == rows
    assert notices, "the price is told"
    since = await connection.prepare("SELECT count(*) FROM visits WHERE day >= $1 AND cost > $2")
    assert [kind.name for kind in since.get_parameters()][0] == "date", since.get_parameters()
    first = await since.fetchval(datetime.date(2025, 6, 1), 100)
    assert await since.fetchval(datetime.date(2025, 6, 1), 100) == first
    async with connection.transaction():
        cursor = await connection.cursor(REGIONS)
        assert await cursor.fetch(3) == rows[:3]
    assert await connection.fetchval("SELECT count(*) FROM pg_class WHERE relname = $1", "visits") == 1
    some = "SELECT count(*) FROM visits WHERE region = ANY($1)"
    assert await connection.fetchval(some, ["north", "south"]) == await connection.fetchval(
        "SELECT count(*) FROM visits WHERE region IN ('north', 'south')"
    )
    # An oid that asyncpg does not know makes it read the types.
    assert await connection.fetchval("SELECT 'visits'::regclass") == "visits"
    pool = await asyncpg.create_pool(os.environ["POINTILLIST_POSTGRES"], ssl=False, min_size=2, max_size=4)
    answers = await asyncio.gather(*(pool.fetch(REGIONS.replace("ORDER BY region", "ORDER BY 1")) for _ in range(8)))
    assert all(answer == answers[0] for answer in answers)
    await pool.close()
    await connection.close()
    print("asyncpg", asyncpg.__version__)


asyncio.run(main())
