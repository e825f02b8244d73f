"""Erros típicos em cada exercício: {(capítulo, título): [(célula errada, o que se espera)]}.

O que se espera é a chave da falha ou do deslize, ou um pedaço da mensagem.
"""

MISTAKES = {
    ("01", "Uma linha por token"): [
        ("""
def look_up(ids, table):
    return table[:, ids]


checks.embed(look_up)
""", "embed_columns"),
        ("""
def look_up(ids, table):
    return table[np.unique(ids)]


checks.embed(look_up)
""", "embed_unique"),
        ("""
def look_up(ids, table):
    return np.array([table[i - 1] for i in ids])


checks.embed(look_up)
""", "ids_from_one"),
    ],
    ("01", "Zeros e um único 1"): [
        ("""
def to_one_hot(ids, size):
    return np.eye(size)[:, ids]


checks.one_hot(to_one_hot)
""", "one_hot_transposed"),
        ("""
def to_one_hot(ids, size):
    row = np.zeros(size)
    for i in ids:
        row[i] += 1
    return row


checks.one_hot(to_one_hot)
""", "one_hot_counted"),
        ("""
def to_one_hot(ids, size):
    table = np.zeros((len(ids), size))
    for m in range(len(ids)):
        table[m, ids[m] - 1] = 1
    return table


checks.one_hot(to_one_hot)
""", "ids_from_one"),
        ("""
def to_one_hot(ids, size):
    np.eye(size)[ids]


checks.one_hot(to_one_hot)
""", "não devolve nada"),
    ],
    ("01", "A meia-vida da memória"): [
        ("""
answer = 0.995

checks.number("01.factor", answer)
""", "slip_1"),
        ("""
answer = np.log(0.5) / 100

checks.number("01.factor", answer)
""", "slip_3"),
        ("""
answer = 2 ** 0.01

checks.number("01.factor", answer)
""", "slip_4"),
    ],
    ("01", "O relógio desregulado"): [
        ("""
def clock(n, d):
    columns = np.arange(d)
    angles = np.arange(n)[:, np.newaxis] / 10_000 ** (columns / d)
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))


checks.sinusoidal_positions(clock)
""", "positions_exponent_per_column"),
        ("""
def clock(n, d):
    columns = np.arange(d)
    angles = np.arange(n)[:, np.newaxis] / 10_000 ** (columns // 2 / d)
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))


checks.sinusoidal_positions(clock)
""", "positions_exponent_halved"),
        ("""
def clock(n, d):
    columns = np.arange(d)
    angles = np.arange(n)[:, np.newaxis] / 10_000 ** ((columns - columns % 2) / d)
    return np.where(columns % 2, np.sin(angles), np.cos(angles))


checks.sinusoidal_positions(clock)
""", "positions_sine_cosine_swapped"),
    ],
    ("01", "Desafio: um contador com mais memória"): [
        ("""
answer = 2

checks.number("01.memory", answer)
""", "slip_2"),
        ("""
answer = 5

checks.number("01.memory", answer)
""", "slip_4"),
    ],
    ("02", "Multiplicar e somar"): [
        ("""
def dot(a, b):
    return a * b


checks.dot_product(dot)
""", "dot_not_summed"),
        ("""
def dot(a, b):
    return (a * b).mean()


checks.dot_product(dot)
""", "dot_averaged"),
        ("""
def dot(a, b):
    return (a + b).sum()


checks.dot_product(dot)
""", "dot_added"),
    ],
    ("02", "Uma linha viva, outra morta"): [
        ("""
def table_softmax(scores):
    powers = np.exp(scores - scores.max())
    return powers / powers.sum(axis=-1, keepdims=True)


checks.softmax(table_softmax)
""", "softmax_shared_maximum"),
        ("""
def table_softmax(scores):
    powers = np.exp(scores)
    return powers / powers.sum(axis=-1, keepdims=True)


checks.softmax(table_softmax)
""", "softmax_overflow"),
        ("""
def table_softmax(scores):
    powers = np.exp(scores - scores.max(axis=-1))
    return powers / powers.sum(axis=-1)


checks.softmax(table_softmax)
""", "softmax_keepdims"),
        ("""
def table_softmax(scores):
    powers = np.exp(scores - scores.max(axis=0))
    return powers / powers.sum(axis=0)


checks.softmax(table_softmax)
""", "softmax_wrong_axis"),
    ],
    ("02", "Um gato teimoso"): [
        ("""
answer = 10

checks.number("02.stubborn", answer)
""", "slip_1"),
        ("""
answer = 4

checks.number("02.stubborn", answer)
""", "slip_2"),
        ("""
answer = 17

checks.number("02.stubborn", answer)
""", "slip_3"),
    ],
    ("02", "A atenção, numa página em branco"): [
        ("""
def attend(x):
    return softmax(x @ x.T, axis=0) @ x


checks.dot_product_attention(attend)
""", "softmax_wrong_axis"),
        ("""
def attend(x):
    powers = np.exp(x @ x.T)
    return powers / powers.sum(axis=-1, keepdims=True) @ x


checks.dot_product_attention(attend)
""", "softmax_overflow"),
        ("""
def attend(x):
    return softmax(x @ x.T)


checks.dot_product_attention(attend)
""", "context_is_the_weights"),
        ("""
def attend(x):
    return x @ x.T @ x


checks.dot_product_attention(attend)
""", "softmax_missing"),
        ("""
def attend(x):
    return softmax(x @ x.T / np.sqrt(x.shape[-1])) @ x


checks.dot_product_attention(attend)
""", "scale_unwanted"),
    ],
    ("02", "Desafio: softmax numa passada só"): [
        ("""
def one_pass_softmax(scores):
    total = 0.0
    for score in scores:
        total += np.exp(score)
    return np.exp(scores) / total


checks.softmax_row(one_pass_softmax)
""", "softmax_overflow"),
        ("""
def one_pass_softmax(scores):
    highest, total = -np.inf, 0.0
    for score in scores:
        highest = max(highest, score)
        total += np.exp(score - highest)
    return np.exp(scores - highest) / total


checks.softmax_row(one_pass_softmax)
""", "multiplicados por"),
        ("""
def one_pass_softmax(scores):
    highest, total = 0.0, 0.0
    for score in scores:
        new = max(highest, score)
        total = total * np.exp(highest - new) + np.exp(score - new)
        highest = new
    return np.exp(scores - highest) / total


checks.softmax_row(one_pass_softmax)
""", "NaN"),
    ],
    ("03", "Que forma sai?"): [
        ("""
answer = (9, 3)

checks.shape("03.context", answer)
""", "slip_1"),
        ("""
answer = (9, 6)

checks.shape("03.context", answer)
""", "slip_2"),
        ("""
answer = "9 × 9"

checks.shape("03.context", answer)
""", "slip_3"),
    ],
    ("03", "Três vistas do mesmo X"): [
        ("""
def three_views(x, w_query, w_key, w_value):
    return x @ w_query, x @ w_key, x


checks.project(three_views)
""", "value_not_projected"),
        ("""
def three_views(x, w_query, w_key, w_value):
    return x @ w_query, x @ w_key, x @ w_key


checks.project(three_views)
""", "value_from_key_matrix"),
        ("""
def three_views(x, w_query, w_key, w_value):
    return x @ w_query.T, x @ w_key.T, x @ w_value.T


checks.project(three_views)
""", "projection_transposed"),
        ("""
def three_views(x, w_query, w_key, w_value):
    return x @ w_key, x @ w_query, x @ w_value


checks.project(three_views)
""", "projections_swapped"),
    ],
    ("03", "Papéis trocados"): [
        ("""
def score_pairs(query, key):
    found = np.zeros((len(key), len(query)))
    for m, q_m in enumerate(query):
        for p, k_p in enumerate(key):
            found[p, m] = q_m @ k_p
    return found


checks.attention_scores(score_pairs)
""", "scores_transposed"),
        ("""
def score_pairs(query, key):
    return query @ key


checks.attention_scores(score_pairs)
""", "key_not_transposed"),
        ("""
def score_pairs(query, key):
    return query @ query.T


checks.attention_scores(score_pairs)
""", "query_with_itself"),
    ],
    ("03", "O verbo procura seus dois lados"): [
        ("""
answer = 0.948

checks.number("03.verb_to_maria", answer)
""", "slip_2"),
        ("""
answer = 0.366

checks.number("03.verb_to_maria", answer)
""", "slip_4"),
        ("""
answer = "50%"

checks.number("03.verb_to_maria", answer)
""", "slip_5"),
    ],
    ("03", "Cinco favoritos num plano"): [
        ("""
answer = 1

checks.number("03.favourites", answer)
""", "slip_1"),
        ("""
answer = 5

checks.number("03.favourites", answer)
""", "slip_3"),
    ],
    ("04", "Da consulta ao peso"): [
        ("""
def scaled_weights(query, key):
    return softmax(query @ key.T)


checks.attention_weights(scaled_weights)
""", "scale_missing"),
        ("""
def scaled_weights(query, key):
    return softmax(query @ key.T) / np.sqrt(query.shape[-1])


checks.attention_weights(scaled_weights)
""", "scale_after_softmax"),
        ("""
def scaled_weights(query, key):
    return softmax(query @ key.T / query.shape[-1])


checks.attention_weights(scaled_weights)
""", "scale_by_c"),
        ("""
def scaled_weights(query, key):
    return softmax(query @ key / np.sqrt(query.shape[-1]))


checks.attention_weights(scaled_weights)
""", "key_not_transposed"),
        ("""
def scaled_weights(query, key):
    return query @ key.T / np.sqrt(query.shape[-1])


checks.attention_weights(scaled_weights)
""", "softmax_missing"),
    ],
    ("04", "Outro desvio, outro divisor"): [
        ("""
answer = 5

checks.number("04.divisor", answer)
""", "supõe variância 1"),
        ("""
answer = 3 * 25**0.5

checks.number("04.divisor", answer)
""", "contou o desvio uma vez"),
        ("""
answer = 2025

checks.number("04.divisor", answer)
""", "é a variância"),
    ],
    ("04", "Certa por coincidência"): [
        ("""
def hurried_weights(query, key):
    scores = query @ key.T / np.sqrt(len(key))
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


checks.attention_weights(hurried_weights)
""", "scale_by_sqrt_n"),
        ("""
def hurried_weights(query, key):
    scores = query @ key.T / np.sqrt(len(query))
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


checks.attention_weights(hurried_weights)
""", "scale_by_sqrt_n"),
        ("""
def hurried_weights(query, key):
    scores = query @ key.T / len(key.T)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


checks.attention_weights(hurried_weights)
""", "scale_by_c"),
    ],
    ("04", "A divisão que não aparece"): [
        ("""
def undivided_weights(query, key):
    shrink = query.shape[-1] ** 0.5
    return softmax((query / shrink) @ (key / shrink).T)


checks.attention_weights(undivided_weights)
""", "scale_by_c"),
        ("""
def undivided_weights(query, key):
    query /= query.shape[-1] ** 0.25
    key /= key.shape[-1] ** 0.25
    return softmax(query @ key.T)


checks.attention_weights(undivided_weights)
""", "changes_input"),
    ],
    ("04", "√c escondida na inicialização"): [
        ("""
answer = 1

checks.number("04.hidden_rate", answer)
""", "Você manteve a taxa"),
        ("""
answer = 256**-0.25

checks.number("04.hidden_rate", answer)
""", "fator das matrizes"),
        ("""
answer = 16

checks.number("04.hidden_rate", answer)
""", "Você inverteu"),
    ],
    ("05", "Uma fatia no papel"): [
        ("""
answer = 0.1115

checks.number("05.unscaled_meeting", answer)
""", "peso com a escala"),
        ("""
answer = 0.4493

checks.number("05.unscaled_meeting", answer)
""", "parou na exponencial"),
        ("""
answer = 0.2582

checks.number("05.unscaled_meeting", answer)
""", "O sinal se perdeu"),
        ("""
answer = -0.8 / 1.47

checks.number("05.unscaled_meeting", answer)
""", "faltou a exponencial"),
        ("""
answer = 0

checks.number("05.unscaled_meeting", answer)
""", "não é peso zero"),
    ],
    ("05", "A conta inteira, em uma linha"): [
        ("""
def attend(query, key, value):
    return softmax(query @ key.T) / np.sqrt(query.shape[-1]) @ value


checks.scaled_dot_product_attention(attend)
""", "scale_after_softmax"),
        ("""
def attend(query, key, value):
    return softmax(query @ key.T / np.sqrt(query.shape[-1]), axis=0) @ value


checks.scaled_dot_product_attention(attend)
""", "softmax_wrong_axis"),
        ("""
def attend(query, key, value):
    return softmax(query @ key.T / np.sqrt(query.shape[-1]))


checks.scaled_dot_product_attention(attend)
""", "context_is_the_weights"),
    ],
    ("05", "Funciona na biblioteca"): [
        ("""
def attend_in_the_library(query, key, value):
    return softmax(query @ key.T / math.sqrt(2)) @ value


checks.scaled_dot_product_attention(attend_in_the_library)
""", "scale_from_the_example"),
        ("""
def attend_in_the_library(query, key, value):
    return softmax(query @ key.T / math.sqrt(len(key))) @ value


checks.scaled_dot_product_attention(attend_in_the_library)
""", "scale_by_sqrt_n"),
    ],
    ("05", "Um softmax que não estoura"): [
        ("""
def stable_softmax(scores):
    return np.exp(scores) / np.exp(scores).sum()


checks.softmax_row(stable_softmax)
""", "softmax_overflow"),
        ("""
def stable_softmax(scores):
    return np.exp(scores - scores.max())


checks.softmax_row(stable_softmax)
""", "softmax_not_divided"),
        ("""
def stable_softmax(scores):
    return scores / scores.sum()


checks.softmax_row(stable_softmax)
""", "softmax_without_exponential"),
    ],
    ("05", "Do peso de volta à pontuação"): [
        ("""
answer = 0.5174 - 0.3711

checks.number("05.gap", answer)
""", "subtraiu os pesos"),
        ("""
answer = 0.5174 / 0.3711

checks.number("05.gap", answer)
""", "Essa é a razão"),
        ("""
answer = math.log10(0.5174 / 0.3711)

checks.number("05.gap", answer)
""", "logaritmo decimal"),
        ("""
answer = 1.37 - 0.90

checks.number("05.gap", answer)
""", "antes da escala"),
    ],
    ("05", "Um empate de propósito"): [
        ("""
answer = -0.2747

checks.number("05.tie", answer)
""", "direção oposta"),
        ("""
answer = 0.9615

checks.number("05.tie", answer)
""", "segunda posição"),
        ("""
answer = 0.2

checks.number("05.tie", answer)
""", "comprimento 1"),
        ("""
answer = 0.5665

checks.number("05.tie", answer)
""", "somou as duas chaves"),
    ],
    ("06", "Cinco produtos numa linha"): [
        ("""
def one_line_attention(X, W_query, W_key, W_value):
    return softmax((X @ W_query) @ (X @ W_key).T / math.sqrt(X.shape[1])) @ (X @ W_value)


checks.self_attention(one_line_attention)
""", "scale_by_sqrt_d"),
        ("""
def one_line_attention(X, W_query, W_key, W_value):
    return softmax((X @ W_query) @ (X @ W_key).T / math.sqrt(W_key.shape[1])) @ X


checks.self_attention(one_line_attention)
""", "value_not_projected"),
        ("""
def one_line_attention(X, W_query, W_key, W_value):
    return softmax((X @ W_query) @ (X @ W_key).T / math.sqrt(W_key.shape[0])) @ (X @ W_value)


checks.self_attention(one_line_attention)
""", "scale_by_sqrt_d"),
    ],
    ("06", "Quando o n² passa na frente"): [
        ("""
answer = 768

checks.number("06.break_even", answer)
""", "igualou n a d"),
        ("""
answer = 2304

checks.number("06.break_even", answer)
""", "um produto só"),
        ("""
answer = 512

checks.number("06.break_even", answer)
""", "inverteu a fração"),
    ],
    ("06", "Copiado e colado"): [
        ("""
class PastedAttention(nn.Module):
    def __init__(self, d, c):
        super().__init__()
        self.query = nn.Linear(d, c, bias=False)
        self.key = nn.Linear(d, c, bias=False)
        self.value = nn.Linear(d, c, bias=False)

    def forward(self, x):
        Q, K, V = self.query(x), self.query(x), self.value(x)
        scores = Q @ K.transpose(-2, -1)
        return torch.softmax(scores / math.sqrt(Q.shape[-1]), dim=-1) @ V


checks.self_attention(PastedAttention)
""", "query_with_itself"),
        ("""
class PastedAttention(nn.Module):
    def __init__(self, d, c):
        super().__init__()
        self.query = nn.Linear(d, c, bias=False)
        self.key = nn.Linear(d, c, bias=False)
        self.value = nn.Linear(d, c, bias=False)

    def forward(self, x):
        Q, K, V = self.key(x), self.key(x), self.value(x)
        scores = Q @ K.transpose(-2, -1)
        return torch.softmax(scores / math.sqrt(Q.shape[-1]), dim=-1) @ V


checks.self_attention(PastedAttention)
""", "key_with_itself"),
        ("""
class PastedAttention(nn.Module):
    def __init__(self, d, c):
        super().__init__()
        self.query = nn.Linear(d, c, bias=False)
        self.key = nn.Linear(d, c, bias=False)
        self.value = nn.Linear(d, c, bias=False)

    def forward(self, x):
        Q, K, V = self.key(x), self.query(x), self.value(x)
        scores = Q @ K.transpose(-2, -1)
        return torch.softmax(scores / math.sqrt(Q.shape[-1]), dim=-1) @ V


checks.self_attention(PastedAttention)
""", "projections_swapped"),
    ],
    ("06", "Uma camada em vez de três"): [
        ("""
class FusedAttention(nn.Module):
    def __init__(self, d, c):
        super().__init__()
        self.qkv = nn.Linear(d, 3 * c, bias=False)

    def forward(self, x):
        Q, K, V = self.qkv(x).chunk(3, dim=0)
        scores = Q @ K.transpose(-2, -1)
        return torch.softmax(scores / math.sqrt(Q.shape[-1]), dim=-1) @ V


checks.self_attention(FusedAttention)
""", "not enough values to unpack"),
        ("""
class FusedAttention(nn.Module):
    def __init__(self, d, c):
        super().__init__()
        self.qkv = nn.Linear(d, 3 * c, bias=False)

    def forward(self, x):
        K, Q, V = self.qkv(x).chunk(3, dim=-1)
        scores = Q @ K.transpose(-2, -1)
        return torch.softmax(scores / math.sqrt(Q.shape[-1]), dim=-1) @ V


checks.self_attention(FusedAttention)
""", "projections_swapped"),
        ("""
class FusedAttention(nn.Module):
    def __init__(self, d, c):
        super().__init__()
        self.qkv = nn.Linear(d, 3 * c, bias=False)

    def forward(self, x):
        Q, K, V = self.qkv(x).chunk(3, dim=-1)
        scores = Q @ K.transpose(-2, -1)
        return torch.softmax(scores / math.sqrt(x.shape[-1]), dim=-1) @ V


checks.self_attention(FusedAttention)
""", "scale_by_sqrt_d"),
    ],
    ("06", "Sem treinar"): [
        ("""
answer = math.log(396)

checks.number("06.beta", answer)
""", "já escalada"),
        ("""
answer = math.sqrt(6) * math.log(297)

checks.number("06.beta", answer)
""", "Faltou um concorrente"),
        ("""
answer = math.sqrt(18) * math.log(396)

checks.number("06.beta", answer)
""", "raiz de d = 18"),
    ],
    ("07", "Um triângulo numa linha"): [
        ("""
def allowed_pairs(n):
    return np.arange(n) >= np.arange(n)[:, np.newaxis]

checks.causal_mask(allowed_pairs)
""", "mask_transposed"),
        ("""
def allowed_pairs(n):
    return np.arange(n) < np.arange(n)[:, np.newaxis]

checks.causal_mask(allowed_pairs)
""", "mask_not_itself"),
        ("""
def allowed_pairs(n):
    return np.arange(n) <= np.arange(n)[:, np.newaxis] + 1

checks.causal_mask(allowed_pairs)
""", "mask_one_ahead"),
        ("""
def allowed_pairs(n):
    return np.tri(n)

checks.causal_mask(allowed_pairs)
""", "mask_as_numbers"),
        ("""
def allowed_pairs(n):
    return np.arange(n) > np.arange(n)[:, np.newaxis]

checks.causal_mask(allowed_pairs)
""", "mask_upside_down"),
    ],
    ("07", "Quantos pares?"): [
        ("""
answer = 1024 * 1023 // 2

checks.number("07.pairs", answer)
""", "slip_3"),
        ("""
answer = 1024**2 / 2

checks.number("07.pairs", answer)
""", "slip_2"),
        ("""
answer = 1024**2

checks.number("07.pairs", answer)
""", "slip_1"),
    ],
    ("07", "A máscara que não pegou"): [
        ("""
def masked_attention(query, key, value):
    scaled = query @ key.T / math.sqrt(query.shape[-1])
    future = torch.ones(len(query), len(key)).triu(1).bool()
    scaled.masked_fill(future, -math.inf)
    return scaled.softmax(dim=-1) @ value

checks.causal_attention(masked_attention)
""", "mask_missing"),
        ("""
def masked_attention(query, key, value):
    scaled = query @ key.T / math.sqrt(query.shape[-1])
    future = torch.ones(len(query), len(key)).triu().bool()
    scaled = scaled.masked_fill(future, -math.inf)
    return scaled.softmax(dim=-1) @ value

checks.causal_attention(masked_attention)
""", "mask_not_itself"),
        ("""
def masked_attention(query, key, value):
    scaled = query @ key.T / math.sqrt(query.shape[-1])
    future = torch.ones(len(query), len(key)).triu(1).bool()
    scaled = scaled.masked_fill(~future, -math.inf)
    return scaled.softmax(dim=-1) @ value

checks.causal_attention(masked_attention)
""", "mask_upside_down"),
    ],
    ("07", "A atenção que não olha para a frente"): [
        ("""
def attend_to_past(query, key, value):
    scaled = query @ key.T / np.sqrt(query.shape[-1])
    return softmax(scaled) * np.tri(len(query)) @ value

checks.causal_attention(attend_to_past)
""", "mask_after_softmax"),
        ("""
def attend_to_past(query, key, value):
    scaled = query @ key.T / np.sqrt(query.shape[-1])
    return softmax(np.where(np.tri(len(query)), scaled, 0)) @ value

checks.causal_attention(attend_to_past)
""", "mask_with_zero"),
        ("""
def attend_to_past(query, key, value):
    scores = query @ key.T
    return softmax(np.where(np.tri(len(query)), scores, -np.inf)) @ value

checks.causal_attention(attend_to_past)
""", "scale_missing"),
        ("""
def attend_to_past(query, key, value):
    scaled = query @ key.T / np.sqrt(query.shape[-1])
    return softmax(np.where(np.tri(len(query)), scaled, -np.inf), axis=0) @ value

checks.causal_attention(attend_to_past)
""", "softmax_wrong_axis"),
        ("""
def attend_to_past(query, key, value):
    scores = query @ key.T
    return softmax(np.where(np.tri(len(query)), scores, 0)) @ value

checks.causal_attention(attend_to_past)
""", "mask_with_zero"),
    ],
    ("07", "O que o teste deixou passar"): [
        ("""
def attend(X):
    word = np.arange(len(X)) // 2
    weights = softmax(np.where(word <= word[:, np.newaxis], X @ X.T / 2, -np.inf))
    return weights @ X

checks.leak_free(attend, np.random.default_rng(7).normal(size=(5, 4)))
""", "leaks"),
        ("""
def attend(X):
    weights = softmax(np.where(np.tri(len(X), k=1), X @ X.T / 2, -np.inf))
    return weights @ X

checks.leak_free(attend, np.random.default_rng(7).normal(size=(5, 4)))
""", "leaks"),
    ],
    ("08", "A forma certa"): [
        ("""
answer = (20, 20)

checks.shape("08.combined_mask", answer)
""", "slip_1"),
        ("""
answer = (8, 1, 20)

checks.shape("08.combined_mask", answer)
""", "slip_2"),
        ("""
answer = (8, 20)

checks.shape("08.combined_mask", answer)
""", "slip_3"),
    ],
    ("08", "Quem é de verdade"): [
        ("""
def real_keys(lengths, n):
    return np.arange(n) < lengths[:, np.newaxis]

checks.padding_mask(real_keys)
""", "padding_without_axis"),
        ("""
def real_keys(lengths, n):
    return np.arange(n) <= lengths[:, np.newaxis, np.newaxis]

checks.padding_mask(real_keys)
""", "padding_one_more"),
        ("""
def real_keys(lengths, n):
    return (np.arange(n) < lengths[:, np.newaxis])[:, :, np.newaxis]

checks.padding_mask(real_keys)
""", "padding_hides_rows"),
        ("""
def real_keys(lengths, n):
    return np.arange(n) >= n - lengths[:, np.newaxis, np.newaxis]

checks.padding_mask(real_keys)
""", "padding_on_the_left"),
    ],
    ("08", "Do comprimento à máscara combinada"): [
        ("""
def batch_mask(lengths, n):
    real = np.arange(n) < lengths[:, np.newaxis]
    return causal_mask(n) | real[:, np.newaxis, :]

checks.batch_mask(batch_mask)
""", "masks_joined_with_or"),
        ("""
def batch_mask(lengths, n):
    real = np.arange(n) < lengths[:, np.newaxis]
    return causal_mask(n) & real[:, :, np.newaxis]

checks.batch_mask(batch_mask)
""", "padding_hides_rows"),
        ("""
def batch_mask(lengths, n):
    real = np.arange(n) < lengths[:, np.newaxis]
    return causal_mask(n) & real[:, np.newaxis, :] & real[:, :, np.newaxis]

checks.batch_mask(batch_mask)
""", "Você escondeu também as linhas do preenchimento."),
        ("""
def batch_mask(lengths, n):
    real = np.arange(n) < lengths[:, np.newaxis]
    return causal_mask(n) & real

checks.batch_mask(batch_mask)
""", "broadcast"),
    ],
    ("08", "Funcionava com uma frase"): [
        ("""
def batched_attention(query, key, value, mask):
    scaled = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
    weights = softmax(np.where(mask, scaled, -np.inf), axis=1)
    return weights @ value

checks.batched_attention(batched_attention)
""", "softmax_wrong_axis"),
        ("""
def batched_attention(query, key, value, mask):
    scaled = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
    weights = softmax(np.where(mask, scaled, -np.inf), axis=0)
    return weights @ value

checks.batched_attention(batched_attention)
""", "softmax_over_first_axis"),
        ("""
def batched_attention(query, key, value, mask):
    scaled = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
    weights = softmax(np.where(mask, scaled, -1e9), axis=-1)
    return weights @ value

checks.batched_attention(batched_attention)
""", "nobody_is_uniform"),
        ("""
def batched_attention(query, key, value, mask):
    scaled = torch.tensor(query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1]))
    weights = scaled.masked_fill(~torch.tensor(mask), -torch.inf).softmax(dim=-1)
    return weights @ torch.tensor(value)

checks.batched_attention(batched_attention)
""", "nobody_is_nan"),
        ("""
def batched_attention(query, key, value, mask):
    scaled = query @ key.T / np.sqrt(query.shape[-1])
    weights = softmax(np.where(mask, scaled, -np.inf), axis=-1)
    return weights @ value

checks.batched_attention(batched_attention)
""", "batch_reversed"),
    ],
    ("08", "Várias frases numa fila só, sem vazar"): [
        ("""
answer = 120

checks.number("08.packed_pairs", answer)
""", "slip_1"),
        ("""
answer = 83

checks.number("08.packed_pairs", answer)
""", "slip_2"),
        ("""
answer = 71

checks.number("08.packed_pairs", answer)
""", "slip_5"),
    ],
    ("09", "As formas, antes de rodar"): [
        ("""
answer = (2, 5, 5)

checks.shape("09.scores", answer)
""", "slip_1"),
        ("""
answer = (2, 4, 5, 3)

checks.shape("09.scores", answer)
""", "slip_4"),
        ("""
answer = (2, 5, 4, 4)

checks.shape("09.scores", answer)
""", "slip_6"),
    ],
    ("09", "Abrir e trocar"): [
        ("""
def open_heads(x, num_heads):
    return x.reshape(num_heads, len(x), -1)

checks.split_heads(open_heads)
""", "heads_cut_by_rows"),
        ("""
def open_heads(x, num_heads):
    return x.reshape(len(x), num_heads, -1)

checks.split_heads(open_heads)
""", "heads_not_moved"),
        ("""
def open_heads(x, num_heads):
    return x.reshape(len(x), -1, num_heads).transpose(2, 0, 1)

checks.split_heads(open_heads)
""", "heads_interleaved"),
        ("""
def open_heads(x, num_heads):
    return x.reshape(len(x), num_heads, -1).T

checks.split_heads(open_heads)
""", "heads_all_axes_reversed"),
    ],
    ("09", "Na volta"): [
        ("""
def join_heads(heads):
    h, n, c = heads.shape
    return heads.reshape(n, h * c)

checks.merge_heads(join_heads)
""", "merged_without_transposing"),
        ("""
def join_heads(heads):
    h, n, c = heads.shape
    return heads.transpose(1, 2, 0).reshape(n, h * c)

checks.merge_heads(join_heads)
""", "merged_interleaved"),
        ("""
def join_heads(heads):
    return np.concatenate(heads, axis=0)

checks.merge_heads(join_heads)
""", "merged_stacked"),
    ],
    ("09", "Uma cabeça que copia o token anterior"): [
        ("""
answer = 7

checks.number("09.copy_factor", answer)
""", "slip_1"),
        ("""
answer = 38

checks.number("09.copy_factor", answer)
""", "slip_2"),
        ("""
answer = 12

checks.number("09.copy_factor", answer)
""", "slip_3"),
        ("""
answer = 15

checks.number("09.copy_factor", answer)
""", "slip_4"),
    ],
    ("09", "O comitê inteiro"): [
        ("""
def committee(x, w_query, w_key, w_value, w_output, num_heads):
    query, key, value = (atencao.split_heads(x @ w, num_heads) for w in (w_query, w_key, w_value))
    weights = softmax(query @ key.swapaxes(-1, -2) / np.sqrt(x.shape[-1]))
    return atencao.merge_heads(weights @ value) @ w_output

checks.multi_head_attention(committee)
""", "scale_by_sqrt_d"),
        ("""
def committee(x, w_query, w_key, w_value, w_output, num_heads):
    query, key, value = (atencao.split_heads(x @ w, num_heads) for w in (w_query, w_key, w_value))
    weights = softmax(query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1]))
    return (weights @ value).reshape(len(x), -1) @ w_output

checks.multi_head_attention(committee)
""", "merged_without_transposing"),
        ("""
def committee(x, w_query, w_key, w_value, w_output, num_heads):
    query, key, value = ((x @ w).reshape(num_heads, len(x), -1) for w in (w_query, w_key, w_value))
    weights = softmax(query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1]))
    return atencao.merge_heads(weights @ value) @ w_output

checks.multi_head_attention(committee)
""", "heads_cut_by_rows"),
        ("""
def committee(x, w_query, w_key, w_value, w_output, num_heads):
    size = w_query.shape[1] // num_heads
    found = []
    for i in range(num_heads):
        own = slice(i * size, (i + 1) * size)
        query, key, value = x @ w_query[:, own], x @ w_key[:, own], x @ w_value[:, own]
        found.append(softmax(query @ key.T / np.sqrt(size)) @ value)
    return np.concatenate(found, axis=1)

checks.multi_head_attention(committee)
""", "output_missing"),
        ("""
def committee(x, w_query, w_key, w_value, w_output, num_heads):
    query, key, value = x @ w_query, x @ w_key, x @ w_value
    return softmax(query @ key.T / np.sqrt(query.shape[-1])) @ value @ w_output

checks.multi_head_attention(committee)
""", "one_head_only"),
    ],
    ("10", "Alargar, dobrar, estreitar"): [
        ("""
def think(x, w1, b1, w2, b2):
    return (x @ w1 + b1) @ w2 + b2

checks.feed_forward(think)
""", "fold_missing"),
        ("""
def think(x, w1, b1, w2, b2):
    return torch.relu(x @ w1) @ w2 + b2

checks.feed_forward(think)
""", "first_bias_missing"),
        ("""
def think(x, w1, b1, w2, b2):
    return torch.relu(torch.relu(x @ w1 + b1) @ w2 + b2)

checks.feed_forward(think)
""", "fold_at_the_end"),
        ("""
def think(x, w1, b1, w2, b2):
    return F.gelu(x @ w1 + b1) @ w2 + b2

checks.feed_forward(think)
""", "fold_is_gelu"),
    ],
    ("10", "Conte antes de criar"): [
        ("""
answer = 2 * 64 * 256

checks.number("10.feed_forward_parameters", answer)
""", "slip_1"),
        ("""
answer = 2 * (64 * 256 + 256)

checks.number("10.feed_forward_parameters", answer)
""", "slip_3"),
    ],
    ("10", "A norma de um token"): [
        ("""
def token_norm(x, gain, shift):
    mean, variance = x.mean(dim=-1, keepdim=True), x.var(dim=-1, keepdim=True)
    return (x - mean) / (variance + 1e-5).sqrt() * gain + shift

checks.layer_norm(token_norm)
""", "norm_unbiased"),
        ("""
def token_norm(x, gain, shift):
    mean, variance = x.mean(axis=0), x.var(axis=0)
    return (x - mean) / np.sqrt(variance + 1e-5) * gain + shift

checks.layer_norm(token_norm)
""", "norm_over_tokens"),
        ("""
def token_norm(x, gain, shift):
    centered = x - x.mean(axis=-1, keepdims=True)
    return centered / x.std(axis=-1, keepdims=True) * gain + shift

checks.layer_norm(token_norm)
""", "norm_without_epsilon"),
        ("""
def token_norm(x, gain, shift):
    centered = x - x.mean(axis=-1, keepdims=True)
    return centered / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5) * gain

checks.layer_norm(token_norm)
""", "norm_shift_missing"),
        ("""
def token_norm(x, gain, shift):
    return (x - x.mean(dim=-1, keepdim=True)) / x.std(dim=-1, keepdim=True) * gain + shift

checks.layer_norm(token_norm)
""", "norm_unbiased"),
    ],
    ("10", "Um atalho que não é atalho"): [
        ("""
def hasty_block(x, norm_attention, attention, norm_feed_forward, feed_forward):
    x = norm_attention(x)
    x = x + attention(x)
    return x + feed_forward(norm_feed_forward(x))

checks.transformer_block(hasty_block)
""", "residual_from_the_norm"),
        ("""
def hasty_block(x, norm_attention, attention, norm_feed_forward, feed_forward):
    x = norm_attention(x + attention(x))
    return norm_feed_forward(x + feed_forward(x))

checks.transformer_block(hasty_block)
""", "norm_after_the_sum"),
        ("""
def hasty_block(x, norm_attention, attention, norm_feed_forward, feed_forward):
    middle = x + attention(norm_attention(x))
    return x + feed_forward(norm_feed_forward(middle))

checks.transformer_block(hasty_block)
""", "residual_from_the_input"),
        ("""
def hasty_block(x, norm_attention, attention, norm_feed_forward, feed_forward):
    x = attention(norm_attention(x))
    return x + feed_forward(norm_feed_forward(x))

checks.transformer_block(hasty_block)
""", "residual_missing_in_attention"),
    ],
    ("10", "Até onde a notícia chega"): [
        ("""
answer = 6

checks.number("10.reach", answer)
""", "slip_1"),
        ("""
answer = 3

checks.number("10.reach", answer)
""", "slip_2"),
        ("""
answer = 1

checks.number("10.reach", answer)
""", "slip_3"),
    ],
}
