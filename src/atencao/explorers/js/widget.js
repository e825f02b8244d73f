// JupyterLab, Notebook, VS Code, Colab: o anywidget chama render com o modelo ligado ao Python.

import "./widget.css";
import { EXPLORERS } from "./index.js";
import { mount } from "./shell.js";

export default {
  render: ({ model, el }) => mount(EXPLORERS[model.get("kind")], model, el),
};
