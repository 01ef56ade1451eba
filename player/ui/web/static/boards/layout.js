const WIDEST = 26; // half tiles in a row
const NARROWEST = 4;
const LARGEST = 38; // pixels of half a tile, in a large room PART of its height: a line that has just begun does not fill it
const PART = 0.09;
const MARGIN = 0.3; // half tiles, around all
const NEAR = 2.5; // half tiles from the middle of a spinner: where rows beside the next arm turn, with a double after all
const [LONGEST, SHORTEST] = [26, 8]; // half tiles of an arm's rows from the middle; in 8 - NEAR a row of two can turn
const NEXT = [[0, 1], [0, 1], [0, 1], [0, 1]];

const largest = (height) => Math.max(LARGEST, PART * height);
const isDouble = ([left, right]) => left === right;

// An arm goes to and fro downwards; x, y: the middle of the edge that its next tile touches; `way`: 1 to the right.
// Rows are 2 apart at least and doubles reach out by 1, so nothing can lie upon another.
function along(arm, tile) {
  const x = arm.x;
  const turn = (arm.way > 0 ? 0 : 180) + (isDouble(tile) ? 90 : 0);
  arm.x += arm.way * (isDouble(tile) ? 1 : 2);
  return { x: (x + arm.x) / 2, y: arm.y, turn };
}

function corner(arm) {
  arm.down = true;
  arm.x += arm.way / 2;
  arm.y += 1.5;
  return { x: arm.x, y: arm.y - 1, turn: 90 };
}

function downwards(arm, tile) {
  arm.straight = isDouble(tile); // on beyond a double as before it
  const long = arm.straight ? 1 : 2;
  arm.y += long;
  return { x: arm.x, y: arm.y - long / 2, turn: arm.straight ? 180 : 90 };
}

function newRow(arm) {
  arm.down = false;
  arm.way = -arm.way;
  arm.x += arm.way * 1.5;
  arm.y += 0.5;
  return { x: arm.x - arm.way, y: arm.y, turn: arm.way > 0 ? 0 : 180 };
}

function step(arm, tile) {
  if (arm.down) return arm.straight || isDouble(tile) ? downwards(arm, tile) : newRow(arm);
  const left = arm.way > 0 ? arm.far - arm.x : arm.x - arm.near; // of the row
  const fits = isDouble(tile) || left >= 3; // itself, and one that turns after it
  return fits ? along(arm, tile) : corner(arm);
}

function walk(tiles, start, far, near = -far) {
  const arm = { x: start, y: 0, way: 1, down: false, straight: false, far, near };
  return tiles.map((tile) => step(arm, tile));
}

function lay(tiles, leader, half, next) {
  const across = isDouble(tiles[leader]);
  const arm = (outwards) => walk(outwards, across ? 0.5 : 1, half);
  const left = arm([...tiles.slice(0, leader).reverse(), next[0]]).map(({ x, y, turn }) => ({ x: -x, y: -y, turn }));
  const right = arm([...tiles.slice(leader + 1), next[1]]);
  const ends = [left.pop(), right.pop()];
  return { places: [...left.reverse(), { x: 0, y: 0, turn: across ? 90 : 0 }, ...right], ends };
}

const quarter = ({ x, y, turn }, times) => {
  const [[a, b], [c, d]] = [[[1, 0], [0, 1]], [[0, -1], [1, 0]], [[-1, 0], [0, -1]], [[0, 1], [-1, 0]]][times];
  return { x: a * x + b * y, y: c * x + d * y, turn: turn + 90 * times };
};

// The four arms of a spinner, which stands across in the middle. Each has a quarter of the room: it goes straight on from
// the spinner and then to and fro clockwise of that row, never nearer to the next arm than NEAR.
function layCross(tiles, spinner, [up, down], far, next) {
  const arm = (outwards, start, reach, times) => walk(outwards, start, reach, NEAR).map((place) => quarter(place, times));
  const [wide, high] = far;
  const left = arm([...tiles.slice(0, spinner).reverse(), next[0]], 0.5, wide, 2);
  const right = arm([...tiles.slice(spinner + 1), next[1]], 0.5, wide, 0);
  const [above, below] = [arm([...up, next[2]], 1, high, 3), arm([...down, next[3]], 1, high, 1)];
  // the left arm's tiles have their inner number on the right
  const turned = left.map(({ x, y, turn }) => ({ x, y, turn: turn - 180 }));
  const ends = [turned, right, above, below].map((places) => places.pop());
  return { places: [...turned.reverse(), { x: 0, y: 0, turn: 90 }, ...right, ...above, ...below], ends };
}

function fit({ places, ends }, width, height) {
  const all = [...places, ...ends];
  const reach = (side, one, [lies, stands]) =>
    Math.max(...all.map((place) => side * place[one] + (place.turn % 180 ? stands : lies))) + MARGIN;
  const wide = 2 * Math.max(reach(1, "x", [1, 0.5]), reach(-1, "x", [1, 0.5]));
  const [up, down] = [-1, 1].map((side) => reach(side, "y", [0.5, 1]));
  const scale = Math.min(largest(height), width / wide, height / (up + down));
  const room = height / scale / 2; // the tile in the middle leaves it no farther than it must
  return { scale, middle: Math.max(down - room, 0) - Math.max(up - room, 0), places, ends };
}

function* attempts(tiles, leader, next, spinner, arms) {
  if (!arms) for (let row = WIDEST; row >= NARROWEST; row--) yield lay(tiles, leader, row / 2, next);
  else
    for (let wide = LONGEST; wide >= SHORTEST; wide--)
      for (let high = LONGEST; high >= SHORTEST; high--) yield layCross(tiles, spinner, arms, [wide, high], next);
}

/**
 * Where the tiles of a line lie in a box of so many pixels, as large as they can.
 * The tile that led is in the middle, and each arm is laid from there outwards, the left one as the right turned by half
 * a circle: so a tile more at one end moves no other. Above and below it there may be more room on one side.
 * Once the short sides of a spinner are open, it is in the middle, and four arms are laid from it.
 * @param tiles [[left, right], …] as they lie; at least one
 * @param leader the place of the tile that led
 * @param next a tile for each end, for the room that the next one takes there
 * @param spinner the place of the spinner, if there is one
 * @param arms of the spinner, up and down: [[inner, outer], …] each; null while its short sides are closed
 * @returns {{scale, places: [{x, y, turn}], ends: [{x, y, turn}]}} scale: pixels of half a tile; x, y: of a tile's
 *   middle; turn: degrees, of a tile that has its left (or inner) number on the left. Places of the line, then of the arms
 */
export function layout(tiles, leader, width, height, next = NEXT, { spinner = null, arms = null } = {}) {
  let best = { scale: 0 };
  for (const laid of attempts(tiles, leader, next, spinner, arms)) {
    const tried = fit(laid, width, height);
    if (tried.scale > best.scale) best = tried;
    if (best.scale === largest(height)) break;
  }
  const { scale, middle } = best;
  const placed = ({ x, y, turn }) => ({ x: width / 2 + x * scale, y: height / 2 + (y - middle) * scale, turn });
  return { scale, places: best.places.map(placed), ends: best.ends.map(placed) };
}
