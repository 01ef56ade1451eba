import { drawBoard } from "../boards/index.js";
import { el, put, screenCache, svg } from "../dom.js";
import { company } from "../lobby/people.js";
import { t } from "../words.js";
import { awake } from "./awake.js";
import { badge } from "./badge.js";
import { changes, soundsOf } from "./changes.js";
import { confirm, confirmSetting } from "./confirm.js";
import { sure } from "./dialog.js";
import { drawEnd, endOf, ends } from "./ends.js";
import { goalOf } from "./goal.js";
import { hand } from "./hand.js";
import { changed, set, write } from "./keep.js";
import { commandLine, help } from "./keys.js";
import { listen } from "./listen.js";
import { log, sheet, talk } from "./log.js";
import { moving } from "./motion.js";
import { gameName, namesOf } from "./names.js";
import { news } from "./news.js";
import { allOf, hints, offers, sameOffer } from "./offers.js";
import { person } from "./person.js";
import { aheadSetting, premove } from "./premove.js";
import { refusal } from "./refusal.js";
import { rules } from "./rules.js";
import { isAtOnce, mark, newSeat, seatList, tick } from "./seats.js";
import { fold } from "./side.js";
import { steady } from "./steady.js";
import { call, menu, muteButton, play, settings } from "./sound.js";
import { tour } from "./tour.js";

const TRIES = 4; // of one choice
const HOW = { heaps: "page.how.heaps", pawns: "page.how.pawns" }; // by board
const TICK = 500; // milliseconds between two looks at the clocks
const screenIn = screenCache(build);

/** Builds the match in `root`, or brings it up to date in place; what it returns takes the stream's other events. */
export function drawMatch(root, snapshot, actions) {
  const screen = screenIn(root, actions, snapshot.view.match);
  screen.draw(snapshot);
  return screen;
}

function build(actions) {
  const now = { snapshot: null, newest: null, at: 0, taking: null };
  const wrong = el("p", { class: "wrong", role: "alert" });
  const trying = async (act) => {
    write(wrong, "");
    try {
      await act();
    } catch (error) {
      write(wrong, error.message);
    }
  };
  const choose = (offer, ...numbers) => trying(() => (parts.tour.moved(), take(now, parts, actions, offer, numbers)));
  const send = (offer) => trying(() => take(now, parts, actions, offer, [], true));
  const parts = partsOf(now, actions, { choose, send }, trying);
  parts.ends = ends(isOwnTurn, (waiting, came) => screen.draw(waiting ?? now.snapshot, came ?? now.at));
  const node = layout(parts, wrong);
  parts.fold.of(node);
  steady(node);
  const screenLock = awake();
  const clocks = setInterval(() => {
    if (node.isConnected) return ticks(now, parts);
    clearInterval(clocks);
    screenLock.end();
    sign(false);
  }, TICK);
  listen(node, settings, (key) => keyed(key, now, parts, choose));
  const held = []; // deeds and notices after the shown snapshot, until the next one is drawn
  const holds = (one, tell) => parts.ends.isAhead(one.entry, now.snapshot) && held.push(() => tell(one)) > 0;
  const screen = {
    node,
    draw(snapshot, at = performance.now()) {
      now.newest = snapshot;
      parts.confirm.draw(shownOf(snapshot), turnOf(snapshot));
      if (parts.ends.waits(snapshot)) return;
      const before = now.snapshot;
      Object.assign(now, { snapshot, at });
      const inside = parts.own.node.contains(document.activeElement);
      moving(node, snapshot.behind ? null : before?.view, snapshot.view, () => {
        parts.ends.draw(before, snapshot);
        parts.news.draw(before, snapshot);
        parts.ahead.draw(snapshot, isOwnTurn(snapshot));
        draw(parts, snapshot);
        ticks(now, parts);
      });
      if (snapshot.serial !== before?.serial) parts.unfit.hide();
      if (inside && !parts.own.node.contains(document.activeElement)) parts.hand.focus();
      screenLock.want(isOwnTurn(snapshot) || (Boolean(snapshot.view.deal) && !snapshot.away));
      tell(before, snapshot);
      for (const again of held.splice(0)) again();
    },
    deed(deed) {
      if (holds(deed, screen.deed)) return;
      parts.log.deed(deed);
      parts.news.deed(deed);
      write(parts.latest, parts.log.box.lastChild?.textContent ?? "");
      if (deed.kind === "late" && deed.author === now.snapshot?.view.you) write(wrong, t("page.late"));
      if (parts.sheet.deed(deed) && now.snapshot) parts.sheet.draw(now.snapshot.view);
    },
    said(said) {
      parts.talk.said(said);
      if (parts.talk.mutes(said.seat) || said.seat === now.snapshot?.view.you) return;
      parts.fold.count();
      play("said");
    },
    notice(notice) {
      if (holds(notice, screen.notice)) return;
      parts.log.notice(notice);
      if (notice.style === "turn") write(parts.latest, notice.text);
    },
  };
  return screen;
}

