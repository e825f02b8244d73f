// O que cada explorador em JavaScript diz de si, em JSON.

import { EXPLORERS } from "../src/atencao/explorers/js/index.js";

const described = Object.entries(EXPLORERS).map(([kind, { title, fields }]) => [kind, { title, fields }]);
process.stdout.write(JSON.stringify(Object.fromEntries(described)));
