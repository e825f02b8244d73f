import "../projection.css";
import "../explorer.css";
import explorer from "../projection.js";
import { wake } from "../page.js";

wake(explorer);
