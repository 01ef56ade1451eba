let words = {};

/** From now on these are the page's own few words, by key. */
export const learn = (labels) => (words = labels);

/** The label of a key; `{name}` in it is what `args` calls so. A key with `.one` is for a `count` of one. */
export const t = (key, args = {}) => ((args.count === 1 && words[`${key}.one`]) || (words[key] ?? key)).replace(/\{(\w+)\}/g, (whole, name) => args[name] ?? whole);
