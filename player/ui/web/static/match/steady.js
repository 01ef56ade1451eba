const ROOMS = [["--top-room", ".top"], ["--seats-room", ".table"], ["--own-room", ".own, .foot"]];

// what passes in the own seat: no room is kept for it
const PASSES = ":scope > :is(.result[data-rest], .end):not([hidden]), .hints .told:not(:empty)";

/** How high a part of the match is; what lies above the board within the table is the seats. */
function heightOf(node, name) {
  const part = node.querySelector(`:scope > ${name}, main > :is(${name}):not([hidden])`);
  if (!part || part.querySelector(PASSES)) return 0;
  const { top, height } = part.getBoundingClientRect();
  return name === ".table" ? part.querySelector(".arena").getBoundingClientRect().top - top : height;
}

/**
 * Keeps the board where it is, and as large: header, seats and the own seat have the room that they once needed, as far as
 * the window has it. In a window of another size they begin anew.
 */
export function steady(node) {
  const rooms = { size: "", offered: false, heights: [0, 0, 0] };
  const measure = () => {
    const size = [innerWidth, innerHeight, getComputedStyle(node).fontSize, node.hasAttribute("data-folded")].join();
    const offered = !node.querySelector(".welcome").hidden;
    if (!offered && rooms.offered) {
      rooms.heights[0] = 0; // the tour is offered once, and leaves no gap
      node.style.removeProperty(ROOMS[0][0]);
    }
    rooms.offered = offered;
    if (size !== rooms.size) {
      Object.assign(rooms, { size, heights: [0, 0, 0] });
      for (const [name] of ROOMS) node.style.removeProperty(name);
    }
    ROOMS.forEach(([name, part], at) => {
      const height = heightOf(node, part);
      if (height < rooms.heights[at] + 0.5) return;
      rooms.heights[at] = height;
      node.style.setProperty(name, `${height}px`);
    });
  };
  const watched = new ResizeObserver(measure);
  for (const part of node.querySelectorAll(".top, .welcome, .table, .arena, .own")) watched.observe(part);
}
