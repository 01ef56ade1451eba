import { el, put, theirs } from "../dom.js";
import { sure } from "../match/dialog.js";
import { write } from "../match/keep.js";
import { gameName } from "../match/names.js";
import { t } from "../words.js";

/** The people of a lobby: a way to be seen, and then who is here and their talk; `summons` shows their invitations. `ask` sends a wish. */
export function company(ask) {
  const about = el("p", { class: "muted" });
  const appear = el("button", { class: "primary", onclick: () => ask({ do: "appear" }) }, t("page.people.appear"));
  const told = el("p", { class: "wrong", role: "alert" });
  const list = el("ul", { class: "guests" });
  const talk = el("div", { class: "talk", role: "log", tabindex: "0", "aria-label": t("page.people.talk") });
  const field = el("input", { id: "remark", autocomplete: "off", maxlength: "200" });
  const say = async (event) => {
    event.preventDefault();
    if (field.value.trim() && (await ask({ do: "say", text: field.value }))) field.value = "";
  };
  const form = el("form", { onsubmit: say }, el("label", { for: field.id }, t("page.people.say")),
    el("div", { class: "row" }, field, el("button", {}, t("page.people.send"))));
  const vanish = el("button", { class: "quiet", onclick: () => ask({ do: "vanish" }) }, t("page.people.vanish"));
  const note = el("p", { class: "muted" }, t("page.people.open"));
  const away = el("ul", { class: "sent-away" });
  const seen = el("div", {}, list, away, note, talk, form, vanish);
  const node = el("section", { class: "panel company" }, el("h2", {}, t("page.people")), about, appear, told, seen);
  const drawList = kept(list, ({ guest, waits, own }) => person(guest, waits, own, ask));
  const drawTalk = kept(talk, remark);
  const drawAway = kept(away, (ban) => banned(ban, ask));
  return {
    node,
    /** `waits`: one sits at a table that waits for others. */
    draw(shown, waits, snapshot = null) {
      node.hidden = !shown;
      if (!shown) return;
      const { wanted, here, people } = shown;
      write(about, aboutOf(shown, snapshot));
      appear.hidden = wanted;
      seen.hidden = !wanted;
      form.hidden = !here;
      write(told, shown.told);
      drawAway(snapshot?.lobby?.own ? shown.sent_away : []);
      drawList(people.map((guest) => ({ guest, waits, own: Boolean(snapshot?.lobby?.own) })));
      if (drawTalk(shown.talk)) talk.scrollTop = talk.scrollHeight;
      talk.hidden = shown.talk.length === 0;
    },
  };
}

/** Whether the person is seen, and who else is here: those who sit at a table are shown to everybody. */
function aboutOf({ wanted, here, name, people, told }, snapshot) {
  const seated = (snapshot?.lobby?.tables ?? []).flatMap((table) => table.people.map((one) => one.name));
  const sit = seated.length ? ` ${t("page.people.seated", { names: seated.map((one) => `\u2068${one}\u2069`).join(", ") })}` : "";
  if (!wanted) return `${t("page.people.unseen")}${sit} ${t("page.people.appear.about")}`;
  if (!here && told) return "";
  if (!here) return snapshot?.away ? t("page.people.away") : t("page.people.coming");
  return `${t("page.people.here", { name })}${people.length || sit ? sit : ` ${t("page.people.nobody")}`}`;
}

/** What somebody wants of the person, on top of everything: invitations, and who wants to play again. `ask` sends a wish. */
export function summons(ask, again) {
  const calls = el("ul", { class: "calls" });
  const text = el("span", {});
  let go = null; // what the button does
  const yes = el("button", { class: "primary", onclick: () => go() });
  const wish = el("div", { class: "row wrap", hidden: true }, text, yes);
  const node = el("section", { class: "summons", "aria-live": "polite", "aria-label": t("page.people.summons"), hidden: true }, wish, calls);
  const drawCalls = kept(calls, (call) => invitation(call, ask));
  return {
    node,
    draw(snapshot) {
      const company = snapshot.stage === "match" ? null : snapshot.lobby?.company;
      const { names, count, seats, game, same } = company?.waiting ?? { names: [] };
      const sits = snapshot.stage === "waiting";
      const waits = (sits || snapshot.onward) && names.length > 0;
      drawCalls(company?.calls ?? []);
      wish.hidden = !waits;
      const back = same && snapshot.again;
      go = back ? () => again(true) : () => ask({ do: "follow" });
      if (waits) write(text, t(same ? "page.people.wants.again" : "page.people.wants.game", { names: names.map((one) => `\u2068${one}\u2069`).join(", "), game: gameName(game), count, seats }));
      write(yes, t(back ? "page.again.yes" : "page.lobby.sit"));
      yes.hidden = !(snapshot.again || sits || (!same && snapshot.view && snapshot.view.you !== null));
      node.hidden = wish.hidden && !(company?.calls.length > 0);
    },
  };
}

