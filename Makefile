# Uma palavra para cada tarefa. Qualquer uma funciona num clone recém-feito: o ambiente se monta
# sozinho em .venv e só se refaz quando requirements.txt ou pyproject.toml mudam.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.pronto
# O mesmo ambiente, com o que só as turmas e os testes usam.
CLASSROOM := .venv/.turma

.PHONY: book test lab notebooks classroom assignments explorers lint bench clean

book: $(READY)
	$(BIN)/jupyter-book build . -n -W --keep-going
	@echo "Pronto. Abra no navegador: $(CURDIR)/_build/html/index.html"

test: $(CLASSROOM)
	$(BIN)/python -m pytest -n auto --dist loadfile

lab: $(READY)
	$(BIN)/jupyter lab --notebook-dir=book --ContentsManager.hide_globs='["_*", "imagens", "*.bib"]'

notebooks: $(READY)
	$(BIN)/python tools/notebooks.py

classroom: $(CLASSROOM)
	@echo "Pronto. Para corrigir uma turma: $(BIN)/atencao-grade --help"

assignments: $(CLASSROOM)
	$(BIN)/python tools/assignments.py

explorers: $(READY)
	PATH="$(CURDIR)/$(BIN):$$PATH" npm ci --ignore-scripts
	PATH="$(CURDIR)/$(BIN):$$PATH" npm run build

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/python tools/notebooks.py --check

bench: $(CLASSROOM)
	$(BIN)/python tools/bench.py
	$(BIN)/python tools/bench_checks.py
	$(BIN)/python tools/bench_grade.py
	$(BIN)/python tools/bench_pages.py

clean:
	rm -rf .venv _build node_modules .npm.lock .hypothesis .pytest_cache .ruff_cache

$(READY): requirements.txt pyproject.toml tools/install.py
	$(PYTHON) tools/install.py

$(CLASSROOM): $(READY) requirements-classroom.txt
	$(BIN)/python -m pip install -r requirements-classroom.txt
	touch $(CLASSROOM)
