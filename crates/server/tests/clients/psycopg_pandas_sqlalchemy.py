# requires: psycopg[binary]==3.3.8 pandas==3.1.1 sqlalchemy==2.1.8
"""psycopg 3, pandas and SQLAlchemy against a server of made-up people; the first failed assertion ends it."""

import json
import os
import urllib.request

import pandas
import psycopg
import sqlalchemy

URL = os.environ["POINTILLIST_POSTGRES"]
REGIONS = "SELECT region, count(*) AS n FROM visits GROUP BY region ORDER BY region"


def spent():
    request = urllib.request.Request(
        os.environ["POINTILLIST_HTTP"] + "/v1/budget",
        headers={"Authorization": "Bearer " + os.environ["POINTILLIST_TOKEN"]},
    )
    return json.dumps(json.load(urllib.request.urlopen(request)), sort_keys=True)


def drivers():
    notices = []
    with psycopg.connect(URL, autocommit=True) as connection:
        connection.add_notice_handler(lambda notice: notices.append(notice.message_primary))
        connection.execute("SET pointillist.epsilon = 0.05")
        rows = connection.execute(REGIONS).fetchall()
        assert [type(cell) for cell in rows[0]] == [str, int], rows
        assert any("ε" in notice or "rho" in notice or "ρ" in notice for notice in notices), notices
        paid = spent()
        # The same question is free whatever carries it: binary, a cursor, COPY, a parameter, a wrapper.
        assert connection.cursor(binary=True).execute(REGIONS).fetchall() == rows
        with connection.transaction():
            with connection.cursor("srv") as cursor:
                assert cursor.execute(REGIONS).fetchmany(2) == rows[:2]
        with connection.cursor().copy(f"COPY ({REGIONS}) TO STDOUT") as copy:
            assert [(region, int(n)) for region, n in copy.rows()] == rows
        assert connection.execute(f"SELECT n FROM ({REGIONS}) AS x WHERE region = %s", ("north",)).fetchall() == [
            (n,) for region, n in rows if region == "north"
        ]
        assert spent() == paid, "a repeated question was charged"
        # Parameters are values: what is in them is never SQL.
        by_region = "SELECT count(*) FROM visits WHERE region = %s AND cost > %s AND day >= %s"
        first = connection.execute(by_region, ("north", 10, "2025-02-01")).fetchone()
        assert connection.execute(by_region, ("north", 10, "2025-02-01")).fetchone() == first
        nobody = connection.execute(by_region, ("north' OR '1'='1", 10, "2025-02-01")).fetchone()
        assert nobody != first and abs(nobody[0]) < 10_000, nobody
        lists = "SELECT count(*) FROM visits WHERE region = ANY(%s)"
        some = connection.execute(lists, (["north", "south"],)).fetchone()
        assert connection.execute("SELECT count(*) FROM visits WHERE region IN ('north', 'south')").fetchone() == some
        # Nothing is undone.
        before = spent()
        try:
            with connection.transaction():
                connection.execute("SELECT count(*) FROM visits WHERE cost > 4000")
                raise KeyboardInterrupt
        except KeyboardInterrupt:
            pass
        assert spent() != before, "a rollback gave the price back"
        for statement, state in [
            ("SELECT * FROM visits", "42501"),
            ("SELECT name FROM patients", "42703"),
            ("SELECT count(*) FROM secrets", "42P01"),
            ("INSERT INTO visits VALUES (1)", None),
            ("COPY visits TO STDOUT", None),
            ("LISTEN everything", None),
        ]:
            try:
                connection.execute(statement)
                raise AssertionError(f"{statement} was answered")
            except psycopg.Error as error:
                assert state in (None, error.sqlstate), (statement, error.sqlstate, str(error))
        assert connection.execute("SELECT 1").fetchone() == (1,), "the connection lives on"


def tools():
    engine = sqlalchemy.create_engine(URL.replace("postgres://", "postgresql+psycopg://"))
    frame = pandas.read_sql(REGIONS, engine)
    assert list(frame.columns) == ["region", "n"] and len(frame) == 4, frame
    inspector = sqlalchemy.inspect(engine)
    assert {"patients", "visits", "prescriptions", "hospitals"} <= set(inspector.get_table_names())
    columns = {column["name"]: str(column["type"]) for column in inspector.get_columns("visits")}
    assert {"region", "ward", "day", "cost"} <= set(columns), columns
    for reflected in (inspector.get_pk_constraint, inspector.get_foreign_keys, inspector.get_indexes, inspector.get_table_comment):
        reflected("visits")
    visits = sqlalchemy.Table("visits", sqlalchemy.MetaData(), autoload_with=engine)
    question = sqlalchemy.select(visits.c.region, sqlalchemy.func.count().label("n")).group_by(visits.c.region)
    with engine.connect() as connection:
        connection.execute(sqlalchemy.text("SET pointillist.epsilon = 0.05"))
        assert len(connection.execute(question.order_by(visits.c.region)).all()) == 4
        cheap = question.where(visits.c.cost < 100).order_by(sqlalchemy.desc("n")).limit(2)
        assert len(connection.execute(cheap).all()) == 2


drivers()
tools()
print("psycopg", psycopg.__version__, "pandas", pandas.__version__, "SQLAlchemy", sqlalchemy.__version__)
