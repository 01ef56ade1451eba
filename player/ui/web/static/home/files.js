import { t } from "../words.js";

/** Shows a file as a replay, after a question if others wait. Of a large one only the beginning is sent, which an audit reads. */
export async function showFile(files, { bar, send, most }) {
  if (files.length !== 1) throw new Error(t("page.history.file.one"));
  const [file] = files;
  if (!(await bar.mayLeave())) return;
  const part = file.slice(0, await most());
  await bar.during(t("page.history.file.reading", { name: file.name }), send(file.name, part));
}

/** Has files dropped anywhere on the page; the browser would go away to them. `take` gets what is dropped. */
export function dropped(node, take) {
  const over = (event, is) => {
    if (![...(event.dataTransfer?.types ?? [])].includes("Files")) return false;
    event.preventDefault();
    node.toggleAttribute("data-dropping", is);
    return true;
  };
  node.addEventListener("dragover", (event) => over(event, true));
  node.addEventListener("dragleave", (event) => event.relatedTarget === null && over(event, false));
  node.addEventListener("drop", (event) => over(event, false) && take([...event.dataTransfer.files]));
}
