# Como o nbgrader prepara e recolhe estas tarefas; os comandos dele se rodam nesta pasta.
c = get_config()  # noqa: F821 - quem define é o nbgrader

c.CourseDirectory.course_id = "atencao"

# O que fica no lugar de uma solução. O do nbgrader levantaria uma exceção, e o caderno que o aluno
# baixou pararia antes de ele escrever a primeira linha.
c.ClearSolutions.code_stub = {"python": "# escreva aqui"}
c.ClearSolutions.text_stub = "Escreva aqui a sua resposta."
