"""Quanto a correção rende: ao lado do ``nbgrader autograde`` nas mesmas entregas, e em memória.

    python tools/bench_grade.py            60 entregas contra o nbgrader; memória com 60 e 600
    python tools/bench_grade.py --quick    20, sem a turma grande
"""

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from classroom_class import NAME, hand_in, hand_out, honest_class  # noqa: E402

WORKERS = 2
LEAST_RATIO = 4
MOST_GROWTH = 1.15


def timed(command, folder):
    """Roda e devolve (segundos, maior memória da árvore de processos, em MB)."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    start = time.perf_counter()
    run = subprocess.Popen(command, cwd=folder, env=os.environ | {"PATH": path},
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    peak = [0]
    watcher = threading.Thread(target=_watch, args=(run.pid, peak), daemon=True)
    watcher.start()
    output = run.communicate()[0]
    seconds = time.perf_counter() - start
    if run.returncode:
        sys.exit(output[-3000:])
    return seconds, peak[0] / 2**20


def _watch(pid, peak):
    """A memória própria de cada processo; a compartilhada se contaria muitas vezes."""
    root = psutil.Process(pid)
    while True:
        try:
            tree = [root, *root.children(recursive=True)]
        except psutil.Error:
            return
        total = 0
        for process in tree:
            try:
                total += process.memory_full_info().uss
            except psutil.Error:
                continue
        peak[0] = max(peak[0], total)
        time.sleep(0.2)


def ours(base, name, pupils):
    folder = base / name
    hand_in(pupils, folder)
    source = base / "source" / NAME / f"{NAME}.ipynb"
    return timed([sys.executable, "-m", "atencao.classroom.cli", str(folder), "--assignment",
                  str(source), "--out", str(base / f"{name}-resultados"), "--workers",
                  str(WORKERS)], base)


def theirs(base, pupils):
    (base / "nbgrader_config.py").write_text(
        'c = get_config()\nc.ClearSolutions.code_stub = {"python": "..."}\n', encoding="utf-8"
    )
    command = [sys.executable, "-m", "nbgrader"]
    timed([*command, "generate_assignment", NAME], base)
    for one in pupils:
        place = base / "submitted" / one.name / NAME / f"{NAME}.ipynb"
        place.parent.mkdir(parents=True)
        place.write_bytes(one.data)
    return timed([*command, "autograde", NAME, "--create"], base)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    size = 20 if quick else 60
    pupils = honest_class(size)
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        hand_out(base / "source")
        our_seconds, our_memory = ours(base, "turma", pupils)
        their_seconds, _ = theirs(base, pupils)
        print(f"{size} entregas, {WORKERS} trabalhadores")
        print(f"  atencao-grade        {our_seconds:7.1f} s  {size / our_seconds:5.2f} por segundo")
        print(f"  nbgrader autograde   {their_seconds:7.1f} s  "
              f"{size / their_seconds:5.2f} por segundo")
        ratio = their_seconds / our_seconds
        print(f"  razão                {ratio:7.1f}    (meta: ao menos {LEAST_RATIO})")
        if quick:
            return
        large_seconds, large_memory = ours(base, "grande", honest_class(10 * size))
        print(f"{10 * size} entregas: {large_seconds:.1f} s, "
              f"{10 * size / large_seconds:.2f} por segundo")
        print(f"  memória: {our_memory:.0f} MB com {size}; {large_memory:.0f} MB com {10 * size}; "
              f"razão {large_memory / our_memory:.2f} (meta: até {MOST_GROWTH})")


if __name__ == "__main__":
    main()
