/* Writes a brotli copy beside each file where it is smaller. The arguments are a folder, the largest part of the file's size
 * that is worth it, the quality (0 to 11), and the names of files. */
import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const [folder, part, quality, ...names] = process.argv.slice(2);
const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = constants;
for (const name of names) {
  const data = readFileSync(`${folder}/${name}`);
  const params = { [BROTLI_PARAM_QUALITY]: Number(quality), [BROTLI_PARAM_LGWIN]: 24, [BROTLI_PARAM_SIZE_HINT]: data.length };
  const packed = brotliCompressSync(data, { params });
  if (packed.length < Number(part) * data.length) writeFileSync(`${folder}/${name}.br`, packed);
}
