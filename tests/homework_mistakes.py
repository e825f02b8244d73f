"""Respostas às tarefas e ao projeto: os enganos que um aluno comete, e as certas de outro jeito.

Cada tarefa tem a sua tabela, em ``homework_mistakes_1`` a ``_4``, e o projeto, a dele. Os pontos e
as palavras esperadas saem da matemática e do enunciado, e não do que a correção disse um dia.
"""

import json
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Answer:
    """Uma resposta e o que ela merece.

    cells: o que o aluno escreveu em cada célula de resposta. gets: para cada teste que perde
    pontos, ou que diz alguma coisa, os pontos e um trecho da mensagem, ou o nome da falha; "" se
    não há o que dizer. Todos os outros testes dão a nota toda. replaced: os nomes que a correção
    troca pelos da referência, em cada teste que perderia pontos por causa de outra questão. sees:
    o que o aluno precisa ler no caderno, na parte de um teste que ele vê.
    """

    name: str
    cells: dict[str, str]
    gets: dict[str, tuple[float, str]] = field(default_factory=dict)
    replaced: dict[str, list[str]] = field(default_factory=dict)
    sees: dict[str, str] = field(default_factory=dict)


def wrong(name: str, cell: str, code: str, **gets: tuple[float, str]) -> Answer:
    """Um engano numa célula só. Em ``gets``, q1_teste é o teste q1-teste."""
    return Answer(name, {cell: code}, {key.replace("_", "-"): due for key, due in gets.items()})


def right(name: str, cell: str, code: str) -> Answer:
    return Answer(name, {cell: code})


def seen(answer: Answer, **sees: str) -> Answer:
    """A mesma resposta, e o que ela mostra na tela."""
    return replace(answer, sees={key.replace("_", "-"): text for key, text in sees.items()})


def hand_ins(answers: list[Answer]) -> list[tuple[Answer, ...]]:
    """Reparte as respostas em entregas, cada uma com no máximo uma por célula.

    Corrigir uma entrega custa quase o mesmo com um engano ou com cinco.
    """
    groups: list[list[Answer]] = []
    for answer in answers:
        for group in groups:
            if not any(answer.cells.keys() & other.cells.keys() for other in group):
                group.append(answer)
                break
        else:
            groups.append([answer])
    return [tuple(group) for group in groups]


def notebook(source: str, rest: dict[str, str], answers: tuple[Answer, ...]) -> bytes:
    """O caderno de quem respondeu assim e, ao que sobrou, com ``rest`` ou com a solução."""
    cells = dict(rest)
    for answer in answers:
        cells |= answer.cells
    made = json.loads(source)
    for cell in made["cells"]:
        cell["source"] = cells.get(cell["metadata"]["nbgrader"]["grade_id"], cell["source"])
    return json.dumps(made).encode()
