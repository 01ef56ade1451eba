// The entry comes first: the app removes the link from the address.
import * as entry from "./entry.js";
import * as app from "../home/main.js";