/** Draws a list anew where it has changed, and keeps the focus; whether it has changed. */
function kept(list, row) {
  let drawn = "[]";
  return (rows) => {
    const now = JSON.stringify(rows);
    if (now === drawn) return false;
    drawn = now;
    const focused = list.contains(document.activeElement) && document.activeElement.id;
    put(list, rows.map(row));
    if (focused) document.getElementById(focused)?.focus();
    return true;
  };
}

function person({ number, name, fingerprint, known, muted, partner, asked }, waits, own, ask) {
  const title = el("span", { id: `guest-${number}` }, theirs(name));
  const said = el("span", { role: "status" });
  const call = async () => (await ask({ do: "call", number })) && (said.textContent = t("page.people.called"));
  const remove = async () => (await sure("page.people.remove", "page.people.remove.what", "page.people.remove", "", { name: `\u2068${name}\u2069` })) && ask({ do: "remove", number, target: fingerprint });
  return el("li", { class: "row wrap" },
    title, el("span", { class: "muted", title: known }, fingerprint),
    partner && el("span", { class: "muted" }, t("page.people.partner")),
    waits && !muted && el("button", { id: `call-${number}`, "aria-describedby": title.id, onclick: call }, t("page.people.call")),
    !muted && el("button", { id: `trade-${number}`, "aria-describedby": title.id, disabled: asked, onclick: () => ask({ do: "trade", number }) }, t(asked ? "page.people.trade.asked" : "page.people.trade")),
    el("button", { id: `mute-${number}`, class: "quiet", "aria-describedby": title.id, onclick: () => ask({ do: muted ? "unmute" : "mute", number }) },
      t(muted ? "page.people.unmute" : "page.people.mute")),
    own && el("button", { id: `remove-${number}`, class: "quiet", "aria-describedby": title.id, onclick: remove }, t("page.people.remove")),
    said);
}

/** Somebody whom the host has sent away, and the way back. */
function banned({ target, name, whose, until }, ask) {
  const who = `\u2068${name || whose}\u2069`;
  const time = until && new Date(until * 1000).toLocaleTimeString(document.documentElement.lang, { hour: "numeric", minute: "2-digit" });
  const title = el("span", { id: `away-${target}` }, time ? t("page.people.banned.until", { name: who, time }) : t("page.people.banned", { name: who }));
  const print = el("span", { id: `whose-${target}`, class: "muted" }, name && whose); // anybody may take any name
  return el("li", { class: "row wrap" }, title, print,
    el("button", { id: `back-${target}`, class: "quiet", "aria-describedby": `${title.id} ${print.id}`, onclick: () => ask({ do: "let_back", target }) }, t("page.people.back")));
}

function invitation({ number, name, fingerprint, trade, game, seats, dealt }, ask) {
  const answer = (what) => () => ask({ do: what, number });
  const what = trade
    ? t("page.people.call.trade")
    : game === null
      ? t("page.people.call.nowhere")
      : t("page.people.call.table", { game: gameName(game), seats, dealt });
  const title = el("p", { id: `asked-${number}` }, theirs(name), " ", el("span", { class: "muted" }, fingerprint), " ", what);
  return el("li", { class: "panel" }, title,
    el("div", { class: "row wrap" },
      (trade || game !== null) && el("button", { id: `accept-${number}`, class: "primary", "aria-describedby": title.id, onclick: answer("accept") }, t(trade ? "page.people.trade" : "page.people.accept")),
      el("button", { id: `decline-${number}`, "aria-describedby": title.id, onclick: answer("decline") }, t("page.people.decline"))));
}

/** A remark. */
const remark = ({ name, fingerprint, text, own }) =>
  el("p", {}, own ? el("strong", {}, t("page.people.you")) : el("strong", { title: fingerprint }, theirs(name)), ": ", theirs(text));

/** Whom to invite to a table of one's own: `draw` takes the people, `chosen` says the numbers of those that are ticked. */
export function guestChoice() {
  const ticked = new Map(); // by number, what the person has ticked or not
  const list = el("div", {});
  const node = el("fieldset", { class: "guest-choice", hidden: true }, el("legend", {}, t("page.lobby.invited")), list);
  let shown = "";
  const isTicked = ({ number, partner }) => ticked.get(number) ?? partner;
  let here = [];
  return {
    node,
    draw(people) {
      here = people.filter(({ muted }) => !muted);
      node.hidden = here.length === 0;
      const now = JSON.stringify(here);
      if (now === shown) return;
      shown = now;
      put(list, here.map((guest) => {
        const box = el("input", { id: `invite-${guest.number}`, type: "checkbox", checked: isTicked(guest) });
        box.addEventListener("change", () => ticked.set(guest.number, box.checked));
        return el("div", { class: "row" }, box, el("label", { for: box.id }, theirs(guest.name), " ", el("span", { class: "muted" }, guest.fingerprint)));
      }));
    },
    chosen: () => here.filter(isTicked).map(({ number }) => number),
  };
}
