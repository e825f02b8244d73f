"""Mede o MultiHeadAttention do curso ao lado do PyTorch, e o custo de ``import atencao``.

Todos os concorrentes têm os mesmos pesos, recebem a mesma entrada e, antes de qualquer medida,
precisam dar o mesmo contexto. Os tempos são razões dentro de cada repetição, em que todos
correm, cada vez noutra ordem; a tabela traz a mediana. Assim uma máquina ocupada atrasa a
todos por igual.

A memória é o quanto o processo cresce, no pico, durante uma ida e volta: VmHWM menos o VmRSS de
antes, com o pico zerado logo antes de medir. Cada medida tem um processo novo, que já rodou uma
vez com n = 64. Só o Linux conta isso; noutros sistemas, essa tabela não sai.

Uso: make bench (uns três minutos; com OMP_NUM_THREADS=1, menos ruído numa máquina ocupada).
"""

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from atencao.modules import MultiHeadAttention

BATCH, WIDTH, HEADS = 1, 256, 8
SIZES = (64, 256, 1024, 4096)
MEMORY_SIZES = (1024, 4096)
SECONDS_PER_ROW = 6
BARE, OURS, TORCH = "SDPA nu", "nosso", "nn.MHA"
STEPS, TORCH_WEIGHTS = "nosso, passo a passo", "nn.MHA com pesos"
LEGEND = {
    BARE: "só as contas: F.linear empilhado, F.scaled_dot_product_attention, F.linear",
    OURS: "MultiHeadAttention(...)(x)",
    TORCH: "nn.MultiheadAttention, need_weights=False",
    STEPS: "MultiHeadAttention(...).attention(x): contexto, pesos e pontuações",
    TORCH_WEIGHTS: "nn.MultiheadAttention, need_weights=True: contexto e média dos pesos",
}
FUSED = (BARE, OURS, TORCH)


def contenders() -> tuple[dict[str, Callable[[Tensor], Tensor]], list[nn.Module]]:
    """Os concorrentes, como funções de x no contexto, e os módulos de que dependem."""
    torch.manual_seed(0)
    theirs = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
    ours = MultiHeadAttention.from_torch(theirs, causal=False)

    def bare(x: Tensor) -> Tensor:
        query, key, value = (
            role.unflatten(-1, (HEADS, -1)).transpose(1, 2)
            for role in F.linear(x, theirs.in_proj_weight, theirs.in_proj_bias).chunk(3, dim=-1)
        )
        context = F.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(2)
        return F.linear(context, theirs.out_proj.weight, theirs.out_proj.bias)

    return {
        BARE: bare,
        OURS: ours,
        TORCH: lambda x: theirs(x, x, x, need_weights=False)[0],
        STEPS: lambda x: ours.attention(x).context,
        TORCH_WEIGHTS: lambda x: theirs(x, x, x)[0],
    }, [ours, theirs]


def new_input(n: int) -> Tensor:
    return torch.randn(BATCH, n, WIDTH, generator=torch.Generator().manual_seed(n))


def forward(attend: Callable[[Tensor], Tensor], x: Tensor) -> None:
    with torch.no_grad():
        attend(x)


def forward_and_backward(attend: Callable[[Tensor], Tensor], x: Tensor) -> None:
    attend(x.requires_grad_()).sum().backward()


def check_agreement(attends: dict[str, Callable[[Tensor], Tensor]]) -> None:
    x = new_input(64)
    for name, attend in attends.items():
        torch.testing.assert_close(attend(x), attends[BARE](x), rtol=0, atol=1e-5, msg=name)


def rounds(run: Callable, attends: dict, modules: list[nn.Module], x: Tensor) -> list[dict]:
    """Uma lista de repetições; cada uma diz os segundos de cada concorrente."""

    def seconds(name: str) -> float:
        for tensor in (x, *(p for module in modules for p in module.parameters())):
            tensor.grad = None
        start = time.perf_counter()
        run(attends[name], x)
        return time.perf_counter() - start

    names = list(attends)
    warm_up = sum(seconds(name) for name in names)
    repetitions = min(max(round(SECONDS_PER_ROW / warm_up), 3), 300)
    return [
        {name: seconds(name) for name in names[i % len(names):] + names[: i % len(names)]}
        for i in range(repetitions)
    ]


