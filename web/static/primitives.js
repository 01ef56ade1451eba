/* Cryptography for the program in a worker: libsodium compiled to WebAssembly, and AES-256-GCM of
 * @noble/ciphers, which libsodium has only for processors with AES instructions.
 *
 * Bytes travel as strings with one character for each byte: Pyodide passes a short string in 3 us
 * and needs 65 us to make a Uint8Array. Nothing is checked here: `protocol.crypto.primitives` checks
 * lengths, points and scalars before it calls. The result of a call that failed is undefined.
 */
import { gcm } from "./noble/aes.js";
import load from "./libsodium.mjs";

/** Returns the functions that `protocol.crypto.primitives.browser` imports as a module. */
export async function loadPrimitives() {
  const getRandomValue = () => crypto.getRandomValues(new Uint32Array(1))[0];
  const sodium = await load({ getRandomValue });
  if (sodium._sodium_init() < 0) throw new Error("libsodium could not be started");
  return { ...onSmallValues(sodium), ...onMessages(sodium), aesCipher };
}

/** Writes the bytes of a string into an array. */
function write(array, at, text) {
  for (let index = 0; index < text.length; index += 1) array[at + index] = text.charCodeAt(index);
}

function toBytes(text) {
  const bytes = new Uint8Array(text.length);
  write(bytes, 0, text);
  return bytes;
}

const PIECE = 8192; // arguments of one call

function toText(bytes) {
  if (bytes.length <= PIECE) return String.fromCharCode(...bytes);
  const pieces = [];
  for (let at = 0; at < bytes.length; at += PIECE) pieces.push(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
  return pieces.join("");
}

/** AES-256-GCM with a fixed key. */
function aesCipher(keyText) {
  const key = toBytes(keyText);
  const aead = (nonce, associated) => gcm(key, toBytes(nonce), toBytes(associated));
  return {
    seal: (nonce, plaintext, associated) => toText(aead(nonce, associated).encrypt(toBytes(plaintext))),
    open(nonce, sealed, associated) {
      try {
        return toText(aead(nonce, associated).decrypt(toBytes(sealed)));
      } catch {
        return undefined; // the tag does not fit
      }
    },
  };
}

/** Functions of points, scalars and keys: 96 bytes at most, at places that are never freed. */
function onSmallValues(sodium) {
  const [first, second, out] = [0, 1, 2].map(() => sodium._malloc(96));
  const put = (place, text) => write(sodium.HEAPU8, place, text);
  const take = (size) => toText(sodium.HEAPU8.subarray(out, out + size));

  // The result of a group operation counts as it stands: libsodium also returns -1 for a product
  // that is the identity, and has written its encoding, 32 zero bytes.
  const unary = (call, size = 32) => (a) => {
    put(first, a);
    call(out, first);
    return take(size);
  };
  const binary = (call) => (a, b) => {
    put(first, a);
    put(second, b);
    call(out, first, second);
    return take(32);
  };
  const check = (call) => (a) => {
    put(first, a);
    return call(first) === 1;
  };
  return {
    ristrettoIsValid: check(sodium._crypto_core_ristretto255_is_valid_point),
    ristrettoAdd: binary(sodium._crypto_core_ristretto255_add),
    ristrettoSubtract: binary(sodium._crypto_core_ristretto255_sub),
    ristrettoMultiply: binary(sodium._crypto_scalarmult_ristretto255),
    ristrettoTimesBase: unary(sodium._crypto_scalarmult_ristretto255_base),
    ristrettoFromUniform: unary(sodium._crypto_core_ristretto255_from_hash),
    scalarAdd: binary(sodium._crypto_core_ristretto255_scalar_add),
    scalarSubtract: binary(sodium._crypto_core_ristretto255_scalar_sub),
    scalarMultiply: binary(sodium._crypto_core_ristretto255_scalar_mul),
    scalarInvert: unary(sodium._crypto_core_ristretto255_scalar_invert),
    scalarReduce: unary(sodium._crypto_core_ristretto255_scalar_reduce),
    edwardsIsValid: check(sodium._crypto_core_ed25519_is_valid_point),
    edwardsAdd: binary(sodium._crypto_core_ed25519_add),
    edwardsTimesBase: unary(sodium._crypto_scalarmult_ed25519_base_noclamp),
    x25519Public: unary(sodium._crypto_scalarmult_curve25519_base),
    x25519Shared(secret, point) {
      put(first, secret);
      put(second, point);
      return sodium._crypto_scalarmult_curve25519(out, first, second) === 0 ? take(32) : undefined;
    },
    /** Returns the public key, then the secret key: 96 bytes. */
    ed25519KeyPair(seed) {
      put(first, seed);
      sodium._crypto_sign_seed_keypair(out, out + 32, first);
      return take(96);
    },
  };
}

/** Functions of byte strings of any length. */
function onMessages(sodium) {
  /** Calls `use` with the places of `size` bytes and of the strings, and returns those bytes, or undefined
   * if the call fails. */
  function within(size, texts, use) {
    const sizes = [size, ...texts.map(({ length }) => length)];
    const places = sizes.map((each) => sodium._malloc(each || 1));
    try {
      texts.forEach((text, at) => write(sodium.HEAPU8, places[at + 1], text));
      const failed = use(...places) !== 0;
      return failed ? undefined : toText(sodium.HEAPU8.subarray(places[0], places[0] + size));
    } finally {
      places.forEach((place, at) => {
        sodium.HEAPU8.fill(0, place, place + sizes[at]); // secrets do not stay in freed memory
        sodium._free(place);
      });
    }
  }
  const HIGH = 0; // the upper half of a number of 64 bits, which is two arguments
  return {
    ed25519Sign: (secret, message) =>
      within(64, [secret, message], (out, key, text) =>
        sodium._crypto_sign_detached(out, 0, text, message.length, HIGH, key)),
    ed25519Verify: (key, signature, message) =>
      within(0, [key, signature, message], (_, point, signed, text) =>
        sodium._crypto_sign_verify_detached(signed, text, message.length, HIGH, point)) !== undefined,
    chacha20: (key, nonce, counter, data) =>
      within(data.length, [key, nonce, data], (out, secret, start, text) =>
        sodium._crypto_stream_chacha20_ietf_xor_ic(out, text, data.length, HIGH, start, counter, secret)),
    hkdf(secret, info, size) {
      const extracted = within(64, [secret], (out, input) =>
        sodium._crypto_kdf_hkdf_sha512_extract(out, 0, 0, input, secret.length));
      return within(size, [info, extracted], (out, context, key) =>
        sodium._crypto_kdf_hkdf_sha512_expand(out, size, context, info.length, key));
    },
    argon2id: (passphrase, salt, passes, memory) =>
      within(32, [passphrase, salt], (out, words, grains) =>
        sodium._crypto_pwhash_argon2id(
          out, 32, HIGH, words, passphrase.length, HIGH, grains, passes, HIGH, memory, 2)),
    secretboxSeal: (key, nonce, plaintext) =>
      within(plaintext.length + 16, [key, nonce, plaintext], (out, secret, start, text) =>
        sodium._crypto_secretbox_easy(out, text, plaintext.length, HIGH, start, secret)),
    secretboxOpen: (key, nonce, sealed) =>
      sealed.length < 16
        ? undefined
        : within(sealed.length - 16, [key, nonce, sealed], (out, secret, start, text) =>
            sodium._crypto_secretbox_open_easy(out, text, sealed.length, HIGH, start, secret)),
  };
}
