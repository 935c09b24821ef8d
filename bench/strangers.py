"""Gives a riffle binary what a stranger may send, five forms of each kind and more, and says how it ends.

    python3 bench/strangers.py bin/riffle [--only KIND] [--seconds 60] > table.md
    python3 bench/strangers.py /tmp/old/bin/riffle --models /tmp/old/models    the same of another commit

Kinds: directories, files of each sort, misread tables, and answers in company. Requests to the server that take
too much are bench/dearest's (-hostile). A row a form: how the command ended, processor seconds, MB resident at
most, and, of directories, whether a file outside was changed. The standard library alone, on Linux.
"""

import argparse
import concurrent.futures
import gzip
import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

MOST_KB = 7 << 20  # a process that takes more is killed


def measure(command, seconds, cwd):
    """Runs a command and returns how it ended, its processor seconds and its largest resident set in MB."""
    p = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = []
    reader = threading.Thread(target=lambda: text.append(p.stdout.read()))
    reader.start()
    began, why, most = time.time(), "", 0
    while True:
        pid, status, used = os.wait4(p.pid, os.WNOHANG)
        if pid:
            break
        try:
            with open(f"/proc/{p.pid}/status") as f:
                most = max([most] + [int(l.split()[1]) for l in f if l.startswith("VmHWM:")])
        except OSError:
            pass
        if why == "" and (time.time() - began > seconds or most > MOST_KB):
            why = f"> {seconds} s" if most <= MOST_KB else "> 7 GB"
            p.kill()
        time.sleep(0.002)
    reader.join()
    p.returncode = os.waitstatus_to_exitcode(status)
    out = text[0].decode(errors="replace").strip()
    line = next((l for l in out.splitlines() if l.startswith(("riffle:", "warning"))), out.splitlines()[-1] if out else "")
    return why or f"exit {p.returncode}", used.ru_utime + used.ru_stime, most / 1e3, line


