"""O que vale para todos os testes."""

from hypothesis import settings

# Os mesmos exemplos em toda máquina: um teste que passa aqui passa na integração contínua.
settings.register_profile("estável", deadline=None, derandomize=True)
settings.load_profile("estável")
