"""Tarefa 4: uma chave para todas, o que cada cabeça escreve, o comitê e o módulo."""

from homework_mistakes import Answer, right, seen, wrong

NUMBER_CELL = "matricula-solucao"
INDEPENDENT: dict[str, str] = {}


def parameters(name: str, value: str, *gets: float | str) -> Answer:
    code = f"h, c = question_1_data(student_number)\nd = h * c\nguess_parameters = {value}"
    return wrong(name, "q1-solucao", code, **({"q1_teste": gets} if gets else {}))


PARAMETERS = [
    parameters("o módulo do capítulo 9", "4 * d * d", 0, "Você contou o módulo do capítulo 9"),
    parameters("sem a saída", "d * d + 2 * d * c", 0, "Faltou a matriz de saída"),
    parameters("só a chave em comum", "3 * d * d + d * c", 0, "só pôs em comum a chave"),
    parameters("encolheu as consultas", "d * d + 3 * d * c", 0, "encolheu também as consultas"),
    parameters("encolheu tudo", "4 * d * c", 0, "encolheu tudo à largura de uma cabeça"),
    parameters("chave e valor c por c", "2 * d * d + 2 * c * c", 0, "têm d linhas, e não c"),
    parameters("esqueceu o valor", "2 * d * d + d * c", 0, "contou uma das duas"),
    parameters("esqueceu a chave e o valor", "2 * d * d", 0, "mas existem"),
    parameters("com viés", "2 * d * d + 2 * d * c + 2 * d + 2 * c", 0, "contou os vieses"),
    parameters("três matrizes inteiras", "3 * d * d", 0, "três matrizes inteiras"),
    parameters("parâmetros por alto", "7", 0, "Escreva a forma de cada uma"),
    parameters("parâmetros em branco", "None", 0, "Faltou o palpite"),
    parameters("com ponto de milhar", "(2 * d * d + 2 * d * c) / 1000", 0, "ponto de milhar"),
    parameters("com ponto de milhar, entre aspas", "f'{2 * d * (d + c):,}'.replace(',', '.')",
               0, "ponto de milhar"),
    parameters("contados pelo PyTorch", """sum(layer.weight.numel() for layer in (
    nn.Linear(d, d), nn.Linear(d, c), nn.Linear(d, c), nn.Linear(d, d)))"""),
    parameters("parâmetros entre aspas", "str(2 * d * (d + c))"),
]


def written(name: str, output: str, ablated: str, **gets: tuple[float, str]) -> Answer:
    return wrong(name, "q2-solucao", f"""\
w, v, o = question_2_data(student_number)
first, second = w[0] @ v[:, :2] @ o[:2], w[1] @ v[:, 2:] @ o[2:]
guess_output = {output}
guess_ablated = {ablated}""", **gets)


WRITTEN = [
    written("média dos pesos das cabeças", "w.mean(axis=0) @ v @ o", "w[1] @ v @ o",
            q2_teste=(0, "a média dos pesos das duas cabeças"),
            q2_sem=(0, "Removida, ela deixa zeros")),
    written("trocou as cabeças", "w[1] @ v[:, :2] @ o[:2] + w[0] @ v[:, 2:] @ o[2:]",
            "w[0] @ v[:, 2:] @ o[2:]", q2_teste=(0, "Você trocou as cabeças"),
            q2_sem=(0, "que tem os seus")),
    written("alternou as colunas", "w[0] @ v[:, ::2] @ o[::2] + w[1] @ v[:, 1::2] @ o[1::2]",
            "second", q2_teste=(0, "Você alternou as colunas")),
    written("só a cabeça 1, e depois nada", "first", "None",
            q2_teste=(0, "só a parte da cabeça 1"), q2_sem=(0, "Faltou guess_ablated")),
    written("só a cabeça 2, e depois a 1", "second", "first",
            q2_teste=(0, "só a parte da cabeça 2"), q2_sem=(0, "justamente a que foi removida")),
    written("pesos da 1 em tudo, e nada mudou", "w[0] @ v @ o", "first + second",
            q2_teste=(0, "os pesos da cabeça 1 a todas"),
            q2_sem=(0, "o número com as duas cabeças")),
    written("pesos da 2 em tudo", "w[1] @ v @ o", "second",
            q2_teste=(0, "os pesos da cabeça 2 a todas")),
    written("somou o contexto, sem W_o", "w[0] @ v[:, :2].sum(1) + w[1] @ v[:, 2:].sum(1)",
            "w[1] @ v[:, 2:].sum(axis=1)", q2_teste=(0, "falta multiplicar cada um"),
            q2_sem=(0, "somou os dois números")),
    written("todas as colunas nas duas", "w.sum(axis=0) @ v @ o", "second",
            q2_teste=(0, "cada uma só escreve as suas")),
    written("média das duas cabeças", "(first + second) / 2", "(first + second) / 2",
            q2_teste=(0, "a saída é a soma"), q2_sem=(0, "Você dividiu por 2")),
    written("o contexto, antes de W_o", "w[0] @ v[:, 0]", "second",
            q2_teste=(0, "antes de W_o")),
    written("números quaisquer", "-999", "-999", q2_teste=(0, "Escreva o contexto de ouviu"),
            q2_sem=(0, "viram zero. Quais?")),
    written("palpites em branco", "None", "None", q2_teste=(0, "Faltou guess_output"),
            q2_sem=(0, "Faltou guess_ablated")),
    written("um com vírgula, entre aspas, outro do PyTorch",
            "f'{first + second:.1f}'.replace('.', ',')", "torch.tensor([second])"),
    right("pela matriz inteira", "q2-solucao", """\
w, v, o = question_2_data(student_number)
context = np.concatenate([w[0] @ v[:, :2], w[1] @ v[:, 2:]])
guess_output = context @ o
context[:2] = 0
guess_ablated = context @ o"""),
]

