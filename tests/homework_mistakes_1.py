"""Tarefa 1: o livro, a média de Rita, o coro e o tradutor."""

from homework_mistakes import Answer, right, seen, wrong

NUMBER_CELL = "matricula"

# Quem errou uma função não erra as que a chamariam: aqui cada uma faz a sua conta.
INDEPENDENT = {
    "q4b-resposta": """\
def cosine_scores(x, y):
    lengths = np.outer(np.linalg.norm(x, axis=1), np.linalg.norm(y, axis=1))
    return np.divide(x @ y.T, lengths, out=np.zeros_like(lengths), where=lengths > 0)""",
    "q4c-resposta": """\
def align(x, y, sharpness):
    cosines = x @ y.T / np.outer(np.linalg.norm(x, axis=1), np.linalg.norm(y, axis=1))
    return softmax(sharpness * cosines)""",
}


def book_number(name: str, value: str, *gets: float | str) -> Answer:
    code = "total = reader[0] * book[0] + reader[1] * book[1]\nguess_suspense = " + value
    return wrong(name, "q1-resposta", code, **({"q1_teste": gets} if gets else {}))


BOOK = [
    book_number("o sinal ao contrário", "total / reader[2]", 0, "O sinal ficou ao contrário"),
    book_number("a parcela no lugar do número", "-total", 0, "quanto a terceira parcela"),
    book_number("só a soma das duas parcelas", "total", 0, "somou as duas primeiras parcelas e"),
    book_number("multiplicou onde era dividir", "-total * reader[2]", 0, "onde era para dividir"),
    book_number("zero, porque zero não soma nada", "0", 0, "o produto escalar não dá zero"),
    book_number("vírgula sem aspas", "0,42", 0, "a vírgula, no código, é um ponto"),
    book_number("o número por extenso", "'meio'", 0, "Não encontrei o seu palpite"),
    book_number("palpite em branco", "None", 0, "Não encontrei o seu palpite"),
    book_number("número com vírgula, entre aspas",
                "f'{-total / reader[2]:.2f}'.replace('.', ',')"),
    book_number("número cortado em duas casas", "int(-total / reader[2] * 100) / 100"),
    book_number("número numa lista", "[round(float(-total / reader[2]), 3)]"),
    book_number("número num array de um só", "np.array([-total / reader[2]])"),
    book_number("número do PyTorch", "__import__('torch').tensor(-total / reader[2])"),
]


def line(name: str, value: str, *gets: float | str) -> Answer:
    return wrong(name, "q2a-resposta", f"guess_line = {value}",
                 **({"q2a_teste": gets} if gets else {}))


LINE = [
    line("culpou as pontuações", "1", 0, "A linha 1 está certa"),
    line("culpou o máximo", "2", 0, "A linha 2 está certa"),
    line("culpou a mistura", "4", 0, "A linha 4 mistura como deve"),
    line("uma linha que não existe", "5", 0, "As linhas vão de 1 a 4"),
    line("linha em branco", "None", 0, "Não encontrei o seu palpite"),
    line("linha entre aspas", "'3'"),
    line("linha em ponto flutuante", "3.0"),
]


def blend(name: str, body: str, *gets: float | str) -> Answer:
    code = "def blend(x):\n    scores = x @ x.T\n" + body
    return wrong(name, "q2b-resposta", code, **({"q2b_teste": gets} if gets else {}))


