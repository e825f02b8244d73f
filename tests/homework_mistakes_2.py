"""Tarefa 2: o banco da praça, o artigo e o nome, a escala em dobro e os zeros que pesam."""

from homework_mistakes import Answer, right, wrong

NUMBER_CELL = "matricula"

# Quem errou pad não erra a que o chamaria: aqui ela completa por conta própria.
INDEPENDENT = {
    "q4c-resposta": """\
def padded_weights(query, key, multiple=8):
    c = query.shape[1]
    zeros = ((0, 0), (0, -c % multiple))
    return softmax(np.pad(query, zeros) @ np.pad(key, zeros).T / np.sqrt(c))""",
}


def square(name: str, value: str, *gets: float | str) -> Answer:
    code = f"scores = key @ query\nguess_square = {value}"
    return wrong(name, "q1a-resposta", code, **({"q1a_teste": gets} if gets else {}))


SQUARE = [
    square("sem escala", "softmax(scores)[2]", 0, "Faltou a escala"),
    square("dividiu por c", "softmax(scores / 4)[2]", 0, "não pela raiz de c"),
    square("raiz do número de tokens", "softmax(scores / np.sqrt(3))[2]",
           0, "a raiz do número de tokens"),
    square("raiz de 2, como no exemplo", "softmax(scores / np.sqrt(2))[2]", 0, "a raiz de 2"),
    square("a pontuação escalada", "scores[2] / 2", 0, "ainda é a pontuação escalada"),
    square("a pontuação", "scores[2]", 0, "ainda é a pontuação; faltam"),
    square("repartiu sem exponencial", "scores[2] / scores.sum()", 0, "falta a exponencial"),
    square("exponencial sem dividir", "np.exp(scores[2] / 2)", 0, "dividir pela soma das três"),
    square("o peso de sentei", "softmax(scores / 2)[0]", 0, "Esse é o peso de sentei"),
    square("o peso do próprio banco", "softmax(scores / 2)[1]", 0, "o peso que banco dá a si"),
    square("escala depois do softmax", "softmax(scores)[2] / 2", 0, "A escala veio depois"),
    square("peso maior que um", "120", 0, "O peso não bate"),
    square("peso em branco", "None", 0, "Não encontrei o seu palpite"),
    square("três pesos de uma vez", "softmax(scores / 2)", 0, "escreva um número só"),
    square("peso com vírgula, entre aspas",
           "f'{softmax(scores / 2)[2]:.3f}'.replace('.', ',')"),
    square("peso com duas casas", "round(float(softmax(scores / 2)[2]), 2)"),
    square("peso em porcentagem, com o sinal", "f'{100 * softmax(scores / 2)[2]:.1f}%'"),
    square("peso em porcentagem, sem o sinal", "round(100 * float(softmax(scores / 2)[2]), 1)"),
    square("peso à mão, com exponenciais", """np.exp(scores[2] / 2) / sum(
    np.exp(score / 2) for score in scores)"""),
]


def furniture(name: str, value: str, *gets: float | str, exact: str = "") -> Answer:
    """``gets`` é do primeiro teste; ``exact``, o que diz o segundo, se não for o de quase todos."""
    code = f"s = key @ query\nw = softmax(s / 2)\nv = value[:, 0]\nguess_furniture = {value}"
    due = {"q1b_teste": gets} if gets else {}
    if gets or exact:
        due["q1b_exato"] = (0, exact or "Ainda não: veja a primeira parte")
    return wrong(name, "q1b-resposta", code, **due)


OTHER_WEIGHTS = "com os pesos errados"

