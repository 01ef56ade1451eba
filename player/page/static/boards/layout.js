const WIDEST = 26; // half tiles in a row
const NARROWEST = 4;
const LARGEST = 38; // pixels of half a tile, or the part of a large room: a line that has just begun does not fill it
const PART = 0.08; // of the height of the room
const MARGIN = 0.3; // half tiles, around all

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

function step(arm, tile, half) {
  if (arm.down) return arm.straight || isDouble(tile) ? downwards(arm, tile) : newRow(arm);
  const fits = isDouble(tile) || arm.way * arm.x + 3 <= half; // itself, and one that turns after it
  return fits ? along(arm, tile) : corner(arm);
}

function walk(tiles, start, half) {
  const arm = { x: start, y: 0, way: 1, down: false, straight: false };
  return tiles.map((tile) => step(arm, tile, half));
}

function lay(tiles, leader, half, next) {
  const across = isDouble(tiles[leader]);
  const arm = (outwards) => walk(outwards, across ? 0.5 : 1, half);
  const left = arm([...tiles.slice(0, leader).reverse(), next[0]]).map(({ x, y, turn }) => ({ x: -x, y: -y, turn }));
  return [...left.reverse(), { x: 0, y: 0, turn: across ? 90 : 0 }, ...arm([...tiles.slice(leader + 1), next[1]])];
}

function fit(places, width, height) {
  const reach = (side, one, [lies, stands]) =>
    Math.max(...places.map((place) => side * place[one] + (place.turn % 180 ? stands : lies))) + MARGIN;
  const wide = 2 * Math.max(reach(1, "x", [1, 0.5]), reach(-1, "x", [1, 0.5]));
  const [up, down] = [-1, 1].map((side) => reach(side, "y", [0.5, 1]));
  const scale = Math.min(Math.max(LARGEST, PART * height), width / wide, height / (up + down));
  const room = height / scale / 2; // the tile that led leaves the middle no farther than it must
  return { scale, middle: Math.max(down - room, 0) - Math.max(up - room, 0), places };
}

/**
 * Where the tiles of a line lie in a box of so many pixels, as large as they can.
 * The tile that led is in the middle, and each arm is laid from there outwards, the left one as the right turned by half
 * a circle: so a tile more at one end moves no other. Above and below it there may be more room on one side.
 * @param tiles [[left, right], …] as they lie; at least one
 * @param leader the place of the tile that led
 * @param next a tile for each end, for the room that the next one takes there
 * @returns {{scale, places: [{x, y, turn}], ends: [{x, y, turn}]}} scale: pixels of half a tile; x, y: of a tile's
 *   middle; turn: degrees, of a tile that has its left number on the left
 */
export function layout(tiles, leader, width, height, next = [[0, 1], [0, 1]]) {
  let best = { scale: 0 };
  for (let row = WIDEST; row >= NARROWEST; row--) {
    const tried = fit(lay(tiles, leader, row / 2, next), width, height);
    if (tried.scale > best.scale) best = tried;
  }
  const { scale, middle } = best;
  const placed = ({ x, y, turn }) => ({ x: width / 2 + x * scale, y: height / 2 + (y - middle) * scale, turn });
  const [left, ...places] = best.places.map(placed);
  const right = places.pop();
  return { scale, places, ends: [left, right] };
}
