"""As dúvidas de quem aprende, com a resposta curta e o lugar do livro em que ela é mostrada.

Os números são os que as falhas do catálogo citam em ``questions``.
"""

from typing import NamedTuple

from atencao.checks.exercises import Section

TEXT, DOT, PROJECTIONS, SCALE = (
    "01-texto-em-vetores", "02-produto-escalar", "03-projecoes-qkv", "04-escala",
)
EXAMPLE, PRODUCTS, CAUSAL = "05-artigo-llm-encontro", "06-cinco-produtos", "07-causal"
BATCHES, HEADS, BLOCK = "08-lotes", "09-multiplas-cabecas", "10-bloco-transformer"


class Doubt(NamedTuple):
    """Uma dúvida: a pergunta, a resposta em uma ou duas frases e as seções que a mostram."""

    number: int
    asks: str
    answer: str
    look: tuple[Section, ...]


def doubt(number: int, asks: str, answer: str, *look: tuple[str, str]) -> Doubt:
    return Doubt(number, asks, answer, tuple(Section(*place) for place in look))


DOUBTS = {
    "Máscaras": (
        doubt(1, "True quer dizer que o token se vê ou que se esconde?",
              "Neste curso, True é quem pode ser visto. Há funções do PyTorch com o contrário, e "
              "confundi-las mostra o futuro: o teste de vazamento acusa na hora.",
              (CAUSAL, '"True é o que eu escondo"'), (CAUSAL, "O teste de vazamento")),
        doubt(2, "Posso converter a minha máscara de −∞ e zeros para booleana?",
              "Convertida direto, ela vira do avesso: −∞ é diferente de zero e passa a valer "
              "True, e os zeros, que deixavam passar, viram False.",
              (CAUSAL, '"Converti a máscara para booleana"')),
        doubt(3, "A máscara se soma ou se aplica?",
              "A aditiva (0 e −∞) se soma às pontuações; a booleana escolhe quem fica. Uma de "
              "zeros e uns, somada, só empurra as pontuações um pouco.",
              (CAUSAL, '"Passei a máscara de zeros e uns"')),
        doubt(4, "Por que −∞, se um zero já anula?",
              "Porque a máscara entra antes da exponencial, e e⁰ é 1. Só −∞ dá peso zero.",
              (CAUSAL, '"Zero já anula", "−1 já é bem pequeno"')),
        doubt(5, "Não dá no mesmo zerar os pesos depois do softmax?",
              "Não: as linhas deixam de somar 1, e a pontuação de quem foi escondido continua no "
              "denominador.",
              (CAUSAL, '"Multiplico os pesos pelo triângulo, depois do softmax"')),
        doubt(6, "E uma linha em que ninguém pode ser visto?",
              "O softmax de −∞ em toda parte é 0/0: NaN. Aqui essa linha recebe zeros, e o "
              "contexto também.", (BATCHES, "Linhas sem ninguém")),
        doubt(7, "Há um NaN debaixo da máscara. Faz mal?",
              "Faz: 0 vezes NaN é NaN, e um valor escondido estraga o contexto de todos.",
              (CAUSAL, '"O NaN está debaixo da máscara, então não importa"')),
        doubt(8, "Chamei masked_fill e nada mudou. Por quê?",
              "Ele devolve um tensor novo; quem não guarda o resultado fica com o velho.",
              (CAUSAL, '"O `masked_fill` não fez nada"')),
        doubt(9, "A diagonal fica dentro ou fora do triângulo?",
              "Dentro: o token se vê. Uma casa a mais mostra o próximo token; uma a menos deixa o "
              "primeiro sem ninguém.",
              (CAUSAL, '"O triângulo está certo, só confundi a diagonal"')),
        doubt(10, "Por que a máscara é buffer, e não parâmetro?",
              "Ela não se treina, mas acompanha o módulo para a GPU e, se for o caso, para o "
              "arquivo. Um atributo comum fica para trás.",
              (CAUSAL, "Buffer, parâmetro ou atributo?")),
        doubt(11, "A perda caiu depressa demais. Devo comemorar?",
              "Desconfie: ou o modelo vê a resposta, ou os alvos não foram deslocados.",
              (CAUSAL, "Treinar sem a máscara: bom demais"),
              (CAUSAL, '"A perda despencou: o modelo é ótimo"')),
    ),
    "Softmax e escala": (
        doubt(12, "Em que eixo vai o softmax?",
              "No das chaves, o último: cada linha é de quem consulta, e é a linha que soma 1.",
              (DOT, '"Softmax é softmax, o eixo tanto faz"'),
              (BATCHES, '`axis=1` só quer dizer "por linha" em duas dimensões')),
        doubt(13, "Todos os pesos deram 1. O modelo tem certeza?",
              "Não: o softmax correu num eixo de tamanho 1, e um número sozinho fica com tudo.",
              (DOT, '"Os pesos deram todos 1: o modelo tem certeza"')),
        doubt(14, "Divido pela raiz de d ou de c?",
              "De c, a largura das consultas e das chaves. Com várias cabeças, a de uma cabeça só.",
              (SCALE, '"Divido pela raiz do tamanho do embedding"'),
              (HEADS, '"A escala é a raiz de d"')),
        doubt(15, "Posso dividir os pesos, em vez das pontuações?",
              "As linhas deixam de somar 1, e a distribuição segue tão concentrada quanto antes.",
              (EXAMPLE, '"Divido por √2 depois do softmax, dá no mesmo"')),
        doubt(16, "Por que √c, e não c?",
              "Com posições independentes, de média 0 e variância 1, a soma de c produtos tem "
              "variância c; o desvio, que é o tamanho típico, é √c. "
              "Dividir por c deixa as pontuações pequenas demais, e os pesos quase iguais.",
              (SCALE, "O passeio de c passos"), (SCALE, '"Se √c ajuda, c ajuda mais"')),
        doubt(17, "Rodei um exemplo com e sem escala e quase nada mudou.",
              "Uma linha só não convence: olhe a entropia e o gradiente de muitas, com c de 1 a "
              "1024.", (SCALE, '"Rodei um exemplo e não vi diferença"'),
              (SCALE, "O gradiente que chega a $W_q$ e $W_k$")),
        doubt(18, "Pontuação e peso são a mesma coisa?",
              "A pontuação é um número qualquer; o peso vem depois do softmax, é positivo e soma 1 "
              "na linha.", (DOT, '"Pontuação e peso são dois nomes da mesma coisa"')),
        doubt(19, "Por que subtrair o máximo antes da exponencial?",
              "Não muda os pesos e evita que a exponencial estoure: com pontuação 1000, sem isso, "
              "o resultado é NaN.", (DOT, '"A exponencial é só uma exponencial"')),
    ),
    "Formas e cabeças": (
        doubt(20, "d_out é por cabeça ou no total?",
              "Depende de quem escreveu. Neste curso, c é a largura de uma cabeça, e h · c é a "
              "total.",
              (PROJECTIONS, '"`d_out` é o c"'), (HEADS, "c é o tamanho por cabeça")),
        doubt(21, "O comentário diz (B, n, c). Posso confiar?",
              "Comentário não roda. Um assert da forma roda, e reclama quando a conta muda.",
              (PROJECTIONS, '"O comentário diz (n, c), então é (n, c)"'),
              (BATCHES, '"A forma está no comentário"')),
        doubt(22, "Por que não reshape direto para (B, h, n, c)?",
              "As formas batem, mas cada cabeça recebe um trecho da frase, em vez de um pedaço de "
              "cada token. Numere as células e você vê.",
              (HEADS, "Separar sem embaralhar"), (HEADS, '"As formas batem, então está certo"')),
        doubt(23, "Por que transpor de novo antes de juntar?",
              "Na memória, uma cabeça vem depois da outra. Sem transpor, a linha de um token se "
              "enche com os dos outros.", (HEADS, '"Na volta, é só juntar os eixos"')),
        doubt(24, "O view reclamou e pediu contiguous. O que houve?",
              "transpose só troca os passos com que a memória é lida; view precisa dela em ordem, "
              "e contiguous faz uma cópia em ordem.", (HEADS, "Passos na memória")),
        doubt(25, "Uma projeção grande ou h pequenas?",
              "Os números são os mesmos: as pequenas são blocos de colunas da grande.",
              (HEADS, "Do laço à matriz: uma projeção só")),
        doubt(26, "Quantos parâmetros há numa atenção?",
              "Sem viés e com c = d/h, as três projeções e a saída somam 4d², qualquer que seja o "
              "número de cabeças.", (HEADS, "Quantos parâmetros?")),
        doubt(27, "No meu exemplo deu certo. Por que falha no teste?",
              "Com n igual a c, uma matriz e a sua transposta cabem no mesmo lugar, e o erro se "
              "esconde. Teste com tamanhos diferentes.",
              (PROJECTIONS, '"Testei num exemplo quadrado e funcionou"')),
    ),
    "Projeções": (
        doubt(28, "O que são, afinal, Q, K e V?",
              "Três versões do mesmo token, cada uma por uma matriz: o que ele procura, como quer "
              "ser encontrado, o que entrega.",
              (PROJECTIONS, "Três projeções do mesmo token"),
              (PROJECTIONS, '"Q, K e V são três coisas que a rede lê"')),
        doubt(29, "Por que a consulta não é a própria chave?",
              "QQᵀ é simétrica: \"ela precisa de Maria\" valeria tanto quanto \"Maria precisa de "
              "ela\".", (PROJECTIONS, "Por que a consulta não é a chave")),
        doubt(30, "Por que não uma matriz só, no lugar de Wq e Wk?",
              "A fatoração limita o posto a c e, com c menor que d/2, custa menos: 2dc números, em "
              "vez de d².",
              (PROJECTIONS, "E por que não uma matriz só, d×d?")),
        doubt(31, "Com viés ou sem?",
              "O da chave soma o mesmo a toda a linha, e o softmax o apaga; os outros têm efeito, "
              "mas modelos recentes costumam dispensá-los.",
              (PROJECTIONS, '"Um viés a mais não faz mal"'),
              (PRODUCTS, '"Com viés é mais completo"')),
        doubt(32, "Por que nn.Parameter e nn.Linear dão números diferentes?",
              "nn.Linear guarda a matriz transposta e a sorteia de outro jeito. Copiar o peso pede "
              "uma transposta.", (PRODUCTS, "Segunda versão: nn.Linear"),
              (PRODUCTS, '"Copiei os pesos, então as duas versões são iguais"')),
        doubt(33, "Para que serve a projeção de saída?",
              "Sem ela, cada cabeça escreve só nas suas colunas; com ela, os contextos se "
              "misturam.",
              (HEADS, "$W_o$ deixa as cabeças conversarem")),
        doubt(34, "Duas camadas lineares seguidas valem mais que uma?",
              "Não: o produto de duas matrizes é uma matriz. É preciso uma dobra no meio.",
              (BLOCK, '"Duas camadas lineares valem mais que uma"'),
              (PROJECTIONS, '"Com mais uma camada linear, a consulta fica mais expressiva"')),
        doubt(35, "Já tenho os pesos. Multiplico por X?",
              "Por V: o que se mistura é o que cada token entrega, e não o embedding.",
              (PROJECTIONS, '"Os pesos estão certos, então C = AX"'),
              (PRODUCTS, '"Os pesos já estão prontos: multiplico por X e acabou"')),
    ),
    "Treino, lotes e o resto": (
        doubt(36, "Por que um peso passou de 1 e a saída muda a cada vez?",
              "É o dropout ligado: ele apaga uns e aumenta outros. Na hora de usar, chame eval().",
              (BLOCK, "Dropout e `eval()`")),
        doubt(37, "Mesma semente, outra máquina, outros números. É erro?",
              "Não: a ordem das somas muda com o processador e a versão, e o treino amplia a "
              "diferença.", (PRODUCTS, '"Os números diferem na sétima casa: há um erro"')),
        doubt(38, "A atenção sabe a ordem das palavras?",
              "Sozinha, não: troque os tokens de lugar e as saídas só trocam de lugar. A ordem vem "
              "das posições.", (DOT, "4. A ordem não existe"),
              (TEXT, "Falta a ordem: posições")),
        doubt(39, "Preencher à esquerda ou à direita tanto faz?",
              "Só com a máscara e com as posições certas; sem uma delas, o resultado muda.",
              (BATCHES, "À esquerda ou à direita")),
        doubt(40, "O caminho rápido não dá exatamente os mesmos bits.",
              "Nem precisa: ele soma em outra ordem. Compare com tolerância, e saiba de quanto.",
              (PRODUCTS, '"Os números diferem na sétima casa: há um erro"'),
              (HEADS, "Do caderno à biblioteca")),
        doubt(41, "Onde a biblioteca guarda Wq, Wk e Wv?",
              "nn.MultiheadAttention empilha as três em in_proj_weight; dá para separá-las e "
              "conferir.", (HEADS, "Do caderno à biblioteca"),
              (HEADS, '"Pedi os pesos e vieram sem as cabeças"')),
        doubt(42, "Posso ler os pesos como explicação?",
              "Com cuidado: dois mapas diferentes podem dar a mesma resposta.",
              (HEADS, "O peso explica a resposta?")),
        doubt(43, "Quanto custa a atenção quando a frase cresce?",
              "O quadrado de n, em contas e, se a tabela for guardada, em memória.",
              (HEADS, "Quanto custa quando n cresce"),
              (TEXT, '"Um passo só, então a atenção é de graça"')),
    ),
}