FURNITURE = [
    furniture("misturou com pesos sem escala", "softmax(s) @ v", exact=OTHER_WEIGHTS),
    furniture("misturou com pesos divididos por c", "softmax(s / 4) @ v", exact=OTHER_WEIGHTS),
    furniture("misturou com a raiz de n", "softmax(s / np.sqrt(3)) @ v", exact=OTHER_WEIGHTS),
    furniture("misturou com a raiz de 2", "softmax(s / np.sqrt(2)) @ v", exact=OTHER_WEIGHTS),
    furniture("misturou com pesos sem exponencial", "s / s.sum() @ v", exact=OTHER_WEIGHTS),
    furniture("o peso de banco", "w[1]", 0, "O contexto não bate"),
    furniture("o valor de banco", "v[1]", 0, "O contexto não bate"),
    furniture("só duas parcelas", "w[:2] @ v[:2]", 0, "O contexto não bate"),
    furniture("a coluna da agência", "w @ value[:, 1]", 0, "a outra coluna, a da agência"),
    furniture("só o token de maior peso", "v[w.argmax()]", 0, "Nenhum peso é 1"),
    furniture("só a parcela de banco", "w[1] * v[1]", 0, "só a parcela do próprio banco"),
    furniture("só a parcela de praça", "w[2] * v[2]", 0, "só a parcela de praça"),
    furniture("misturou com as pontuações", "s @ v", 0, "misturou com as pontuações;"),
    furniture("misturou com as escaladas", "s / 2 @ v", 0, "com as pontuações escaladas"),
    furniture("média simples dos valores", "v.mean()", 0, "média simples dos três"),
    furniture("um contexto negativo", "-1", 0, "só na coluna do móvel"),
    furniture("contexto em branco", "...", 0, "Não encontrei o seu palpite",
              exact="Não encontrei o seu palpite"),
    furniture("contexto com vírgula, entre aspas", "f'{w @ v:.3f}'.replace('.', ',')"),
    furniture("contexto parcela por parcela", "sum(p * x for p, x in zip(w, v))"),
]


def drawing(
    name: str, w_query: str, w_key: str, found: tuple = (), strong: tuple = ()
) -> Answer:
    gets = {"q2a_teste": found, "q2b_teste": strong}
    return wrong(name, "q2a-resposta", f"W_q = {w_query}\nW_k = {w_key}",
                 **{test: due for test, due in gets.items() if due})


GENDER = "[[0, 0], [0, 0], [0, 0], [8, 0], [0, 8]]"
BACK = "[[-1, -1], [0, 0], [0, 0], [1, 0], [0, 1]]"
ZEROS = "np.zeros((5, 2))"
FIRST_2A = (0, "Resolva antes a 2a")
DRAWING = [
    drawing("só o gênero, e o artigo se acha", GENDER,
            "[[0, 0], [0, 0], [0, 0], [1, 0], [0, 1]]",
            (0, "O artigo olha para si tanto quanto"), FIRST_2A),
    drawing("gêneros cruzados", GENDER, "[[-1, -1], [0, 0], [0, 0], [0, 1], [1, 0]]",
            (0, "Os gêneros se cruzaram"), FIRST_2A),
    drawing("artigo procura nome, sem gênero", "[[9, 9], [0, 0], [0, 0], [0, 0], [0, 0]]",
            "[[0, 0], [1, 1], [0, 0], [0, 0], [0, 0]]", (0, "não distingue o gênero"), FIRST_2A),
    drawing("tudo zero", ZEROS, ZEROS, (0, "repartem a atenção por igual"), FIRST_2A),
    drawing("as matrizes deitadas", "np.ones((2, 5))", "np.ones((2, 5))",
            (0, "As duas matrizes têm forma (5, 2)"), (0, "de forma (5, 2)")),
    drawing("só uma das duas", GENDER, "None", (0, "Faltou escrever W_q ou W_k"),
            (0, "Faltou escrever W_q e W_k")),
    drawing("só o feminino", "[[0, 0], [0, 0], [0, 0], [8, 0], [0, 0]]", BACK,
            (0, "Um dos artigos reparte a atenção por igual"), FIRST_2A),
    drawing("só o masculino", "[[0, 0], [0, 0], [0, 0], [0, 0], [0, 8]]", BACK,
            (0, "Um dos artigos reparte a atenção por igual"), FIRST_2A),
    drawing("o verbo ganha", GENDER, "[[-1, -1], [0, 0], [2, 2], [1, 0], [0, 1]]",
            (0, "o maior peso não é só de gata"), FIRST_2A),
    drawing("o masculino que também é verbo", GENDER, "[[-1, -1], [0, 0], [0, 2], [1, 0], [0, 1]]",
            (0, "o maior peso não é só de gato"), FIRST_2A),
    drawing("um infinito", "[[0, 0], [0, 0], [0, 0], [np.inf, 0], [0, np.inf]]", BACK,
            (0, "Algum número não é finito"), FIRST_2A),
    drawing("fraco demais", "[[0, 0], [0, 0], [0, 0], [2, 0], [0, 2]]", BACK,
            strong=(0, "a direção está certa e falta força")),
    drawing("a força na chave", "[[0, 0], [0, 0], [0, 0], [1, 0], [0, 1]]",
            "[[-9, -9], [0, 0], [0, 0], [9, 0], [0, 9]]"),
    drawing("uma coluna para o nome, outra para o gênero",
            "[[9, 0], [0, 0], [0, 0], [0, 9], [0, -9]]",
            "[[0, 0], [2, 0], [0, 0], [0, 1], [0, -1]]"),
    right("desenhadas no PyTorch", "q2a-resposta", f"""\
import torch
W_q = torch.tensor({GENDER})
W_k = torch.tensor({BACK}, dtype=torch.float32)"""),
    right("preenchidas uma a uma", "q2a-resposta", """\
W_q, W_k = np.zeros((5, 2)), np.zeros((5, 2))
W_q[3, 0] = W_q[4, 1] = 12
W_k[3, 0] = W_k[4, 1] = 1
W_k[0] = -1"""),
]