/** Sends a choice, one at a time of each turn: the next turn may be here before the answer is. What was confirmed is not
 * done on a later turn, nor under a number that is another offer's by then. `sure`: it needs no second thought. */
async function take(now, parts, actions, chosen, numbers, sure = false) {
  const turn = turnOf(now.snapshot);
  if (now.taking?.turn === turn) return;
  const answer = sure ? "yes" : await parts.confirm.ask(now.snapshot.view, chosen, numbers, turn, leftOf(now));
  if (answer === "gone") throw new Error(t("page.confirm.gone"));
  if (answer !== "yes" || turnOf(now.newest) !== turn || now.taking?.turn === turn) return;
  const offer = sameOffer(now.newest.view, chosen) ?? (chosen.key && chosen);
  if (!offer) throw new Error(t("page.confirm.gone"));
  const taking = (now.taking = { turn });
  underWay(parts, now.snapshot, offer);
  try {
    await sent(now, actions, offer, numbers);
  } catch (error) {
    if (now.taking === taking) underWay(parts, now.snapshot, null);
    throw error;
  } finally {
    if (now.taking === taking) now.taking = null;
  }
}

/** Sends it; where all act at once, again if others have changed what else is on offer, and not this. */
async function sent(now, actions, offer, numbers, tries = TRIES) {
  try {
    await actions.choose(offer, ...numbers);
  } catch (error) {
    const wanted = JSON.stringify(offer.action);
    const same = offer.key && tries > 1 && now.newest.view.offers.find(({ action }) => JSON.stringify(action) === wanted);
    if (!same) throw error;
    await sent(now, actions, same, numbers, tries - 1);
  }
}

/** Where keys take what is on offer, what was chosen is marked at once, until there is something on offer again. */
function underWay(parts, snapshot, offer) {
  parts.sent = offer?.key ? { piece: offer.piece, serial: snapshot.serial } : null;
  drawTable(parts, snapshot);
}

/** Milliseconds that are left of the own turn. */
function leftOf({ snapshot, at }) {
  const turn = snapshot.view.turns.find(({ seat }) => seat === snapshot.view.you);
  return !turn || turn.ends === null || turn.extensions ? Infinity : turn.ends - turn.waited - (performance.now() - at);
}

