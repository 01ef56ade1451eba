// Each sound is a list of strokes, from which the samples are computed: nobody else's recording is in the program.
// [start, length (seconds), hertz, hertz at the end, loudness, share of noise]
const SOUNDS = {
  deal: [[0, 0.09, 2600, 900, 0.35, 1]],
  lay: [[0, 0.09, 190, 90, 0.8, 0.15], [0, 0.03, 2400, 1200, 0.3, 1]],
  knock: [[0, 0.11, 170, 110, 0.9, 0.1], [0, 0.02, 900, 500, 0.4, 1], [0.15, 0.11, 160, 105, 0.8, 0.1], [0.15, 0.02, 900, 500, 0.35, 1]],
  chips: [[0, 0.07, 3150, 3100, 0.3, 0.1], [0.045, 0.07, 4240, 4180, 0.25, 0.1], [0.1, 0.09, 3480, 3420, 0.3, 0.1], [0.16, 0.1, 4700, 4650, 0.2, 0.1]],
  turn: [[0, 0.28, 587, 587, 0.5, 0], [0.13, 0.4, 880, 880, 0.45, 0]],
  said: [[0, 0.2, 440, 440, 0.4, 0]],
  won: [[0, 0.3, 523, 523, 0.4, 0], [0.13, 0.3, 659, 659, 0.4, 0], [0.26, 0.3, 784, 784, 0.4, 0], [0.39, 0.7, 1047, 1047, 0.45, 0]],
  lost: [[0, 0.35, 392, 392, 0.4, 0], [0.2, 0.35, 330, 330, 0.4, 0], [0.4, 0.7, 262, 258, 0.45, 0]],
  over: [[0, 0.3, 523, 523, 0.4, 0], [0.16, 0.5, 659, 659, 0.4, 0]],
};
const ATTACK = 0.004; // seconds until a stroke is at its loudest: less clicks
const HUSH = 5; // how far a stroke has died away at its end, as a power of e
const BELL = 0.25; // of the octave above, which makes a tone a bell

/** Numbers that sound like noise, the same each time. */
function noise() {
  let state = 1;
  return () => (state = (state * 16807) % 2147483647) / 1073741823.5 - 1;
}

function stroke(samples, rate, [start, length, from, to, loud, hiss]) {
  const next = noise();
  const first = Math.round(start * rate);
  let [phase, low, lower] = [0, 0, 0];
  for (let at = 0; at < length * rate; at++) {
    const part = at / (length * rate);
    const hertz = from * (to / from) ** part;
    phase += (2 * Math.PI * hertz) / rate;
    const open = Math.min(1, (2 * Math.PI * hertz) / rate);
    low += open * (next() - low); // noise of about this pitch
    lower += (open / 4) * (low - lower);
    const tone = Math.sin(phase) + BELL * Math.sin(2 * phase);
    const fade = Math.min(1, at / (ATTACK * rate)) * Math.exp(-HUSH * part);
    samples[first + at] += loud * fade * ((1 - hiss) * tone + 2 * hiss * (low - lower));
  }
}

export const NAMES = Object.keys(SOUNDS);

/** The samples of a sound, so many in a second, each from -1 to 1. */
export function samplesOf(name, rate) {
  const ends = SOUNDS[name].map(([start, length]) => start + length);
  const samples = new Float32Array(Math.ceil(Math.max(...ends) * rate) + 2);
  for (const one of SOUNDS[name]) stroke(samples, rate, one);
  return samples.map((value) => Math.max(-1, Math.min(1, value)));
}
