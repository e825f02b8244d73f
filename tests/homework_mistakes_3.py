"""Tarefa 3: o lugar de quem saiu, o preenchimento, a janela, o recado e o lote à esquerda."""

from homework_mistakes import Answer, right, seen, wrong

NUMBER_CELL = "matricula-solucao"

# Quem errou window_mask não erra o recado: aqui ele se conta sem ela.
INDEPENDENT = {
    "q4-solucao": """\
width, target = question_4_data(student_number)
guess_layers = -(-target // (width - 1))""",
}


def weight(name: str, value: str, *gets: float | str) -> Answer:
    code = f"row = question_1_data(student_number)\nguess_weight = {value}"
    return wrong(name, "q1-solucao", code, **({"q1_teste": gets} if gets else {}))


WEIGHT = [
    weight("o peso como estava", "row[1]", 0, "Você deixou o peso como estava"),
    weight("repartiu por igual", "row[1] + row[4:].sum() / 4", 0, "repartiu em partes iguais"),
    weight("deu tudo a perdeu", "row[1] + row[4:].sum()", 0, "deu a perdeu tudo"),
    weight("escondeu a própria chave", "row[1] / row[:3].sum()", 0, "escondeu também a própria"),
    weight("deixou ver um a mais", "row[1] / row[:5].sum()", 0, "um token a mais"),
    weight("só ela e perdeu", "row[1] / row[:2].sum()", 0, "só deixou à vista ela e perdeu"),
    weight("softmax nos pesos visíveis", "softmax(row[:4])[1]", 0, "já são pesos"),
    weight("softmax nos seis pesos", "softmax(row)[1]", 0, "aplicou o softmax aos seis"),
    weight("um peso qualquer", "0.99", 0, "quanto falta para 1"),
    weight("peso por extenso", "'muito'", 0, "Faltou o palpite"),
    weight("peso em branco", "None", 0, "Faltou o palpite"),
    weight("peso com vírgula, entre aspas", "f'{row[1] / row[:4].sum():.2f}'.replace('.', ',')"),
    weight("peso em porcentagem", "round(100 * row[1] / row[:4].sum(), 1)"),
    weight("peso com o sinal de porcentagem", "f'{100 * row[1] / row[:4].sum():.0f}%'"),
    weight("máscara nas pontuações, recuperadas dos pesos", """softmax(
    np.where(np.arange(6) < 4, np.log(row), -np.inf))[1]"""),
]


def padding(name: str, value: str, **gets: tuple[float, str]) -> Answer:
    code = f"scores = question_2_data(student_number)\nguess_padding = {value}"
    return wrong(name, "q2-solucao", code, **gets)


FAR = (0, "Ainda não: veja a primeira parte")
NO_PADDING = {"q2_teste": (0, "Faltou o palpite"), "q2_exato": (0, "Faltou o palpite")}
PADDING = [
    padding("um preenchimento por palavra", "4", q2_exato=FAR,
            q2_teste=(0, "um preenchimento por palavra")),
    padding("somou as pontuações", "np.ceil(scores.sum())", q2_exato=FAR,
            q2_teste=(0, "quem soma são as exponenciais")),
    padding("só a maior pontuação", "np.ceil(np.exp(scores.max()))", q2_exato=FAR,
            q2_teste=(0, "só comparou com a maior")),
    padding("exponencial da soma", "np.ceil(np.exp(scores.sum()))", q2_exato=FAR,
            q2_teste=(0, "usou a exponencial da soma")),
    padding("metade da soma", "np.ceil(np.exp(scores).sum() / 2)", q2_exato=FAR,
            q2_teste=(0, "não é metade da soma das exponenciais")),
    padding("o dobro da soma", "np.ceil(2 * np.exp(scores).sum())", q2_exato=FAR,
            q2_teste=(0, "o dobro do que basta")),
    padding("um número grande qualquer", "500", q2_teste=(0, "Escreva o softmax com p zeros"),
            q2_exato=FAR),
    padding("preenchimento em branco", "None", **NO_PADDING),
    padding("preenchimento verdadeiro", "True", **NO_PADDING),
    padding("um preenchimento a menos", "np.ceil(np.exp(scores).sum()) - 1",
            q2_exato=(0, "um pouco menos da metade")),
    padding("um preenchimento a mais", "np.ceil(np.exp(scores).sum()) + 1",
            q2_exato=(0, "com um a menos")),
    padding("a soma, sem arredondar", "np.exp(scores).sum()",
            q2_exato=(0, "Tokens se contam inteiros")),
    padding("a soma, com contas arredondadas", "round(0.96 * np.exp(scores).sum(), 1) + 0.01",
            q2_exato=(0, "Tokens se contam inteiros")),
    padding("contado entre aspas", "str(int(np.ceil(np.exp(scores).sum())))"),
    padding("contado num laço", """1
while softmax(np.array([*scores, *[0] * guess_padding]))[4:].sum() < 0.5:
    guess_padding += 1"""),
]


