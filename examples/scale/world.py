"""What the service holds: records of eight domains, drawn from a seed. Ids are opaque on purpose."""

from __future__ import annotations

from random import Random
from typing import Final, Literal

import attrs

from examples.scale.store import Record

WORKSPACE_REPO: Final = "R-11"
"""The repository that git tools take when none is named. It is always level with its upstream."""

WORDS: Final = (
    *("anchor", "basin", "beacon", "bollard", "breaker", "buoy", "cable", "canal", "chart", "coast", "current", "dock"),
    *("drift", "ebb", "ferry", "fathom", "gauge", "harbour", "inlet", "jetty", "keel", "lagoon", "ledger", "lock"),
    *("marsh", "mooring", "pier", "pilot", "quay", "reef", "sheet", "shoal", "sluice", "sound", "spring", "staff"),
    *("strait", "tide", "vessel", "wharf"),
)
PEOPLE: Final = ("Ada Brandt", "Ilse Moreau", "Jun Okafor", "Mara Lindqvist", "Teo Salas")
REGIONS: Final = ("east", "north", "west")


@attrs.frozen
class Commit:
    hash: str
    author: str
    day: int
    subject: str
    files: list[str]


@attrs.frozen
class Change:
    path: str
    kind: Literal["added", "deleted", "modified"]
    staged: bool
    lines: int


@attrs.frozen
class Repository:
    id: str
    branch: str
    ahead: int
    behind: int
    branches: list[str]
    tags: list[str]
    remotes: dict[str, str]
    commits: list[Commit]
    changes: list[Change]
    stashes: list[str]


@attrs.frozen
class Tab:
    id: str
    address: str
    title: str
    text: str
    links: list[str]
    fields: dict[str, str]
    cookies: dict[str, str]
    console: list[str]
    requests: list[str]
    history: list[str]
    position: int = 0
    scrolled: int = 0


@attrs.frozen
class Column:
    name: str
    type: Literal["integer", "text"]
    nullable: bool = False


@attrs.frozen
class Table:
    name: str
    columns: list[Column]
    rows: list[dict[str, str]]
    indexes: list[str]


@attrs.frozen
class Database:
    id: str
    tables: list[Table]
    backups: list[str]
    free_pages: int


@attrs.frozen
class Document:
    id: str
    title: str
    author: str
    pages: list[str]
    outline: list[str]
    links: list[str]
    fonts: list[str]
    tables: list[list[str]]
    form: dict[str, str]
    notes: list[str]
    attachments: list[str]
    rotation: int = 0
    encrypted: bool = False


@attrs.frozen
class Picture:
    id: str
    width: int
    height: int
    format: Literal["jpeg", "png", "webp"]
    bytes: int
    palette: list[str]
    histogram: list[int]
    words: list[str]
    faces: int
    edits: list[str]


@attrs.frozen
class Machine:
    id: str
    name: str
    address: str
    ports: list[int]
    hops: list[str]
    latency: float
    """Milliseconds."""
    bandwidth: int
    """Megabits per second."""
    certificate_days: int
    headers: dict[str, str]
    owner: str
    rules: list[str]
    routes: list[str]


@attrs.frozen
class Instance:
    id: str
    region: str
    size: Literal["large", "medium", "small"]
    state: Literal["running", "stopped"]
    tags: dict[str, str]
    load: list[int]
    """Percent, hour by hour."""
    log: list[str]
    alarms: dict[str, int]
    monthly: int


@attrs.frozen
class Bucket:
    id: str
    region: str
    objects: dict[str, str]
    monthly: int


@attrs.frozen
class File:
    id: str
    name: str
    folder: str
    lines: list[str]
    owner: str
    mode: str = "rw-r-----"


def build(seed: int) -> list[Record]:
    """Make the world of *seed*: the same records each time."""
    random = Random(seed)
    return [
        *(_repository(random, f"R-{number}") for number in range(11, 17)),
        *(_tab(random, f"W-{number}") for number in range(31, 37)),
        *(_database(random, f"B-{number}") for number in range(5, 9)),
        *(_document(random, f"D-{number}") for number in range(201, 209)),
        *(_picture(random, f"P-{number}") for number in range(61, 67)),
        *(_machine(random, f"N-{number}") for number in range(71, 77)),
        *(_instance(random, f"I-{number}") for number in range(41, 47)),
        *(_bucket(random, f"K-{number}") for number in range(91, 94)),
        *(_file(random, f"F-{number}") for number in range(501, 509)),
    ]


def phrase(random: Random, words: int) -> str:
    return " ".join(random.choices(WORDS, k=words))


def _repository(random: Random, id: str) -> Repository:
    level = id == WORKSPACE_REPO
    commits = [
        Commit(
            hash=f"{random.getrandbits(28):07x}",
            author=random.choice(PEOPLE),
            day=400 - number,
            subject=phrase(random, 4),
            files=[f"{random.choice(WORDS)}.py" for _ in range(random.randint(1, 3))],
        )
        for number in range(random.randint(12, 20))
    ]
    return Repository(
        id=id,
        branch="main",
        ahead=0 if level else random.randint(1, 6),
        behind=0 if level else random.randint(1, 9),
        branches=["main", *sorted(random.sample(WORDS, 3))],
        tags=[f"v1.{number}" for number in range(random.randint(2, 5))],
        remotes={"origin": f"ssh://forge/{id.lower()}"},
        commits=commits,
        changes=[]
        if level
        else [
            Change(f"{random.choice(WORDS)}.py", "modified", random.random() < 0.5, random.randint(1, 40))
            for _ in range(random.randint(1, 3))
        ],
        stashes=[],
    )


