import "../mask.css";
import "../explorer.css";
import explorer from "../mask.js";
import { wake } from "../page.js";

wake(explorer);