def lines(name: str, value: str, *gets: float | str) -> Answer:
    return wrong(name, "q3a-resposta", f"guess_lines = {value}",
                 **({"q3a_teste": gets} if gets else {}))


def attend(name: str, body: str, *gets: float | str) -> Answer:
    code = """\
def attend_once(x, w_query, w_key, w_value):
    query, key, value = x @ w_query, x @ w_key, x @ w_value
    n, c = query.shape
""" + body
    return wrong(name, "q3b-resposta", code, **({"q3b_teste": gets} if gets else {}))


def times(name: str, value: str, *gets: float | str) -> Answer:
    code = f"c = question_3_data(student_number)\nguess_times = {value}"
    return wrong(name, "q3c-resposta", code, **({"q3c_teste": gets} if gets else {}))


SCALE = [
    lines("a leitura do tamanho e o softmax", "(1, 6)", 0, "A linha 1 só lê o tamanho"),
    lines("a leitura do tamanho e a consulta", "(1, 2)", 0, "A linha 1 só lê o tamanho"),
    lines("a consulta e as pontuações", "(2, 5)", 0, "Falta a outra vez"),
    lines("a mesma linha duas vezes", "(6, 6)", 0, "Falta a outra vez"),
    lines("chave e pontuações", "(3, 5)", 0, "Nenhuma das duas mexe na escala"),
    lines("uma linha só", "2", 0, "Não encontrei o par de linhas"),
    lines("as linhas por extenso", "'duas e seis'", 0, "Não encontrei o par de linhas"),
    lines("o par ao contrário, numa lista", "[6, 2]"),
    lines("o par num array", "np.array([2, 6])"),
    lines("o par em textos", "('2', '6')"),
    attend("as duas divisões ficaram",
           "    return softmax(query / np.sqrt(c) @ key.T / np.sqrt(c)) @ value",
           0, "As duas divisões continuam lá"),
    attend("tirou as duas divisões", "    return softmax(query @ key.T) @ value",
           0, "agora não há escala nenhuma"),
    attend("consertada com a raiz de n", "    return softmax(query @ key.T / np.sqrt(n)) @ value",
           0, "scale_by_sqrt_n"),
    attend("raiz da largura do embedding",
           "    return softmax(query @ key.T / np.sqrt(x.shape[1])) @ value",
           0, "scale_by_sqrt_d"),
    attend("multiplicou pela raiz", "    return softmax(query @ key.T * np.sqrt(c)) @ value",
           0, "scale_multiplied"),
    attend("consertada sem projetar o valor",
           "    return softmax(query @ key.T / np.sqrt(c)) @ x", 0, "value_not_projected"),
    attend("consertada e por coluna",
           "    return softmax(query @ key.T / np.sqrt(c), axis=0) @ value",
           0, "softmax_wrong_axis"),
    attend("conserto sem return", "    softmax(query @ key.T / np.sqrt(c)) @ value",
           0, "returns_nothing"),
    attend("a escala só na consulta",
           "    return softmax(query / np.sqrt(c) @ key.T) @ value"),
    attend("meia escala em cada uma",
           "    return softmax((query / c**0.25) @ (key / c**0.25).T) @ value"),
    attend("com a função do pacote", "    return attention_weights(query, key) @ value"),
    right("conserto em PyTorch", "q3b-resposta", """\
import torch
import torch.nn.functional as F

def attend_once(x, w_query, w_key, w_value):
    x, w_query, w_key, w_value = map(torch.as_tensor, (x, w_query, w_key, w_value))
    return F.scaled_dot_product_attention(x @ w_query, x @ w_key, x @ w_value)"""),
    times("a divisão toda", "c", 0, "Essa é a divisão toda"),
    times("duas vezes", "2", 0, "Dividir duas vezes não é dividir por 2"),
    times("nada encolhe", "1", 0, "As pontuações encolhem, sim"),
    times("a fração que sobra", "1 / np.sqrt(c)", 0, "a fração que sobra"),
    times("raiz quarta", "c ** 0.25", 0, "Escreva a pontuação certa e a da função"),
    times("largura em branco", "None", 0, "Não encontrei o seu palpite"),
    times("a raiz, entre aspas", "str(int(c ** 0.5))"),
    times("a raiz de math", "__import__('math').sqrt(c)"),
]


