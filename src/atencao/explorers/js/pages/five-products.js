import "../five-products.css";
import "../explorer.css";
import explorer from "../five-products.js";
import { wake } from "../page.js";

wake(explorer);
