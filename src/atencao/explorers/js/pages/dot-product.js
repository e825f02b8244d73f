import "../explorer.css";
import explorer from "../dot-product.js";
import { wake } from "../page.js";

wake(explorer);
