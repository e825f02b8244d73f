"""Nada que a função do aluno faça quebra a conferência, a sessão ou a referência."""

import gc
import io
import os
import random
import signal
import sys
import threading
import time
import warnings

import numpy as np
import pytest
import torch

import atencao
from atencao import checks
from atencao.checks import exercises, guard

RIGHT = atencao.softmax


def loop(x):
    while True:
        pass


def stubborn_loop(x):
    while True:
        try:
            sum(range(100))
        except BaseException:
            continue


def sleep(x):
    time.sleep(60)


def swallow_and_answer(x):
    try:
        while True:
            pass
    except BaseException:
        return RIGHT(x)


def deep(x):
    return deep(x)


def deep_with_a_higher_limit(x):
    sys.setrecursionlimit(10**6)
    return deep(x)


def huge_array(x):
    return np.ones((200_000, 200_000))


def huge_list(x):
    return [0] * 10**11


def leave(x):
    sys.exit(0)


def leave_for_real(x):
    os._exit(3)


def abort(x):
    os.abort()


def interrupt(x):
    raise KeyboardInterrupt


def generator_exit(x):
    raise GeneratorExit


class Silent(Exception):
    def __str__(self):
        raise RuntimeError("nem a mensagem sai")


def silent_error(x):
    raise Silent


class Hostile:
    """Levanta exceção a cada coisa que se tente."""

    def _no(self, *_, **__):
        raise RuntimeError("não me toque")

    __array__ = __bool__ = __eq__ = __len__ = __iter__ = __getitem__ = __repr__ = _no
    __hash__ = None


class Agreeable(np.ndarray):
    """Um array que diz que é igual a tudo."""

    def __eq__(self, other):
        return np.True_

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return np.zeros(())

    __hash__ = None


CASES = [
    (loop, "too_slow"),
    (stubborn_loop, "too_slow"),
    (sleep, "too_slow"),
    (swallow_and_answer, "too_slow"),
    (deep, "endless_recursion"),
    (huge_array, "too_much_memory"),
    (huge_list, "too_much_memory"),
    (leave, "leaves_python"),
    (leave_for_real, "leaves_python"),
    (abort, "leaves_python"),
    (interrupt, "interrupted"),
    (generator_exit, "raises"),
    (silent_error, "raises"),
    (lambda x: Hostile(), "raises"),
    (lambda x: [Hostile()], "raises"),
    (lambda x: np.zeros(x.shape).view(Agreeable), "unknown"),
    (lambda x: "0.5", "raises"),
    (lambda x: {"pesos": RIGHT(x)}, "raises"),
    (lambda x: RIGHT(x) + 0j, "raises"),
    (lambda x: np.array([None, "a"]), "raises"),
    (lambda x: [], "raises"),
    (lambda x: [[1.0], [1.0, 2.0]], "unknown"),
    (lambda x: RIGHT, "raises"),
    (lambda x: np.empty((0, 3)), "unknown"),
    (lambda x: x * np.nan, "unknown"),
    (lambda x: x * np.inf, "unknown"),
    (lambda: 1, "raises"),
    (lambda a, b, c: a, "raises"),
    (lambda x: 1 / 0, "raises"),
    (lambda x: nowhere, "raises"),  # noqa: F821
]


@pytest.mark.parametrize(("function", "fault"), CASES, ids=lambda case: getattr(
    case, "__name__", None))
def test_the_session_survives_and_the_message_says_what_happened(function, fault):
    started = time.monotonic()
    result = checks.softmax(function, seconds=0.5)
    assert time.monotonic() - started < 10
    assert not result
    assert result.faults == (fault,)
    assert str(result)
    assert result._repr_html_()
    assert checks.softmax(RIGHT)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="na 3.11 a recursão não gasta a pilha de C")
def test_a_higher_recursion_limit_is_put_back():
    before = sys.getrecursionlimit()
    result = checks.softmax(deep_with_a_higher_limit, seconds=2)
    assert set(result.faults) <= {"endless_recursion", "too_much_memory", "too_slow"}
    assert sys.getrecursionlimit() == before


def test_no_gc_callback_runs_beside_the_learner():
    """O alarme que toca dentro de um deles se perde: o Python engole a exceção e avisa."""
    running, called = [], []

    def collects(scores):
        running.append(True)
        gc.collect(0)  # só os objetos novos: a coleta inteira pode demorar mais que o prazo
        running.clear()
        return RIGHT(scores)

    def watch(phase, info):
        called.extend(running)

    gc.callbacks.append(watch)
    try:
        assert checks.softmax(collects)
        assert watch in gc.callbacks
    finally:
        gc.callbacks.remove(watch)
    assert called == []


