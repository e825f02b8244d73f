import dotProduct from "./dot-product.js";
import fiveProducts from "./five-products.js";
import mask from "./mask.js";
import multiHead from "./multi-head.js";
import projection from "./projection.js";
import scale from "./scale.js";

export const EXPLORERS = Object.fromEntries([dotProduct, mask, fiveProducts, projection, scale, multiHead].map((explorer) => [explorer.kind, explorer]));