def ratio(name: str, value: str, *gets: float | str) -> Answer:
    code = f"gap = first - second\nguess_ratio = {value}"
    return wrong(name, "q4a-resposta", code, **({"q4a_teste": gets} if gets else {}))


RATIO = [
    ratio("igual a antes", "np.exp(gap / 2)", 0, "Essa é a razão de antes"),
    ratio("metade de antes", "np.exp(gap / 2) / 2", 0, "caem à metade, não a razão"),
    ratio("sem escala nenhuma", "np.exp(gap)", 0, "Falta a escala"),
    ratio("dividiu pela largura", "np.exp(gap / 16)", 0, "e não pela raiz dela"),
    ratio("parou na diferença escalada", "gap / 4", 0, "diferença das pontuações escaladas"),
    ratio("pontuação sobre pontuação", "first / second", 0, "dividiu uma pontuação pela outra"),
    ratio("a segunda sobre a primeira", "np.exp(-gap / 4)", 0, "de cabeça para baixo"),
    ratio("uma razão qualquer", "1000", 0, "A razão não bate"),
    ratio("razão em branco", "None", 0, "Não encontrei o seu palpite"),
    ratio("razão com vírgula, entre aspas", "f'{np.exp(gap / 4):.2f}'.replace('.', ',')"),
    ratio("razão dos pesos, um pelo outro", """\
np.divide(*softmax(np.array([first, second]) / np.sqrt(16)))"""),
]


def padding(name: str, body: str, *gets: float | str) -> Answer:
    code = "def pad(x, multiple):\n    n, c = x.shape\n" + body
    return wrong(name, "q4b-resposta", code, **({"q4b_teste": gets} if gets else {}))