BY_BANDS = "np.stack([a[i] @ v[i] @ w_output[i * c:(i + 1) * c] for i in range(num_heads)])"


def parts(
    name: str, back: str = BY_BANDS, scale: str = "np.sqrt(c)", axis: int = -1,
    split: str = "split_heads(x @ w, num_heads)", **gets: tuple[float, str],
) -> Answer:
    return wrong(name, "q3-solucao", f"""\
def head_outputs(x, w_query, w_key, w_value, w_output, num_heads):
    q, k, v = ({split} for w in (w_query, w_key, w_value))
    c = w_query.shape[1] // num_heads
    scores = q @ k.swapaxes(-1, -2) / {scale}
    a = np.exp(scores - scores.max(axis={axis}, keepdims=True))
    a = a / a.sum(axis={axis}, keepdims=True)
    return {back}""", **gets)


OTHER_SUM = (0, "Comece pela soma")
PARTS = [
    parts("parcelas com a escala de d", scale="np.sqrt(x.shape[1])",
          q3_teste=(0.5, "scale_by_sqrt_d")),
    parts("parcelas com a escala de h·c", scale="np.sqrt(c * num_heads)",
          q3_teste=(0.5, "scale_by_sqrt_total")),
    parts("parcelas sem escala", scale="1", q3_teste=(0.5, "scale_missing")),
    parts("parcelas divididas por c", scale="c", q3_teste=(0.5, "scale_by_c")),
    parts("parcelas por coluna", axis=-2, q3_teste=(0.5, "softmax_wrong_axis"),
          q3_parcelas=OTHER_SUM),
    parts("cabeças cortadas com reshape", split="(x @ w).reshape(num_heads, len(x), -1)",
          q3_teste=(0.5, "heads_cut_by_rows"), q3_parcelas=OTHER_SUM),
    parts("a soma no lugar das parcelas", BY_BANDS + ".sum(axis=0)",
          q3_parcelas=(0, "Você devolveu a soma")),
    parts("o contexto, sem W_o", "a @ v", q3_teste=(0, ""),
          q3_parcelas=(0, "é o contexto de cada cabeça")),
    parts("a soma repartida por igual",
          f"np.stack([{BY_BANDS}.sum(axis=0) / num_heads] * num_heads)",
          q3_parcelas=(0, "as parcelas não são das cabeças")),
    parts("parcelas de trás para a frente", BY_BANDS + "[::-1]",
          q3_parcelas=(0, "na ordem contrária")),
    parts("o eixo das cabeças no meio", BY_BANDS + ".swapaxes(0, 1)", q3_teste=(0, ""),
          q3_parcelas=(0, "devia ter (3, 5, 7)")),
    parts("toda a W_o em cada cabeça",
          "np.stack([np.hstack([a[i] @ v[i]] * num_heads) @ w_output for i in range(num_heads)])",
          q3_teste=(0, "unknown"), q3_parcelas=OTHER_SUM),
    parts("parcelas calculadas e perdidas", "None", q3_teste=(0, ""),
          q3_parcelas=(0, "ainda não devolve nada")),
    parts("parcelas em listas", f"[part.tolist() for part in {BY_BANDS}]"),
    right("parcelas com zeros nas outras", "q3-solucao", """\
def head_outputs(x, w_query, w_key, w_value, w_output, num_heads):
    parts, c = [], w_query.shape[1] // num_heads
    for i in range(num_heads):
        own = slice(i * c, (i + 1) * c)
        made = scaled_dot_product_attention(x @ w_query[:, own], x @ w_key[:, own],
                                            x @ w_value[:, own])
        wide = np.zeros((len(x), w_query.shape[1]))
        wide[:, own] = made.context
        parts.append(wide @ w_output)
    return parts"""),
    right("parcelas em PyTorch", "q3-solucao", """\
def head_outputs(x, w_query, w_key, w_value, w_output, num_heads):
    x, w_query, w_key, w_value, w_output = (
        torch.tensor(each) for each in (x, w_query, w_key, w_value, w_output))
    q, k, v = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(0, 1)
               for w in (w_query, w_key, w_value))
    a = torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, dim=-1)
    return a @ v @ w_output.unflatten(0, (num_heads, -1))"""),
]


