/* Files in memory with marks of what has changed, so that a store can write just that.

   A file system of Emscripten, made of the operations of its own MEMFS. Each file has a key, and its
   bytes belong to pages: an append to a long file changes its last page only. `changes` returns the
   state of all marked files at one moment, between two steps of the program: to the program, what
   is stored looks like a disk after a crash at that moment. */

// bytes; Chromium stores values of 64 KiB and more outside of its database, which is slower
export const PAGE = 16 * 1024;
export const ROOT = 0; // key of the mounted folder itself

export class StoredFiles {
  #marked = new Set(); // nodes with something to store
  #removed = new Set(); // keys of stored nodes that are gone
  #nextKey = ROOT + 1;
  #noticed; // called after each change

  constructor(FS, noticed = () => {}) {
    this.FS = FS;
    this.memory = FS.filesystems.MEMFS;
    this.#noticed = noticed;
    this.#wrapOperations();
  }

  /** Mounts the stored nodes at an empty folder. Throws if they do not fit each other. */
  mount(folder, nodes) {
    const type = {
      mount: () => this.#adopt(this.memory.createNode(null, "/", 0o40700, 0), ROOT),
    };
    this.FS.mkdirTree(folder);
    const made = new Map([[ROOT, this.FS.mount(type, {}, folder)]]);
    const children = groups(nodes);
    const open = [ROOT]; // folders whose children are not there yet
    while (open.length) {
      const parent = open.pop();
      for (const stored of children.get(parent) ?? []) {
        made.set(stored.key, this.#restore(made.get(parent), stored));
        if (this.FS.isDir(stored.mode)) open.push(stored.key);
      }
    }
    if (made.size !== nodes.length + 1) throw new Error("stored files without a folder");
    for (const { key } of nodes) this.#nextKey = Math.max(this.#nextKey, key + 1);
  }

  get changed() {
    return this.#marked.size + this.#removed.size > 0;
  }

  /** Returns what has changed since the last call, and forgets the marks. All bytes are copies. */
  changes() {
    const marked = [...this.#marked];
    const removed = [...this.#removed];
    this.#marked.clear();
    this.#removed.clear();
    return { removed, nodes: marked.map((node) => this.#describe(node)) };
  }

  #describe(node) {
    const { isFile, isLink } = this.FS;
    const stored = { key: node.key, parent: node.parent.key, name: node.name };
    const record = { ...stored, mode: node.mode, mtime: Number(node.mtime), size: 0 };
    if (isLink(node.mode)) record.link = node.link;
    const change = { record, cut: node.cut, pages: [] };
    if (isFile(node.mode)) {
      record.size = node.usedBytes;
      for (const page of node.pages) {
        const begin = page * PAGE;
        const end = Math.min(begin + PAGE, node.usedBytes);
        if (begin < end) change.pages.push([page, node.contents.slice(begin, end)]);
      }
      node.pages.clear();
      node.cut = undefined;
    }
    node.stored = true;
    return change;
  }

  #restore(parent, { key, name, mode, mtime, size, link, pages }) {
    const node = this.#adopt(this.memory.createNode(parent, name, mode, 0), key);
    node.stored = true;
    node.mtime = mtime;
    if (link !== undefined) node.link = link;
    if (!size) return node;
    node.contents = new Uint8Array(size);
    node.usedBytes = size;
    let at = 0;
    for (const page of pages) {
      if (page.length !== Math.min(PAGE, size - at)) throw new Error("a stored page lacks bytes");
      node.contents.set(page, at);
      at += page.length;
    }
    if (at !== size) throw new Error("a stored page is missing");
    return node;
  }

  #adopt(node, key = this.#nextKey++) {
    const { isDir, isFile } = this.FS;
    node.key = key;
    node.pages = new Set(); // pages with other bytes than the store has
    if (isDir(node.mode)) [node.node_ops, node.stream_ops] = this.folderOperations;
    else if (isFile(node.mode)) [node.node_ops, node.stream_ops] = this.fileOperations;
    else node.node_ops = { ...node.node_ops, setattr: this.fileOperations[0].setattr };
    return node;
  }

  #mark(node) {
    if (node.key === ROOT || node.gone) return;
    this.#marked.add(node);
    this.#noticed();
  }

  /** A file that has no name any more: the program may still use it, and it is not stored. */
  #lose(node) {
    node.gone = true;
    this.#marked.delete(node);
    if (node.stored) this.#removed.add(node.key);
    this.#noticed();
  }

  /** Marks the pages that a change from `before` bytes on has touched, up to `end`. */
  #markPages(node, before, end) {
    for (let page = Math.floor(before / PAGE); page * PAGE < end; page++) node.pages.add(page);
    this.#mark(node);
  }

  #resize(node, before) {
    const after = node.usedBytes;
    if (after < before) {
      const kept = Math.ceil(after / PAGE);
      node.cut = Math.min(node.cut ?? kept, kept);
    }
    const least = Math.min(after, before);
    this.#markPages(node, least && least - 1, after);
  }

  #wrapOperations() {
    const { node_ops: nodes, stream_ops: streams } = this.memory;
    const setattr = (node, attributes) => {
      const before = node.usedBytes;
      nodes.setattr(node, attributes);
      if (attributes.size !== undefined && node.usedBytes !== before) this.#resize(node, before);
      this.#mark(node);
    };
    const made = (node) => {
      this.#mark(this.#adopt(node));
      return node;
    };
    const folder = {
      getattr: nodes.getattr,
      lookup: nodes.lookup,
      readdir: nodes.readdir,
      setattr,
      mknod: (...given) => made(nodes.mknod(...given)),
      symlink: (...given) => made(nodes.symlink(...given)),
      rename: (node, parent, name) => {
        const replaced = parent.contents[name];
        nodes.rename(node, parent, name);
        if (replaced && replaced !== node) this.#lose(replaced);
        this.#mark(node);
      },
      unlink: (parent, name) => {
        const node = parent.contents[name];
        nodes.unlink(parent, name);
        this.#lose(node);
      },
      rmdir: (parent, name) => {
        const node = parent.contents[name];
        nodes.rmdir(parent, name);
        this.#lose(node);
      },
    };
    const write = (stream, buffer, offset, length, position, canOwn) => {
      const { node } = stream;
      const before = node.usedBytes;
      const written = streams.write(stream, buffer, offset, length, position, canOwn);
      // a gap between the old end and `position` is filled with zeros
      if (written) this.#markPages(node, Math.min(before, position), position + written);
      return written;
    };
    const msync = (stream, buffer, offset, length) => {
      write(stream, buffer, 0, length, offset, false);
      return 0;
    };
    this.folderOperations = [folder, { llseek: streams.llseek }];
    this.fileOperations = [
      { getattr: nodes.getattr, setattr },
      { llseek: streams.llseek, read: streams.read, mmap: streams.mmap, write, msync },
    ];
  }
}

/** Returns the nodes of each folder, by the folder's key. */
function groups(nodes) {
  const found = new Map();
  for (const node of nodes) {
    if (!found.has(node.parent)) found.set(node.parent, []);
    found.get(node.parent).push(node);
  }
  return found;
}