def test_the_time_limit_holds_outside_the_main_thread():
    results = []
    thread = threading.Thread(target=lambda: results.append(checks.softmax(loop, seconds=0.3)))
    thread.start()
    thread.join(10)
    assert not thread.is_alive()
    assert results[0].faults == ("too_slow",)


def test_the_time_limit_is_for_the_whole_check():
    started = time.monotonic()
    result = checks.softmax(lambda x: [time.sleep(0.3), RIGHT(x)][1], seconds=0.5)
    assert time.monotonic() - started < 5
    assert result.faults == ("too_slow",)


def test_an_alarm_of_the_session_still_rings():
    rang = []
    before = signal.signal(signal.SIGALRM, lambda *_: rang.append(1))
    try:
        assert checks.softmax(RIGHT)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        time.sleep(0.2)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert rang


@pytest.mark.parametrize("stub", [
    lambda x: None, lambda x: ..., lambda x: NotImplemented, None, ..., NotImplemented,
])
def test_a_stub_is_to_be_done_and_nothing_else(stub):
    result = checks.softmax(stub)
    assert result.state == "ainda por fazer"
    assert not result
    assert not result.faults


def test_stubs_written_in_other_ways():
    def with_docstring(x):
        """Ainda nada."""

    def raises(x):
        raise NotImplementedError

    def started(x):
        rows = len(x)  # noqa: F841
        return ...

    for stub in (with_docstring, raises, started):
        assert checks.softmax(stub).state == "ainda por fazer"


def test_a_forgotten_return_is_not_a_stub():
    def forgot(x):
        weights = RIGHT(x)  # noqa: F841

    assert checks.softmax(forgot).faults == ("returns_nothing",)


def test_a_value_in_place_of_the_function_is_explained():
    result = checks.softmax(np.ones((2, 2)))
    assert result.faults == ("not_a_function",)
    assert "sem parênteses" in result.message


def test_changing_the_input_is_a_fault_of_its_own():
    def in_place(x):
        x -= x.max(axis=-1, keepdims=True)
        np.exp(x, out=x)
        x /= x.sum(axis=-1, keepdims=True)
        return x

    result = checks.softmax(in_place)
    assert result.faults == ("changes_input",)
    assert 0 < result.score < 1

    def wrong_too(x):
        x[:] = RIGHT(x, axis=0)
        return x

    assert checks.softmax(wrong_too).faults == ("softmax_wrong_axis", "changes_input")


def test_changing_a_tensor_or_a_list_is_seen_too():
    def in_place(x):
        return torch.exp(x.sub_(x.max(dim=1, keepdim=True).values)).softmax(dim=1) * 0 + (
            x.softmax(dim=1)
        )

    assert "changes_input" in checks.softmax(in_place).faults


def test_an_answer_that_changes_is_seen():
    calls = []

    def counts(x):
        calls.append(x)
        return RIGHT(x) + 0.1 * len(calls)

    assert checks.softmax(counts).faults == ("answers_change",)


def test_learning_the_probes_by_heart_does_not_help():
    answers = {}
    for probe in exercises.SOFTMAX.probes():
        scores = probe.inputs["scores"]
        answers[scores.tobytes()] = RIGHT(scores)
    result = checks.softmax(lambda x: answers.get(x.tobytes(), np.zeros_like(x)))
    assert not result
    assert 0 < result.score < 1


def test_replacing_numpy_does_not_change_the_verdict():
    kept = {name: getattr(np, name) for name in ("allclose", "abs", "where", "exp", "isnan")}

    def replaces(x):
        for name in kept:
            setattr(np, name, lambda *a, **k: np.True_)
        return np.zeros_like(x)

    assert not checks.softmax(replaces)
    assert all(getattr(np, name) is value for name, value in kept.items())
    assert checks.softmax(RIGHT)


def test_numpy_replaced_before_the_check_does_not_change_it_either(monkeypatch):
    lies = lambda *a, **k: np.True_  # noqa: E731
    monkeypatch.setattr(np, "allclose", lies)
    monkeypatch.setattr(np, "isnan", lies)
    monkeypatch.setattr(np, "argwhere", lies)
    assert checks.softmax(lambda x: RIGHT(x, axis=0)).faults == ("softmax_wrong_axis",)
    assert np.allclose is lies