def window(name: str, body: str, **gets: tuple[float, str]) -> Answer:
    code = """\
def window_mask(n, width):
    back = np.arange(n)[:, np.newaxis] - np.arange(n)
""" + body
    return wrong(name, "q3-solucao", code, **gets)


WINDOW = [
    window("janela com um a mais", "    return (back >= 0) & (back <= width)",
           q3_janelas=(0, "um token a mais")),
    window("janela com um a menos", "    return (back >= 0) & (back < max(width - 1, 1))",
           q3_teste=(0, ""), q3_janelas=(0, "um token a menos")),
    window("não vê a si mesmo", "    return (back > 0) & (back <= width)",
           q3_teste=(0, "mask_not_itself"), q3_janelas=(0, "não deixa o token ver a si mesmo.")),
    window("não vê a si mesmo e perde um", "    return (back > 0) & (back < width)",
           q3_teste=(0, "mask_not_itself"), q3_janelas=(0, "por isso ficou com um a menos")),
    seen(window("olha para os dois lados", "    return abs(back) < width",
                q3_teste=(0, "olha para os dois lados"), q3_janelas=(0, "olha para os dois lados")),
         q3_teste="✗ Sua janela olha para os dois lados"),
    window("mostra tudo", "    return back < n",
           q3_teste=(0, "olha para os dois lados"), q3_janelas=(0, "a linha 0 está errada")),
    window("não mostra nada", "    return back > n",
           q3_teste=(0, ""), q3_janelas=(0, "a linha 0 está errada")),
    window("vê os seguintes", "    return (back <= 0) & (back > -width)",
           q3_teste=(0, "mask_transposed"), q3_janelas=(0, "está virada")),
    window("ignora a largura", "    return back >= 0", q3_janelas=(0, "ignora width")),
    window("de cabeça para baixo", "    return (back < 0) | (back >= width)",
           q3_teste=(0, "mask_upside_down"), q3_janelas=(0, "esconde o que devia mostrar")),
    window("só o passado distante", "    return back >= width",
           q3_teste=(0, ""), q3_janelas=(0, "mostra o passado distante")),
    window("zeros e uns", "    return ((back >= 0) & (back < width)).astype(int)",
           q3_teste=(0.5, "mask_as_numbers")),
    window("aditiva", "    return np.where((back >= 0) & (back < width), 0, -np.inf)",
           q3_teste=(0, "mask_additive"), q3_janelas=(0, "não é booleana")),
    window("janela só de si", "    return back == 0",
           q3_teste=(0, "mask_only_itself"), q3_janelas=(0, "a linha 1 está errada")),
    window("blocos no lugar de janela", """\
    block = np.arange(n) // width
    return (back >= 0) & (block[:, np.newaxis] == block)""",
           q3_janelas=(0, "a linha 3 está errada")),
    window("uma coluna por largura", "    return (back >= 0)[:, :width]",
           q3_janelas=(0, "sua máscara tem forma (6, 3)")),
    window("máscara sem return", "    back >= 0",
           q3_teste=(0, ""), q3_janelas=(0, "A função ainda não devolve nada")),
    window("triângulos de tamanhos diferentes",
           "    return np.tri(n, dtype=bool) & np.tri(width, dtype=bool)",
           q3_janelas=(0, "ValueError")),
    window("dois triângulos", "    return np.tri(n, dtype=bool) > np.tri(n, k=-width, dtype=bool)"),
    window("janela em listas", """\
    return [[0 <= m - p < width for p in range(n)] for m in range(n)]"""),
    window("janela com laço", """\
    mask = np.zeros((n, n), dtype=bool)
    for m in range(n):
        mask[m, max(0, m - width + 1):m + 1] = True
    return mask"""),
    right("janela em PyTorch", "q3-solucao", """\
import torch

def window_mask(n, width):
    everything = torch.ones(n, n, dtype=torch.bool)
    return everything.tril() & everything.triu(1 - width)"""),
]


