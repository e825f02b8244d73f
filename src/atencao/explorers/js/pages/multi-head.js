import "../multi-head.css";
import "../explorer.css";
import explorer from "../multi-head.js";
import { wake } from "../page.js";

wake(explorer);
