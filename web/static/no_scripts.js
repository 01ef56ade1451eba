/* Pyodide asks whether a worker is a module by a call of `importScripts`. Under Trusted Types browsers report that call, so there
 * is no such function. This file is imported before Pyodide. */
self.importScripts = undefined;