POWERS = "    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))\n"
BLEND = [
    blend("o defeito continua", POWERS + "    return powers / powers.sum(axis=-1) @ x",
          0, "O defeito de Rita continua"),
    blend("dividiu pela soma da tabela", POWERS + "    return powers / powers.sum() @ x",
          0, "falta que cada linha de pesos some 1"),
    blend("softmax por coluna", "    return softmax(scores, axis=0) @ x",
          0, "softmax_wrong_axis"),
    blend("sem softmax nenhum", "    return scores @ x", 0, "softmax_missing"),
    blend("sem a exponencial", "    return scores / scores.sum(axis=-1, keepdims=True) @ x",
          0.5, "softmax_without_exponential"),
    blend("parou nos pesos", "    return softmax(scores)", 0, "a mesma forma de x"),
    blend("acrescentou a escala", "    return softmax(scores / np.sqrt(x.shape[1])) @ x",
          0.5, "scale_unwanted"),
    blend("tirou o máximo e estoura", """\
    powers = np.exp(scores)
    return powers / powers.sum(axis=-1, keepdims=True) @ x""", 0.5, "softmax_overflow"),
    blend("devolveu o que recebeu", "    return x", 0, "não são os da atenção"),
    blend("calculou e não devolveu", "    context = softmax(scores) @ x", 0, "returns_nothing"),
    blend("esqueceu de transpor", "    return softmax(x @ x) @ x", 0, "ValueError"),
    blend("contexto com a softmax pronta", "    return softmax(scores) @ x"),
    blend("contexto com laços", """\
    rows = []
    for row in scores.tolist():
        powers = [np.exp(score - max(row)) for score in row]
        rows.append(sum(p / sum(powers) * token for p, token in zip(powers, x)))
    return np.array(rows)"""),
    blend("contexto em listas", POWERS +
          "    return (powers / powers.sum(axis=1)[:, None] @ x).tolist()"),
    right("contexto em PyTorch", "q2b-resposta", """\
import torch

def blend(x):
    x = torch.tensor(x)
    return torch.softmax(x @ x.T, dim=-1) @ x"""),
]


def judge(name: str, body: str, **gets: tuple[float, str]) -> Answer:
    return wrong(name, "q2c-resposta", "def is_attention(weights):\n" + body, **gets)


ROUNDING, FIRST_2C = (0, "por causa do arredondamento"), (0, "Resolva antes a 2c")
JUDGE = [
    judge("aceita tudo", "    return True", q2c_teste=(0, "pesos maiores que 1"),
          q2d_teste=(0, "aceita qualquer matriz")),
    judge("recusa tudo", "    return False", q2c_teste=(0, "recusa uma matriz certa, de 3 por 3"),
          q2d_teste=FIRST_2C),
    judge("soma a tabela e quer n", """\
    return bool((weights >= 0).all() and np.isclose(weights.sum(), len(weights)))""",
          q2c_teste=(0, "quem soma 1 são as colunas"), q2d_teste=(0.5, "")),
    judge("soma a tabela e quer 1", "    return abs(weights.sum() - 1) < 1e-6",
          q2c_teste=(0, "recusa uma matriz certa, de 3 por 3"), q2d_teste=FIRST_2C),
    judge("soma as colunas", """\
    return bool((weights >= 0).all() and np.allclose(weights.sum(axis=0), 1))""",
          q2c_teste=(0, "recusa uma matriz certa, de 3 por 3"), q2d_teste=FIRST_2C),
    judge("só entre 0 e 1", "    return bool((weights >= 0).all() and (weights <= 1).all())",
          q2c_teste=(0, "quem soma 1 são as colunas"), q2d_teste=(0, "A folga está grande demais")),
    judge("no máximo 1 em cada linha", """\
    return bool((weights >= 0).all() and (weights.sum(axis=-1) <= 1.0001).all())""",
          q2c_teste=(0, "soma 1 no todo"), q2d_teste=(0.5, "")),
    judge("só aceita quadradas", """\
    n, m = weights.shape
    return n == m and bool((weights >= 0).all() and np.allclose(weights.sum(axis=1), 1))""",
          q2c_teste=(0, "não é quadrada"), q2d_teste=(0.5, "")),
    judge("só olha a primeira linha", """\
    return bool((weights >= 0).all() and np.isclose(weights[0].sum(), 1))""",
          q2c_teste=(0, "uma linha errada entre as certas"),
          q2d_teste=(0, "A folga está grande demais")),
    judge("quer a média das linhas igual a 1", """\
    return bool((weights >= 0).all() and np.isclose(weights.sum(axis=1).mean(), 1))""",
          q2c_teste=(0, "quem soma 1 são as colunas"), q2d_teste=(0.5, "")),
    judge("imprime em vez de devolver", """\
    print(bool((weights >= 0).all() and np.allclose(weights.sum(axis=1), 1)))""",
          q2c_teste=(0, "ainda não responde"), q2d_teste=(0, "ainda não responde")),
    judge("responde por extenso", """\
    right = (weights >= 0).all() and np.allclose(weights.sum(axis=1), 1)
    return str(bool(right))""",
          q2c_teste=(0, "sem aspas"), q2d_teste=(0, "sem aspas")),
    judge("compara a soma com ==", """\
    return bool((weights >= 0).all() and (weights.sum(axis=-1) == 1).all())""",
          q2d_teste=ROUNDING),
    seen(judge("compara com ==, sem olhar sinais", "    return (weights.sum(1) == 1).all()",
               q2d_teste=ROUNDING),
         q2c_teste="✓ certa: respondeu True\n✓ certa, com n ≠ m: respondeu True\n✓ de Rita",
         q2d_teste="✗ arredondada"),
    judge("folga apertada demais", """\
    return bool((weights >= 0).all() and (abs(weights.sum(axis=-1) - 1) < 1e-12).all())""",
          q2d_teste=ROUNDING),
    judge("folga larga demais", """\
    return bool((weights >= 0).all() and (abs(weights.sum(axis=-1) - 1) < 0.05).all())""",
          q2d_teste=(0, "A folga está grande demais")),
    judge("não admite peso zero", """\
    return bool((weights > 0).all() and np.allclose(weights.sum(axis=-1), 1))""",
          q2d_teste=(0, "Um peso pode ser 0")),
    judge("não olha os negativos", "    return np.allclose(weights.sum(axis=-1), 1)",
          q2d_teste=(0, "aceita peso negativo")),
    judge("deixa passar NaN", """\
    if (weights < 0).any() or (abs(weights.sum(axis=-1) - 1) > 1e-4).any():
        return False
    return True""", q2d_teste=(0, "com NaN")),
    judge("linha a linha, com laço", """\
    for row in weights.tolist():
        if not min(row) >= 0 or not abs(sum(row) - 1) < 1e-4:
            return False
    return all(weight == weight for row in weights for weight in row)"""),
    judge("devolve o booleano do NumPy", """\
    return np.all((0 <= weights) & (weights <= 1)) & np.all(np.isclose(weights.sum(1), 1))"""),
]