def _tab(random: Random, id: str) -> Tab:
    address = f"https://{random.choice(WORDS)}.example/{random.choice(WORDS)}"
    return Tab(
        id=id,
        address=address,
        title=phrase(random, 3),
        text=phrase(random, 60),
        links=[f"https://{random.choice(WORDS)}.example/" for _ in range(4)],
        fields={"search": "", "email": ""},
        cookies={"session": f"{random.getrandbits(32):08x}"},
        console=[f"{random.choice(('error', 'warning', 'info'))}: {phrase(random, 4)}" for _ in range(4)],
        requests=[f"GET {random.choice((200, 200, 304, 404, 500))} /{random.choice(WORDS)}" for _ in range(5)],
        history=[address],
    )


def _database(random: Random, id: str) -> Database:
    def table(name: str) -> Table:
        rows = [
            {"id": str(number), "name": random.choice(WORDS), "place": random.choice(REGIONS)}
            for number in range(1, random.randint(8, 25))
        ]
        columns = [Column("id", "integer"), Column("name", "text"), Column("place", "text", nullable=True)]
        return Table(name, columns, rows, [f"{name}_pkey"])

    return Database(id, [table(name) for name in random.sample(WORDS, 3)], [], random.randint(10, 90))


def _document(random: Random, id: str) -> Document:
    pages = [phrase(random, 40) for _ in range(random.randint(5, 30))]
    return Document(
        id=id,
        title=phrase(random, 4).title(),
        author=random.choice(PEOPLE),
        pages=pages,
        outline=[f"{number}. {phrase(random, 2)}" for number in range(1, 5)],
        links=[f"https://{random.choice(WORDS)}.example/" for _ in range(3)],
        fonts=["Source Serif", "Source Sans"],
        tables=[["day", "high", "low"], ["1", f"{random.uniform(3, 4):.2f}", f"{random.uniform(0, 1):.2f}"]],
        form={"name": "", "berth": ""},
        notes=[phrase(random, 5)],
        attachments=[f"{random.choice(WORDS)}.csv"],
    )


def _picture(random: Random, id: str) -> Picture:
    width, height = random.choice(((1200, 800), (800, 800), (640, 960)))
    return Picture(
        id=id,
        width=width,
        height=height,
        format=random.choice(("jpeg", "png", "webp")),
        bytes=random.randint(40_000, 900_000),
        palette=[f"#{random.getrandbits(24):06x}" for _ in range(4)],
        histogram=[random.randint(0, 100) for _ in range(8)],
        words=random.sample(WORDS, 3),
        faces=random.randint(0, 4),
        edits=[],
    )


def _machine(random: Random, id: str) -> Machine:
    name = f"{random.choice(WORDS)}.internal"
    return Machine(
        id=id,
        name=name,
        address=f"10.0.{random.randint(0, 20)}.{random.randint(2, 250)}",
        ports=sorted(random.sample((22, 25, 53, 80, 443, 5432, 8080), 3)),
        hops=[f"10.0.0.{number}" for number in range(1, random.randint(3, 6))],
        latency=round(random.uniform(0.4, 40), 1),
        bandwidth=random.choice((100, 1000, 10000)),
        certificate_days=random.randint(-5, 300),
        headers={"server": random.choice(("caddy", "nginx")), "age": str(random.randint(0, 900))},
        owner=random.choice(PEOPLE),
        rules=["allow 22", "allow 443", "deny *"],
        routes=["10.0.0.0/16 via 10.0.0.1", "default via 10.0.0.254"],
    )


def _instance(random: Random, id: str) -> Instance:
    return Instance(
        id=id,
        region=random.choice(REGIONS),
        size=random.choice(("large", "medium", "small")),
        state=random.choice(("running", "stopped")),
        tags={"team": random.choice(WORDS)},
        load=[random.randint(2, 98) for _ in range(12)],
        log=[f"{random.choice(('ERROR', 'INFO', 'WARN'))} {phrase(random, 5)}" for _ in range(15)],
        alarms={"load": 90},
        monthly=random.randint(20, 400),
    )


def _bucket(random: Random, id: str) -> Bucket:
    objects = {f"{word}.txt": phrase(random, 8) for word in random.sample(WORDS, 5)}
    return Bucket(id, random.choice(REGIONS), objects, random.randint(1, 40))


def _file(random: Random, id: str) -> File:
    lines = [
        f"{hour:02}:{random.randint(0, 59):02} {random.choice(('ERROR', 'INFO', 'INFO', 'WARN'))} {phrase(random, 6)}"
        for hour in range(24)
        for _ in range(random.randint(1, 4))
    ]
    return File(id, f"{random.choice(WORDS)}.log", random.choice(("archive", "daily")), lines, random.choice(PEOPLE))
