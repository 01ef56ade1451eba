let words = {};

/** From now on these are the page's own few words, by key. */
export const learn = (labels) => (words = labels);

/** The label of a key; `{name}` in it is what `args` calls so. */
export const t = (key, args = {}) => (words[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => args[name] ?? whole);