function partsOf(now, actions, { choose, send }, trying) {
  const again = () => now.snapshot && draw(parts, now.snapshot);
  const own = el("section", { class: "own panel", "aria-label": t("page.own") });
  const ahead = premove(own, send, () => (held.update(), markColumn(parts)));
  const unfit = refusal(own);
  const held = hand(choose, again, ahead, unfit.say, own);
  const acts = offers(choose, held.picked, send);
  const logPanel = log();
  const spoken = talk(actions, again);
  const command = commandLine(actions);
  const keys = help();
  const reading = rules(actions.rules, keys.node, el("button", { class: "to-tour", onclick: () => (reading.node.close(), parts.tour.start()) }, t("page.tour")));
  const read = () => (keys.draw(now.snapshot.view), reading.open());
  const who = person(actions);
  const leave = () => trying(async () => (await sure("page.leave", "page.leave.sure", "page.leave", now.snapshot.trust.at(-1))) && actions.leave());
  const settingsBox = menu(
    confirmSetting(),
    aheadSetting(),
    el("button", { onclick: () => (settingsBox.close(), read(), keys.focus()) }, t("page.help")),
    el("button", { onclick: () => command.open() }, t("page.command")),
    el("button", { class: "danger", onclick: () => (settingsBox.close(), leave()) }, t("page.leave")));
  const parts = {
    held, acts, command, read, ahead, keys, unfit,
    person: who,
    confirm: confirm(own, held.waits),
    own: { node: own },
    rules: reading.node,
    hints: hints(actions, trying, () => now.snapshot && drawTable(parts, now.snapshot)),
    menu: settingsBox,
    log: logPanel,
    news: news(),
    talk: spoken,
    sheet: sheet(),
    badge: badge(actions, (entry) => (parts.fold.open(), logPanel.jump(entry))),
    fold: fold(),
    mute: muteButton(),
    seats: seatList(spoken.mutes, who.open),
    seat: newSeat("div", who.open),
    skip: el("button", { class: "skip", onclick: () => toOwn(parts) }),
    title: el("h1", {}),
    goal: el("p", { class: "goal" }),
    status: el("p", { class: "status", role: "status" }),
    latest: el("p", { class: "latest", "aria-hidden": "true" }),
    watching: el("p", { class: "watching", hidden: true }, eye(), t("page.watching")),
    connection: el("p", { class: "connection" }),
    deal: el("progress", { max: "100", hidden: true, "aria-label": t("page.dealing") }),
    board: el("div", { class: "arena", onclick: ({ target }) => ahead.column(columnsOf(parts).indexOf(target.closest(".column"))) }),
    end: el("section", { class: "end panel", hidden: true, "aria-label": t("page.end") }),
    made: el("p", { class: "made" }),
    sit: el("button", { class: "quiet", onclick: () => trying(() => actions.sit()) }),
    company: company((wish) => trying(async () => (await actions.lobby(wish), true))),
    room: el("button", { class: "to-people", onclick: () => (parts.fold.open(), parts.company.node.querySelector("input, .primary").focus()) }, t("page.people")),
    other: el("button", { onclick: () => trying(() => actions.lobby({ do: "other" })) }, t("page.onward.game")),
    back: el("button", { onclick: () => trying(() => actions.lobby({ do: "back" })) }, t("page.onward.back")),
    replay: el("button", { onclick: () => trying(() => replayOwn(now, actions)) }, t("page.onward.replay")),
    yes: el("button", { class: "primary", onclick: () => trying(() => actions.again(true)) }, t("page.again.yes")),
    no: el("button", { onclick: () => trying(() => actions.again(false)) }, t("page.again.no")),
  };
  parts.ways = actions.bar && el("div", { class: "row wrap ways-on" },
    parts.replay,
    el("button", { onclick: () => trying(() => actions.bar.go("play")) }, t("page.home.other")),
    el("button", { onclick: () => trying(() => actions.bar.go("history")) }, t("page.home.history")),
    el("button", { onclick: () => trying(() => actions.bar.go("home")) }, t("page.home")));
  parts.hand = held.node.querySelector("#hand");
  parts.sent = null;
  const unset = el("div", { class: "unset" }, el("p", { "aria-hidden": "true" }, t("page.unset"))); // the status says it too
  parts.drawBoard = changed((shown, view) => {
    const drawn = isUnset(view) ? unset : drawBoard(view, { ...shown, choose, refused: (key, values) => unfit.say(t(key, values)) });
    if (!drawn || parts.board.firstChild !== drawn) put(parts.board, drawn);
    if (drawn && view.board && view.board.is !== "generic") room.observe(drawn);
    // a board that scrolls and has no buttons can be scrolled by keys
    if (drawn?.querySelector("button, [tabindex='0']")) drawn.removeAttribute("tabindex");
    else drawn?.setAttribute("tabindex", "0");
  });
  return parts;
}

const eye = () =>
  svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: "M1 8c3.5-5.5 10.5-5.5 14 0-3.5 5.5-10.5 5.5-14 0Z" }), svg("circle", { cx: 8, cy: 8, r: 2 }));

/** Whether nothing lies on the table yet, not even its regions. */
const isUnset = ({ board }) => !board || (board.is === "generic" && !board.regions.length);

const columnsOf = (parts) => [...parts.board.querySelectorAll(".stones > * .column, .stones > .column")];

/** The column that is marked for one's next turn. */
function markColumn(parts) {
  const marked = parts.ahead.marked()?.place ?? null;
  columnsOf(parts).forEach((column, at) => {
    column.toggleAttribute("data-ahead", at === marked);
    if (parts.ahead.mayColumn()) set(column, "aria-disabled", "false");
    if (marked !== null) set(column, "aria-pressed", String(at === marked));
    else column.removeAttribute("aria-pressed");
  });
}