def committee(name: str, heads: str, bias: bool = False, **gets: tuple[float, str]) -> Answer:
    return wrong(name, "q4-solucao", f"""\
import copy

class Committee(nn.Module):
    def __init__(self, d, num_heads):
        super().__init__()
        c = d // num_heads
        head = Head(d, c)
        self.heads = {heads}
        self.output = nn.Linear(d, d, bias={bias})

    def forward(self, x):
        return self.output(torch.cat([head(x) for head in self.heads], dim=-1))""", **gets)


UNSEEN = (0, "O otimizador não recebe as cabeças")
REPEATED = (0, "só saiu um contexto, repetido 3 vezes")
RENAMED = """\
class Committee(nn.Module):
    def __init__(self, d, num_heads):
        super().__init__()
        self.cabecas = {}(Head(d, d // num_heads) for _ in range(num_heads))
        self.saida = nn.Linear(d, d, bias=False)

    def forward(self, x):
        return self.saida(torch.cat([head(x) for head in self.cabecas], dim=-1))"""
NO_OUTPUT = (0, "Não achei `output`: mantenha os nomes `heads` e `output`")
COMMITTEE = [
    seen(wrong("comitê certo, com outros nomes", "q4-solucao", RENAMED.format("nn.ModuleList"),
               q4_membros=NO_OUTPUT),
         q4_teste="o otimizador recebe 576 números; deviam ser 576\n✗ Não achei `output`"),
    wrong("lista comum, com outros nomes", "q4-solucao", RENAMED.format("list"),
          q4_teste=UNSEEN, q4_membros=NO_OUTPUT),
    committee("comitê como veio", "[head] * num_heads", q4_teste=UNSEEN, q4_membros=REPEATED),
    committee("cabeças novas, lista comum", "[Head(d, c) for _ in range(num_heads)]",
              q4_teste=UNSEEN),
    committee("ModuleList da mesma cabeça", "nn.ModuleList([head] * num_heads)",
              q4_membros=REPEATED),
    committee("cópias da mesma cabeça",
              "nn.ModuleList(copy.deepcopy(head) for _ in range(num_heads))",
              q4_membros=REPEATED),
    committee("a primeira também é a última",
              "nn.ModuleList([head, *(Head(d, c) for _ in range(num_heads - 2)), head])",
              q4_membros=(0, "De 3 cabeças, só 2 são diferentes")),
    committee("cabeças da largura toda", "nn.ModuleList(Head(d, d) for _ in range(num_heads))",
              q4_teste=(0, "RuntimeError"), q4_membros=(0, "RuntimeError")),
    committee("saída com viés", "nn.ModuleList(Head(d, c) for _ in range(num_heads))", bias=True,
              q4_teste=(0, "Há parâmetros demais")),
    committee("a primeira cabeça ficou sobrando",
              "nn.ModuleList([head, *(Head(d, c) for _ in range(num_heads))])",
              q4_teste=(0, "RuntimeError"), q4_membros=(0, "RuntimeError")),
    committee("ModuleList com compreensão",
              "nn.ModuleList([Head(d, c) for _ in range(num_heads)])"),
    committee("Sequential como lista", "nn.Sequential(*(Head(d, c) for _ in range(num_heads)))"),
    right("cada cabeça com seu nome", "q4-solucao", """\
class Committee(nn.Module):
    def __init__(self, d, num_heads):
        super().__init__()
        self.heads = []
        for i in range(num_heads):
            head = Head(d, d // num_heads)
            self.add_module(f"head_{i}", head)
            self.heads.append(head)
        self.output = nn.Linear(d, d, bias=False)

    def forward(self, x):
        return self.output(torch.cat([head(x) for head in self.heads], dim=-1))"""),
    wrong("saída esquecida no forward", "q4-solucao", """\
class Committee(nn.Module):
    def __init__(self, d, num_heads):
        super().__init__()
        self.heads = nn.ModuleList(Head(d, d // num_heads) for _ in range(num_heads))
        self.output = nn.Linear(d, d, bias=False)

    def forward(self, x):
        return torch.stack([head(x) for head in self.heads]).sum(dim=0)""",
          q4_teste=(0, "Confira se ela tem o tipo e a forma"),
          q4_membros=(0, "a saída tem forma (6, 4)")),
]


