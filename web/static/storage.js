/* Memory of a tab: the files of the program in IndexedDB, for one tab at a time.

   The lease. A record holds the number of the lease and its holder. A tab takes the lease by one
   transaction that raises the number and reads all files. Each later transaction of the tab first
   reads the number: if it is not its own, the transaction is aborted as a whole, and the tab stores
   nothing any more. IndexedDB runs writing transactions one after the other, in all tabs.

   Why no number of a match is signed twice (docs/protocol, 15.1.1):
   - The program writes what it signs into its files first, and the line sends no frame while there
     are changes that are not stored (`dirty`). So a signature leaves the tab only after a
     transaction with it is complete.
   - Such a transaction runs before the transaction of the next tab that takes the lease, or after.
     If before, the next tab reads what was signed, and sends the same bytes. If after, it is
     aborted, and the signature never leaves the first tab.
   - A tab reads files only in the transaction that takes the lease. Nobody can write between what
     it has read and its own first write.
   - After an aborted transaction, whatever its reason, the tab stores and sends nothing any more.
   All this needs IndexedDB alone. Messages between tabs (BroadcastChannel) and Web Locks, where a
   browser has them, only make the other tab stop earlier, and tell whether it still runs. */
import { StoredFiles } from "./stored_files.js";

const FOLDER = "/data";
const DATABASE = "fairdeal";
const VERSION = 1;
const STORES = ["lease", "nodes", "pages"];
const LEASE = "lease"; // key of the only record of its store
const NAME = "fairdeal lease"; // of the channel and of the lock
// milliseconds
const BEAT = 2000; // between looks at the lease while nothing is stored
const REST = 500; // from a change to its storing if nothing has to be sent
const WATCH = 6000; // wait for a sign of the holder: three beats
const WATCH_OWN = 1000; // the same if the last holder was this tab, before it was loaded anew
const OLD = 60000; // a lease without a sign since then is not watched

/** Reasons why a tab stores nothing any more. */
export const TAKEN_OVER = "taken_over"; // by another tab
export const FULL = "full"; // the browser gives no more room
export const FAILED = "storage"; // anything else
const DENIED = "denied"; // the browser lets the page store nothing
const NAMES = { [DENIED]: "StorageDenied", [TAKEN_OVER]: "TakenOver", [FULL]: "StorageFull", [FAILED]: "StorageFailed" };

/** The error of a memory that has stopped. Its `name` and `reason` say why. */
class StorageError extends Error {
  constructor(reason) {
    super(reason);
    this.name = NAMES[reason];
    this.reason = reason;
  }
}

/** Opens the memory, takes the lease, and mounts the files at /data. Returns the module
    `fairdeal_storage` of the program: `dirty()` and `flush()`.

    - `holder`: a text of this tab, the same after the page was loaded anew (in sessionStorage)
    - `ask()`: called if another tab plays; resolves when the person wants to play here
    - `forgets()`: called if the browser lets the page store nothing. Then the files are in memory alone.
      No number is signed twice: the key goes with them, and no other tab has it
    - `stopped(reason)`: called once, when nothing is stored any more

    Rejects with a StorageError if the browser stores nothing, or its files are damaged. */
export async function openStorage(
  python,
  { holder = newHolder(), ask = async () => {}, forgets = () => {}, stopped = () => {} } = {},
) {
  let storage;
  try {
    storage = await Storage.open(holder, stopped);
  } catch (error) {
    if (error.reason !== DENIED) throw error;
    forgets();
    python.FS.mkdirTree(FOLDER);
    return { dirty: () => false, flush: async () => {} };
  }
  if (await storage.isBusy()) await ask();
  await storage.take(python.FS);
  return storage.module;
}

