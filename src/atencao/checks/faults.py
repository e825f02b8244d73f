"""O catálogo de falhas: cada uma é uma pequena troca num passo da referência e sua explicação.

Para acrescentar uma, escreva uma ``Fault`` no grupo do passo que ela troca. Ela passa a valer em
todo exercício que tenha esse passo e os valores que a conta nova lê. Os textos
dizem o que a pessoa fez e por que isso importa, nunca como fica o código certo.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from atencao.checks.evidence import (
    Evidence,
    column_sums,
    first_difference,
    future_weight,
    nan_rows,
    row_sums,
    spread,
    symmetry,
)
from atencao.checks.exercises import Section, block, merge, softmax, split, swap, width
from atencao.checks.pipeline import RESULT, Changes, Step


@dataclass(frozen=True)
class Fault:
    """title a nomeia; did diz o que foi feito; why, por que importa; look, onde o livro trata.

    forms são as trocas que a reproduzem, uma por jeito de escrevê-la; evidence mostra o erro nos
    números do aluno; show é o passo em que a página de erros a mostra; questions, as perguntas de
    quem aprende que ela responde. ``only`` e ``not_in`` são nomes de exercícios; ``alone`` a tira
    da busca em pares.
    """

    key: str
    title: str
    did: str
    why: str
    look: Section
    forms: tuple[Changes, ...] = ()
    evidence: Evidence = first_difference
    questions: tuple[int, ...] = ()
    only: tuple[str, ...] = ()
    not_in: tuple[str, ...] = ()
    show: str = RESULT
    alone: bool = False


def one(**steps: Step) -> tuple[Changes, ...]:
    """Uma troca só: ``one(scaled=lambda scores: scores)``."""
    return (steps,)


# Onde o livro trata de cada coisa.
LOOKUP = Section("01-texto-em-vetores", "Buscar é multiplicar")
TABLE = Section("01-texto-em-vetores", "Do id ao vetor: uma linha da tabela")
POSITIONS = Section("01-texto-em-vetores", "Falta a ordem: posições")
DOT = Section("02-produto-escalar", "Um produto, à mão")
LENGTHS = Section("02-produto-escalar", "2. Manda quem é comprido")
SOFTMAX_AXIS = Section("02-produto-escalar", '"Softmax é softmax, o eixo tanto faz"')
SOFTMAX = Section("02-produto-escalar", "Softmax: de pontuações a pesos")
OVERFLOW = Section("02-produto-escalar", '"A exponencial é só uma exponencial"')
NAMES = Section("02-produto-escalar", '"Pontuação e peso são dois nomes da mesma coisa"')
CONTEXT = Section("02-produto-escalar", "O vetor de contexto")
SCORES = Section("03-projecoes-qkv", "Da consulta e da chave à pontuação")
ROLES = Section("03-projecoes-qkv", "Três projeções do mesmo token")
ASYMMETRY = Section("03-projecoes-qkv", "Por que a consulta não é a chave")
SQUARE = Section("03-projecoes-qkv", '"Testei num exemplo quadrado e funcionou"')
VALUE = Section("03-projecoes-qkv", '"Os pesos estão certos, então C = AX"')
SCALE = Section("04-escala", "A conta, passo a passo")
SCALE_BY_C = Section("04-escala", '"Se √c ajuda, c ajuda mais"')
SCALE_BY_D = Section("04-escala", '"Divido pela raiz do tamanho do embedding"')
LARGE_SCORES = Section("04-escala", "O que o softmax faz com números grandes")
SCALE_AFTER = Section("05-artigo-llm-encontro", '"Divido por √2 depois do softmax, dá no mesmo"')
ROUNDING = Section(
    "05-artigo-llm-encontro",
    '"Arredondei no meio do caminho e deu outro número: errei a fórmula"',
)
NEGATIVE = Section("05-artigo-llm-encontro", '"Pontuação negativa vira peso zero"')
COPYING = Section(
    "06-cinco-produtos", '"Copiei os pesos, então as duas versões são iguais"'
)
DELIVER = Section("06-cinco-produtos", "O que faltava: entregar")
TRIANGLE = Section("07-causal", "A frase inteira: a máscara é um triângulo")
AFTER_SOFTMAX = Section("07-causal", '"Multiplico os pesos pelo triângulo, depois do softmax"')
ZERO_FILL = Section("07-causal", '"Zero já anula", "−1 já é bem pequeno"')
UPSIDE_DOWN = Section("07-causal", '"True é o que eu escondo"')
ZEROS_AND_ONES = Section("07-causal", '"Passei a máscara de zeros e uns"')
TO_BOOLEAN = Section("07-causal", '"Converti a máscara para booleana"')
DIAGONAL = Section("07-causal", '"O triângulo está certo, só confundi a diagonal"')
LOST = Section("07-causal", '"O `masked_fill` não fez nada"')
BATCH_AXIS = Section("08-lotes", '`axis=1` só quer dizer "por linha" em duas dimensões')
BATCH_T = Section("08-lotes", '"`K.T` sempre transpôs"')
PADDING = Section("08-lotes", "A máscara do preenchimento")
PADDING_SHAPE = Section("08-lotes", '"A máscara é (B, n), o tensor se vira"')
PADDING_ROWS = Section("08-lotes", '"Escondi também as linhas do preenchimento"')
PADDING_SIDE = Section("08-lotes", "À esquerda ou à direita")
OR = Section("08-lotes", '"Combinei as máscaras com ou"')
NOBODY = Section("08-lotes", "Linhas sem ninguém")
SPLIT = Section("09-multiplas-cabecas", "Separar sem embaralhar")
MERGE = Section("09-multiplas-cabecas", '"Na volta, é só juntar os eixos"')
SPLIT_FIRST = Section("09-multiplas-cabecas", '"Cada cabeça vê um pedaço do embedding"')
OUTPUT = Section("09-multiplas-cabecas", "$W_o$ deixa as cabeças conversarem")
ONE_HEAD = Section("09-multiplas-cabecas", "Uma linha de pesos é uma distribuição só")
HEAD_SCALE = Section("09-multiplas-cabecas", '"A escala é a raiz de d"')
FOLD = Section("10-bloco-transformer", "Uma dobra à mão")
TWO_LINEAR = Section("10-bloco-transformer", '"Duas camadas lineares valem mais que uma"')
NORM = Section("10-bloco-transformer", "A normalização")
NORM_AXIS = Section("10-bloco-transformer", '"Normalizo todos os tokens juntos"')
NORM_STD = Section("10-bloco-transformer", '"Calculei a LayerNorm com `std()` e não bateu"')
RESIDUAL = Section("10-bloco-transformer", "O atalho residual")
NORM_PLACE = Section("10-bloco-transformer", "Antes ou depois?")
BLOCK = Section("10-bloco-transformer", "O bloco, à vista")


HEADS = ("multi_head_attention", "causal_multi_head_attention")
CAUSAL = ("causal_attention", "causal_self_attention", "causal_multi_head_attention")

# ── Ajudas ──────────────────────────────────────────────────────────────────────────────────────


def exponentials(x: np.ndarray) -> np.ndarray:
    """Sem o cuidado de subtrair o máximo."""
    return np.exp(x)


def shares(x: np.ndarray, axis: int | None = -1) -> np.ndarray:
    return x / x.sum(axis=axis, keepdims=True)


def unprotected(x: np.ndarray) -> np.ndarray:
    """Um softmax comum: numa linha só de −∞, dá NaN."""
    return shares(np.exp(x - x.max(axis=-1, keepdims=True)))


def unit(x: np.ndarray) -> np.ndarray:
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def triangle(like: np.ndarray, k: int) -> np.ndarray:
    return np.tri(*like.shape[-2:], k=k, dtype=bool)


def blocked(allowed: Callable[[np.ndarray], np.ndarray]) -> tuple[Changes, ...]:
    """A mesma máscara errada com um softmax comum e com um que dá zeros à linha sem ninguém."""
    logits = lambda scaled, mask: block(allowed(mask), scaled)  # noqa: E731
    return (
        {"logits": logits},
        {"logits": logits, "weights": lambda logits: unprotected(logits)},
    )


def cut(x: np.ndarray, num_heads: int) -> np.ndarray:
    """Corta a tabela em h faixas de linhas: as formas batem, as cabeças não."""
    return x.reshape(num_heads, x.shape[0], x.shape[1] // num_heads)


def interleaved(x: np.ndarray, num_heads: int) -> np.ndarray:
    return np.moveaxis(x.reshape(x.shape[0], x.shape[1] // num_heads, num_heads), -1, 0)


CATALOGUE: list[Fault] = []
add = CATALOGUE.append

# ── Texto, ids e posições ───────────────────────────────────────────────────────────────────────

add(Fault(
    "one_hot_transposed",
    "One-hot deitado",
    "Você pôs os tokens nas colunas e o vocabulário nas linhas.",
    "Cada token é uma linha, para que a linha escolha, no produto, uma linha da tabela. Deitado, "
    "o produto nem começa, a não ser que n seja igual ao tamanho do vocabulário.",
    LOOKUP,
    one(one_hot=lambda ids, size: (ids == np.arange(size)[:, np.newaxis]).astype(float)),
))
add(Fault(
    "ids_from_one",
    "Ids contados a partir de 1",
    "Cada id foi parar uma posição antes da sua.",
    "Os ids começam em 0: o primeiro token do vocabulário mora na linha 0. Contando a partir de 1, "
    "toda palavra recebe o vetor da vizinha, e nada avisa.",
    TABLE,
    (
        {"one_hot": lambda ids, size: (
            (ids[:, np.newaxis] - 1) % size == np.arange(size)
        ).astype(float)},
        {"one_hot": lambda ids, size: (
            ids[:, np.newaxis] - 1 == np.arange(size)
        ).astype(float)},
        {"rows": lambda ids, table: table[ids - 1]},
    ),
))
add(Fault(
    "one_hot_counted",
    "One-hot somado",
    "Você juntou os tokens todos num vetor só, que conta quantas vezes cada id aparece.",
    "Essa contagem esquece a ordem: embaralhar a frase dá o mesmo vetor. A atenção precisa de uma "
    "linha por token.",
    LOOKUP,
    one(one_hot=lambda ids, size: np.bincount(ids, minlength=size).astype(float)),
    questions=(38,),
))
add(Fault(
    "embed_columns",
    "Colunas no lugar de linhas",
    "Você buscou colunas da tabela; os vetores estão nas linhas.",
    "Uma coluna reúne o mesmo eixo de todas as palavras do vocabulário. A palavra inteira é a "
    "linha.",
    TABLE,
    ({"rows": lambda ids, table: table[:, ids].T}, {"rows": lambda ids, table: table[:, ids]}),
))
add(Fault(
    "embed_averaged",
    "Média dos embeddings",
    "Você devolveu a média dos vetores, e não um vetor por token.",
    "A média é a mesma para a frase embaralhada, e não sobra token nenhum para olhar para os "
    "outros.",
    TABLE,
    one(rows=lambda ids, table: table[ids].mean(axis=0)),
    questions=(38,),
))
add(Fault(
    "embed_unique",
    "Token repetido, buscado uma vez só",
    "Sua resposta tem uma linha por token distinto.",
    "Um token que aparece duas vezes ocupa dois lugares na frase, e cada lugar precisa da sua "
    "linha.",
    TABLE,
    (
        {"rows": lambda ids, table: table[np.unique(ids)]},
        {"rows": lambda ids, table: table[list(dict.fromkeys(ids.tolist()))]},
    ),
))
add(Fault(
    "positions_from_one",
    "Posições contadas a partir de 1",
    "Sua primeira posição é a 1.",
    "Na posição 0 todo seno dá 0 e todo cosseno dá 1; é por aí que se confere. Contando a partir "
    "de 1, seus números não combinam com os de um modelo treinado a partir de 0.",
    POSITIONS,
    one(positions=lambda n: np.arange(1, n + 1)[:, np.newaxis]),
))
add(Fault(
    "positions_exponent_per_column",
    "Uma frequência por coluna",
    "Cada coluna ganhou a sua própria frequência.",
    "O seno e o cosseno de um par precisam do mesmo ângulo. É isso que faz o produto entre duas "
    "posições depender só da distância entre elas.",
    POSITIONS,
    (
        {"exponents": lambda d: np.arange(d) / d},
        {"exponents": lambda d: 2 * np.arange(d) / d},
    ),
))
add(Fault(
    "positions_exponent_halved",
    "Metade do expoente",
    "Seu expoente cresce na metade da velocidade do da fórmula.",
    "Com metade do expoente, as ondas mais longas encolhem, e posições distantes ficam parecidas.",
    POSITIONS,
    one(exponents=lambda d: np.arange(d) // 2 / d),
))
add(Fault(
    "positions_sine_cosine_swapped",
    "Seno e cosseno trocados",
    "Você pôs o cosseno nas colunas pares e o seno nas ímpares.",
    "As distâncias continuam legíveis, mas os números não combinam com os do artigo nem com os de "
    "quem usa a mesma fórmula.",
    POSITIONS,
    one(waves=lambda angles: np.where(
        np.arange(angles.shape[1]) % 2 == 0, np.cos(angles), np.sin(angles)
    )),
))
add(Fault(
    "positions_in_halves",
    "Senos numa metade, cossenos na outra",
    "Os senos ficaram todos à esquerda e os cossenos, à direita.",
    "Algumas bibliotecas fazem assim, e também funciona; só não é a ordem da fórmula deste livro, "
    "em que eles se alternam. Misturar as duas convenções embaralha as posições.",
    POSITIONS,
    one(waves=lambda angles: np.concatenate(
        [np.sin(angles[:, ::2]), np.cos(angles[:, ::2])], axis=1
    )),
))
add(Fault(
    "positions_only_sine",
    "Só senos",
    "Todas as colunas saíram com seno.",
    "Um seno sozinho repete valores: não distingue a subida da descida. O par com o cosseno é que "
    "dá o ângulo inteiro.",
    POSITIONS,
    one(waves=lambda angles: np.sin(angles)),
))
add(Fault(
    "positions_in_degrees",
    "Graus no lugar de radianos",
    "Seus ângulos foram lidos como graus.",
    "O seno do NumPy espera radianos. Em graus, as ondas ficam 57 vezes mais longas, e posições "
    "vizinhas quase não se distinguem.",
    POSITIONS,
    one(angles=lambda positions, exponents: np.radians(positions / 10_000.0**exponents)),
))

# ── Produto escalar e pontuações ────────────────────────────────────────────────────────────────

add(Fault(
    "dot_not_summed",
    "Produtos sem a soma",
    "Você multiplicou posição por posição e parou aí.",
    "O produto escalar é um número só: a soma desses produtos. É ela que diz, num número, o quanto "
    "os dois vetores apontam para o mesmo lado.",
    DOT,
    one(dot=lambda products: products),
))
add(Fault(
    "dot_added",
    "Soma no lugar do produto",
    "Você somou as posições dos dois vetores; era para multiplicá-las.",
    "Somar conta o que cada um tem. Multiplicar conta o que os dois têm ao mesmo tempo, e é isso "
    "que mede direção em comum.",
    DOT,
    one(products=lambda a, b: a + b),
))
add(Fault(
    "dot_averaged",
    "Média dos produtos",
    "Você tirou a média dos produtos; o produto escalar é a soma.",
    "A média divide a soma pelo número de posições, e esconde a dispersão que o capítulo da escala "
    "vai medir.",
    DOT,
    one(dot=lambda products: products.mean()),
))
add(Fault(
    "dot_cosine",
    "Cosseno no lugar do produto escalar",
    "Você dividiu pelos comprimentos dos vetores.",
    "Assim sobra só o ângulo. No produto escalar, o comprimento também conta: é como um token "
    "pede mais, ou menos, atenção.",
    LENGTHS,
    (
        {"dot": lambda a, b: a @ b / (np.linalg.norm(a) * np.linalg.norm(b))},
        {"scores": lambda query, key: unit(query) @ swap(unit(key))},
        {"scores": lambda x: unit(x) @ swap(unit(x))},
    ),
))
add(Fault(
    "dot_absolute",
    "Sinal perdido",
    "Seus produtos perderam o sinal.",
    "Um produto negativo diz que os vetores discordam. Sem o sinal, discordar vale tanto quanto "
    "concordar.",
    Section("02-produto-escalar", "O sinal"),
    ({"products": lambda a, b: abs(a * b)}, {"dot": lambda products: abs(products.sum())}),
))
add(Fault(
    "key_not_transposed",
    "A chave não foi transposta",
    "Você multiplicou as duas tabelas sem transpor nenhuma.",
    "Cada token precisa encontrar cada token posição com posição. Sem a transposta, o produto só "
    "roda quando há tantos tokens quanto posições, e aí mistura posições de tokens diferentes.",
    SQUARE,
    (
        {"scores": lambda query, key: query @ key},
        {"scores": lambda x: x @ x},
    ),
    questions=(27,),
))
add(Fault(
    "scores_transposed",
    "Consulta e chave trocadas",
    "Você pôs as chaves nas linhas e as consultas nas colunas.",
    "A linha é de quem procura. Trocadas, a linha m passa a dizer quem procura m, e o softmax "
    "reparte a atenção do token errado.",
    ASYMMETRY,
    one(scores=lambda query, key: key @ swap(query)),
    only=(
        "attention_scores", "attention_weights", "scaled_dot_product_attention",
        "causal_attention", "batched_attention",
    ),
    questions=(29,),
))
add(Fault(
    "query_with_itself",
    "Só as consultas",
    "Você usou as consultas também no papel de chaves.",
    "QQᵀ é simétrica: \"a precisa de b\" ficaria igual a \"b precisa de a\". Quem responde é a "
    "chave.",
    ASYMMETRY,
    (
        {"scores": lambda query: query @ swap(query)},
        {"key": lambda x, w_query: x @ w_query},
        {"k_all": lambda x, w_query: x @ w_query},
    ),
    symmetry,
    questions=(29,),
))
add(Fault(
    "key_with_itself",
    "Só as chaves",
    "Você usou as chaves também no papel de consultas.",
    "KKᵀ é simétrica, e a pergunta de cada token some da conta.",
    ASYMMETRY,
    (
        {"scores": lambda key: key @ swap(key)},
        {"query": lambda x, w_key: x @ w_key},
        {"q_all": lambda x, w_key: x @ w_key},
    ),
    symmetry,
    questions=(29,),
))
add(Fault(
    "scores_without_projection",
    "Pontuações sem projeção",
    "Suas pontuações vêm de XXᵀ, sem consultas nem chaves.",
    "Sem W_q e W_k não há o que aprender: o token procura exatamente aquilo que ele é.",
    ROLES,
    one(scores=lambda x: x @ swap(x)),
    only=("self_attention", "causal_self_attention"),
    questions=(28,),
))
add(Fault(
    "scores_scaled",
    "Pontuações já escaladas",
    "Você dividiu as pontuações por √c.",
    "A divisão é o passo seguinte, o do capítulo 4. Aqui se pede Ω, o produto como ele sai.",
    SCORES,
    one(scores=lambda query, key: query @ swap(key) / np.sqrt(width(query))),
    questions=(18,),
    only=("attention_scores",),
))
add(Fault(
    "scores_are_weights",
    "Pesos no lugar de pontuações",
    "Você já passou as pontuações pelo softmax.",
    "Pontuação e peso são duas coisas: a pontuação é qualquer número, o peso é uma parte de 1. "
    "Aqui se pede a primeira.",
    NAMES,
    (
        {"scores": lambda query, key: softmax(query @ swap(key))},
        {"scores": lambda query, key: softmax(query @ swap(key) / np.sqrt(width(query)))},
    ),
    questions=(18,),
    only=("attention_scores",),
))
add(Fault(
    "batch_reversed",
    "`.T` num lote",
    "Você usou `.T` num array de três eixos, e ele inverteu os três.",
    "Com lote, só os dois últimos eixos devem trocar de lugar. Invertendo todos, as frases se "
    "misturam com as posições; quando os tamanhos coincidem, nem erro dá.",
    BATCH_T,
    one(scores=lambda query, key: query @ key.T),
    only=("batched_attention",),
))

# ── Escala ──────────────────────────────────────────────────────────────────────────────────────

add(Fault(
    "scale_missing",
    "Faltou a escala",
    "Suas pontuações entraram no softmax como saíram do produto.",
    "Um produto de c posições se espalha por √c. Sem corrigir isso, quanto mais largos os "
    "vetores, mais o softmax decide sozinho e menos gradiente passa.",
    SCALE,
    one(scaled=lambda scores: scores),
    spread,
    questions=(16, 17),
    show="weights",
))
add(Fault(
    "scale_by_c",
    "Dividido por c, e não pela raiz",
    "Você dividiu as pontuações por c.",
    "A variância da soma de c produtos é c, e o desvio é √c. Dividir por c encolhe demais: os "
    "pesos quase não saem da média, e a atenção deixa de escolher.",
    SCALE_BY_C,
    one(scaled=lambda scores, query: scores / width(query)),
    spread,
    questions=(16,),
    show="weights",
))
add(Fault(
    "scale_by_sqrt_n",
    "Dividido pela raiz do número de tokens",
    "Você dividiu por √n, com o n dos tokens.",
    "O que espalha a pontuação é a largura dos vetores, porque é nela que se soma. O tamanho da "
    "frase não entra no produto escalar.",
    SCALE,
    (
        {"scaled": lambda scores: scores / np.sqrt(width(scores))},
        {"scaled": lambda scores: scores / np.sqrt(scores.shape[-2])},
    ),
    spread,
    questions=(16, 27),
    show="weights",
))
add(Fault(
    "scale_by_sqrt_d",
    "Dividido pela raiz da largura do embedding",
    "Você dividiu por √d, com o d do embedding.",
    "O produto escalar soma as c posições da consulta e da chave (numa atenção de várias cabeças, "
    "as de uma cabeça). É o tamanho delas que conta, não o do embedding.",
    SCALE_BY_D,
    one(scaled=lambda scores, x: scores / np.sqrt(width(x))),
    spread,
    questions=(14, 20),
    show="weights",
))
add(Fault(
    "scale_by_sqrt_total",
    "Dividido pela raiz da largura total",
    "Você dividiu pela raiz da largura de todas as cabeças juntas, h·c.",
    "Cada cabeça faz o seu produto, com as suas c posições. Com a largura total, as cabeças "
    "decidem menos do que deveriam.",
    HEAD_SCALE,
    one(scaled=lambda scores, q_all: scores / np.sqrt(width(q_all))),
    spread,
    questions=(14, 20),
    show="weights",
))
add(Fault(
    "scale_by_stacked_width",
    "Dividido pela raiz da largura empilhada",
    "Você dividiu pela raiz da largura de Q, K e V juntas, 3c.",
    "Empilhar as três matrizes numa camada só economiza chamadas, mas o produto escalar continua "
    "somando as c posições de uma consulta.",
    SCALE_BY_D,
    (
        {"scaled": lambda scores, query: scores / np.sqrt(3 * width(query))},
        {"scaled": lambda scores, q_all: scores / np.sqrt(3 * width(q_all))},
    ),
    spread,
    questions=(14, 20),
    only=("self_attention", "causal_self_attention", *HEADS),
    show="weights",
))
add(Fault(
    "scale_by_fourth_root",
    "Dividido pela raiz quarta de c",
    "Suas pontuações foram divididas pela raiz quarta de c.",
    "Quem encolhe as consultas e as chaves, cada uma pela raiz quarta, chega a √c, porque as duas "
    "se multiplicam. Encolhendo uma só, falta metade do caminho.",
    SCALE,
    one(scaled=lambda scores, query: scores / width(query) ** 0.25),
    spread,
    questions=(16,),
    show="weights",
))
add(Fault(
    "scale_from_the_example",
    "Dividido por √2",
    "Você dividiu por √2, seja qual for a largura dos vetores.",
    "√2 é o divisor do exemplo do livro, em que c = 2. Com outra largura, o número é outro.",
    SCALE,
    one(scaled=lambda scores: scores / np.sqrt(2)),
    spread,
    show="weights",
))
add(Fault(
    "scale_multiplied",
    "Multiplicado por √c",
    "Você multiplicou por √c; a escala encolhe as pontuações.",
    "Multiplicar faz o contrário do que se quer: uma diferença pequena vira certeza, e o "
    "gradiente some.",
    LARGE_SCORES,
    one(scaled=lambda scores, query: scores * np.sqrt(width(query))),
    spread,
    questions=(17,),
    show="weights",
))
add(Fault(
    "scale_after_softmax",
    "A escala veio depois do softmax",
    "Você dividiu os pesos; a escala é das pontuações.",
    "Depois do softmax, dividir só encolhe todos os pesos por igual: as linhas deixam de somar 1 "
    "e a distribuição continua tão concentrada quanto antes.",
    SCALE_AFTER,
    (
        {
            "scaled": lambda scores: scores,
            "weights": lambda logits, query: softmax(logits) / np.sqrt(width(query)),
        },
        {
            "scaled": lambda scores: scores,
            "weights": lambda logits, query: (
                exponentials(logits) / exponentials(logits).sum(-1, keepdims=True)
                / np.sqrt(width(query))
            ),
        },
    ),
    row_sums,
    questions=(15,),
    show="weights",
))
add(Fault(
    "scale_twice",
    "Escala aplicada duas vezes",
    "Você dividiu a pontuação e dividiu também os pesos.",
    "A primeira divisão já pôs as pontuações na medida. A segunda faz as linhas de pesos somarem "
    "menos que 1.",
    SCALE_AFTER,
    one(weights=lambda logits, query: softmax(logits) / np.sqrt(width(query))),
    row_sums,
    questions=(15,),
    only=(
        "attention_weights", "scaled_dot_product_attention", "self_attention",
        "causal_attention", "causal_self_attention", "batched_attention", *HEADS,
    ),
    show="weights",
))
add(Fault(
    "scale_unwanted",
    "Escala antes da hora",
    "Você dividiu as pontuações por √d.",
    "A divisão é do capítulo 4. Aqui, sem ela, dá para ver com os próprios olhos que problema ela "
    "vem resolver.",
    CONTEXT,
    one(raw=lambda scores, x: scores / np.sqrt(width(x))),
    spread,
    show="weights",
))

# ── Softmax ─────────────────────────────────────────────────────────────────────────────────────

add(Fault(
    "softmax_wrong_axis",
    "Softmax no eixo errado",
    "Você somou por coluna; quem soma 1 são as linhas.",
    "A linha é de quem consulta, e é a atenção dela que se reparte. Por coluna, são as "
    "consultas que disputam cada chave, e um token pode ficar sem atenção para dar.",
    SOFTMAX_AXIS,
    (
        {"weights": lambda logits: softmax(logits, axis=-2)},
        {"weights": lambda logits: shares(exponentials(logits), axis=-2)},
        {"weights": lambda logits: shares(
            np.exp(logits - logits.max(axis=-1, keepdims=True)), axis=-2
        )},
    ),
    column_sums,
    questions=(12,),
    show="weights",
))
add(Fault(
    "softmax_over_everything",
    "Softmax da tabela inteira",
    "Seus pesos somam 1 na tabela inteira.",
    "Cada linha é a decisão de um token. Somando tudo junto, um token com pontuações altas rouba "
    "a atenção que os outros tinham para dar.",
    SOFTMAX_AXIS,
    (
        {"weights": lambda logits: softmax(logits.ravel()).reshape(logits.shape)},
        {"weights": lambda logits: shares(exponentials(logits), axis=None)},
    ),
    row_sums,
    questions=(12,),
    show="weights",
    not_in=("softmax_row",),
))
add(Fault(
    "softmax_over_first_axis",
    "Softmax no primeiro eixo",
    "Você somou no eixo 0, que aqui é o das frases, ou o das cabeças.",
    "O mesmo par de tokens passa a disputar atenção entre uma frase e outra, ou entre uma cabeça e "
    "outra, e uma muda o resultado da outra. O eixo das chaves é sempre o último.",
    BATCH_AXIS,
    one(weights=lambda logits: softmax(logits, axis=0)),
    row_sums,
    questions=(12,),
    only=("batched_attention", *HEADS),
    show="weights",
))
add(Fault(
    "softmax_missing",
    "Faltou o softmax",
    "Você usou as pontuações como se fossem pesos.",
    "Pontuação pode ser negativa e não soma nada em particular. O peso é uma parte: positivo, e a "
    "linha soma 1.",
    NAMES,
    one(weights=lambda logits: logits),
    row_sums,
    questions=(18,),
    show="weights",
))
add(Fault(
    "softmax_twice",
    "Softmax duas vezes",
    "Você aplicou o softmax a números que já eram pesos.",
    "Pesos ficam entre 0 e 1, e entre números tão próximos o segundo softmax quase não distingue: "
    "a atenção fica quase igual para todos.",
    NAMES,
    one(weights=lambda logits: softmax(softmax(logits))),
    spread,
    questions=(18,),
    show="weights",
))
add(Fault(
    "softmax_without_exponential",
    "Faltou a exponencial",
    "Você dividiu cada pontuação pela soma da linha.",
    "Com pontuações negativas a soma pode dar perto de zero, e os pesos saem negativos ou "
    "enormes. A exponencial é o que garante números positivos.",
    SOFTMAX,
    one(weights=lambda logits: shares(logits)),
    questions=(18,),
    show="weights",
))
add(Fault(
    "softmax_absolute",
    "Valor absoluto no lugar da exponencial",
    "Você tirou o sinal das pontuações e dividiu pela soma.",
    "Assim uma pontuação muito negativa pesa tanto quanto uma muito positiva. A exponencial é "
    "positiva e guarda a ordem.",
    NEGATIVE,
    one(weights=lambda logits: shares(abs(logits))),
    spread,
    show="weights",
))
add(Fault(
    "softmax_clipped",
    "Negativos viraram zero",
    "Você zerou as pontuações negativas.",
    "No softmax só contam as diferenças: −1 ainda ganha de −3, e as duas recebem algum peso. "
    "Zeradas, as negativas empatam.",
    NEGATIVE,
    (
        {"weights": lambda logits: shares(np.maximum(logits, 0))},
        {"weights": lambda logits: softmax(np.maximum(logits, 0))},
    ),
    spread,
    show="weights",
))
add(Fault(
    "softmax_not_divided",
    "Exponencial sem a divisão",
    "Você parou na exponencial.",
    "As exponenciais são positivas, mas não são partes de um todo. Falta repartir: cada uma sobre "
    "a soma da sua linha.",
    SOFTMAX,
    (
        {"weights": lambda logits: exponentials(logits)},
        {"weights": lambda logits: np.exp(logits - logits.max(axis=-1, keepdims=True))},
    ),
    row_sums,
    show="weights",
))
add(Fault(
    "softmax_overflow",
    "A exponencial estourou",
    "Você calculou a exponencial das pontuações como elas vieram.",
    "Acima de uns 709 a exponencial não cabe num float64 e vira infinito; infinito sobre infinito "
    "é NaN. Muito abaixo de zero, todas viram 0, e 0/0 também é NaN.",
    OVERFLOW,
    one(weights=lambda logits: shares(exponentials(logits))),
    nan_rows,
    questions=(19,),
    show="weights",
))
add(Fault(
    "softmax_shared_maximum",
    "Um máximo só para a tabela inteira",
    "Você subtraiu de todas as linhas o mesmo número, o maior da tabela.",
    "Uma linha muito abaixo desse máximo vira toda zero na exponencial, e 0/0 é NaN. Cada linha "
    "tem o seu próprio máximo.",
    OVERFLOW,
    one(weights=lambda logits: shares(exponentials(logits - logits.max()))),
    nan_rows,
    questions=(19,),
    only=("softmax",),
    show="weights",
))
add(Fault(
    "softmax_keepdims",
    "A soma perdeu o eixo",
    "Você dividiu pela soma de outra linha: a soma ficou com um eixo a menos.",
    "Sem guardar o eixo, o NumPy alinha as somas com as colunas. Quando a tabela não é quadrada, "
    "dá erro; quando é, dá número errado, calado.",
    SOFTMAX,
    (
        {"weights": lambda logits: exponentials(logits) / exponentials(logits).sum(axis=-1)},
        {"weights": lambda logits: (
            np.exp(logits - logits.max(axis=-1, keepdims=True))
            / np.exp(logits - logits.max(axis=-1, keepdims=True)).sum(axis=-1)
        )},
        {"weights": lambda logits: (
            np.exp(logits - logits.max(axis=-1)) / np.exp(logits - logits.max(axis=-1)).sum(-1)
        )},
    ),
    row_sums,
    questions=(27,),
    show="weights",
    not_in=("softmax_row", "dot_product_attention"),
))
add(Fault(
    "softmax_base_two",
    "Outra base",
    "Você usou uma potência de 2, e não de e.",
    "Com base 2 as diferenças pesam menos: é como multiplicar as pontuações por 0,693 antes do "
    "softmax.",
    SOFTMAX,
    one(weights=lambda logits: softmax(logits * np.log(2))),
    spread,
    show="weights",
))
add(Fault(
    "softmax_negative",
    "Sinal trocado na exponencial",
    "Quem pontuou menos ficou com o maior peso.",
    "Com o sinal trocado, a atenção vai para o token que menos combina.",
    SOFTMAX,
    one(weights=lambda logits: softmax(-logits)),
    show="weights",
))
add(Fault(
    "softmax_hard",
    "O maior leva tudo",
    "Você deu peso 1 à maior pontuação e 0 às outras.",
    "Na escolha de um só, a derivada é zero em quase toda parte: o treino não saberia para onde "
    "empurrar. O softmax reparte, e por isso aprende.",
    SOFTMAX,
    one(weights=lambda logits: (
        np.arange(width(logits)) == logits.argmax(axis=-1)[..., np.newaxis]
    ).astype(float)),
    spread,
    show="weights",
))
add(Fault(
    "softmax_sigmoid",
    "Sigmoide no lugar do softmax",
    "Você passou cada pontuação, sozinha, por uma sigmoide.",
    "Na sigmoide os tokens não disputam: todos podem levar peso perto de 1 ao mesmo tempo, e a "
    "linha não soma 1.",
    SOFTMAX,
    one(weights=lambda logits: 1 / (1 + np.exp(-logits))),
    row_sums,
    show="weights",
))
add(Fault(
    "softmax_logarithm",
    "Logaritmo dos pesos",
    "Você devolveu o logaritmo dos pesos.",
    "O log-softmax serve para a perda. Para misturar valores, precisa-se dos pesos: positivos e de "
    "soma 1.",
    SOFTMAX,
    one(weights=lambda logits: np.log(softmax(logits))),
    show="weights",
))

# ── Máscaras ────────────────────────────────────────────────────────────────────────────────────

add(Fault(
    "mask_missing",
    "A máscara não fez nada",
    "Sua resposta é a que sai sem máscara nenhuma.",
    "O token vê o que ainda não foi escrito, e o treino vira cola: a perda cai rápido e o modelo "
    "não sabe prever. Se você escreveu a máscara, siga-a até o softmax.",
    LOST,
    ({"logits": lambda scaled: scaled}, {"mask": lambda n: np.ones((n, n), dtype=bool)}),
    future_weight,
    questions=(8, 11),
    show="weights",
))
add(Fault(
    "mask_upside_down",
    "Máscara de cabeça para baixo",
    "Você escondeu o que podia ser visto e mostrou o que devia esconder.",
    "Aqui, como no `F.scaled_dot_product_attention`, True quer dizer \"pode ser visto\"; em outras "
    "funções quer dizer o contrário. Trocar as convenções não dá erro: mostra o que devia sumir.",
    UPSIDE_DOWN,
    (
        *blocked(lambda mask: ~mask),
        {"mask": lambda n: ~np.tri(n, dtype=bool)},
        {"expanded": lambda real: ~real[:, np.newaxis, :]},
        {"combined": lambda real, past: ~(past & real[:, np.newaxis, :])},
    ),
    future_weight,
    questions=(1,),
    show="weights",
))
add(Fault(
    "mask_transposed",
    "Triângulo virado",
    "Seu triângulo é o de cima: cada token vê a si e o que vem depois.",
    "A linha é de quem consulta, e o passado dela está à esquerda da diagonal. Virado, o último "
    "token só vê a si, e o primeiro vê a frase inteira.",
    TRIANGLE,
    (
        {"logits": lambda scaled, mask: block(swap(mask), scaled)},
        {"mask": lambda n: np.tri(n, dtype=bool).T},
        {"past": lambda n: np.tri(n, dtype=bool).T},
    ),
    future_weight,
    questions=(1, 9),
    only=(*CAUSAL, "causal_mask", "batch_mask"),
    show="weights",
))
add(Fault(
    "mask_one_ahead",
    "O triângulo deixa ver um à frente",
    "Seu triângulo subiu um degrau: cada token vê o seguinte.",
    "O seguinte é justamente o que ele deveria prever. Uma coluna a mais basta para o treino "
    "colar.",
    DIAGONAL,
    (
        {"logits": lambda scaled: block(triangle(scaled, 1), scaled)},
        {"mask": lambda n: np.tri(n, k=1, dtype=bool)},
        {"past": lambda n: np.tri(n, k=1, dtype=bool)},
    ),
    future_weight,
    questions=(9,),
    only=(*CAUSAL, "causal_mask", "batch_mask"),
    show="weights",
))
add(Fault(
    "mask_not_itself",
    "O token não vê a si mesmo",
    "Seu triângulo desceu um degrau: a diagonal ficou escondida.",
    "O primeiro token fica sem ninguém a quem atender, e a linha dele vira NaN ou zeros. Olhar "
    "para si não é ver o futuro.",
    DIAGONAL,
    (
        {"logits": lambda scaled: block(triangle(scaled, -1), scaled)},
        {
            "logits": lambda scaled: block(triangle(scaled, -1), scaled),
            "weights": lambda logits: unprotected(logits),
        },
        {"mask": lambda n: np.tri(n, k=-1, dtype=bool)},
        {"past": lambda n: np.tri(n, k=-1, dtype=bool)},
    ),
    questions=(6, 9),
    only=(*CAUSAL, "causal_mask", "batch_mask"),
    show="weights",
))
add(Fault(
    "mask_with_zero",
    "Zero no lugar de −∞",
    "Você pôs 0 (ou um número minúsculo, como −1e−9) nas pontuações proibidas.",
    "Zero anula um produto, mas aqui vai para um expoente, e e⁰ = 1: o token escondido ainda "
    "ganha peso.",
    ZERO_FILL,
    one(logits=lambda scaled, mask: block(mask, scaled, 0.0)),
    future_weight,
    questions=(4,),
    show="weights",
))
add(Fault(
    "mask_with_small_number",
    "Um número pequeno no lugar de −∞",
    "Você preencheu as pontuações proibidas com um número que não é negativo o bastante.",
    "A exponencial de −1, ou de −10, é pequena e não é zero; e perto de pontuações ainda menores "
    "ela vira a maior da linha. −∞ não depende do tamanho das outras.",
    ZERO_FILL,
    tuple(
        {"logits": lambda scaled, mask, fill=fill: block(mask, scaled, fill)}
        for fill in (-1.0, -10.0, -100.0)
    ),
    future_weight,
    questions=(4,),
    show="weights",
))
add(Fault(
    "mask_added_as_numbers",
    "Máscara de zeros e uns somada",
    "Você somou a máscara às pontuações como se fosse feita de zeros e uns.",
    "Somar 1 ao permitido e 0 ao proibido é só um empurrãozinho. Quem se soma é a máscara "
    "aditiva: 0 onde pode, −∞ onde não pode.",
    ZEROS_AND_ONES,
    one(logits=lambda scaled, mask: scaled + mask),
    future_weight,
    questions=(3,),
    show="weights",
))
add(Fault(
    "mask_after_softmax",
    "A máscara veio depois do softmax",
    "Você zerou os pesos proibidos depois do softmax.",
    "As linhas deixam de somar 1, e o futuro continua no denominador: ele some da resposta, mas "
    "mexe nela.",
    AFTER_SOFTMAX,
    one(
        logits=lambda scaled: scaled,
        weights=lambda logits, mask: softmax(logits) * mask,
    ),
    row_sums,
    questions=(5,),
    show="weights",
))
add(Fault(
    "mask_as_numbers",
    "Zeros e uns no lugar de True e False",
    "Sua máscara é de números; a deste livro é booleana.",
    "Uma máscara de números se confunde com a aditiva, em que 0 quer dizer \"pode\". O tipo diz "
    "como ela deve ser lida.",
    ZEROS_AND_ONES,
    (
        {"mask": lambda n: np.tri(n)},
        {"expanded": lambda real: real[:, np.newaxis, :].astype(float)},
        {"combined": lambda real, past: (past & real[:, np.newaxis, :]).astype(float)},
    ),
    questions=(2, 3),
    only=("causal_mask", "padding_mask", "batch_mask"),
))
add(Fault(
    "mask_additive",
    "Máscara aditiva no lugar da booleana",
    "Sua máscara tem 0 onde pode e −∞ (ou um negativo enorme) onde não pode.",
    "É a forma que se soma às pontuações. Convertida para booleana, ela se inverte: 0 vira False, "
    "e −∞ vira True.",
    TO_BOOLEAN,
    tuple(
        form
        for fill in (-np.inf, -1e9)
        for form in (
            {"mask": lambda n, fill=fill: np.where(np.tri(n, dtype=bool), 0.0, fill)},
            {"expanded": lambda real, fill=fill: np.where(real[:, np.newaxis, :], 0.0, fill)},
            {"combined": lambda real, past, fill=fill: np.where(
                past & real[:, np.newaxis, :], 0.0, fill
            )},
        )
    ),
    questions=(2, 3),
    only=("causal_mask", "padding_mask", "batch_mask"),
))
add(Fault(
    "mask_only_itself",
    "Só a diagonal",
    "Na sua máscara cada token só vê a si mesmo.",
    "Sem ver o passado, a atenção não mistura nada: o contexto de cada token é o próprio valor.",
    TRIANGLE,
    (
        {"mask": lambda n: np.eye(n, dtype=bool)},
        {"logits": lambda scaled: block(np.eye(width(scaled), dtype=bool), scaled)},
    ),
    only=("causal_mask", *CAUSAL),
    show="weights",
))
add(Fault(
    "mask_unwanted",
    "Máscara causal antes da hora",
    "Você escondeu de cada token os que vêm depois dele.",
    "Aqui todo mundo vê todo mundo: é a atenção de quem lê a frase inteira. A máscara causal é "
    "para quem prevê o próximo token.",
    TRIANGLE,
    one(weights=lambda logits: softmax(block(triangle(logits, 0), logits))),
    only=("dot_product_attention", "self_attention", "multi_head_attention"),
    show="weights",
))
add(Fault(
    "padding_one_more",
    "Um token de preenchimento a mais",
    "Você deixou à vista a primeira posição do preenchimento.",
    "Uma frase de 3 tokens ocupa as posições 0, 1 e 2. A posição de número igual ao comprimento já "
    "é preenchimento.",
    PADDING,
    one(real=lambda lengths, n: np.arange(n) <= lengths[:, np.newaxis]),
))
add(Fault(
    "padding_one_less",
    "Um token real escondido",
    "Você escondeu o último token de cada frase.",
    "As posições vão de 0 ao comprimento menos 1, e todas essas são reais.",
    PADDING,
    one(real=lambda lengths, n: np.arange(n) < lengths[:, np.newaxis] - 1),
))
add(Fault(
    "padding_on_the_left",
    "Preenchimento do outro lado",
    "Sua máscara esconde o começo das frases; aqui o preenchimento está no fim.",
    "Escondendo o lado errado, os tokens reais somem e os vazios ficam.",
    PADDING_SIDE,
    one(real=lambda lengths, n: np.arange(n) >= n - lengths[:, np.newaxis]),
    questions=(39,),
))
add(Fault(
    "padding_without_axis",
    "Máscara (B, n), sem o eixo das consultas",
    "Sua máscara tem forma (B, n).",
    "As formas se alinham pela direita: contra (B, n, n), o B da máscara encosta no eixo das "
    "consultas. Quando B e n coincidem, nem erro dá, e a consulta m de toda "
    "frase usa a máscara da frase m.",
    PADDING_SHAPE,
    one(expanded=lambda real: real),
))
add(Fault(
    "padding_hides_rows",
    "Linhas escondidas no lugar de colunas",
    "Sua máscara tem o eixo novo no fim: ela esconde quem consulta, e não quem é consultado.",
    "O preenchimento é proibido como chave: é a coluna dele que ninguém pode olhar.",
    PADDING,
    (
        {"expanded": lambda real: real[:, :, np.newaxis]},
        {"combined": lambda real, past: past & real[:, :, np.newaxis]},
    ),
))
add(Fault(
    "padding_hides_both",
    "Linhas e colunas escondidas",
    "Você escondeu também as linhas do preenchimento.",
    "Uma linha toda proibida não tem a quem atender: um softmax comum dá NaN, e ele viaja no "
    "gradiente. Basta esconder as colunas e não usar essas linhas na perda.",
    PADDING_ROWS,
    (
        {"expanded": lambda real: real[:, np.newaxis, :] & real[:, :, np.newaxis]},
        {"combined": lambda real, past: past & real[:, np.newaxis, :] & real[:, :, np.newaxis]},
    ),
    questions=(6,),
))
add(Fault(
    "masks_joined_with_or",
    "Máscaras juntadas com ou",
    "Você deixou passar o par que qualquer uma das duas máscaras permite.",
    "O futuro volta pela máscara do preenchimento, e o preenchimento, pela causal. Um par só vale "
    "se passar nas duas.",
    OR,
    one(combined=lambda real, past: past | real[:, np.newaxis, :]),
))
add(Fault(
    "masks_only_padding",
    "Faltou a máscara causal",
    "Sua máscara só esconde o preenchimento.",
    "Sem o triângulo, cada token vê o próprio futuro dentro da frase.",
    OR,
    (
        {"combined": lambda real: real[:, np.newaxis, :]},
        {"combined": lambda real, past: np.broadcast_to(
            real[:, np.newaxis, :], (len(real), *past.shape)
        )},
    ),
))
add(Fault(
    "masks_only_causal",
    "Faltou a máscara do preenchimento",
    "Sua máscara só esconde o futuro.",
    "O preenchimento tem pontuação como qualquer token, e rouba peso dos reais.",
    OR,
    (
        {"combined": lambda past: past},
        {"combined": lambda real, past: np.broadcast_to(past, (len(real), *past.shape))},
    ),
))
add(Fault(
    "nobody_is_nan",
    "Linha sem ninguém virou NaN",
    "Numa linha em que tudo é proibido, sua conta deu NaN.",
    "−∞ menos −∞ não é número. O NaN passa às outras linhas na camada seguinte e ao gradiente, "
    "mesmo que ninguém use aquele token. Aqui se combinou que essa linha vale zeros.",
    NOBODY,
    one(weights=lambda logits: unprotected(logits)),
    nan_rows,
    questions=(6,),
    only=("batched_attention",),
    show="weights",
))
add(Fault(
    "nobody_is_uniform",
    "Linha sem ninguém repartida por igual",
    "Numa linha em que tudo é proibido, sua conta deu peso a todos.",
    "Com um número finito no lugar de −∞, tudo na linha empata, e o empate vira média, inclusive "
    "do futuro. Aqui se combinou que essa linha vale zeros.",
    NOBODY,
    one(logits=lambda scaled, mask: block(mask, scaled, -1e9)),
    future_weight,
    questions=(6,),
    only=("batched_attention",),
    show="weights",
))

# ── Projeções e contexto ────────────────────────────────────────────────────────────────────────

add(Fault(
    "projection_transposed",
    "Peso transposto",
    "Você multiplicou pela transposta de uma matriz de pesos, e não por ela.",
    "No papel, W tem forma (d, c) e X vai à esquerda. `nn.Linear` guarda o peso como (c, d). Com "
    "d ≠ c a troca dá erro; com d = c, dá números errados.",
    COPYING,
    (
        {
            "query": lambda x, w_query: x @ w_query.T,
            "key": lambda x, w_key: x @ w_key.T,
            "value": lambda x, w_value: x @ w_value.T,
        },
        {
            "q_all": lambda x, w_query: x @ w_query.T,
            "k_all": lambda x, w_key: x @ w_key.T,
            "v_all": lambda x, w_value: x @ w_value.T,
        },
        {"widened": lambda x, w1, b1: x @ w1.T + b1},
        {"narrowed": lambda folded, w2, b2: folded @ w2.T + b2},
    ),
    questions=(27, 32),
))
add(Fault(
    "projections_swapped",
    "Consultas e chaves trocadas",
    "Você usou W_k nas consultas e W_q nas chaves.",
    "Cada token passa a procurar o que devia anunciar. Em Ω, a linha m fica com as pontuações que "
    "os outros davam a m.",
    ASYMMETRY,
    (
        {"query": lambda x, w_key: x @ w_key, "key": lambda x, w_query: x @ w_query},
        {"q_all": lambda x, w_key: x @ w_key, "k_all": lambda x, w_query: x @ w_query},
    ),
    questions=(28, 29),
))
add(Fault(
    "key_and_value_swapped",
    "Chaves e valores trocados",
    "Você usou W_v nas chaves e W_k nos valores.",
    "Cada token passa a anunciar o que devia entregar, e a entregar o que devia anunciar. Nada "
    "para: as formas são as mesmas.",
    ROLES,
    (
        {"key": lambda x, w_value: x @ w_value, "value": lambda x, w_key: x @ w_key},
        {"k_all": lambda x, w_value: x @ w_value, "v_all": lambda x, w_key: x @ w_key},
    ),
    questions=(28,),
))
add(Fault(
    "value_from_key_matrix",
    "O valor saiu da matriz das chaves",
    "Você projetou os valores com W_k.",
    "O que um token anuncia e o que ele entrega são coisas diferentes: por isso as matrizes são "
    "duas.",
    ROLES,
    one(value=lambda x, w_key: x @ w_key),
    questions=(28,),
    only=("project",),
))
add(Fault(
    "value_from_query_matrix",
    "O valor saiu da matriz das consultas",
    "Você projetou os valores com W_q.",
    "O que um token procura e o que ele entrega são coisas diferentes: por isso as matrizes são "
    "duas.",
    ROLES,
    one(value=lambda x, w_query: x @ w_query),
    questions=(28,),
    only=("project",),
))
add(Fault(
    "value_not_projected",
    "O valor não foi projetado",
    "Você usou X no lugar dos valores.",
    "AX roda sem reclamar, porque X também tem uma linha por token. Mas sai com largura d, e o "
    "token entrega tudo o que é, e não o que W_v aprendeu a entregar.",
    VALUE,
    one(value=lambda x: x),
    questions=(35,),
    only=("self_attention", "causal_self_attention", "project"),
))
add(Fault(
    "query_not_projected",
    "A consulta não foi projetada",
    "Você usou X no lugar das consultas.",
    "Sem W_q, o token procura o que ele mesmo é. E X só se multiplica com as chaves quando d = c.",
    SQUARE,
    one(query=lambda x: x),
    questions=(27, 28),
    only=("self_attention", "causal_self_attention", "project"),
))
add(Fault(
    "key_not_projected",
    "A chave não foi projetada",
    "Você usou X no lugar das chaves.",
    "Sem W_k, o token anuncia o que ele é, e não aquilo por que quer ser achado. E as consultas só "
    "se multiplicam com X quando d = c.",
    SQUARE,
    one(key=lambda x: x),
    questions=(27, 28),
    only=("self_attention", "causal_self_attention", "project"),
))
add(Fault(
    "stack_cut_by_reshape",
    "Q, K e V empilhadas e separadas com reshape",
    "Você juntou as três projeções numa tabela (n, 3c) e a separou com reshape(3, n, c).",
    "O reshape lê linha a linha, e cada linha da tabela traz um token com as três projeções lado a "
    "lado. As três partes são blocos de colunas, não de linhas.",
    SPLIT,
    one(
        query=lambda x, w_query, w_key, w_value: _cut_stack(x, w_query, w_key, w_value)[0],
        key=lambda x, w_query, w_key, w_value: _cut_stack(x, w_query, w_key, w_value)[1],
        value=lambda x, w_query, w_key, w_value: _cut_stack(x, w_query, w_key, w_value)[2],
    ),
    questions=(22,),
    only=("project", "self_attention", "causal_self_attention"),
))
add(Fault(
    "weights_transposed",
    "Pesos transpostos na mistura",
    "Você multiplicou os valores pela transposta dos pesos.",
    "Assim o token m recebe conforme os outros olham para ele, e não conforme ele olha para os "
    "outros. As linhas da transposta nem somam 1.",
    CONTEXT,
    one(context=lambda weights, value: swap(weights) @ value),
    only=(
        "scaled_dot_product_attention", "self_attention", "causal_attention",
        "causal_self_attention", "batched_attention", *HEADS,
    ),
))
add(Fault(
    "context_from_keys",
    "As chaves no lugar dos valores",
    "Você misturou as chaves.",
    "A chave serve para ser encontrada; quem entrega é o valor.",
    DELIVER,
    one(context=lambda weights, key: weights @ key),
    questions=(28,),
))
add(Fault(
    "context_from_queries",
    "As consultas no lugar dos valores",
    "Você misturou as consultas.",
    "A consulta serve para procurar; quem entrega é o valor.",
    DELIVER,
    one(context=lambda weights, query: weights @ query),
    questions=(28,),
))
add(Fault(
    "context_is_the_weights",
    "Parou nos pesos",
    "Você devolveu os pesos de atenção.",
    "Os pesos dizem quanto ouvir cada token. Falta ouvir: misturar o que cada um entrega.",
    CONTEXT,
    one(context=lambda weights: weights),
    only=(
        "dot_product_attention", "scaled_dot_product_attention", "self_attention",
        "causal_attention", "causal_self_attention", "batched_attention",
    ),
    questions=(18,),
))
add(Fault(
    "context_averaged",
    "Média simples dos valores",
    "Todos os tokens receberam o mesmo contexto: a média dos valores.",
    "Assim ninguém escolhe. São os pesos que fazem o contexto de um token ser diferente do dos "
    "outros.",
    CONTEXT,
    (
        {"context": lambda weights, value: np.full_like(weights, 1 / width(weights)) @ value},
        {"context": lambda weights, x: np.full_like(weights, 1 / width(weights)) @ x},
    ),
))

# ── Várias cabeças ──────────────────────────────────────────────────────────────────────────────

add(Fault(
    "heads_cut_by_rows",
    "Cabeças separadas só com reshape",
    "Você foi direto para (h, n, c), sem trocar eixos de lugar.",
    "O reshape lê a tabela linha a linha: a primeira \"cabeça\" fica com os primeiros tokens, "
    "inteiros. A frase foi cortada em pedaços, as formas batem e nada avisa.",
    SPLIT,
    ({"splitter": lambda: cut}, {"split": cut}),
    questions=(22,),
))
add(Fault(
    "heads_interleaved",
    "Colunas alternadas entre as cabeças",
    "Você distribuiu as colunas uma a uma: a primeira para a primeira cabeça, a segunda para a "
    "segunda, e assim por diante.",
    "Seria uma convenção possível, mas não é a de quem guardou os pesos: cada cabeça é um bloco "
    "de c colunas vizinhas.",
    SPLIT,
    ({"splitter": lambda: interleaved}, {"split": interleaved}),
    questions=(22, 25),
))
add(Fault(
    "heads_not_moved",
    "O eixo das cabeças ficou no meio",
    "Você separou a largura em (n, h, c) e parou aí.",
    "O produto de matrizes age nos dois últimos eixos. Com as cabeças no meio, quem se compara são "
    "as cabeças de um mesmo token, e não os tokens de uma mesma cabeça.",
    SPLIT,
    (
        {"split": lambda x, num_heads: x.reshape(len(x), num_heads, -1)},
        {
            "splitter": lambda: lambda x, num_heads: x.reshape(len(x), num_heads, -1),
            "merged": lambda context: context.reshape(len(context), -1),
        },
    ),
    questions=(23,),
))
add(Fault(
    "heads_transposed",
    "Tokens e posições trocados dentro da cabeça",
    "Cada cabeça saiu com as posições nas linhas e os tokens nas colunas.",
    "Os dois últimos eixos precisam ser (n, c), um token por linha: é assim que o resto da atenção "
    "os lê.",
    SPLIT,
    one(split=lambda x, num_heads: swap(split(x, num_heads))),
    questions=(23,),
))
add(Fault(
    "heads_all_axes_reversed",
    "Os três eixos invertidos",
    "Você usou `.T` num array de três eixos: (n, h, c) virou (c, h, n).",
    "Com mais de dois eixos, `.T` inverte a ordem de todos. Aqui só dois deviam trocar de lugar.",
    BATCH_T,
    one(split=lambda x, num_heads: x.reshape(len(x), num_heads, -1).T),
    questions=(23,),
))
add(Fault(
    "heads_reversed",
    "Cabeças em outra ordem",
    "As cabeças saíram na ordem contrária.",
    "A ordem liga cada cabeça ao seu bloco de colunas e às linhas de W_o que a leem. Trocada, cada "
    "uma fala no lugar de outra.",
    SPLIT,
    (
        {"split": lambda x, num_heads: split(x, num_heads)[::-1]},
        {"merged": lambda heads: merge(heads[::-1])},
        {"merged": lambda context: merge(context[::-1])},
    ),
    questions=(25,),
))
add(Fault(
    "merged_without_transposing",
    "Cabeças juntadas sem transpor de volta",
    "Você juntou os eixos direto, sem pôr os tokens de novo à frente das cabeças.",
    "A linha que devia trazer todas as cabeças de um token traz vários tokens de uma cabeça só. A "
    "forma bate, os números não.",
    MERGE,
    (
        {"merged": lambda heads: heads.reshape(heads.shape[1], -1)},
        {"merged": lambda context: context.reshape(context.shape[1], -1)},
    ),
    questions=(23,),
))
add(Fault(
    "merged_interleaved",
    "Cabeças intercaladas ao juntar",
    "Você alternou as posições das cabeças dentro da linha.",
    "Ao lado quer dizer em blocos: primeiro as c posições de uma cabeça, depois as da outra. W_o "
    "conta com isso.",
    MERGE,
    (
        {"merged": lambda heads: np.moveaxis(heads, 0, -1).reshape(heads.shape[1], -1)},
        {"merged": lambda context: np.moveaxis(context, 0, -1).reshape(context.shape[1], -1)},
    ),
    questions=(23, 25),
))
add(Fault(
    "merged_summed",
    "Cabeças somadas",
    "Você somou as cabeças, ou tirou a média delas.",
    "Na soma, não dá mais para saber quem disse o quê. Lado a lado, W_o aprende o que fazer com "
    "cada uma.",
    MERGE,
    (
        {"merged": lambda heads: heads.sum(axis=0)},
        {"merged": lambda heads: heads.mean(axis=0)},
    ),
    questions=(33,),
))
add(Fault(
    "merged_stacked",
    "Cabeças empilhadas",
    "Você pôs uma cabeça embaixo da outra.",
    "Empilhadas, cada token aparece em h linhas. O resto da rede espera uma linha por token.",
    MERGE,
    one(merged=lambda heads: heads.reshape(-1, width(heads))),
    questions=(23,),
))
add(Fault(
    "one_head_only",
    "Uma cabeça só",
    "Sua conta não separou as cabeças: fez uma atenção larga.",
    "Com uma cabeça, cada token tem uma distribuição só de pesos e precisa escolher um assunto por "
    "vez. Separadas, as cabeças olham para lugares diferentes.",
    ONE_HEAD,
    (
        {"splitter": lambda: lambda x, num_heads: x[np.newaxis]},
        {
            "splitter": lambda: lambda x, num_heads: x[np.newaxis],
            "scaled": lambda scores, q_all, num_heads: (
                scores / np.sqrt(width(q_all) // num_heads)
            ),
        },
    ),
))
add(Fault(
    "split_before_projecting",
    "X dividido antes de projetar",
    "Você dividiu X entre as cabeças e projetou cada pedaço.",
    "O que se divide é o resultado da projeção. Dividindo antes, cada cabeça fica cega para o "
    "resto do embedding.",
    SPLIT_FIRST,
    one(
        q_all=lambda x, w_query, num_heads: _block_diagonal(x, w_query, num_heads),
        k_all=lambda x, w_key, num_heads: _block_diagonal(x, w_key, num_heads),
        v_all=lambda x, w_value, num_heads: _block_diagonal(x, w_value, num_heads),
    ),
    questions=(25,),
))
add(Fault(
    "output_missing",
    "Faltou a projeção de saída",
    "Você devolveu as cabeças lado a lado, sem W_o.",
    "Sem ela, cada cabeça escreve só nas suas colunas. W_o é onde as cabeças conversam, e o que "
    "devolve a largura d.",
    OUTPUT,
    one(output=lambda merged: merged),
    questions=(33,),
))
add(Fault(
    "output_transposed",
    "W_o transposta",
    "Você multiplicou pela transposta de W_o.",
    "W_o leva h·c posições a d. Transposta, só roda quando os dois tamanhos coincidem, e entrega "
    "a saída de uma cabeça às linhas de outra.",
    OUTPUT,
    one(output=lambda merged, w_output: merged @ w_output.T),
    questions=(27, 32),
))


def _block_diagonal(x: np.ndarray, weight: np.ndarray, num_heads: int) -> np.ndarray:
    rows, columns = x.shape[1] // num_heads, weight.shape[1] // num_heads
    if x.shape[1] % num_heads:
        raise ValueError
    return np.concatenate([
        x[:, i * rows : (i + 1) * rows]
        @ weight[i * rows : (i + 1) * rows, i * columns : (i + 1) * columns]
        for i in range(num_heads)
    ], axis=1)


# ── O bloco ─────────────────────────────────────────────────────────────────────────────────────

add(Fault(
    "fold_missing",
    "Faltou a dobra",
    "Você ligou as duas camadas sem nada no meio.",
    "Duas camadas lineares seguidas são uma só. Sem a dobra, a rede não faz nada que uma "
    "camada linear não fizesse.",
    TWO_LINEAR,
    one(folded=lambda widened: widened),
    questions=(34,),
))
add(Fault(
    "fold_is_gelu",
    "GELU no lugar da ReLU",
    "Sua dobra tem a quina arredondada: é uma GELU.",
    "O GPT-2 usa a GELU e o artigo de 2017, a ReLU. As duas servem para treinar; neste exercício "
    "combinamos a ReLU, para que os números se confiram à mão.",
    FOLD,
    (
        {"folded": lambda widened: widened / 2 * (1 + np.tanh(
            np.sqrt(2 / np.pi) * (widened + 0.044715 * widened**3)
        ))},
        {"folded": lambda widened: widened * _normal_cdf(widened)},
    ),
))
add(Fault(
    "fold_upside_down",
    "Dobra do lado errado",
    "Você zerou o lado positivo.",
    "A ReLU deixa passar o positivo e zera o negativo.",
    FOLD,
    one(folded=lambda widened: np.minimum(widened, 0)),
))
add(Fault(
    "fold_absolute",
    "Valor absoluto no lugar da dobra",
    "Você tirou o sinal em vez de zerar o negativo.",
    "O valor absoluto é feito de duas dobras. A ReLU é uma: do lado negativo, zero.",
    FOLD,
    one(folded=lambda widened: abs(widened)),
))
add(Fault(
    "fold_at_the_end",
    "Dobra também na saída",
    "Você dobrou de novo depois da segunda camada.",
    "A saída se soma ao atalho residual e precisa poder ser negativa: com a dobra no fim, a rede "
    "só consegue aumentar.",
    FOLD,
    one(narrowed=lambda folded, w2, b2: np.maximum(folded @ w2 + b2, 0)),
))
add(Fault(
    "first_bias_missing",
    "Faltou o primeiro viés",
    "Você não somou b₁ antes da dobra.",
    "É o viés que escolhe onde fica a quina. Sem ele, toda dobra passa pela origem.",
    FOLD,
    one(widened=lambda x, w1: x @ w1),
    questions=(31,),
))
add(Fault(
    "second_bias_missing",
    "Faltou o segundo viés",
    "Você não somou b₂ na saída.",
    "O viés é o que a camada responde quando todas as dobras estão em zero.",
    FOLD,
    one(narrowed=lambda folded, w2: folded @ w2),
    questions=(31,),
))
add(Fault(
    "norm_over_tokens",
    "Normalizado por coluna",
    "Você normalizou cada posição ao longo dos tokens.",
    "A média e a variância são de cada token. Por coluna, um token muda a normalização do outro, "
    "até a de quem vem antes: o futuro vaza.",
    NORM_AXIS,
    one(axis=lambda: 0),
    questions=(12,),
))
add(Fault(
    "norm_over_everything",
    "Todos os tokens normalizados juntos",
    "Você usou uma média e uma variância só, da tabela inteira.",
    "A média e a variância são de cada token. Juntas, a frase inteira decide o tamanho de cada "
    "um, inclusive os tokens que ainda não foram escritos.",
    NORM_AXIS,
    one(axis=lambda: None),
))
add(Fault(
    "norm_unbiased",
    "Variância dividida por d − 1",
    "Você usou a variância amostral, que divide por d − 1.",
    "A LayerNorm divide por d. O `std()` do PyTorch divide por d − 1 se você não pedir outra "
    "coisa; o do NumPy, por d. Com d pequeno a diferença é grande.",
    NORM_STD,
    one(variance=lambda x, axis: x.var(axis=axis, keepdims=True, ddof=1)),
))
add(Fault(
    "norm_by_variance",
    "Dividido pela variância",
    "Você dividiu pela variância; quem está na medida dos números é o desvio.",
    "A variância está ao quadrado: dividindo por ela, o token não fica com variância 1.",
    NORM,
    (
        {"spread": lambda variance: variance + 1e-5},
        {"spread": lambda variance: variance},
    ),
))
add(Fault(
    "norm_not_centred",
    "Faltou tirar a média",
    "Você dividiu sem antes subtrair a média do token.",
    "Sem centrar, o que todas as posições têm em comum continua lá, e é o que mais pesa.",
    NORM,
    one(normalised=lambda x, spread: x / spread),
))
add(Fault(
    "norm_root_mean_square",
    "Raiz da média dos quadrados",
    "Você dividiu pela raiz da média dos quadrados, sem tirar a média.",
    "Isso é a RMSNorm, que modelos mais novos usam. Aqui o exercício pede a LayerNorm: média 0 e "
    "variância 1.",
    NORM,
    one(normalised=lambda x: x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-5)),
))
add(Fault(
    "norm_not_divided",
    "Faltou dividir pelo desvio",
    "Você só tirou a média.",
    "A variância de cada token continua a que era, e os vetores seguem crescendo de bloco em "
    "bloco.",
    NORM,
    one(normalised=lambda x, mean: x - mean),
))
add(Fault(
    "norm_without_epsilon",
    "Faltou o ε",
    "Um token de posições todas iguais virou NaN.",
    "A variância dele é zero, e 0/0 não é número. O ε, pequenininho, existe para esse caso.",
    NORM,
    one(spread=lambda variance: np.sqrt(variance)),
    nan_rows,
))
add(Fault(
    "norm_gain_missing",
    "Faltou o ganho γ",
    "Você não multiplicou pelo ganho.",
    "γ deixa a rede devolver a cada posição o tamanho que ela precisa ter.",
    NORM,
    one(shifted=lambda normalised, shift: normalised + shift),
))
add(Fault(
    "norm_shift_missing",
    "Faltou o deslocamento β",
    "Você não somou o deslocamento.",
    "β deixa a rede escolher o centro de cada posição.",
    NORM,
    one(shifted=lambda normalised, gain: normalised * gain),
))
add(Fault(
    "residual_missing_in_attention",
    "Faltou o atalho na atenção",
    "Você trocou x pela saída da atenção, em vez de somar.",
    "O atalho é o caminho por onde x e o gradiente passam inteiros. Sem ele, o que a atenção não "
    "copia se perde.",
    RESIDUAL,
    one(middle=lambda heard: heard),
))
add(Fault(
    "residual_missing_in_feed_forward",
    "Faltou o atalho na feed-forward",
    "Você devolveu a saída da feed-forward, sem somá-la ao que entrou nela.",
    "O atalho é o caminho por onde o gradiente passa inteiro. Sem ele, uma pilha de blocos quase "
    "não treina.",
    RESIDUAL,
    one(block=lambda thought: thought),
))
add(Fault(
    "residual_from_the_input",
    "O segundo atalho voltou ao começo",
    "Na segunda soma você usou o x da entrada, e não o que saiu da atenção.",
    "Assim o que os tokens conversaram não segue adiante pelo atalho: só chega pela feed-forward.",
    RESIDUAL,
    one(block=lambda x, thought: x + thought),
))
add(Fault(
    "residual_from_the_norm",
    "O atalho partiu da norma",
    "Você somou o ramo ao x já normalizado.",
    "No atalho, x passa sem que ninguém mexa nele. Normalizado, o gradiente já não o atravessa "
    "inteiro.",
    RESIDUAL,
    (
        {"middle": lambda x, norm_attention, heard: norm_attention(x) + heard},
        {"block": lambda middle, norm_feed_forward, thought: norm_feed_forward(middle) + thought},
    ),
))
add(Fault(
    "norm_after_the_sum",
    "Norma depois da soma",
    "Você normalizou depois de somar.",
    "É a ordem do artigo de 2017. Este bloco é o do GPT-2: a norma entra no ramo, e o atalho fica "
    "livre.",
    NORM_PLACE,
    one(
        heard=lambda x, attention: attention(x),
        middle=lambda x, heard, norm_attention: norm_attention(x + heard),
        thought=lambda middle, feed_forward: feed_forward(middle),
        block=lambda middle, thought, norm_feed_forward: norm_feed_forward(middle + thought),
    ),
))
add(Fault(
    "norm_missing_in_attention",
    "Faltou a norma antes da atenção",
    "A atenção recebeu x como veio.",
    "Sem a norma, o ramo lê vetores de tamanhos cada vez maiores, de bloco em bloco.",
    BLOCK,
    one(heard=lambda x, attention: attention(x)),
))
add(Fault(
    "norm_missing_in_feed_forward",
    "Faltou a norma antes da feed-forward",
    "A feed-forward recebeu a soma como veio.",
    "Sem a norma, o ramo lê vetores de tamanhos cada vez maiores, de bloco em bloco.",
    BLOCK,
    one(thought=lambda middle, feed_forward: feed_forward(middle)),
))
add(Fault(
    "norm_shared",
    "A mesma norma nas duas metades",
    "Você usou a primeira norma também na segunda metade.",
    "As duas têm ganhos e deslocamentos próprios, porque cada ramo lê x de um jeito.",
    BLOCK,
    one(thought=lambda middle, norm_attention, feed_forward: (
        feed_forward(norm_attention(middle))
    )),
))
add(Fault(
    "halves_in_parallel",
    "As duas metades leram a mesma entrada",
    "A feed-forward leu x, e não o que saiu da atenção.",
    "Em sequência, cada token pensa sobre o que acabou de ouvir. Em paralelo, pensa sem ter "
    "ouvido.",
    BLOCK,
    one(thought=lambda x, norm_feed_forward, feed_forward: feed_forward(norm_feed_forward(x))),
))
add(Fault(
    "halves_swapped",
    "A feed-forward veio antes",
    "Você pôs a feed-forward antes da atenção.",
    "A ordem importa: primeiro os tokens conversam, depois cada um pensa sobre o que ouviu.",
    BLOCK,
    one(
        heard=lambda x, norm_feed_forward, feed_forward: feed_forward(norm_feed_forward(x)),
        thought=lambda middle, norm_attention, attention: attention(norm_attention(middle)),
    ),
))

# ── De qualquer exercício ───────────────────────────────────────────────────────────────────────

add(Fault(
    "rounded",
    "Resposta arredondada",
    "Você arredondou os números antes de devolvê-los.",
    "Arredonde só na hora de mostrar. No meio da conta, o que se perde em cada passo se soma.",
    ROUNDING,
    tuple(
        {RESULT: lambda array, digits=digits: (
            np.round(array, digits) if array.dtype.kind == "f" else array
        )}
        for digits in (0, 1, 2, 3, 4)
    ),
    questions=(40,),
    only=(
        "softmax", "softmax_row", "attention_weights", "scaled_dot_product_attention",
        "self_attention", "causal_attention", "dot_product_attention", "multi_head_attention",
        "layer_norm", "sinusoidal_positions",
    ),
    alone=True,
))


def _cut_stack(x: np.ndarray, *weights: np.ndarray) -> np.ndarray:
    return (x @ np.concatenate(weights, axis=1)).reshape(3, len(x), -1)


def _normal_cdf(x: np.ndarray) -> np.ndarray:
    from math import erf

    return np.array([(1 + erf(value / 2**0.5)) / 2 for value in x.ravel()]).reshape(x.shape)


FAULTS = {fault.key: fault for fault in CATALOGUE}
