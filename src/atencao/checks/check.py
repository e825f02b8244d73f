"""Do que a função respondeu ao resultado: está certo, está por fazer, ou qual é o erro."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from atencao.checks import behaviour, guard, torch_modules
from atencao.checks.diagnosis import Arrays, Suspect, same, suspects
from atencao.checks.evidence import Case, first_difference, spread
from atencao.checks.exercises import Exercise, Probe, Section
from atencao.checks.faults import Fault
from atencao.checks.learner import Learner, Reply, Unfinished, is_unfinished
from atencao.checks.result import MISTAKE, RIGHT, Note, Result, todo

MOST_ALTERNATIVES = 3
LONGEST_NAME = 40
DID, SHOWS, WHY = "O que você fez", "O que mostra isso", "Por que importa"


def check(exercise: Exercise, function: Callable, seconds: float = guard.SECONDS) -> Result:
    """Confere ``function`` em todas as provas do exercício e explica o que encontrou.

    O resultado fala da função pelo nome que ela tem, que nem sempre é o do exercício.
    """
    return replace(_checked(exercise, function, seconds), name=_called(function) or exercise.name)


def _called(function: object) -> str:
    """O nome da função, ou o da classe do módulo; "" para o que não tem um que ajude."""
    is_object = torch_modules.is_module(function) and not isinstance(function, type)
    with suppress(Exception):
        name = (type(function) if is_object else function).__name__
        return name[:LONGEST_NAME] if name.isidentifier() else ""
    return ""


def _checked(exercise: Exercise, function: Callable, seconds: float) -> Result:
    if is_unfinished(function):
        return todo(exercise.name)
    if not callable(function):
        return mistake(
            exercise, "not_a_function", "Faltou a função",
            [Note(DID, f"Você passou {_kind(function)}. Passe a função, sem chamá-la: só o nome "
                       "dela, sem parênteses.")],
        )
    if torch_modules.is_module(function) and torch_modules.has_weights(exercise):
        prepared = guard.run(lambda: torch_modules.adapt(exercise, function), seconds)
        if prepared.error is not None:
            return _unfit(exercise, function, prepared.error)
        exercise, function = prepared.value
    with guard.pristine():
        probes, fresh = exercise.probes(), exercise.fresh()
    learner = Learner(function, exercise.pipeline.inputs, seconds)
    replies = answers_of(learner, probes)
    asked = probes[: len(replies)]
    if not replies[-1].fatal:
        extra = [probes[0], fresh]
        asked = asked + extra
        replies += [learner.call(probe.inputs) for probe in extra]
    with guard.pristine(), np.errstate(all="ignore"):
        return _verdict(exercise, learner, asked, replies)


def _unfit(exercise: Exercise, module: object, error: BaseException) -> Result:
    """Um módulo em que não se acha o que conferir, ou que nem se deixa copiar."""
    if isinstance(error, torch_modules.NotFound):
        text = str(error)
    else:
        text = " ".join(filter(None, behaviour.explain(error, module, {})))
    return mistake(
        exercise, "unfit_module", "Não consegui usar este módulo", [Note(SHOWS, text)]
    )


def answers_of(learner: Learner, probes: Sequence[Probe]) -> list[Reply]:
    """Uma resposta por prova; depois de uma fatal, mais nenhuma."""
    replies = [learner.try_out(probes[0].inputs)]
    for probe in probes[1:]:
        if replies[-1].fatal:
            break
        replies.append(learner.call(probe.inputs))
    return replies


def mistake(
    exercise: Exercise, key: str, title: str, notes: list[Note], *, score: float = 0.0,
    look: tuple[Section, ...] = (), **more: object,
) -> Result:
    """Um erro que não é de conta: a função se portou mal."""
    return Result(
        exercise.name, MISTAKE, score, f"{title}.", tuple(notes), look or (exercise.look,), (key,),
        ((key,),), **more,
    )


def _verdict(
    exercise: Exercise, learner: Learner, probes: list[Probe], replies: list[Reply]
) -> Result:
    first = replies[0]
    if first.unfinished:
        forgot = isinstance(first.error, Unfinished) and first.error.nothing is None
        if forgot and behaviour.does_something(learner.function):
            return mistake(
                exercise, "returns_nothing", "A função não devolve nada",
                [Note(DID, "Sua função faz contas e termina sem devolver o resultado delas.")],
            )
        return todo(exercise.name)
    unfit = next((r.error for r in replies if isinstance(r.error, torch_modules.NotFound)), None)
    if unfit is not None:
        return _unfit(exercise, learner.function, unfit)
    expected = [exercise.pipeline.answer(probe.inputs) for probe in probes]
    answers = [
        None if reply.answer is None else reply.answer.like(right)
        for reply, right in zip(replies, expected, strict=True)
    ]
    return _Judged(exercise, learner, probes, replies, answers, expected).result()


class _Judged:
    """Todas as provas, respondidas e comparadas."""

    def __init__(self, exercise, learner, probes, replies, answers, expected):
        self.exercise: Exercise = exercise
        self.learner: Learner = learner
        self.probes: list[Probe] = probes
        self.replies: list[Reply] = replies
        self.answers: list[Arrays | None] = answers
        self.expected: list[Arrays] = expected
        self.right = [same(a, e) for a, e in zip(answers, expected, strict=True)]
        counted = [ok for ok, probe in zip(self.right, probes, strict=True) if not probe.square]
        self.score = round(sum(counted) / len(counted), 2)
        self.all_right = all(counted) and not replies[-1].fatal
        self.changed = tuple(dict.fromkeys(name for reply in replies for name in reply.changed))
        self.printed = next((reply.printed for reply in replies if reply.printed), "")

    def result(self) -> Result:
        if self.all_right and not self.changed:
            return self._passed()
        if self.all_right:
            return self._changed_its_input()
        if self._unstable():
            return self._answers_change()
        found = suspects(self.exercise, self.probes, self.answers, self._overflowed())
        # Muitas explicações para os mesmos números é o mesmo que nenhuma.
        if 0 < len(found) <= MOST_ALTERNATIVES:
            return self._named(found)
        raised = self._raised()
        return self._unknown() if raised is None else raised

    def _passed(self) -> Result:
        return Result(
            self.exercise.name, RIGHT, 1.0,
            f"Conferi com {len(self.probes) - 1} entradas, de tamanhos diferentes.",
            printed=self.printed,
        )

    def _changed_its_input(self) -> Result:
        names = " e ".join(self.changed)
        were = "já não era" if len(self.changed) == 1 else "já não eram"
        return self._mistake(
            "changes_input", "As contas estão certas, mas a função mexeu na entrada", [
                Note(DID, f"Depois da chamada, {names} {were} o que foi passado."),
                Note(WHY, "Quem chamou continua usando esse array, e vai fazer contas com outros "
                          "números sem saber. Trabalhe num array novo, ou numa cópia."),
            ], score=0.9,
        )

    def _unstable(self) -> bool:
        """A primeira prova, repetida por último: (…, primeira de novo, inédita)."""
        if len(self.answers) < 3:
            return False
        first, again = self.answers[0], self.answers[-2]
        return first is not None and not same(first, again)

    def _overflowed(self) -> set[int]:
        """Com listas e ``math.exp``, o Python levanta a exceção que o NumPy escreve como NaN."""
        return {
            i for i, reply in enumerate(self.replies)
            if isinstance(reply.error, (OverflowError, ZeroDivisionError))
        }

    def _answers_change(self) -> Result:
        return self._mistake(
            "answers_change", "A mesma entrada, duas respostas", [
                Note(SHOWS, "Chamei sua função duas vezes com os mesmos números, e a segunda "
                            "resposta foi diferente da primeira."),
                Note(WHY, "Uma conta de atenção só depende do que entra. Algo ficou guardado entre "
                          "uma chamada e outra, foi sorteado, ou é um dropout ligado."),
            ],
        )

    def _named(self, found: list[Suspect]) -> Result:
        first = found[0]
        faults, case = first.faults, self._case(first)
        if len(found) == 1:
            proof = _proof(faults, case)
            notes = [
                Note(DID, "\n".join(fault.did for fault in faults)),
                Note(SHOWS, self._setting() + proof),
                Note(WHY, "\n".join(fault.why for fault in faults)),
            ]
            title = ". ".join(fault.title for fault in faults) + "."
        else:
            notes = [
                Note(f"Explicação {i}", " ".join(fault.did for fault in suspect.faults))
                for i, suspect in enumerate(found, 1)
            ]
            notes.append(Note(SHOWS, self._setting() + first_difference(case)))
            title = "Mais de um engano daria esses números; veja qual é o seu."
        looks = tuple(dict.fromkeys(fault.look for s in found for fault in s.faults))
        return Result(
            self.exercise.name, MISTAKE, self.score, title, self._with_changes(notes), looks,
            first.keys + self._change_key(), tuple(suspect.keys for suspect in found),
            self._arguments(), self.printed,
        )

    def _raised(self) -> Result | None:
        for probe, reply in zip(self.probes, self.replies, strict=True):
            if reply.error is not None:
                sees = getattr(self.learner.function, "sees", self.learner.names)
                seen = {name: probe.inputs[name] for name in sees}
                lines = behaviour.explain(reply.error, self.learner.function, seen)
                key = _ERROR_KEYS.get(type(reply.error).__name__, "raises")
                return self._mistake(
                    key, _ERROR_TITLES[key],
                    [Note(SHOWS, " ".join(filter(None, lines)))], score=self.score,
                    arguments=tuple(probe.inputs.values()),
                )
        return None

    def _unknown(self) -> Result:
        texts = behaviour.broken(
            self.exercise, self.learner, self.probes, self.answers, self.expected
        )
        return self._mistake(
            "unknown", "Não é o esperado, e este erro não está no catálogo",
            [Note(SHOWS, " ".join(texts))], score=self.score,
        )

    def _mistake(self, key: str, title: str, notes: list[Note], **more: object) -> Result:
        if key != "changes_input":
            notes = list(self._with_changes(notes))
        more = {"arguments": self._arguments(), "printed": self.printed, **more}
        return mistake(self.exercise, key, title, notes, **more)

    def _with_changes(self, notes: list[Note]) -> tuple[Note, ...]:
        if self.changed:
            names = " e ".join(self.changed)
            notes = [*notes, Note("Além disso", f"Sua função mexeu em {names}, que é de quem a "
                                                "chamou. Trabalhe numa cópia.")]
        return tuple(notes)

    def _change_key(self) -> tuple[str, ...]:
        return ("changes_input",) if self.changed else ()

    def _worst(self) -> int:
        """A primeira prova que mostra o erro em números; de preferência, não a quadrada."""
        wrong = [i for i, ok in enumerate(self.right) if not ok]
        valued = [i for i in wrong if self.answers[i] is not None]
        plain = [i for i in valued if not self.probes[i].square]
        return (plain or valued or wrong or [0])[0]

    def _case(self, suspect: Suspect) -> Case:
        i = self._worst()
        pipeline, inputs = self.exercise.pipeline, self.probes[i].inputs
        right = {f"right_{name}": value for name, value in _values(pipeline, inputs, {}).items()}
        wrong = _values(pipeline, inputs, suspect.changes)
        return Case(inputs, self.answers[i] or (), self.expected[i], {**wrong, **right})

    def _setting(self) -> str:
        probe = self.probes[self._worst()]
        if not probe.square:
            return ""
        error = next((r.error for r in self.replies if r.error is not None), None)
        stops = f" Com tamanhos diferentes, ela para ({type(error).__name__})." if error else ""
        return f"Quando todos os tamanhos são iguais, sua conta roda e erra.{stops} "

    def _arguments(self) -> tuple:
        return tuple(self.probes[self._worst()].inputs.values())


def _proof(faults: tuple[Fault, ...], case: Case) -> str:
    """Num par, "saiu tanto, sairia tanto" não diz qual das falhas foi; somas de linha dizem."""
    evidence = [fault.evidence for fault in faults]
    if len(faults) > 1:
        evidence = [show for show in evidence if show is not spread] or [first_difference]
    return "\n".join(dict.fromkeys(show(case) for show in evidence))


def _values(pipeline, inputs: Mapping[str, object], changes) -> dict:
    with np.errstate(all="ignore"):
        return pipeline.values(inputs, changes)


_ERROR_KEYS = {
    "TimeUp": "too_slow", "RecursionError": "endless_recursion", "MemoryError": "too_much_memory",
    "_ArrayMemoryError": "too_much_memory", "SystemExit": "leaves_python",
    "KeyboardInterrupt": "interrupted",
}
_ERROR_TITLES = {
    "too_slow": "O tempo acabou",
    "endless_recursion": "Recursão sem fim",
    "too_much_memory": "Memória demais",
    "leaves_python": "A função tentou sair do Python",
    "interrupted": "Interrompido",
    "raises": "A função parou com um erro",
}


def _kind(value: object) -> str:
    return f"um valor do tipo {type(value).__name__}"