def test_our_names_are_out_of_reach():
    def replaces(x):
        import atencao.functional
        from atencao.checks import check, diagnosis, evidence

        atencao.functional.softmax = lambda *a: 0
        diagnosis.same = check.same = lambda *a: True
        evidence.differs = lambda *a: np.zeros(1, dtype=bool)
        exercises.SOFTMAX = None
        return x

    assert not checks.softmax(replaces)
    assert checks.softmax(RIGHT)
    assert atencao.functional.softmax is RIGHT


def test_our_names_replaced_before_the_check_are_put_back(monkeypatch):
    monkeypatch.setattr("atencao.checks.check.same", lambda *a: True)
    monkeypatch.setattr("atencao.functional.softmax", lambda *a, **k: np.zeros((4, 3)))
    assert not checks.softmax(lambda x: np.zeros_like(x))


def test_the_reference_is_not_on_the_stack_while_the_learner_runs():
    seen = []

    def spies(x):
        frame = sys._getframe()
        while frame:
            seen.extend(frame.f_locals)
            frame = frame.f_back
        return np.zeros_like(x)

    checks.softmax(spies)
    assert "expected" not in seen


def test_the_session_is_left_as_it_was(tmp_path):
    np.random.seed(3)  # noqa: NPY002
    random.seed(3)
    state = np.random.get_state()[1].copy(), random.getstate(), torch.get_rng_state()  # noqa: NPY002
    folder, filters = os.getcwd(), list(warnings.filters)
    errors, options, kind = np.geterr(), np.get_printoptions(), torch.get_default_dtype()
    stdout, stderr, environment = sys.stdout, sys.stderr, dict(os.environ)
    threads, gradients = torch.get_num_threads(), torch.is_grad_enabled()

    def messy(x):
        np.random.seed(9)  # noqa: NPY002
        random.seed(9)
        torch.manual_seed(9)
        os.chdir(tmp_path)
        warnings.simplefilter("error")
        np.seterr(all="raise")
        np.set_printoptions(precision=1)
        torch.set_default_dtype(torch.float64)
        torch.set_grad_enabled(False)
        sys.stdout = sys.stderr = io.StringIO()
        sys.settrace(lambda *a: None)
        os.environ["ATENCAO"] = "1"
        del sys.modules["random"]
        return RIGHT(x)

    assert checks.softmax(messy)
    assert np.array_equal(np.random.get_state()[1], state[0])  # noqa: NPY002
    assert random.getstate() == state[1]
    assert torch.equal(torch.get_rng_state(), state[2])
    assert os.getcwd() == folder
    assert warnings.filters == filters
    assert (np.geterr(), np.get_printoptions()) == (errors, options)
    assert torch.get_default_dtype() is kind
    assert (torch.get_num_threads(), torch.is_grad_enabled()) == (threads, gradients)
    assert (sys.stdout, sys.stderr) == (stdout, stderr)
    assert dict(os.environ) == environment
    assert sys.modules["random"] is random


def test_what_the_function_prints_is_kept_apart_and_bounded(capsys):
    def chatty(x):
        print("forma", x.shape)
        print("x" * 10**6)
        return RIGHT(x)

    result = checks.softmax(chatty)
    assert result
    assert capsys.readouterr().out == ""
    assert result.printed.startswith("forma (4, 3)")
    assert len(result.printed) <= guard.MOST_PRINTED


def test_an_exception_is_told_with_its_line_and_the_shapes():
    def multiplies_wrong(query, key):
        first = query * 1
        return first @ key.T @ key.T

    result = checks.attention_scores(multiplies_wrong)
    assert result.faults == ("raises",)
    assert "ValueError" in result.message
    flat = " ".join(result.message.split())
    assert "linha 3 de multiplies_wrong: return first @ key.T @ key.T" in flat
    assert "query (4, 3) e key (6, 3)" in flat
    assert result.arguments[0].shape == (4, 3)


def test_a_real_interruption_comes_back_to_the_person():
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    result = checks.softmax(loop, seconds=5)
    assert result.faults == ("interrupted",)


def test_the_memory_limit_is_lifted_afterwards():
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_AS)
    checks.softmax(huge_array)
    assert resource.getrlimit(resource.RLIMIT_AS) == before
