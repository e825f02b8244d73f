"""Projeto: o que se confere na hora, os dados e a atenção."""

from homework_mistakes import Answer, seen, wrong

NUMBER_CELL = None  # os dados são os mesmos para todos

# O treino não entra na conta do que se confere, e demora.
INDEPENDENT = dict.fromkeys(("q4-treino", "q5-base", "q6-figura", "q6-intervencao"), "print()")


def data(name: str, body: str, *gets: float | str) -> Answer:
    code = f"""\
rows, places, tokens = letter_after_mark(2000, np.random.default_rng(1))
rows, first = np.unique(rows, axis=0, return_index=True)
places = places[first]
train_inputs, test_inputs = {body}
train_targets, test_targets = places[:len(train_inputs)], places[-len(test_inputs):]"""
    return wrong(name, "q2-solucao", code, **({"q2_teste": gets} if gets else {}))


DATA = [
    data("teste tirado do treino", "rows[:-100], rows[:100]", 0, "estão também no treino"),
    data("o mesmo exemplo dos dois lados", "rows[:900], rows[899:]", 0, "1 dos "),
    data("teste pequeno", "rows[:900], rows[-20:]", 0, "preciso de 300 e 60 ou mais"),
    data("frases de tamanhos diferentes", "rows[:900], rows[900:, :5]", 0, "do mesmo tamanho"),
    seen(wrong("dados em branco", "q2-solucao", "train_inputs = test_inputs = None",
               q2_teste=(0, "Preencha train_inputs e test_inputs")),
         q2_teste="○ dados: ainda por fazer. Preencha"),
    data("separados depois de tirar as repetições", "rows[:900], rows[900:]"),
    data("separados, em PyTorch", "torch.tensor(rows[:900]), torch.tensor(rows[900:])"),
]

ONE_HEAD = """\
class OwnAttention(nn.Module):
    def __init__(self, d, c):
        super().__init__()
        self.query = nn.Linear(d, c, bias=False)
        self.key = nn.Linear(d, c, bias=False)
        self.value = nn.Linear(d, c, bias=False)

    def weights(self, x):
        scores = self.query(x) @ self.key(x).mT
        {mask}
        return torch.softmax(scores / {scale}, dim=-1)

    def forward(self, x):
        return self.weights(x) @ self.value(x)

"""
HEADS = """\
class OwnHeads(nn.Module):
    def __init__(self, d, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(d, d, bias=False)
        self.key = nn.Linear(d, d, bias=False)
        self.value = nn.Linear(d, d, bias=False)
        self.output = nn.Linear(d, d, bias=False)

    def forward(self, x):
        Q, K, V = (layer(x).unflatten(-1, (self.num_heads, -1)).transpose(-2, -3)
                   for layer in (self.query, self.key, self.value))
        scores = Q @ K.mT / math.sqrt(Q.shape[-1])
        {mask}
        return self.output((scores.softmax(-1) @ V).transpose(-2, -3).flatten(-2))

"""
CAUSAL = """\
future = torch.ones(x.shape[-2], x.shape[-2], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(future, -math.inf)"""


def attention(
    name: str, kind: str, sample: str = "OwnAttention(6, 4)", *gets: float | str,
    mask: str = "", scale: str = "math.sqrt(self.key.out_features)",
) -> Answer:
    # O modelo da solução usa OwnAttention; quem faz cabeças tem também o seu.
    code = (ONE_HEAD.format(mask=mask, scale=scale) + HEADS.format(mask=mask)
            + f"attention_kind = {kind}\nattention_sample = {sample}")
    return wrong(name, "q3-solucao", code, **({"q3_teste": gets} if gets else {}))


FOUR_TEXTS = (0, "um destes quatro textos: sem máscara, causal, cabeças, cabeças causais")
ATTENTION = [
    seen(attention("nome sem cedilha", '"cabecas"', "OwnHeads(12, 3)", *FOUR_TEXTS),
         q3_teste="✗ attention_kind precisa ser um destes quatro textos: sem máscara, causal"),
    attention("tipo com maiúscula", '"Causal"', "OwnAttention(6, 4)", *FOUR_TEXTS, mask=CAUSAL),
    seen(attention("tipo em branco", "None", "OwnAttention(6, 4)", *FOUR_TEXTS),
         q3_teste="○ atenção: ainda por fazer"),
    attention("objeto em branco", '"causal"', "None", 0, ""),
    attention("disse causal, e não é", '"causal"', "OwnAttention(6, 4)", 0.5, "mask_missing"),
    attention("disse sem máscara, e é causal", '"sem máscara"', "OwnAttention(6, 4)", 0.5,
              "mask_unwanted", mask=CAUSAL),
    attention("projeto sem escala", '"sem máscara"', "OwnAttention(6, 4)", 0.5, "scale_missing",
              scale="1"),
    attention("um objeto sem máscara", '"sem máscara"'),
    attention("a classe sem máscara", '"sem máscara"', "OwnAttention"),
    attention("um objeto causal", '"causal"', mask=CAUSAL),
    attention("a classe causal", '"causal"', "OwnAttention", mask=CAUSAL),
    attention("um objeto com cabeças", '"cabeças"', "OwnHeads(12, 3)"),
    attention("a classe com cabeças", '"cabeças"', "OwnHeads"),
    attention("um objeto com cabeças causais", '"cabeças causais"', "OwnHeads(12, 4)", mask=CAUSAL),
]

ANSWERS = [*DATA, *ATTENTION]