def median_ratio(times: list[dict], name: str, base: str) -> float:
    return statistics.median(lap[name] / lap[base] for lap in times)


def number(value: float, digits: int = 2) -> str:
    return f"{value:.{digits}f}".replace(".", ",")


def table(header: list[str], rows: list[list[str]]) -> None:
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in (header, ["─" * width for width in widths], *rows):
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))


def print_times(title: str, run: Callable, *, training: bool) -> None:
    attends, modules = contenders()
    for module in modules:
        module.train(training)
    check_agreement(attends)
    rows = []
    for n in SIZES:
        times = rounds(run, attends, modules, new_input(n))
        ratios = {name: median_ratio(times, name, BARE) for name in attends}
        fastest = min((BARE, TORCH), key=ratios.get)
        rows.append([
            str(n),
            number(1000 * statistics.median(lap[BARE] for lap in times)),
            *(number(ratios[name]) for name in attends if name != BARE),
            number(median_ratio(times, OURS, fastest)),
            number(median_ratio(times, STEPS, TORCH_WEIGHTS)),
        ])
    print(f"\n{title}: {BARE} em milissegundos; os outros, em vezes o tempo dele\n")
    table(
        ["n", f"{BARE} (ms)", *(name for name in attends if name != BARE),
         "nosso ÷ melhor dos outros", "passo a passo ÷ nn.MHA com pesos"],
        rows,
    )  # fmt: skip


def megabytes(field: str) -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.split(f"{field}:")[1].split()[0]) / 1024


def memory_of(name: str, n: int) -> float:
    """Quanto este processo cresce, no pico, numa ida e volta. Vale uma vez por processo."""
    attend = contenders()[0][name]
    forward_and_backward(attend, new_input(64))
    x = new_input(n)
    before = megabytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # o pico volta a ser o tamanho de agora
    forward_and_backward(attend, x)
    return megabytes("VmHWM") - before


def print_memory() -> None:
    def measure(name: str, n: int) -> str:
        command = [sys.executable, __file__, "--memory", name, str(n)]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        return number(float(run.stdout), 0)

    print("\nMemória de uma ida e volta, em MB\n")
    table(
        ["n", *LEGEND],
        [[str(n), *(measure(name, n) for name in LEGEND)] for n in MEMORY_SIZES],
    )


def import_seconds(package: str) -> float:
    code = (
        "import time; start = time.perf_counter(); "
        f"import {package}; print(time.perf_counter() - start)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(run.stdout)


def print_import(pairs: int = 25) -> None:
    packages = ["numpy", "atencao"]
    for package in packages:
        import_seconds(package)
    times = [
        {package: import_seconds(package) for package in packages[:: 1 if i % 2 else -1]}
        for i in range(pairs)
    ]
    ratio = median_ratio(times, "atencao", "numpy")
    base = statistics.median(lap["numpy"] for lap in times)
    print(
        f"\nimport atencao leva {number(ratio)} vezes o tempo de import numpy "
        f"({number(1000 * base, 0)} ms; mediana de {pairs} pares)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memory", nargs=2, metavar=("CONCORRENTE", "N"), help="uso interno")
    arguments = parser.parse_args()
    if arguments.memory:
        name, n = arguments.memory
        print(memory_of(name, int(n)))
        return
    print(
        f"PyTorch {torch.__version__}, {torch.get_num_threads()} threads, float32, sem máscara; "
        f"lote {BATCH}, d_model {WIDTH}, {HEADS} cabeças\n"
    )
    for name, meaning in LEGEND.items():
        print(f"  {name}: {meaning}")
    print_times("Ida, sem gradientes", forward, training=False)
    print_times("Ida e volta", forward_and_backward, training=True)
    if sys.platform == "linux":
        print_memory()
    print_import()


if __name__ == "__main__":
    main()
