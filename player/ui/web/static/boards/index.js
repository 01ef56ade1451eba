import { draw as felt } from "./felt.js";
import { draw as field, isField } from "./field/field.js";
import { draw as generic } from "./generic.js";
import { draw as grid } from "./grid.js";
import { draw as heaps } from "./heaps.js";
import { draw as line } from "./line.js";

const BOARDS = { felt, generic, grid, heaps, line };

/** The board of a view; nothing before the game has begun. `actions`: `{offers, choose, asked}`. */
export const drawBoard = (view, actions) => view.board && (isField(view.board) ? field : BOARDS[view.board.is])(view.board, view, actions);