LAYERS = """\
self.qkv = nn.Linear(d, 3 * d, bias=False)
        self.output = nn.Linear(d, d, bias=False)"""
SEPARATE = """\
self.query = nn.Linear(d, d, bias=False)
        self.key = nn.Linear(d, d, bias=False)
        self.value = nn.Linear(d, d, bias=False)
        self.output = nn.Linear(d, d, bias=False)"""


def fused(
    name: str, split: str = "t.unflatten(-1, (h, -1)).transpose(-2, -3)",
    scale: str = "math.sqrt(Q.shape[-1])", dim: int = -1, back: str = "self.output(merged)",
    merge: str = "(A @ V).transpose(-2, -3).flatten(-2)", order: str = "Q, K, V",
    project: str = "self.qkv(x).chunk(3, dim=-1)", layers: str = LAYERS, **gets: tuple[float, str],
) -> Answer:
    return wrong(name, "q5-solucao", f"""\
class FusedHeads(nn.Module):
    def __init__(self, d, num_heads):
        super().__init__()
        self.num_heads = num_heads
        {layers}

    def forward(self, x):
        h = self.num_heads
        {order} = ({split} for t in {project})
        A = torch.softmax(Q @ K.transpose(-2, -1) / {scale}, dim={dim})
        merged = {merge}
        return {back}""", **gets)