function layout(parts, wrong) {
  const open = el("button", { class: "quiet", "aria-haspopup": "dialog", onclick: () => parts.menu.showModal() }, t("page.menu"));
  const read = el("button", { class: "quiet", "aria-haspopup": "dialog", onclick: parts.read }, t("page.rules"));
  parts.tour = tour({ turn: parts.status, play: parts.own.node, badge: parts.badge.node, rules: read }, () => toOwn(parts));
  put(parts.own.node,
    el("div", { class: "self" }, parts.seat.node, parts.held.sort, parts.sit), el("div", { class: "palm" }, parts.held.node, parts.made), parts.acts.node, parts.hints.node, wrong);
  parts.foot = el("div", { class: "foot" });
  parts.table = el("section", { class: "table", "aria-label": t("page.table.of") }, parts.seats.node, parts.board, parts.news.node);
  return el("div", { class: "match" },
    parts.skip,
    el("header", { class: "top" },
      el("div", { class: "titles" }, parts.title, parts.goal, parts.connection, parts.watching, parts.status, parts.deal),
      el("div", { class: "row tools" }, parts.badge.node, parts.fold.button, read, parts.mute, open),
      parts.latest, parts.tour.offer),
    el("main", {}, parts.table, parts.own.node, parts.foot),
    el("aside", { class: "side", id: "side", "aria-label": t("page.side") }, parts.log.node, parts.talk.node, parts.company.node, parts.sheet.node),
    parts.ends.said, parts.held.which, parts.confirm.node, parts.ahead.node, parts.unfit.node, parts.menu, parts.rules, parts.person.node, parts.tour.node, parts.command.node);
}

function draw(parts, snapshot) {
  const { view } = snapshot;
  const watching = view.you === null;
  parts.keys.note(view);
  parts.person.draw(snapshot);
  parts.tour.draw(snapshot);
  write(parts.title, gameName(view.game));
  write(parts.goal, goalOf(view));
  write(parts.status, statusOf(snapshot));
  parts.status.toggleAttribute("data-own", isOwnTurn(snapshot));
  write(parts.connection, snapshot.connection);
  parts.connection.toggleAttribute("data-lost", snapshot.away);
  parts.deal.hidden = !view.deal;
  if (view.deal) parts.deal.value = view.deal.percent;
  set(parts.log.box, "aria-busy", String(snapshot.behind));
  parts.badge.draw(snapshot);
  const places = parts.seats.draw(view);
  parts.table.style.setProperty("--columns", Math.max(1, ...places.map(([column]) => column)));
  parts.table.toggleAttribute("data-around", places.some(([, row]) => row !== 1));
  parts.table.toggleAttribute("data-many", places.length > 3);
  parts.own.node.hidden = parts.skip.hidden = watching;
  const place = watching ? parts.foot : parts.own.node;
  if (parts.end.parentNode !== place) place.append(parts.ends.node, parts.end);
  parts.watching.hidden = !watching;
  if (!watching) drawOwn(parts, view, shownOf(snapshot));
  write(parts.skip, t(["grid", "heaps"].includes(view.board?.is) ? "page.skip.board" : "page.skip"));
  if (parts.sent && parts.sent.serial !== snapshot.serial && view.offers.length) parts.sent = null;
  drawTable(parts, snapshot);
  const here = snapshot.onward ? snapshot.lobby?.company : null; // they talk there from now on
  parts.talk.draw(view, snapshot.muted, Boolean(here));
  parts.sheet.draw(view);
  const { again, onward } = snapshot;
  parts.replay.hidden = !view.trust.saved;
  drawEnd(parts.end, snapshot,
    again && el("div", { class: "row wrap" }, !parts.ways && !snapshot.bots && el("span", {}, t("page.again")), parts.yes, !parts.ways && !onward && parts.no),
    (again || onward) && !parts.ways && parts.replay,
    onward && el("div", { class: "row wrap" }, !watching && parts.other, parts.back, here && parts.room),
    parts.ways);
  parts.company.draw(here, false, snapshot);
}

/** What is shown of a match: nothing is on offer while the table is lost. */
const shownOf = ({ view, away }) => (away ? { ...view, offers: [] } : view);

function drawTable(parts, snapshot) {
  const shown = shownOf(snapshot);
  const seats = shown.seats.map(({ name }) => name);
  parts.drawBoard({ board: shown.board, offers: shown.offers, asked: parts.held.asked(), sent: parts.sent?.piece ?? null, seats, hint: parts.hints.marked(shown) }, shown);
  markColumn(parts);
}

function drawOwn(parts, view, shown) {
  const own = view.seats[view.you];
  mark(parts.seat.node, own, view);
  parts.seat.draw(own, view, false);
  parts.held.draw(shown);
  parts.acts.draw(shown);
  parts.hints.draw(shown);
  write(parts.made, view.made ?? "");
  parts.sit.hidden = !view.sit;
  write(parts.sit, view.sit?.label ?? "");
}

/** Shows the own log of this match, from Home if there is one. */
async function replayOwn(now, actions) {
  if (!actions.bar) return actions.replay();
  const name = now.snapshot.view.trust.saved.split(/[\\/]/).slice(-2).join("/"); // in the data folder
  await actions.bar.go("history");
  return actions.open("replay", name);
}

