/* Archives of the page: zip files in which nothing is compressed (`web/build.py`). Python's own reader takes a second for one. */

const FILE_HEADER = 30; // bytes of each header, without its texts (APPNOTE.TXT 6.3, 4.3)
const ENTRY = 46;
const END = 22;
const END_SIGNATURE = 0x06054b50;

/** Writes the files of an archive into a folder of Python's. They share the memory of `archive`, an ArrayBuffer. */
export function unpack(FS, archive, folder) {
  const bytes = new Uint8Array(archive);
  const view = new DataView(archive);
  const end = archive.byteLength - END;
  if (end < 0 || view.getUint32(end, true) !== END_SIGNATURE) throw new Error("no archive of the page");
  const folders = new Set();
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    const texts = [28, 30, 32].map((place) => view.getUint16(at + place, true)); // lengths of name, extra and comment
    const path = `${folder}/${new TextDecoder().decode(bytes.subarray(at + ENTRY, at + ENTRY + texts[0]))}`;
    const header = view.getUint32(at + 42, true);
    const start = header + FILE_HEADER + view.getUint16(header + 26, true) + view.getUint16(header + 28, true);
    const data = bytes.subarray(start, start + view.getUint32(at + 24, true));
    const slash = path.lastIndexOf("/");
    const parent = path.slice(0, slash);
    if (!folders.has(parent)) FS.mkdirTree(parent);
    folders.add(parent);
    FS.createDataFile(parent, path.slice(slash + 1), data, true, true, true);
    at += ENTRY + texts[0] + texts[1] + texts[2];
  }
}