def layers(name: str, value: str, **gets: tuple[float, str]) -> Answer:
    code = f"width, target = question_4_data(student_number)\nguess_layers = {value}"
    return wrong(name, "q4-solucao", code, **gets)


LAYERS = [
    layers("width passos por camada", "-(-target // width)",
           q4_teste=(0, "Você andou width passos por camada"), q4_exato=FAR),
    layers("width passos, para baixo", "target // width",
           q4_teste=(0, "ainda arredondou para baixo"), q4_exato=FAR),
    layers("um passo por camada", "target", q4_teste=(0, "andou um passo por camada"),
           q4_exato=FAR),
    layers("uma camada basta", "1", q4_teste=(0, "Uma camada só alcança a própria janela"),
           q4_exato=FAR),
    layers("a largura vezes o destino", "width * target", q4_teste=(0, "E em duas?"),
           q4_exato=FAR),
    layers("camadas em branco", "None", q4_teste=(0, "Faltou o palpite"),
           q4_exato=(0, "Faltou o palpite")),
    layers("uma camada a menos", "target // (width - 1)",
           q4_exato=(0, "para um pouco antes do destino")),
    layers("uma camada a mais", "-(-target // (width - 1)) + 1",
           q4_exato=(0, "com uma camada a menos")),
    layers("camadas quebradas", "target / (width - 1)",
           q4_exato=(0, "Camadas se contam inteiras")),
    layers("camadas entre aspas", "str(-(-target // (width - 1)))"),
    right("de camada em camada, com a máscara", "q4-solucao", """\
width, target = question_4_data(student_number)
heard = {0}
guess_layers = 0
while target not in heard:
    heard |= {m + step for m in heard for step in range(width)}
    guess_layers += 1"""),
]

CHAINED = [
    Answer(
        "janela com um a mais, e o recado contado com ela",
        {"q3-solucao": """\
def window_mask(n, width):
    back = np.arange(n)[:, np.newaxis] - np.arange(n)
    return (back >= 0) & (back <= width)""",
         "q4-solucao": """\
width, target = question_4_data(student_number)
mask = window_mask(target + 1, width).astype(float)
reached = mask
guess_layers = 1
while not reached[target, 0]:
    reached = reached @ mask
    guess_layers += 1"""},
        {"q3-janelas": (0, "um token a mais")},
        {"q4-teste": ["window_mask"], "q4-exato": ["window_mask"]},
    ),
]

REAL, BEFORE = "np.arange(n) >= n - lengths[:, np.newaxis]", "np.arange(n) < lengths[:, np.newaxis]"
LAST, SAME_INDEX = "context[:, -1]", "context[np.arange(B), lengths - 1]"


def batch(name: str, real: str, back: str, **gets: tuple[float, str]) -> Answer:
    return wrong(name, "q5-solucao", f"""\
def next_context(query, key, value, lengths):
    B, n, c = query.shape
    scaled = query @ key.swapaxes(-1, -2) / np.sqrt(c)
    real = {real}
    mask = np.tri(n, dtype=bool) & real[:, np.newaxis, :]
    weights = softmax(np.where(mask, scaled, -np.inf))
    context = weights @ value
    return {back}""", **gets)


