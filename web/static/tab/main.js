// The storages come first, because all others use them, and then the entry: the app removes the link from the address.
import * as storages from "../storages.js";
import * as entry from "./entry.js";
import * as app from "../home/main.js";
