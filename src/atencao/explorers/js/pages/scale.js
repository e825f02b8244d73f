import "../scale.css";
import "../explorer.css";
import explorer from "../scale.js";
import { wake } from "../page.js";

wake(explorer);
