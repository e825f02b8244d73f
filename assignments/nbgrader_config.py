# Como o nbgrader prepara e recolhe estas tarefas; os comandos dele se rodam nesta pasta.
import os
import sys

c = get_config()  # noqa: F821 - quem define é o nbgrader

# O nbgrader chama o alembic pelo nome, e só o acha sozinho num ambiente ativado.
os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", "")

c.CourseDirectory.course_id = "atencao"

# O que fica no lugar de uma solução. O do nbgrader levantaria uma exceção, e o caderno que o aluno
# baixou pararia antes de ele escrever a primeira linha.
c.ClearSolutions.code_stub = {"python": "# escreva aqui"}
c.ClearSolutions.text_stub = "Escreva aqui a sua resposta."
