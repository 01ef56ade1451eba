import { draw as felt } from "./felt.js";
import { draw as generic } from "./generic.js";
import { draw as line } from "./line.js";

const BOARDS = { felt, generic, line };

/** The board of a view; nothing before the game has begun. `actions`: `{offers, choose, asked}`. */
export const drawBoard = (view, actions) => view.board && BOARDS[view.board.is](view.board, view, actions);