MIXED = (0, "se misturam")
ONE_BY_ONE = "(self.query(x), self.key(x), self.value(x))"
FUSED = [
    fused("módulo sem escala", scale="1", q5_teste=(0.5, "scale_missing")),
    fused("softmax no eixo 1", dim=1, q5_teste=(0.5, "softmax_wrong_axis"), q5_frases=MIXED),
    fused("juntadas sem transpor", merge="(A @ V).reshape(x.shape)",
          q5_teste=(0.5, "merged_without_transposing")),
    fused("sem a projeção de saída", back="merged", q5_teste=(0.5, "output_missing")),
    fused("chave antes da consulta", order="K, Q, V", q5_teste=(0.5, "projections_swapped")),
    seen(fused("módulo com viés", layers=LAYERS.replace("False", "True"),
               q5_camadas=(0, "Há viés nas camadas")),
         q5_camadas="✓ output.weight: (12, 12); pedi (12, 12)\n✗ parâmetros: 624; pedi 576"),
    fused("só para lotes", split="t.view(len(t), t.shape[1], h, -1).transpose(1, 2)",
          merge="(A @ V).transpose(1, 2).reshape(x.shape)",
          q5_frases=(0, "com uma frase só, (n, d), ele para")),
    fused("só para uma frase", split="t.view(len(t), h, -1).transpose(0, 1)",
          merge="(A @ V).transpose(0, 1).flatten(-2)", q5_frases=(0, "Com um lote, de forma")),
    fused("devolve sempre um lote", back="self.output(merged).view(-1, *x.shape[-2:])",
          q5_teste=(0, ""),
          q5_frases=(0, "Uma frase só, de forma (5, 12), saiu com forma (1, 5, 12)")),
    fused("devolve só a primeira frase", back="self.output(merged.view(-1, *x.shape[-2:])[0])",
          q5_frases=(0, "Um lote de forma (2, 5, 12) saiu com forma (5, 12)")),
    fused("forward sem return", back="None", q5_teste=(0, ""),
          q5_frases=(0, "forward ainda não devolve nada")),
    fused("devolve o que recebeu", back="x", q5_teste=(0, "")),
    wrong("módulo sem camadas", "q5-solucao", """\
class FusedHeads(nn.Module):
    def __init__(self, d, num_heads):
        super().__init__()
        self.num_heads = num_heads

    def forward(self, x):
        return x""", q5_camadas=(0, "ainda não tem camadas"), q5_teste=(0, "unfit_module"),
          q5_frases=(0, "ainda não tem camadas")),
    wrong("embrulhou o nn.MultiheadAttention", "q5-solucao", """\
class FusedHeads(nn.Module):
    def __init__(self, d, num_heads):
        super().__init__()
        self.inner = nn.MultiheadAttention(d, num_heads, bias=False, batch_first=True)

    def forward(self, x):
        return self.inner(x, x, x)[0]""", q5_camadas=(0, "Não achei as duas camadas"),
          q5_teste=(0, "Sem achar `qkv` e `output`")),
    seen(fused("projeções certas, em camadas separadas", layers=SEPARATE, project=ONE_BY_ONE,
               q5_camadas=(0, "saem de três camadas separadas"), q5_teste=(0.5, "")),
         q5_camadas="✗ qkv.weight: não achei; pedi (36, 12)\n✓ output.weight"),
    fused("camadas separadas, e com viés", layers=SEPARATE.replace("False", "True"),
          project=ONE_BY_ONE, q5_camadas=(0, "saem de três camadas separadas"), q5_teste=(0.5, "")),
    fused("camadas separadas, e sem escala", layers=SEPARATE, project=ONE_BY_ONE, scale="1",
          q5_camadas=(0, "saem de três camadas separadas"), q5_teste=(0.25, "scale_missing")),
    fused("módulo com outros nomes", back="self.out(merged)",
          project="self.proj(x).chunk(3, dim=-1)",
          layers=LAYERS.replace("qkv", "proj").replace("output", "out"),
          q5_camadas=(0, "Não achei as duas camadas"), q5_teste=(0, "Sem achar `qkv` e `output`")),
    fused("só a saída com outro nome", back="self.proj(merged)",
          layers=LAYERS.replace("output", "proj"), q5_camadas=(0, "Não achei as duas camadas")),
    fused("uma camada que sobra", layers=LAYERS + "; self.rest = nn.Linear(d, d, bias=False)",
          q5_camadas=(0, "o módulo tem 720 parâmetros; deviam ser 576")),
    fused("uma projeção mais larga", project="self.qkv(x).chunk(4, dim=-1)[:3]",
          layers=LAYERS.replace("3 * d", "4 * d"),
          q5_camadas=(0, "qkv.weight tem forma (48, 12); devia ter (36, 12)"), q5_teste=(0, "")),
    right("módulo com einsum", "q5-solucao", """\
class FusedHeads(nn.Module):
    def __init__(self, d, num_heads):
        super().__init__()
        self.num_heads, self.c = num_heads, d // num_heads
        self.qkv = nn.Linear(d, 3 * d, bias=False)
        self.output = nn.Linear(d, d, bias=False)

    def forward(self, x):
        *before, n, d = x.shape
        table = self.qkv(x).view(*before, n, 3, self.num_heads, self.c)
        Q, K, V = table.unbind(dim=-3)
        scores = torch.einsum("...mhc,...phc->...hmp", Q, K) * self.c ** -0.5
        mixed = torch.einsum("...hmp,...phc->...mhc", scores.softmax(dim=-1), V)
        return self.output(mixed.reshape(*before, n, d))"""),
    right("módulo com a função do PyTorch e um laço nas cabeças", "q5-solucao", """\
import torch.nn.functional as F

class FusedHeads(nn.Module):
    def __init__(self, d, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(d, 3 * d, bias=False)
        self.output = nn.Linear(d, d, bias=False)

    def forward(self, x):
        Q, K, V = (t.chunk(self.num_heads, dim=-1) for t in self.qkv(x).chunk(3, dim=-1))
        heads = [F.scaled_dot_product_attention(q, k, v) for q, k, v in zip(Q, K, V)]
        return self.output(torch.cat(heads, dim=-1))"""),
]

NUMBER = [
    right("matrícula em branco, e nada a dizer dela", NUMBER_CELL, 'student_number = "0"'),
    Answer("matrícula em branco, e palpites errados",
           {"matricula-solucao": 'student_number = "0"', "q1-solucao": "guess_parameters = 1",
            "q2-solucao": "guess_output = guess_ablated = -999"},
           {"q1-teste": (0, "Sua matrícula no caderno ainda é 0"),
            "q2-teste": (0, "Sua matrícula no caderno ainda é 0"),
            "q2-sem": (0, "Sua matrícula no caderno ainda é 0")}),
]

ANSWERS = [*PARAMETERS, *WRITTEN, *PARTS, *COMMITTEE, *FUSED, *NUMBER]