PADDING = [
    padding("cresce mesmo quando já é múltiplo",
            "    return np.hstack([x, np.zeros((n, multiple - c % multiple))])",
            0, "A largura já era um múltiplo"),
    padding("sempre um múltiplo a mais", "    return np.hstack([x, np.zeros((n, multiple))])",
            0, "A largura já era um múltiplo"),
    padding("zeros à esquerda", "    return np.hstack([np.zeros((n, -c % multiple)), x])",
            0, "continuar onde estavam, à esquerda"),
    padding("não completa", "    return x", 0, "não é o menor múltiplo"),
    padding("completa até o próprio múltiplo",
            "    return np.hstack([x, np.zeros((n, max(multiple - c, 0)))])",
            0, "não é o menor múltiplo"),
    padding("zeros também embaixo", "    return np.pad(x, (0, -c % multiple))",
            0, "O número de linhas não muda"),
    padding("uns no lugar de zeros", "    return np.hstack([x, np.ones((n, -c % multiple))])",
            0, "O que entra à direita são zeros"),
    padding("repete colunas de x", "    return np.pad(x, ((0, 0), (0, -c % multiple)), 'edge')",
            0, "O que entra à direita são zeros"),
    padding("completa e não devolve", "    np.hstack([x, np.zeros((n, -c % multiple))])",
            0, "ainda não devolve nada"),
    padding("tira colunas", "    return x[:, :c - c % multiple]", 0, "não é o menor múltiplo"),
    padding("coluna por coluna", """\
    while x.shape[1] % multiple:
        x = np.column_stack([x, np.zeros(n)])
    return x"""),
    padding("linha por linha, em listas",
            "    return [list(row) + [0] * (-c % multiple) for row in x]"),
    right("completa no PyTorch", "q4b-resposta", """\
import torch

def pad(x, multiple):
    return torch.nn.functional.pad(torch.tensor(x), (0, -x.shape[-1] % multiple))"""),
]


def padded(name: str, body: str, *gets: float | str) -> Answer:
    code = """\
def padded_weights(query, key, multiple=8):
    c = query.shape[-1]
    q, k = (np.pad(x, ((0, 0), (0, -c % multiple))) for x in (query, key))
""" + body
    return wrong(name, "q4c-resposta", code, **({"q4c_teste": gets} if gets else {}))


PADDED = [
    padded("raiz da largura completada", "    return softmax(q @ k.T / np.sqrt(q.shape[-1]))",
           0, "A escala usou a largura completada"),
    padded("a função do pacote, sem dizer a escala", "    return attention_weights(q, k)",
           0, "A escala usou a largura completada"),
    padded("oito escrito à mão", "    return softmax(q @ k.T / np.sqrt(8))",
           0, "não escreva a largura à mão"),
    padded("completada e sem escala", "    return softmax(q @ k.T)", 0, "scale_missing"),
    padded("completada, dividida por c", "    return softmax(q @ k.T / c)", 0, "scale_by_c"),
    padded("completada, por coluna", "    return softmax(q @ k.T / np.sqrt(c), axis=0)",
           0, "softmax_wrong_axis"),
    padded("pesos de quem é olhado", "    return softmax(k @ q.T / np.sqrt(c))",
           0, "os pesos têm forma (3, 4)"),
    padded("completada e não devolvida", "    softmax(q @ k.T / np.sqrt(c))",
           0, "returns_nothing"),
    padded("a função do pacote, com a escala",
           "    return attention_weights(q, k, scale=1 / np.sqrt(c))"),
]

CHAINED = [
    Answer(
        "pad à esquerda, e padded_weights o chama",
        {"q4b-resposta": "def pad(x, multiple):\n    return np.zeros((len(x), 2 * multiple))",
         "q4c-resposta": """\
def padded_weights(query, key, multiple=8):
    return softmax(pad(query, multiple) @ pad(key, multiple).T / np.sqrt(query.shape[-1]))"""},
        {"q4b-teste": (0, "A largura já era um múltiplo")},
        {"q4c-teste": ["pad"]},
    ),
]

NUMBER = [right("matrícula em branco", "matricula", 'student_number = "0"')]

ANSWERS = [
    *SQUARE, *FURNITURE, *DRAWING, *SCALE, *RATIO, *PADDING, *PADDED, *CHAINED, *NUMBER
]