/** What the person can do now, as the game says it, and how on this board. */
function adviceOf({ prompt, board, offers }) {
  if (offers[0].places) return t("page.how.exchange", { most: offers[0].places.most });
  const way = HOW[board?.men ?? board?.is];
  return [prompt ?? t("page.turn.own"), way && t(way)].filter(Boolean).join(" ");
}

/** What the match waits for, in words. Only the clocks show seconds, so that a screen reader does not read each of them. */
function statusOf({ view, away, connection, stage, status }) {
  if (away) return connection;
  const acting = view.turns.map(({ seat }) => seat);
  if (stage === "match" && acting.length && isAtOnce(view)) return view.prompt ?? t("page.turn.all");
  if (stage === "match" && acting.includes(view.you)) return view.offers.length ? adviceOf(view) : status;
  if (stage === "match" && view.seats[view.you]?.game.status === "out") return t("page.out");
  if (stage === "match" && acting.length) return t("page.turn.who", { who: namesOf(view, acting) });
  if (view.deal) return t("page.dealing.now");
  return status || (stage === "match" && isUnset(view) ? t("page.unset") : "");
}

function ticks({ snapshot, at }, parts) {
  for (const { seat } of snapshot.view.seats) {
    const node = seat === snapshot.view.you ? parts.seat.node : parts.seats.seat(seat);
    const turn = snapshot.view.turns.find((one) => one.seat === seat);
    if (node?.firstChild) tick(node, turn, performance.now() - at, node === parts.seat.node, isAtOnce(snapshot.view));
  }
}

/** A board that is larger than its room is scrolled, and keys come there for that. */
const room = new ResizeObserver((seen) => {
  for (const { target } of seen) {
    if (!target.isConnected) room.unobserve(target);
    else if (target.scrollHeight > target.clientHeight + 1) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});

const isOwnTurn = (snapshot) =>
  snapshot?.stage === "match" && !snapshot.away && snapshot.view.offers.length > 0 && snapshot.view.turns.some(({ seat }) => seat === snapshot.view.you);

/** The entry since which it is the own turn, or null. */
const turnOf = (snapshot) =>
  isOwnTurn(snapshot) ? snapshot.view.turns.find(({ seat }) => seat === snapshot.view.you).since : null;

/** The sign of the tab: whether it is the own turn. */
function sign(own) {
  const icon = document.querySelector("link[rel=icon]");
  const [plain] = icon.href.split("#");
  const wanted = own ? `${plain}#turn` : plain;
  if (icon.href !== wanted) icon.href = wanted;
}

/** The title and sign of the tab, and sounds for what begins. */
function tell(before, snapshot) {
  const turn = turnOf(snapshot);
  const title = `${turn === null ? statusOf(snapshot) : t("page.turn.own")} · ${gameName(snapshot.view.game)}`;
  if (document.title !== title) document.title = title;
  sign(turn !== null);
  if (turn !== null && turn !== turnOf(before) && before && !snapshot.view.offers[0].key) call(document.title);
  if (snapshot.stage === "over" && before && before.stage !== "over") play({ won: "won", lost: "lost" }[endOf(snapshot)] ?? "over");
  if (before && !snapshot.behind && !document.hidden) soundsOf(changes(before.view, snapshot.view)).forEach(play);
}

/** Where one plays: the hand, or, where nobody holds anything, the board. */
const ownBoard = (parts) => parts.board.querySelector(":is(.grid, .heaps) [tabindex='0'], .mine button");
const toOwn = (parts) => (ownBoard(parts) ?? parts.hand).focus();

/** What a key does; whether it did something. */
function keyed(key, { snapshot }, parts, choose) {
  const { view } = snapshot;
  if (key === "?") return Boolean(parts.read());
  if (key === "/") return parts.command.open() ?? true;
  if (key === "H") return toOwn(parts) ?? true;
  const quick = key && shownOf(snapshot).offers.find((offer) => offer.key?.includes(key.toLowerCase()));
  if (quick) return Boolean(choose(quick));
  const column = view.board?.men === "stones" && view.offers.find(({ place }) => String(place + 1) === key);
  if (column) return Boolean(choose(column));
  if (parts.ahead.column(Number(key || NaN) - 1)) return true;
  if (view.board?.is === "line" && (key === "L" || key === "R")) return parts.held.end(key === "L" ? 0 : 1) ?? true;
  const all = key === "A" && allOf(view);
  return all ? Boolean(choose(...all)) : parts.acts.key(key);
}