BATCH = [
    batch("não mexeu em nada", BEFORE, SAME_INDEX,
          q5_teste=(0, ""), q5_lote=(0, "Nenhum dos dois consertos")),
    batch("só consertou a máscara", REAL, SAME_INDEX, q5_lote=(0, "a máscara agora está certa")),
    batch("só consertou o token", BEFORE, LAST, q5_lote=(0, "você devolve o token certo")),
    batch("máscara certa, primeiro token", REAL, "context[np.arange(B), n - lengths]",
          q5_lote=(0, "a máscara agora está certa")),
    batch("máscara certa, penúltimo token", REAL, "context[:, -2]",
          q5_lote=(0, "a máscara agora está certa")),
    batch("esconde o primeiro token", "np.arange(n) > n - lengths[:, np.newaxis]", LAST,
          q5_lote=(0, "esconde o primeiro token")),
    batch("mostra um preenchimento", "np.arange(n) >= n - lengths[:, np.newaxis] - 1", LAST,
          q5_lote=(0, "deixa à vista um token de preenchimento")),
    batch("mostra o preenchimento, esconde as palavras",
          "np.arange(n) < n - lengths[:, np.newaxis]", LAST, q5_lote=(0, "ao contrário")),
    batch("só negou a máscara antiga", f"~({BEFORE})", LAST,
          q5_lote=(0, "só negou a máscara antiga")),
    batch("sem máscara de preenchimento", f"({BEFORE}) | True", LAST,
          q5_lote=(0, "não esconde o preenchimento: ele está no passado")),
    batch("sem máscara e com o token antigo", f"({BEFORE}) | True", SAME_INDEX,
          q5_teste=(0, ""), q5_lote=(0, "Nenhum dos dois consertos")),
    batch("devolve o contexto inteiro", REAL, "context",
          q5_teste=(0, ""), q5_lote=(0, "um contexto por começo")),
    batch("devolve um contexto só", REAL, "context[-1, -1]",
          q5_teste=(0, ""), q5_lote=(0, "um contexto por começo")),
    batch("média dos contextos", REAL, "np.nanmean(context, axis=1)",
          q5_teste=(0, ""), q5_lote=(0, "não são os de cada começo sozinho")),
    wrong("calcula e não devolve", "q5-solucao", """\
def next_context(query, key, value, lengths):
    real = np.arange(query.shape[1]) >= query.shape[1] - lengths[:, np.newaxis]""",
          q5_teste=(0, ""), q5_lote=(0, "A função não devolve nada")),
    batch("o último pelo índice", REAL, "context[np.arange(B), [n - 1] * B]"),
    right("cada começo sozinho", "q5-solucao", """\
def next_context(query, key, value, lengths):
    contexts = []
    for q, k, v, length in zip(query, key, value, lengths):
        scores = k[-length:] @ q[-1] / np.sqrt(len(q[-1]))
        contexts.append(softmax(scores) @ v[-length:])
    return contexts"""),
    right("com −10⁹ no lugar de −∞", "q5-solucao", """\
def next_context(query, key, value, lengths):
    B, n, c = query.shape
    scores = query[:, -1:] @ key.transpose(0, 2, 1) / np.sqrt(c)
    real = np.arange(n) >= n - lengths[:, None]
    return (softmax(np.where(real[:, None], scores, -1e9)) @ value)[:, 0]"""),
    right("lote em PyTorch", "q5-solucao", """\
import torch

def next_context(query, key, value, lengths):
    query, key, value = (torch.tensor(each) for each in (query, key, value))
    n = query.shape[1]
    real = torch.arange(n) >= n - torch.tensor(lengths)[:, None]
    scores = (query[:, -1:] @ key.mT / query.shape[-1] ** 0.5)
    weights = torch.softmax(scores.masked_fill(~real[:, None], float("-inf")), dim=-1)
    return (weights @ value)[:, 0]"""),
]

NUMBER = [
    right("matrícula em branco, e nada a dizer dela", NUMBER_CELL, 'student_number = "0"'),
    Answer("matrícula em branco, e palpite errado",
           {"matricula-solucao": 'student_number = "0"', "q1-solucao": "guess_weight = 0.9",
            "q2-solucao": "guess_padding = 500", "q4-solucao": "guess_layers = 900"},
           {"q1-teste": (0, "Sua matrícula no caderno ainda é 0"),
            "q2-teste": (0, "Sua matrícula no caderno ainda é 0"), "q2-exato": FAR,
            "q4-teste": (0, "Sua matrícula no caderno ainda é 0"), "q4-exato": FAR}),
]

ANSWERS = [*WEIGHT, *PADDING, *WINDOW, *LAYERS, *CHAINED, *BATCH, *NUMBER]