def crowd(name: str, value: str, **gets: tuple[float, str]) -> Answer:
    return wrong(name, "q3-resposta", f"import math\nguess_crowd = {value}", **gets)


FAR = (0, "Ainda não: veja a primeira parte")
CROWD = [
    crowd("um sim a menos", "math.floor(math.exp(loud - quiet))",
          q3_exato=(0, "ainda não passam da metade")),
    crowd("um sim a mais", "math.ceil(math.exp(loud - quiet)) + 1",
          q3_exato=(0, "Um a menos já bastaria")),
    crowd("a razão, sem arredondar", "math.exp(loud - quiet)",
          q3_exato=(0, "Quantos sim inteiros a ultrapassam")),
    crowd("a razão, com contas arredondadas", "round(0.97 * math.exp(loud - quiet), 1) + 0.01",
          q3_exato=(0, "Quantos sim inteiros a ultrapassam")),
    crowd("a razão, com contas muito arredondadas", "0.8 * math.exp(loud - quiet) - 0.5",
          q3_teste=(0, "Não é isso"), q3_exato=FAR),
    crowd("somou as pontuações", "math.floor(loud / quiet + 1e-9) + 1",
          q3_teste=(0, "Quem se soma são as exponenciais"), q3_exato=FAR),
    crowd("comparou com a diferença", "math.floor(loud - quiet + 1e-9) + 1",
          q3_teste=(0, "comparou com a diferença"), q3_exato=FAR),
    crowd("o não ganha sempre", "0", q3_teste=(0, "os sim somam"), q3_exato=FAR),
    crowd("um número qualquer", "500", q3_teste=(0, "Não é isso"), q3_exato=FAR),
    crowd("infinitos", "math.inf", q3_teste=(0, "Não encontrei o seu palpite"),
          q3_exato=(0, "Não encontrei o seu palpite")),
    crowd("por tentativas, num laço", """0
while guess_crowd * math.exp(quiet) <= math.exp(loud):
    guess_crowd += 1"""),
    crowd("por softmax, com a linha inteira", """next(
    n for n in range(1, 99) if softmax(np.array([quiet] * n + [loud]))[:n].sum() > 0.5)"""),
]


def table(name: str, body: str, *gets: float | str) -> Answer:
    return wrong(name, "q4a-resposta", "def cross_scores(x, y):\n" + body,
                 **({"q4a_teste": gets} if gets else {}))


