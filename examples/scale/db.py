"""Nineteen tools on databases."""

from __future__ import annotations

from typing import Annotated, Literal

import attrs

from capdeco import Context, Doc, ToolError, tool
from examples.scale.hints import DESTROY, READ, WRITE
from examples.scale.store import store
from examples.scale.world import Column, Database, Table

DatabaseId = Annotated[str, Doc("Id of the database.")]
TableName = Annotated[str, Doc("Name of the table.")]
Row = dict[str, str]


@attrs.frozen
class Match:
    """Rows whose column has this value."""

    column: str
    value: str


@attrs.frozen
class Plan:
    table: str
    rows: int
    index: str | None


@attrs.frozen
class Size:
    database: str
    tables: int
    rows: int
    free_pages: int


async def _database(context: Context, database: str) -> Database:
    return await store(context).get(Database, database)


async def _table(context: Context, database: str, table: str) -> Table:
    tables = {each.name: each for each in (await _database(context, database)).tables}
    if table not in tables:
        raise ToolError(f"there is no table {table}; there are {', '.join(tables)}", code="NOT_FOUND")
    return tables[table]


async def _replace(context: Context, database: str, table: Table) -> Table:
    found = await _database(context, database)
    tables = [table if each.name == table.name else each for each in found.tables]
    await store(context).put(attrs.evolve(found, tables=tables))
    return table


def _matches(row: Row, where: Match | None) -> bool:
    return where is None or row.get(where.column) == where.value


@tool(annotations=READ)
async def db_list(context: Context) -> list[str]:
    """List the databases."""
    return [each.id for each in await store(context).all(Database)]


@tool(annotations=READ)
async def db_tables(context: Context, database: DatabaseId) -> list[str]:
    """List the tables of a database."""
    return [each.name for each in (await _database(context, database)).tables]


@tool(annotations=READ)
async def db_columns(context: Context, database: DatabaseId, table: TableName) -> list[Column]:
    """Describe the columns of a table."""
    return (await _table(context, database, table)).columns


@tool(annotations=READ)
async def db_indexes(context: Context, database: DatabaseId, table: TableName) -> list[str]:
    """List the indexes of a table."""
    return (await _table(context, database, table)).indexes


@tool(annotations=READ)
async def db_sample(
    context: Context, database: DatabaseId, table: TableName, rows: Annotated[int, Doc("How many.")] = 5
) -> list[Row]:
    """Show the first rows of a table."""
    return (await _table(context, database, table)).rows[:rows]


@tool(annotations=READ)
async def db_select(
    context: Context,
    database: DatabaseId,
    table: TableName,
    columns: Annotated[list[str], Doc("Columns to give; all if empty.")] = [],  # noqa: B006 - copied into the schema
    where: Match | None = None,
    order: Annotated[str | None, Doc("Column to sort by.")] = None,
    limit: int = 100,
) -> list[Row]:
    """Read rows of a table."""
    rows = [row for row in (await _table(context, database, table)).rows if _matches(row, where)]
    if order is not None:
        rows.sort(key=lambda row: row.get(order, ""))
    return [{name: value for name, value in row.items() if not columns or name in columns} for row in rows[:limit]]


@tool(annotations=READ)
async def db_count(context: Context, database: DatabaseId, table: TableName, where: Match | None = None) -> int:
    """Count the rows of a table."""
    return sum(_matches(row, where) for row in (await _table(context, database, table)).rows)


@tool(annotations=READ)
async def db_distinct(context: Context, database: DatabaseId, table: TableName, column: str) -> list[str]:
    """List the different values of a column."""
    return sorted({row[column] for row in (await _table(context, database, table)).rows if column in row})


@tool(annotations=READ)
async def db_explain(context: Context, database: DatabaseId, table: TableName, where: Match | None = None) -> Plan:
    """Say how a query would be run."""
    found = await _table(context, database, table)
    index = next((each for each in found.indexes if where is not None and where.column in each), None)
    return Plan(table, len(found.rows), index)


@tool(annotations=WRITE)
async def db_insert(context: Context, database: DatabaseId, table: TableName, row: Row) -> int:
    """Insert a row, and give the number of rows after it."""
    found = await _table(context, database, table)
    return len((await _replace(context, database, attrs.evolve(found, rows=[*found.rows, row]))).rows)


@tool(annotations=DESTROY)
async def db_update(context: Context, database: DatabaseId, table: TableName, where: Match, values: Row) -> int:
    """Change the rows that match, and say how many."""
    found = await _table(context, database, table)
    rows = [{**row, **values} if _matches(row, where) else row for row in found.rows]
    await _replace(context, database, attrs.evolve(found, rows=rows))
    return sum(_matches(row, where) for row in found.rows)


@tool(annotations=DESTROY)
async def db_delete(context: Context, database: DatabaseId, table: TableName, where: Match) -> int:
    """Delete the rows that match, and say how many."""
    found = await _table(context, database, table)
    kept = [row for row in found.rows if not _matches(row, where)]
    await _replace(context, database, attrs.evolve(found, rows=kept))
    return len(found.rows) - len(kept)


@tool(annotations=WRITE)
async def db_table_create(context: Context, database: DatabaseId, table: TableName, columns: list[Column]) -> list[str]:
    """Create an empty table, and list the tables."""
    found = await _database(context, database)
    tables = [*found.tables, Table(table, columns, [], [])]
    await store(context).put(attrs.evolve(found, tables=tables))
    return [each.name for each in tables]


@tool(annotations=DESTROY)
async def db_table_drop(context: Context, database: DatabaseId, table: TableName) -> list[str]:
    """Drop a table with its rows, and list the tables that remain."""
    found = await _database(context, database)
    tables = [each for each in found.tables if each.name != table]
    await store(context).put(attrs.evolve(found, tables=tables))
    return [each.name for each in tables]


@tool(annotations=WRITE)
async def db_index_create(
    context: Context,
    database: DatabaseId,
    table: TableName,
    column: str,
    kind: Literal["btree", "hash"] = "btree",
) -> list[str]:
    """Create an index on a column."""
    found = await _table(context, database, table)
    indexes = [*found.indexes, f"{table}_{column}_{kind}"]
    return (await _replace(context, database, attrs.evolve(found, indexes=indexes))).indexes


@tool(annotations=DESTROY)
async def db_index_drop(context: Context, database: DatabaseId, table: TableName, index: str) -> list[str]:
    """Drop an index."""
    found = await _table(context, database, table)
    indexes = [each for each in found.indexes if each != index]
    return (await _replace(context, database, attrs.evolve(found, indexes=indexes))).indexes


@tool(annotations=WRITE)
async def db_backup(
    context: Context, database: DatabaseId, label: Annotated[str, Doc("Name of the backup.")] = "manual"
) -> list[str]:
    """Back up a database, and list its backups."""
    found = await _database(context, database)
    backups = [*found.backups, f"{label}-{len(found.backups) + 1}"]
    await store(context).put(attrs.evolve(found, backups=backups))
    return backups


@tool(annotations=WRITE)
async def db_vacuum(context: Context, database: DatabaseId) -> int:
    """Give free pages back, and say how many they were."""
    found = await _database(context, database)
    await store(context).put(attrs.evolve(found, free_pages=0))
    return found.free_pages


@tool(annotations=READ)
async def db_size(context: Context, database: DatabaseId) -> Size:
    """Say how large a database is."""
    found = await _database(context, database)
    return Size(database, len(found.tables), sum(len(each.rows) for each in found.tables), found.free_pages)