/** A new text for a tab. */
export function newHolder() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Storage {
  #database;
  #holder;
  #tell; // the caller's `stopped`
  #channel;
  #files; // undefined before the lease is taken
  #running; // promise of the present transaction
  #next; // promise of the transaction after it
  #beat;
  #rest;
  #unlock = () => {};

  /** Connects to the database. Rejects with a StorageError if the browser has none. */
  static async open(holder, stopped) {
    try {
      if (!self.indexedDB) throw new StorageError(DENIED);
      const request = self.indexedDB.open(DATABASE, VERSION);
      request.onupgradeneeded = () => {
        for (const name of STORES) request.result.createObjectStore(name);
      };
      return new Storage(await answer(request), holder, stopped);
    } catch (error) {
      throw storageError(error);
    }
  }

  constructor(database, holder, tell) {
    this.number = 0; // of the own lease
    this.reason = ""; // why nothing is stored any more
    this.#database = database;
    this.#holder = holder;
    this.#tell = tell;
    database.onclose = () => this.#stop(FAILED); // the person has deleted the data of the site
    database.onversionchange = () => this.#stop(TAKEN_OVER); // a newer program in another tab
    if (self.BroadcastChannel) {
      this.#channel = new BroadcastChannel(NAME);
      this.#channel.onmessage = ({ data }) => this.#hear(data);
    }
  }

  /** Says whether another tab plays: one that has shown itself within a few seconds. */
  async isBusy() {
    const found = await this.#readLease();
    if (!found) return false;
    const locks = await self.navigator.locks?.query();
    if (locks) return locks.held.some(({ name }) => name === NAME);
    if (Math.abs(Date.now() - found.time) > OLD) return false;
    return this.#showsItself(found, found.holder === this.#holder ? WATCH_OWN : WATCH);
  }

  /** Takes the lease, and mounts all files at a folder. Any other tab stores nothing from then on.
      Rejects with a StorageError if the browser cannot read the files, or if they are damaged. */
  async take(FS, folder = FOLDER) {
    try {
      const stored = await this.#takeAndRead();
      const files = new StoredFiles(FS, () => this.#restSoon());
      files.mount(folder, stored);
      this.#files = files;
    } catch (error) {
      throw storageError(error);
    }
    this.#channel?.postMessage({ taken: this.number });
    this.#lock();
    this.#beat = setInterval(() => this.#look(), BEAT);
  }

  /** True while something may not be stored yet, and for good after nothing is stored any more. */
  dirty() {
    return Boolean(this.reason || this.#running || this.#files?.changed);
  }

  /** Stores all changes, in one transaction. Resolves when what was there at the call is on the
      disk, in the own lease; without changes it checks the lease. Rejects otherwise: then nothing
      may be sent any more. */
  flush() {
    if (!this.#running) return this.#start();
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      return this.flush(); // another caller may have begun one
    });
    return this.#next;
  }

  /** The functions for the program, as a module of Python. */
  get module() {
    return { dirty: () => this.dirty(), flush: () => this.flush() };
  }

  /** Ends the use of the memory. */
  close() {
    this.#stop(this.reason || FAILED, false);
  }

  /** Raises the number of the lease, and reads all files, in one transaction. */
  async #takeAndRead() {
    const transaction = this.#database.transaction(STORES, "readwrite", { durability: "strict" });
    const complete = completion(transaction);
    const [lease, nodes, pages] = STORES.map((name) => transaction.objectStore(name));
    let records;
    lease.get(LEASE).onsuccess = ({ target: { result: last } }) => {
      this.number = (last?.number ?? 0) + 1;
      lease.put(this.#record(), LEASE);
    };
    nodes.getAll().onsuccess = ({ target: { result } }) => {
      records = result;
      for (const record of records.filter(({ size }) => size > 0)) {
        pages.getAll(pagesFrom(record.key, 0)).onsuccess = ({ target: { result: bytes } }) => {
          record.pages = bytes;
        };
      }
    };
    await complete;
    return records;
  }

  #start() {
    clearTimeout(this.#rest);
    this.#rest = undefined;
    this.#running = this.#write().finally(() => {
      this.#running = undefined;
      if (this.#files?.changed) this.#restSoon();
    });
    return this.#running;
  }

  async #write() {
    if (this.reason) throw new StorageError(this.reason);
    if (!this.#files) throw new StorageError(FAILED);
    let reason;
    try {
      const transaction = this.#database.transaction(STORES, "readwrite", {
        durability: "strict",
      });
      const complete = completion(transaction);
      this.#fill(transaction, () => (reason = TAKEN_OVER));
      await complete;
    } catch (error) {
      this.#stop(reason ?? storageError(error).reason);
    }
    // another tab may have said meanwhile that it has the lease
    if (this.reason) throw new StorageError(this.reason);
  }

  /** Puts all changes into a transaction. If that fails halfway (no memory for a copy), the transaction
      is aborted: else the browser would store the first half, and no tab could read it. */
  #fill(transaction, lost) {
    try {
      this.#check(transaction, lost);
      this.#put(transaction, this.#files.changes());
    } catch (error) {
      try {
        transaction.abort();
      } catch {
        // the browser has aborted it already; the first error is the one to tell
      }
      throw error;
    }
  }

  /** Aborts the transaction if the lease is not the own one, and renews it otherwise. */
  #check(transaction, lost) {
    const lease = transaction.objectStore("lease");
    lease.get(LEASE).onsuccess = ({ target: { result: found } }) => {
      if (found?.number === this.number) {
        lease.put(this.#record(), LEASE);
        return;
      }
      lost();
      transaction.abort();
    };
  }

  #put(transaction, { removed, nodes: changed }) {
    const nodes = transaction.objectStore("nodes");
    const pages = transaction.objectStore("pages");
    for (const key of removed) {
      nodes.delete(key);
      pages.delete(pagesFrom(key, 0));
    }
    for (const { record, cut, pages: bytes } of changed) {
      if (cut !== undefined) pages.delete(pagesFrom(record.key, cut));
      nodes.put(record, record.key);
      for (const [page, content] of bytes) pages.put(content, [record.key, page]);
    }
  }

  #record() {
    return { number: this.number, holder: this.#holder, time: Date.now() };
  }

  async #readLease() {
    const lease = this.#database.transaction("lease").objectStore("lease");
    return answer(lease.get(LEASE));
  }

  /** Waits for a sign of the holder of this lease: its answer, or a beat. */
  async #showsItself(found, milliseconds) {
    let heard = false;
    const listen = ({ data }) => (heard ||= Boolean(data.here));
    this.#channel?.addEventListener("message", listen);
    this.#channel?.postMessage({ who: true });
    const end = performance.now() + milliseconds;
    while (!heard && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const now = await this.#readLease();
      heard ||= now?.number !== found.number || now?.time !== found.time;
    }
    this.#channel?.removeEventListener("message", listen);
    return heard;
  }

  #hear(message) {
    if (!this.#files || this.reason) return;
    if (message.taken > this.number) this.#stop(TAKEN_OVER);
    if (message.who) this.#channel.postMessage({ here: this.number });
  }

  /** A beat: shows the others that this tab runs, and notices that another one has the lease. */
  async #look() {
    if (this.#running || this.reason) return;
    let lost = false;
    try {
      const transaction = this.#database.transaction("lease", "readwrite", {
        durability: "relaxed",
      });
      const complete = completion(transaction);
      this.#check(transaction, () => (lost = true));
      await complete;
    } catch {
      if (lost) this.#stop(TAKEN_OVER); // any other failure is noticed when something is stored
    }
  }

  /** Takes the lock from any other tab, and stops when another one takes it. */
  #lock() {
    const release = new Promise((resolve) => (this.#unlock = resolve));
    self.navigator.locks
      ?.request(NAME, { steal: true }, () => release)
      .catch(() => this.#stop(TAKEN_OVER));
  }

  #restSoon() {
    if (this.reason) return;
    this.#rest ??= setTimeout(() => {
      this.#rest = undefined;
      this.flush().catch(() => {}); // `stopped` has been called
    }, REST);
  }

  #stop(reason, tell = true) {
    if (this.reason) return;
    this.reason = reason;
    clearInterval(this.#beat);
    clearTimeout(this.#rest);
    this.#unlock();
    this.#channel?.close();
    this.#channel = undefined;
    this.#database.close();
    if (tell) this.#tell(reason);
  }
}

/** The error of the browser as one with a reason. */
function storageError(error) {
  if (error instanceof StorageError) return error;
  console.warn(error);
  if (error?.name === "SecurityError") return new StorageError(DENIED);
  return new StorageError(error?.name === "QuotaExceededError" ? FULL : FAILED);
}

function pagesFrom(key, first) {
  return IDBKeyRange.bound([key, first], [key, Infinity]);
}

function answer(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Resolves when all of a transaction is stored, and rejects when nothing of it is. */
function completion(transaction) {
  const complete = new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error("aborted"));
  });
  complete.catch(() => {}); // nobody may wait any more
  return complete;
}