TABLE = [
    table("quem olha é y", "    return y @ x.T", 0, "scores_transposed"),
    table("sem transpor", "    return x @ y", 0, "key_not_transposed"),
    table("x com x", "    return x @ x.T", 0, "query_with_itself"),
    table("já dividiu pela raiz", "    return x @ y.T / np.sqrt(x.shape[1])", 0, "scores_scaled"),
    table("já passou pelo softmax", "    return softmax(x @ y.T)", 0, "scores_are_weights"),
    table("já dividiu pelos comprimentos", """\
    return x @ y.T / np.outer(np.linalg.norm(x, axis=1), np.linalg.norm(y, axis=1))""",
          0, "dot_cosine"),
    table("tabela com laços, em listas", """\
    return [[sum(a * b for a, b in zip(row, other)) for other in y] for row in x]"""),
    table("tabela com einsum", "    return np.einsum('nd,md->nm', x, y)"),
]

PRODUCT = "def cosine_scores(x, y):\n    products = x @ y.T\n"


def cosine(name: str, body: str, **gets: tuple[float, str]) -> Answer:
    return wrong(name, "q4b-resposta", PRODUCT + body, **gets)


NOT_FINITE = (0, "deu NaN ou infinito")
COSINE = [
    cosine("ainda o produto escalar", "    return products",
           q4b_teste=(0, "falta dividir pelos comprimentos")),
    cosine("esqueceu o comprimento de y", """\
    return products / np.linalg.norm(x, axis=1, keepdims=True)""",
           q4b_teste=(0, "esqueceu o de y"), q4b2_teste=NOT_FINITE),
    cosine("esqueceu o comprimento de x", "    return products / np.linalg.norm(y, axis=1)",
           q4b_teste=(0, "esqueceu o de x"), q4b2_teste=NOT_FINITE),
    cosine("sem a raiz nos comprimentos", """\
    return products / np.outer((x**2).sum(axis=1), (y**2).sum(axis=1))""",
           q4b_teste=(0, "falta a raiz"), q4b2_teste=NOT_FINITE),
    cosine("norma da matriz inteira", """\
    return products / (np.linalg.norm(x) * np.linalg.norm(y))""",
           q4b_teste=(0, "Cada linha tem o seu")),
    cosine("norma das colunas", """\
    return (x / np.linalg.norm(x, axis=0)) @ (y / np.linalg.norm(y, axis=0)).T""",
           q4b_teste=(0, "comprimento de cada coluna")),
    cosine("cosseno sem sinal", """\
    lengths = np.outer(np.linalg.norm(x, axis=1), np.linalg.norm(y, axis=1))
    return np.abs(products) / np.where(lengths == 0, 1, lengths)""",
           q4b_teste=(0, "sobrou um módulo")),
    cosine("distância no lugar do cosseno", """\
    lengths = np.outer(np.linalg.norm(x, axis=1), np.linalg.norm(y, axis=1))
    return 1 - products / np.where(lengths == 0, 1, lengths)""",
           q4b_teste=(0, "Algum cosseno não bate"),
           q4b2_teste=(0, "o cosseno pedido é 0")),
    cosine("uma linha por palavra de y", """\
    lengths = np.outer(np.linalg.norm(y, axis=1), np.linalg.norm(x, axis=1))
    return products.T / np.where(lengths == 0, 1, lengths)""",
           q4b_teste=(0, "tem forma (6, 7)")),
    cosine("cosseno que não devolve", "    products / 2", q4b_teste=(0, "ainda não devolve nada"),
           q4b2_teste=(0, "ainda não devolve nada")),
    cosine("zeros sem cuidado", """\
    return products / np.outer(np.linalg.norm(x, axis=1), np.linalg.norm(y, axis=1))""",
           q4b2_teste=NOT_FINITE),
    cosine("zeros com cosseno 1", """\
    lengths = np.outer(np.linalg.norm(x, axis=1), np.linalg.norm(y, axis=1))
    return np.where(lengths == 0, 1, products / np.where(lengths == 0, 1, lengths))""",
           q4b2_teste=(0, "o cosseno pedido é 0")),
    wrong("escreve por cima de x", "q4b-resposta", """\
def cosine_scores(x, y):
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    return x @ y.T""", q4b2_teste=(0, "mudou os vetores que recebeu")),
    cosine("um pouquinho somado à norma", """\
    return products / (np.outer(np.linalg.norm(x, axis=1), np.linalg.norm(y, axis=1)) + 1e-12)"""),
    right("cosseno com laços", "q4b-resposta", """\
def cosine_scores(x, y):
    def cosine(a, b):
        if not a.any() or not b.any():
            return 0.0
        return a @ b / np.sqrt((a @ a) * (b @ b))
    return [[cosine(a, b) for b in y] for a in x]"""),
    right("cosseno do PyTorch", "q4b-resposta", """\
import torch
import torch.nn.functional as F

def cosine_scores(x, y):
    x, y = torch.as_tensor(x), torch.as_tensor(y)
    return F.normalize(x, dim=-1) @ F.normalize(y, dim=-1).T"""),
]

