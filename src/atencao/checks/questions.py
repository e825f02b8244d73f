"""As perguntas de palpite: um número ou uma forma para dizer antes de rodar.

Para acrescentar uma, escreva uma ``Question``: a resposta é uma função que a calcula, e cada
deslize comum é outra, com a frase que o explica. Nada aqui é digitado à mão: o que a pessoa vê
numa célula do caderno e o que se espera dela saem da mesma conta. A chave é o capítulo, um ponto e
um nome.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from atencao import functional, text
from atencao.checks.exercises import Section


@dataclass(frozen=True)
class Slip:
    """Um deslize comum: o valor a que ele leva e o que dizer a quem chegou lá."""

    value: Callable[[], object]
    did: str


@dataclass(frozen=True)
class Question:
    """asks é o que se pergunta; answer calcula a resposta; tolerance é a folga, para mais e menos.

    Uma resposta que é tupla é uma forma, e não tem folga.
    """

    key: str
    asks: str
    answer: Callable[[], object]
    slips: tuple[Slip, ...]
    look: Section
    tolerance: float = 0.005


# As frases com que o contador do capítulo 1 treina.
_TRAINING = tuple(sentence.split() for sentence in (
    "o artigo está na biblioteca",
    "o gato está na almofada",
    "o artigo sobre llm está na biblioteca",
    "o gato gordo está na almofada",
    "o artigo sobre atenção está na biblioteca",
))
_FAT_CAT = ["o", "gato", "gordo", "está", "na"]


def _memory_needed() -> int:
    """De quantos dos últimos tokens é preciso lembrar para que reste uma continuação só."""
    for size in range(1, len(_FAT_CAT) + 1):
        context = _FAT_CAT[-size:]
        after = {
            sentence[m] for sentence in _TRAINING for m in range(size, len(sentence))
            if sentence[m - size:m] == context
        }
        if len(after) == 1:
            return size
    raise ValueError


def _cat() -> np.ndarray:
    """Os embeddings da frase do gato: the fat cat sat on the mat."""
    return text.embed(text.tokenize(text.CAT_SENTENCE))


def _cat_scores() -> np.ndarray:
    return functional.attention_scores(_cat(), _cat())


def _stubborn(power: int = 1, by_row: bool = True) -> int:
    """O menor inteiro que faz cat dar a si mesmo mais de 90%; power=2 se multiplica os vetores."""
    for factor in range(1, 100):
        scores = factor**power * _cat_scores()
        weights = functional.softmax(scores if by_row else scores.ravel())
        if weights.reshape(scores.shape)[CAT, CAT] > 0.9:
            return factor
    raise ValueError


def _verb_to_maria(*answers: int, strength: int = 4) -> float:
    """O peso que é dá a Maria quando respondem os tokens dados de "ela é a Maria"."""
    return functional.softmax(strength * np.isin(np.arange(4), answers))[3]


def _article_weights(scale: float | None = None) -> np.ndarray:
    """Os pesos de artigo para artigo, LLM e encontro, no exemplo do capítulo 5."""
    example = text.library_question()
    return functional.attention_weights(example.query, example.key, scale=scale)[0]


def _article_scores() -> np.ndarray:
    example = text.library_question()
    return functional.attention_scores(example.query, example.key)[0]


def _article_over_llm(log: Callable[[float], float]) -> float:
    """A razão entre os pesos de artigo e de LLM, passada por log (float a deixa como está)."""
    weights = _article_weights()
    return log(weights[0] / weights[1])


def _tie() -> np.ndarray:
    """A consulta de comprimento 1 que empata artigo e LLM e deixa encontro em último."""
    first, second = _tie_gap()
    return np.array([-second, first]) / np.hypot(first, second)


def _tie_gap() -> np.ndarray:
    article, llm, _ = text.library_question().key
    return article - llm


def _unit(x: np.ndarray) -> np.ndarray:
    return x / np.linalg.norm(x)


def _causal_pairs(*lengths: int, k: int = 0) -> int:
    """Pares permitidos quando cada frase, destes comprimentos, só vê a si, de modo causal."""
    return sum(int(np.tri(n, k=k).sum()) for n in lengths)


def _copying_factor(scale: float | None = None, rows: slice = slice(None)) -> int:
    """O menor inteiro que faz cada token pôr mais de 0,99 do peso no anterior, com n = c = 6."""
    position, mask = np.eye(6), functional.causal_mask(6)
    for factor in range(1, 100):
        weights = functional.attention_weights(
            factor * np.eye(6, k=-1), position, mask=mask, scale=scale
        )
        if weights.diagonal(-1)[rows].min() > 0.99:
            return factor
    raise ValueError


def _blocks_to_the_end(n: int, back: int) -> int:
    """Quantos blocos levam a notícia do primeiro token ao último, de ``back`` em ``back`` casas."""
    seen = window = np.tri(n) - np.tri(n, k=-back - 1)
    blocks = 1
    while not seen[-1, 0]:
        seen, blocks = window @ seen, blocks + 1
    return blocks


FAT, CAT = 1, 2
MEMORY = Section("01-texto-em-vetores", "O que um decodificador faz")
QUEUE = Section("01-texto-em-vetores", "Antes da atenção: um token por vez")
DOT = Section("02-produto-escalar", "Um produto, à mão")
LENGTHS = Section("02-produto-escalar", "2. Manda quem é comprido")
EXAMPLE = Section("05-artigo-llm-encontro", "Passo C: o softmax")
PROJECTIONS = Section("03-projecoes-qkv", "Três projeções do mesmo token")
SHE_FINDS = Section("03-projecoes-qkv", "*Ela* encontra *Maria*")
CONTEXT = Section("03-projecoes-qkv", "Pesos e contexto, como antes")
RANK = Section("03-projecoes-qkv", "E por que não uma matriz só, d×d?")
HYPOTHESES = Section("04-escala", "Quando uma hipótese falha")
PROMISE = Section("04-escala", "O que √c não promete")
RATIOS = Section("05-artigo-llm-encontro", "O softmax, desmontado")
INGREDIENTS = Section("05-artigo-llm-encontro", "Os ingredientes")
COUNTING = Section("06-cinco-produtos", "Quem conta é o código")
DRAWER = Section("06-cinco-produtos", "Por que o produto escalar puro não consegue")
CAUSAL = Section("07-causal", "A frase inteira: a máscara é um triângulo")
TWO_MASKS = Section("08-lotes", 'Duas máscaras, um "e"')
NEIGHBOURS = Section("08-lotes", "Nenhuma frase espia a outra")
ATTEND = Section("09-multiplas-cabecas", "Atender, concatenar, projetar")
BY_HAND = Section("09-multiplas-cabecas", "Duas cabeças feitas à mão")
PARAMETERS = Section("10-bloco-transformer", "Onde moram os parâmetros")
STACK = Section("10-bloco-transformer", "Empilhar")

QUESTIONS = {
    question.key: question
    for question in (
        Question(
            "01.factor",
            "Que fator deixa metade do primeiro token depois de 100 passos?",
            lambda: 0.5 ** (1 / 100),
            (
                Slip(lambda: 1 - 0.5 / 100,
                     "Você tirou o mesmo pedaço a cada passo. O fator age sobre o que restou, e "
                     "o pedaço encolhe junto."),
                Slip(lambda: 0.5 / 100,
                     "Você dividiu a metade pelos passos; a cada passo se multiplica."),
                Slip(lambda: np.log(0.5) / 100,
                     "Esse é o logaritmo do fator. Falta voltar dele ao fator."),
                Slip(lambda: 2 ** (1 / 100),
                     "Você inverteu: com fator maior que 1, a contribuição cresce."),
                Slip(lambda: 0.5**100,
                     "Você elevou a metade a 100. O que se eleva a 100 é o fator, e o resultado "
                     "é a metade."),
                Slip(lambda: 0.9, "Com esse, em 100 passos não chega quase nada."),
            ),
            QUEUE,
            tolerance=0.0005,
        ),
        Question(
            "01.memory",
            "De quantos tokens é preciso lembrar, no mínimo, para que só sobre almofada?",
            _memory_needed,
            (
                Slip(lambda: 1,
                     "Essa é a memória de next_token, que depois de na prefere biblioteca."),
                Slip(lambda: _memory_needed() - 1,
                     "O par está na aparece nas cinco frases: não distingue gato de artigo."),
                Slip(lambda: _memory_needed() + 1, "Esse também acerta, mas basta menos."),
                Slip(lambda: len(_FAT_CAT), "Lembrar a frase inteira acerta, mas basta menos."),
            ),
            MEMORY,
        ),
        Question(
            "02.cat_fat",
            "Quanto vale o produto escalar de cat com fat?",
            lambda: _cat()[CAT] @ _cat()[FAT],
            (
                Slip(lambda: (_cat()[CAT] + _cat()[FAT]).sum(),
                     "Você somou as posições dos dois vetores; multiplique-as, uma a uma."),
                Slip(lambda: _cat()[CAT] @ _cat()[CAT],
                     "Esse é o produto de cat consigo mesmo."),
                Slip(lambda: (_cat()[CAT] * _cat()[FAT]).mean(),
                     "Essa é a média dos produtos; o produto escalar é a soma."),
            ),
            DOT,
        ),
        Question(
            "02.stubborn",
            "Por que inteiro multiplicar as pontuações para cat dar a si mesmo mais de 90%?",
            _stubborn,
            (
                Slip(lambda: _stubborn() - 1, "Quase: com esse, cat ainda fica abaixo de 90%."),
                Slip(lambda: _stubborn(power=2),
                     "Você multiplicou os vetores. A pontuação é um produto de dois deles, e "
                     "cresce com o quadrado."),
                Slip(lambda: _stubborn(by_row=False),
                     "Você fez o softmax da tabela inteira. Quem reparte a atenção é a linha de "
                     "cat."),
            ),
            LENGTHS,
        ),
        Question(
            "04.divisor",
            "Desvio padrão 3 em cada posição e c = 25: por quanto dividir as pontuações?",
            lambda: 3**2 * np.sqrt(25),
            (
                Slip(lambda: np.sqrt(25),
                     "Você dividiu por √c, que supõe variância 1 em cada posição."),
                Slip(lambda: 3 * np.sqrt(25),
                     "Você contou o desvio uma vez; cada parcela é um produto de dois sorteios."),
                Slip(lambda: 3**4 * 25,
                     "Essa é a variância das pontuações. O que divide é o desvio."),
                Slip(lambda: 3**4 * np.sqrt(25),
                     "Você tirou a raiz de c, mas não a da variância de cada parcela."),
                Slip(lambda: 3**2 * 25,
                     "Você tirou a raiz da variância de cada parcela, mas não a de c."),
            ),
            HYPOTHESES,
        ),
        Question(
            "04.hidden_rate",
            "Com c = 256 e sem divisão, que taxa repete o treino de taxa 1 com √c?",
            lambda: 1 / np.sqrt(256),
            (
                Slip(lambda: 1,
                     "Você manteve a taxa. As matrizes ficaram menores, e o gradiente delas, não."),
                Slip(lambda: 256**-0.25,
                     "Esse é o fator das matrizes. Falta contar que o gradiente também mudou de "
                     "tamanho."),
                Slip(lambda: 256**0.25,
                     "Esse é o tamanho que o gradiente ganha; a taxa precisa desfazê-lo."),
                Slip(lambda: np.sqrt(256),
                     "Você inverteu: o gradiente cresceu, e o passo precisa ser menor."),
                Slip(lambda: 1 / 256, "Você dividiu a taxa por c; é demais."),
            ),
            PROMISE,
        ),
        Question(
            "05.unscaled_meeting",
            "Sem dividir por √2, que peso artigo dá a encontro?",
            lambda: _article_weights(1.0)[2],
            (
                Slip(lambda: _article_weights()[2],
                     "Esse é o peso com a escala; aqui as pontuações não se dividem."),
                Slip(lambda: _article_weights(1.0)[2] / np.sqrt(2),
                     "Você dividiu o peso por √2; aqui não se divide nada por √2."),
                Slip(lambda: np.exp(_article_scores()[2]),
                     "Você parou na exponencial: falta dividir pela soma das três."),
                Slip(lambda: _article_scores()[2] / _article_scores().sum(),
                     "Você dividiu a pontuação pela soma das pontuações: faltou a exponencial."),
                Slip(lambda: functional.softmax(abs(_article_scores()))[2],
                     "O sinal se perdeu: o expoente de encontro é negativo."),
                Slip(lambda: 0,
                     "Pontuação negativa não é peso zero: toda potência de e é positiva."),
            ),
            EXAMPLE,
            tolerance=0.002,
        ),
        Question(
            "05.gap",
            "Em quanto diferiam as pontuações escaladas de artigo e de LLM?",
            lambda: _article_over_llm(np.log),
            (
                Slip(lambda: _article_weights()[0] - _article_weights()[1],
                     "Você subtraiu os pesos. A diferença das pontuações está na razão deles."),
                Slip(lambda: _article_over_llm(float),
                     "Essa é a razão entre os pesos. Falta voltar dela à diferença."),
                Slip(lambda: _article_over_llm(np.log10),
                     "Você usou o logaritmo decimal; a potência era de e."),
                Slip(lambda: _article_over_llm(np.log2),
                     "Você usou o logaritmo de base 2; a potência era de e."),
                Slip(lambda: -_article_over_llm(np.log),
                     "Você dividiu o peso de LLM pelo de artigo: o sinal inverteu."),
                Slip(lambda: _article_scores()[0] - _article_scores()[1],
                     "Essa é a diferença das pontuações antes da escala."),
            ),
            RATIOS,
            tolerance=0.0009,
        ),
        Question(
            "05.tie",
            "Quanto vale a primeira posição da consulta que empata artigo e LLM?",
            lambda: _tie()[0],
            (
                Slip(lambda: -_tie()[0],
                     "Essa é a direção oposta: artigo e LLM empatam, mas quem vence é encontro."),
                Slip(lambda: _tie()[1], "Essa é a segunda posição, a do assunto."),
                Slip(lambda: -_tie_gap()[1],
                     "A direção é essa; falta dar à consulta o comprimento 1."),
                Slip(lambda: _unit(text.library_question().key[:2].sum(axis=0))[0],
                     "Você somou as duas chaves. Elas têm comprimentos diferentes, e no meio do "
                     "caminho entre elas a mais comprida ainda ganha."),
                Slip(lambda: _unit(sum(map(_unit, text.library_question().key[:2])))[0],
                     "Você achou a direção de ângulos iguais com as duas chaves. Elas têm "
                     "comprimentos diferentes, e a mais comprida ainda ganha."),
            ),
            INGREDIENTS,
        ),
        Question(
            "06.break_even",
            "Com d = 768, em que n os dois produtos com n² alcançam as três projeções?",
            lambda: 3 * 768 / 2,
            (
                Slip(lambda: 768,
                     "Você igualou n a d. São três projeções contra dois produtos com n²."),
                Slip(lambda: 768 / 2, "Você contou uma projeção só; são três: Q, K e V."),
                Slip(lambda: 3 * 768, "Você contou um produto só com n²; são dois: Ω e C."),
                Slip(lambda: 2 * 768 / 3,
                     "Você inverteu a fração: confira de que lado ficou o 3."),
            ),
            COUNTING,
            tolerance=1.0,
        ),
        Question(
            "06.beta",
            "Quanto precisa valer β, no mínimo?",
            lambda: np.sqrt(6) * np.log(4 * 0.99 / 0.01),
            (
                Slip(lambda: np.log(4 * 0.99 / 0.01),
                     "Essa é a pontuação já escalada; a consulta vem antes da divisão."),
                Slip(lambda: 6 * np.log(4 * 0.99 / 0.01),
                     "Você desfez a divisão por c; quem divide é a raiz."),
                Slip(lambda: np.sqrt(18) * np.log(4 * 0.99 / 0.01),
                     "Você usou a raiz de d = 18; quem divide é a raiz de c."),
                Slip(lambda: np.sqrt(6) * np.log(0.99 / 0.01),
                     "Você pôs um concorrente só na conta; a linha do pedido tem outros."),
                Slip(lambda: np.sqrt(6) * np.log(3 * 0.99 / 0.01),
                     "Faltou um concorrente: além das fichas, o pedido também olha para si."),
                Slip(lambda: np.sqrt(6) * np.log(5 * 0.99 / 0.01),
                     "Você contou a ficha certa entre os próprios concorrentes."),
                Slip(lambda: np.sqrt(6) * np.log(0.99),
                     "Faltou o denominador do softmax: o peso é uma parte da soma da linha."),
            ),
            DRAWER,
            tolerance=0.05,
        ),
        Question(
            "03.projected",
            "Se X tem forma (7, 4) e W_q, (4, 2), que forma tem Q?",
            lambda: (np.ones((7, 4)) @ np.ones((4, 2))).shape,
            (
                Slip(lambda: (2, 7), "Você transpôs: os tokens continuam nas linhas."),
                Slip(lambda: (7, 4), "Essa é a forma de X. A projeção muda a largura."),
                Slip(lambda: (4, 2), "Essa é a forma da matriz. Os 7 tokens não somem."),
                Slip(lambda: (7, 7), "Essa é a forma das pontuações, que vêm depois."),
            ),
            PROJECTIONS,
        ),
        Question(
            "03.context",
            "Com X (9, 6), W_q e W_k (6, 3) e W_v (6, 5), que forma tem C?",
            lambda: functional.scaled_dot_product_attention(
                *(np.ones((9, 6)) @ np.ones((6, width)) for width in (3, 3, 5))
            ).context.shape,
            (
                Slip(lambda: (9, 3),
                     "Essa é a forma de Q e de K. O contexto não mistura nenhuma das duas."),
                Slip(lambda: (9, 6),
                     "Essa é a forma de X. O contexto mistura valores, e não embeddings."),
                Slip(lambda: (9, 9), "Essa é a forma dos pesos. Falta misturar os valores."),
                Slip(lambda: (5, 9), "Você transpôs: os tokens continuam nas linhas."),
                Slip(lambda: (6, 5), "Essa é a forma de W_v. Os 9 tokens não somem."),
                Slip(lambda: (3, 5),
                     "Você deixou a largura das consultas nas linhas; ali ficam os tokens."),
            ),
            CONTEXT,
        ),
        Question(
            "03.verb_to_maria",
            "Que peso o verbo passa a dar a Maria?",
            lambda: _verb_to_maria(0, 3),
            (
                Slip(lambda: _verb_to_maria(),
                     "Esse é o peso de quem não procura nada: a consulta do verbo continua zero, "
                     "ou ninguém responde a ela."),
                Slip(lambda: _verb_to_maria(3),
                     "Só Maria respondeu ao verbo. O outro lado dele também participa."),
                Slip(lambda: _verb_to_maria(0, 2, 3),
                     "Três tokens responderam ao verbo; são só dois os lados dele."),
                Slip(lambda: _verb_to_maria(0, 3, strength=1),
                     "A pergunta do verbo saiu com força 1; as outras têm força 4."),
                Slip(lambda: 1 / 2,
                     "Metade seria se os outros dois não levassem nada, e o softmax não dá zero a "
                     "ninguém."),
            ),
            SHE_FINDS,
            tolerance=0.002,
        ),
        Question(
            "03.favourites",
            "Com c = 1, quantos tokens diferentes podem ser o favorito de alguém?",
            lambda: len({int((query * np.arange(5.0)).argmax()) for query in (-2.0, -1.0, 1.0)}),
            (
                Slip(lambda: 1, "Isso vale quando todas as consultas têm o mesmo sinal."),
                Slip(lambda: 3,
                     "Você contou também a consulta zero: ela empata todos, e empate não é "
                     "preferência."),
                Slip(lambda: 5,
                     "Isso se consegue num plano. Numa reta só há dois sentidos para onde ir."),
            ),
            RANK,
        ),
        Question(
            "07.pairs",
            "Quantos pares a máscara causal permite, com n = 1024?",
            lambda: _causal_pairs(1024),
            (
                Slip(lambda: 1024**2, "Essa é a tabela inteira, futuro incluído."),
                Slip(lambda: 1024**2 / 2,
                     "Metade da tabela é quase isso, mas a diagonal inteira é permitida."),
                Slip(lambda: _causal_pairs(1024, k=-1),
                     "Você deixou a diagonal de fora: cada token também vê a si mesmo."),
                Slip(lambda: _causal_pairs(1024, k=1),
                     "Você contou uma coluna a mais por linha: o token seguinte não se vê."),
            ),
            CAUSAL,
        ),
        Question(
            "08.combined_mask",
            "Que forma tem a máscara causal e de preenchimento, com B = 8, n = 20, d = 64, c = 16?",
            lambda: (functional.causal_mask(20) & np.ones((8, 1, 20), dtype=bool)).shape,
            (
                Slip(lambda: (20, 20),
                     "Essa é a forma da causal sozinha, a mesma para todas as frases."),
                Slip(lambda: (8, 1, 20),
                     "Essa é a forma da de preenchimento. A causal estica o eixo do meio."),
                Slip(lambda: (8, 20),
                     "Assim se sabe quem é real em cada frase. Faltam as consultas: a máscara fala "
                     "de pares."),
                Slip(lambda: (8, 20, 16), "Essa é a forma de Q. A máscara fala de pares."),
                Slip(lambda: (8, 20, 64), "Essa é a forma de X. A máscara fala de pares."),
                Slip(lambda: (20, 20, 8), "O eixo das frases vem à frente."),
            ),
            TWO_MASKS,
        ),
        Question(
            "08.packed_pairs",
            "Quantos True tem a máscara (15, 15) de três frases em fila, de 7, 5 e 3 tokens?",
            lambda: _causal_pairs(7, 5, 3),
            (
                Slip(lambda: _causal_pairs(15),
                     "Essa é a causal da fila inteira: a segunda frase ainda vê a primeira."),
                Slip(lambda: 7**2 + 5**2 + 3**2,
                     "As frases já não se veem, mas dentro de cada uma o futuro ficou à vista."),
                Slip(lambda: _causal_pairs(7, 5, 3, k=-1),
                     "Você deixou a diagonal de fora: cada token também vê a si mesmo."),
                Slip(lambda: 15**2, "Essa é a tabela inteira."),
                Slip(lambda: (functional.causal_mask(7) & (
                    np.arange(7) < np.array([[[7]], [[5]], [[3]]])
                )).sum(),
                     "Esse é o total do lote preenchido até 7, que conta as linhas do "
                     "preenchimento. Em fila, não há preenchimento."),
            ),
            NEIGHBOURS,
        ),
        Question(
            "09.scores",
            "Que forma têm as pontuações, com B = 2, n = 5, d = 12 e h = 4 cabeças?",
            lambda: functional.attention_scores(
                *2 * [functional.split_heads(np.ones((2, 5, 12)), 4)]
            ).shape,
            (
                Slip(lambda: (2, 5, 5), "Faltou um eixo: cada cabeça tem as suas pontuações."),
                Slip(lambda: (4, 5, 5), "Faltou um eixo: cada frase tem as suas pontuações."),
                Slip(lambda: (8, 5, 5),
                     "Você juntou frases e cabeças num eixo só; aqui os dois ficam à vista."),
                Slip(lambda: (2, 4, 5, 3), "Essa é a forma de Q por cabeça, antes do produto."),
                Slip(lambda: (2, 4, 3, 3),
                     "Você comparou posições com posições; quem se compara são os tokens."),
                Slip(lambda: (2, 5, 4, 4),
                     "As cabeças ficaram depois dos tokens, e o produto comparou cabeças."),
                Slip(lambda: (2, 5, 5, 4), "O eixo das cabeças vem antes dos dois dos tokens."),
            ),
            ATTEND,
        ),
        Question(
            "09.copy_factor",
            "Qual o menor inteiro s que dá ao token anterior mais de 0,99 do peso, em toda linha?",
            _copying_factor,
            (
                Slip(lambda: _copying_factor(scale=1.0),
                     "Esse basta se ninguém dividir as pontuações: você esqueceu a escala."),
                Slip(lambda: _copying_factor(scale=1 / 6),
                     "Esse é o de quem divide por c; a escala divide pela raiz."),
                Slip(lambda: _copying_factor(rows=slice(0, 1)),
                     "Esse basta para o token 1, que só disputa com um. A última linha tem mais "
                     "concorrentes."),
                Slip(lambda: _copying_factor() - 1,
                     "Quase: com esse, a última linha ainda fica um pouco abaixo."),
            ),
            BY_HAND,
        ),
        Question(
            "10.feed_forward_parameters",
            "Quantos parâmetros tem uma feed-forward com d = 64, meio de largura 256 e vieses?",
            lambda: 64 * 256 + 256 + 256 * 64 + 64,
            (
                Slip(lambda: 2 * 64 * 256, "Você contou os pesos e esqueceu os vieses."),
                Slip(lambda: 64 * 256 + 256, "Essa é a primeira camada; falta a que estreita."),
                Slip(lambda: 2 * (64 * 256 + 256),
                     "O segundo viés não tem a largura do meio: ele se soma à saída."),
                Slip(lambda: 2 * (64 * 256 + 64),
                     "O primeiro viés não tem a largura d: ele se soma ao meio, já alargado."),
            ),
            PARAMETERS,
        ),
        Question(
            "10.reach",
            "De quantos blocos o último de 6 tokens precisa para depender do primeiro?",
            lambda: _blocks_to_the_end(6, back=1),
            (
                Slip(lambda: 6,
                     "Você contou os tokens. Conte os passos que separam o último do primeiro."),
                Slip(lambda: _blocks_to_the_end(6, back=2),
                     "Você andou duas casas por bloco. A janela tem dois tokens, mas um deles é o "
                     "próprio."),
                Slip(lambda: 1, "Num bloco só, o último ouve apenas o vizinho."),
            ),
            STACK,
        ),
    )
}