class Forms:
    """Makes the inputs in a folder."""

    def __init__(self, folder, models):
        self.folder, self.models = folder, models

    def file(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())
        return path

    def run(self, name, model="tours"):
        path = os.path.join(self.folder, name)
        shutil.copytree(os.path.join(self.models, model), path)
        return path

    @staticmethod
    def rehash(path):
        """Makes the checksums of a run right again, as one can who writes all its files."""
        name, zero = os.path.join(path, "state.json"), "0" * 64
        state = json.load(open(name))
        for k in state["sha256"]:
            if k != "state.json":
                state["sha256"][k] = hashlib.sha256(open(os.path.join(path, k), "rb").read()).hexdigest()
        state["sha256"]["state.json"] = zero
        text = json.dumps(state, indent=2) + "\n"
        open(name, "w").write(text.replace(zero, hashlib.sha256(text.encode()).hexdigest(), 1))

    def weights(self, name, value):
        path = self.run(name)
        data = open(path + "/model.safetensors", "rb").read()
        head = 8 + struct.unpack("<Q", data[:8])[0]
        count = (len(data) - head) // 4
        open(path + "/model.safetensors", "wb").write(data[:head] + struct.pack("<f", value) * count)
        self.rehash(path)
        return path

    def directories(self, outside):
        """Yields (form, arguments); outside is a file that must stay as it is."""
        order = ["order", "RUN", self.file("set.txt", "0 0 1 1 1 0 0 1 output 1 2 3 4 1\n"), "--engine", "go"]
        baseball = self.file("set.csv", open("examples/seasons.csv").read())
        resume = ["train", "--out", "RUN", "--resume", "--engine", "go"]

        def asked(path, command):
            return [path if a == "RUN" else a for a in command]

        def replaced(name, make, path="model.safetensors", model="tours"):
            run = self.run(name, model)
            if os.path.lexists(os.path.join(run, path)):
                os.remove(os.path.join(run, path))
            make(os.path.join(run, path))
            return run

        for target in ("config.toml", "state.json", "model.safetensors"):
            yield f"{target} is a link to /dev/zero", asked(replaced("zero-" + target, lambda p: os.symlink("/dev/zero", p), target), order)
        for target in ("config.toml", "state.json", "model.safetensors"):
            yield f"{target} is a pipe", asked(replaced("pipe-" + target, os.mkfifo, target), order)
        for target in ("state.json", "model.safetensors", "config.toml"):
            yield f"{target} has 20 GB of holes", asked(replaced("sparse-" + target, lambda p: open(p, "wb").truncate(20 << 30), target), order)
        for name in ("previous", ".lock", ".next", "metrics.jsonl", "figures"):
            run = replaced("link-" + name, lambda p: os.symlink(outside if name in (".lock", "metrics.jsonl") else os.path.dirname(outside), p), name)
            yield f"{name} is a link that leads out", asked(run, ["plot", "RUN", "--engine", "go"] if name == "figures" else resume)
        for value in (float("nan"), float("inf"), -float("inf"), 3e38, 1e30):
            yield f"weights are {value}", asked(self.weights(f"weights-{value}", value), order)
        table = ["order", "RUN", baseball, "--engine", "go"]
        for name, change in {
            "deviations negated": lambda j: j.update(deviation=[-x for x in j["deviation"]]),
            "means moved": lambda j: j.update(mean=[x + 1 for x in j["mean"]]),
            "one deviation less": lambda j: j.update(deviation=j["deviation"][:-1]),
            "means turned round": lambda j: j.update(mean=j["mean"][::-1]),
            "deviations of 1e300": lambda j: j.update(deviation=[1e300] * len(j["deviation"])),
        }.items():
            run = self.run("items-" + name.replace(" ", "-"), "rankings")
            items = json.load(open(run + "/items.json"))
            change(items)
            json.dump(items, open(run + "/items.json", "w"))
            yield f"items.json: {name}", asked(run, table)

    def files(self):
        x = "x" * 150_000
        check = lambda path, *more: ["data", "check", path, *more]
        for k, text in enumerate([
            '{"items": [{}], "' + x * 2 + '": 1}\n', '{"items": [{"' + "ab" * 150_000 + '": 1}]}\n', '{"items": [{}], "order": [0], "' + "order" * 60_000 + '": 1}\n',
            "\n".join('{"items": [{}], "' + x + '": 1}' for _ in range(4)) + "\n", '{"items": [{"id": "' + x + '"}], "constraints": {"' + x + '": []}}\n']):
            yield "long names", f"names of 300 KB in JSONL, {k + 1}", check(self.file(f"names{k}.jsonl", text))
        for side, scans, size in ((2048, 6000, "120 KB"), (2048, 100_000, "2 MB"), (1024, 20_000, "300 KB"), (256, 100_000, "1.3 MB"), (4096, 3000, "210 KB")):
            yield "scans of a JPEG", f"{scans} scans of {side} × {side}", ["order", "puzzle", self.file(f"scans{side}-{scans}.jpg", progressive(side, scans)), "--grid", "2x2", "--engine", "go"]
        for head, unit, tail in (('{"items": [', "{},", "{}]}"), ('{"items": [{"features": [', "1,", "1]}]}"), ('{"items": [{}], "levels": [', "[0],", "[]]}"),
                                 ('{"items": [{}], "order": [', "0,", "0]}"), ('{"items": [', "[[]],", "{}]}")):
            yield "many small values", f"24 MB of {unit}", check(self.file(f"values{len(unit)}{unit[0]}{len(head)}.jsonl", head + unit * ((24 << 20) // len(unit)) + tail + "\n"))
        bombs = {"items.jsonl": b'{"items": [' + b"{}," * (20 << 20) + b"{}]}\n", "spaces.jsonl": b" " * (60 << 20) + b"{}\n", "lines.csv": b"set,item,rank\n" + b"a,b,1\n" * (10 << 20),
                 "features.svmlight": b"1 qid:1 " + b" ".join(b"%d:1" % i for i in range(1, 4_000_000)) + b"\n", "lines.svmlight": b"1 qid:1 1:1\n" * (5 << 20)}
        for name, data in bombs.items():
            yield "gzip", f"{len(data) >> 20} MB of {name} in {len(gzip.compress(data, 9)) >> 10} KB", check(self.file(name + ".gz", gzip.compress(data, 9)))
        config = open("models/rankings.toml").read() if os.path.exists("models/rankings.toml") else open("presets/ranking.toml").read()
        for key, value in (("task.n", "65536"), ("model.layers", "1000000000"), ("model.feed_forward", "1099511627776"), ("process.schedule", "[0, 9000000000000000000]"), ("train.steps", "4611686018427387904")):
            yield "configurations", f"{key} = {value}", ["train", self.file("c.toml", config), "--set", f"{key}={value}", "--set", f"task.data=\"{os.path.abspath('examples/seasons.csv')}\"", "--set", "train.time=\"1s\"", "--out", os.path.join(self.folder, "trained-" + key), "--engine", "go"]

    def misread(self):
        """Tables that have no one meaning: each must be refused."""
        head = "set\titem\trank\tf1\n"
        kinds = {
            "a field too many or too few": [("tsv", head + "q\ta\t1\t1\nq\tb\t\t0.7\t9\n"), ("tsv", head + "q\ta\t1\t1\nq\tb\t2\n"), ("csv", "set,item,rank\nq,a,1\nq,b,,2\n"), ("tsv", head + "q\ta\t1\t1\nq\t\tb\t2\t0.7\n"), ("csv", "set;item;rank;f\nq;a;1;1\nq;b;;0,7;9\n")],
            "numbers of programs": [("csv", f"set,item,rank,f1\nq,a,1,{v}\nq,b,2,0.7\n") for v in ("1_000", "0x10", "1e", "0b1", "1_0.5")],
            "names that look alike": [("csv", 'set,item,rank\nq,"a ",1\nq,a,2\n'), ("csv", 'set,item,rank\nq," a",1\nq,a,2\n'), ("csv", "set,item,rank\nq,\"a\t\",1\nq,a,2\n"), ("jsonl", '{"items": [{"id": "a "}, {"id": "a"}], "order": [0, 1]}\n'), ("jsonl", '{"items": [{"id": "a\\u00a0"}, {"id": "a"}], "order": [0, 1]}\n')],
            "PrefLib": [("soc", f"{n}\n{alts}{votes}") for n, alts, votes in ((3, "1,A\n1,B\n3,C\n", "3,3,2\n2,1,2,3\n1,3,2,1\n"), (2, "1,A\n2,B\n", "2,2,1\n2,1,1\n"), (2, "1,A\n3,B\n", "1,1,1\n1,1,3\n"), (2, "1,A\n2,B\n", "5,5,1\n2,1,2\n"), (2, "1,A\n2,B\n", "1,1,1\n1,1,2,1\n"))],
            "TSPLIB": [("tsp", "NAME: x\nTYPE: TSP\n" + t) for t in (
                "TYPE: ATSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 0 1\n3 1 0\nEOF\n",
                "DIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nEDGE_WEIGHT_TYPE: GEO\nNODE_COORD_SECTION\n1 0 0\n2 0 1\n3 1 0\nEOF\n",
                "DIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n5 1 2\n1 0 3\n2 3 0\nEOF\n",
                "DIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\nNODE_COORD_SECTION\n1 0 0\n2 0 1\n3 1 0\nEDGE_WEIGHT_SECTION\n0 1 2\n1 0 3\n2 3 0\nEOF\n",
                "DIMENSION: 3\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 0 1\n3 1 0\nEOF\n")],
        }
        for kind, forms in kinds.items():
            for k, (ending, text) in enumerate(forms):
                yield kind, json.dumps(text if len(text) < 60 else "…" + text[-56:]), ["data", "check", self.file(f"{kind.split()[0]}{k}.{ending}", text)]


def progressive(side, scans):
    """A progressive JPEG whose scans each say of all blocks, in a few bytes, that they have nothing."""
    table = lambda place, symbol: bytes([0xFF, 0xC4, 0, 20, place << 4, 1, *[0] * 15, symbol])
    blocks = (side // 8) ** 2
    bits, left = "", blocks
    while left > 0:
        bits, left = bits + "0" + "1" * 14, left - 32767
    bits += "1" * (-len(bits) % 8)
    body = b"".join(bytes([b, 0]) if b == 0xFF else bytes([b]) for b in (int(bits[i:i + 8], 2) for i in range(0, len(bits), 8)))
    scan = bytes([0xFF, 0xDA, 0, 8, 1, 1, 0, 1, 63, 0]) + body
    return (bytes([0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0, *[16] * 64, 0xFF, 0xC2, 0, 11, 8, side >> 8, side & 255, side >> 8, side & 255, 1, 1, 0x11, 0])
            + table(0, 0) + table(1, 0xE0) + bytes([0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 0, 1]) + bytes((blocks + 7) // 8) + scan * scans + b"\xff\xd9")


def company(riffle, models, folder):
    """Asks a question alone and then beside 30 others, and counts the answers that have other bits."""
    told = subprocess.run([riffle, "serve", "--help"], capture_output=True, text=True).stdout
    patience = [a for flag in ("--max-time", "--max-busy") if flag in told for a in (flag, "10m")]  # on a busy machine
    server = subprocess.Popen([riffle, "serve", "--addr", "127.0.0.1:0", "--json", *patience, os.path.join(models, "tours"), os.path.join(models, "rankings")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder)
    try:
        url = "http://" + json.loads(server.stdout.readline())["address"]

        def ask(path, body):
            request = urllib.request.Request(url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
            return json.load(urllib.request.urlopen(request, timeout=900))["answers"]

        def cities(k, n):
            return {"items": [{"point": [(k * 31 + i * 17) % 101 / 101, (k * 7 + i * i * 13) % 97 / 97]} for i in range(n)]}

        def clubs(k, n):
            return {"items": [{"features": [((k + 3) * (i + 2) * (j + 5)) % 89 / 20 for j in range(10)]} for i in range(n)]}

        same = {"items": [{"features": [1.0] * 10}] * 12}
        for form, path, body, make, n in (
            ("greedy, 20 cities", "/v1/order", {"model": "tours", "decode": "greedy"}, cities, 20),
            ("beam of 48, 20 cities", "/v1/order", {"model": "tours", "decode": "beam", "beam": 48, "inner": 48, "top": 3}, cities, 20),
            ("beam of 20, 9 clubs", "/v1/order", {"model": "rankings", "decode": "beam", "beam": 20, "inner": 50, "top": 3}, clubs, 9),
            ("beam of 20, 12 items that are equal, top 3", "/v1/order", {"model": "rankings", "decode": "beam", "beam": 20, "inner": 50, "top": 3}, None, 12),
            ("log p, 12 clubs", "/v1/score", {"model": "rankings", "draws": 8}, clubs, 12),
        ):
            def question(k):
                s = make(k, n) if make else same
                return dict(body, sets=[dict(s, order=list(range(n))) if path == "/v1/score" else s])

            alone = [ask(path, question(k)) for k in range(4)]
            with concurrent.futures.ThreadPoolExecutor(32) as pool:
                others = [pool.submit(ask, path, question(100 + k)) for k in range(14)]
                again = [(k % 4, pool.submit(ask, path, question(k % 4))) for k in range(16)]
                bits = lambda a: json.dumps([{f: v for f, v in s.items() if f not in ("warnings", "id")} for s in a])
                different = sum(bits(alone[k]) != bits(f.result()) for k, f in again)
                [f.result() for f in others]
            yield form, different, len(again)
    finally:
        server.kill()
        server.wait()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("riffle")
    p.add_argument("--models", default="models")
    p.add_argument("--only", default="", help="directories, files, misread or company")
    p.add_argument("--seconds", type=int, default=60, help="after which a command is killed")
    o = p.parse_args()
    riffle, models = os.path.abspath(o.riffle), os.path.abspath(o.models)
    with tempfile.TemporaryDirectory() as folder:
        outside_folder = tempfile.mkdtemp(dir=folder)
        outside = os.path.join(outside_folder, "model.safetensors")
        forms = Forms(folder, models)

        def mark():
            open(outside, "w").write("a user's own file\n")
            return sorted(os.listdir(outside_folder))

        def row(kind, form, arguments):
            before = mark()
            if arguments[0] == "order" and arguments[1] in ("puzzle",):
                arguments = ["order", os.path.join(models, "puzzle")] + arguments[2:]
            how, seconds, mb, line = measure([riffle, *arguments], o.seconds, folder)
            if open(outside).read() != "a user's own file\n" or sorted(os.listdir(outside_folder)) != before:
                how += ", changed what is outside"
                for name in os.listdir(outside_folder):
                    other = os.path.join(outside_folder, name)
                    shutil.rmtree(other) if os.path.isdir(other) else os.remove(other)
            line = re.sub(re.escape(folder) + "/?", "", line).replace("|", "\\|")
            print(f"| {kind} | {form} | {how} | {seconds:.1f} | {mb:.0f} | {line[:90]} |", flush=True)

        print("| kind | form | end | processor s | MB | said |\n|---|---|---|--:|--:|---|")
        if o.only in ("", "directories"):
            for form, arguments in forms.directories(outside):
                row("directory", form, arguments)
        if o.only in ("", "files"):
            for kind, form, arguments in forms.files():
                row(kind, form, arguments)
        if o.only in ("", "misread"):
            for kind, form, arguments in forms.misread():
                row(kind, form, arguments)
        if o.only in ("", "company"):
            print("\n| in company | of | have other bits |\n|---|--:|--:|")
            for form, different, count in company(riffle, models, folder):
                print(f"| {form} | {count} | {different} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