UNIT = """\
def align(x, y, sharpness):
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    y = y / np.linalg.norm(y, axis=1, keepdims=True)
    cosines = x @ y.T
"""


def aligned(name: str, body: str, *gets: float | str) -> Answer:
    return wrong(name, "q4c-resposta", UNIT + body, **({"q4c_teste": gets} if gets else {}))


ALIGN = [
    aligned("afiado por coluna", "    return softmax(sharpness * cosines, axis=0)",
            0, "O softmax saiu por coluna"),
    aligned("sem afiação", "    return softmax(cosines)", 0, "A afiação não entrou na conta"),
    aligned("dividiu pela afiação", "    return softmax(cosines / sharpness)",
            0, "afiar mais escolhe menos"),
    aligned("afiou depois", "    return sharpness * softmax(cosines)",
            0, "A afiação veio depois do softmax"),
    wrong("afiou o produto escalar", "q4c-resposta", """\
def align(x, y, sharpness):
    return softmax(sharpness * (x @ y.T))""", q4c_teste=(0, "ainda são o produto escalar")),
    aligned("softmax da tabela toda", """\
    powers = np.exp(sharpness * cosines)
    return powers / powers.sum()""", 0, "não batem com o softmax de cada linha"),
    aligned("pesos de y para x", "    return softmax(sharpness * cosines.T)",
            0, "os pesos têm forma (5, 4)"),
    aligned("afiado e não devolvido", "    softmax(sharpness * cosines)",
            0, "ainda não devolve nada"),
    aligned("potência dos pesos, dividida de novo", """\
    powers = softmax(cosines) ** sharpness
    return powers / powers.sum(axis=1, keepdims=True)"""),
]

CHAINED = [
    Answer(
        "cross_scores trocada, e cosine_scores a chama",
        {"q4a-resposta": "def cross_scores(x, y):\n    return y @ x.T",
         "q4b-resposta": """\
def cosine_scores(x, y):
    lengths = np.outer(np.linalg.norm(x, axis=1), np.linalg.norm(y, axis=1))
    return cross_scores(x, y) / np.where(lengths == 0, 1, lengths)"""},
        {"q4a-teste": (0, "scores_transposed")},
        {"q4b-teste": ["cross_scores"]},
    ),
    Answer(
        "cosine_scores sem y, e align a chama",
        {"q4b-resposta": PRODUCT + "    return products / np.linalg.norm(x, axis=1)[:, None]",
         "q4c-resposta": """\
def align(x, y, sharpness):
    return softmax(sharpness * cosine_scores(x, y))"""},
        {"q4b-teste": (0, "esqueceu o de y"), "q4b2-teste": NOT_FINITE},
        {"q4c-teste": ["cosine_scores"]},
    ),
]

NUMBER = [
    right("matrícula em branco", "matricula", 'student_number = "0"'),
    right("matrícula em branco, sem aspas", "matricula", "student_number = 0"),
    right("matrícula com zero à frente", "matricula", 'student_number = "0192837"'),
    Answer(
        "matrícula com zero à frente, sem aspas",
        {"matricula": "student_number = 0123", "q1-resposta": "guess_suspense = 0.42",
         "q3-resposta": "guess_crowd = 4"},
        dict.fromkeys(("q1-teste", "q3-teste", "q3-exato"), (0, "Não encontrei `student_number`")),
    ),
]

ANSWERS = [*BOOK, *LINE, *BLEND, *JUDGE, *CROWD, *TABLE, *COSINE, *ALIGN, *CHAINED, *NUMBER]
