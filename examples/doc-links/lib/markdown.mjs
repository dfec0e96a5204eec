// Headings and links of one Markdown document, line by line. Enough of CommonMark for links in real documents: fenced and
// indented code, code spans, inline links and images, reference definitions, headings of both kinds.

/** Longest line that is looked at; longer ones are data, not prose. */
const MOST_COLUMNS = 20_000;

/**
 * @param {string} text
 * @returns {{headings: {line: number, level: number, text: string, anchor: string}[],
 *            links: {line: number, target: string}[]}}
 */
export function read(text) {
  const headings = [];
  const links = [];
  const anchors = new Map();
  let fence = null;
  let before = "";
  text.split(/\r\n|\n|\r/).forEach((raw, index) => {
    const line = index + 1;
    const rule = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(raw);
    if (fence) {
      if (rule && rule[1][0] === fence[0] && rule[1].length >= fence.length && rule[2].trim() === "") {
        fence = null;
      }
      before = "";
      return;
    }
    if (rule && !(rule[1][0] === "`" && rule[2].includes("`"))) {
      fence = rule[1];
      before = "";
      return;
    }
    if (raw.length > MOST_COLUMNS || (/^( {4}|\t)/.test(raw) && before === "")) {
      return;
    }
    const add = (level, words, at) => {
      const text = plain(words);
      headings.push({ line: at, level, text, anchor: unique(anchors, slug(text)) });
    };
    const atx = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/.exec(raw);
    const underline = /^ {0,3}(=+|-+)[ \t]*$/.exec(raw);
    if (atx) {
      add(atx[1].length, atx[2] ?? "", line);
    } else if (underline && before.trim() !== "" && !/^ {0,3}([-*+>]|\d+[.)])/.test(before)) {
      add(underline[1][0] === "=" ? 1 : 2, before, line - 1);
    }
    for (const target of targets(raw)) {
      links.push({ line, target });
    }
    before = atx ? "" : raw;
  });
  return { headings, links };
}

/** The targets of links and images of one line. */
function* targets(raw) {
  const prose = raw.replace(/(`+)(?!`)(.+?)(?<!`)\1(?!`)/g, (code) => " ".repeat(code.length));
  const definition = /^ {0,3}\[[^\]]+\]:[ \t]*(?:<([^>]*)>|(\S+))/.exec(prose);
  if (definition) {
    yield definition[1] ?? definition[2];
    return;
  }
  // One level of parentheses, as in `wiki/Name_(film)`, may stand in a target.
  const inline = /\]\([ \t]*(?:<([^<>]*)>|((?:[^\s()\\]|\\.|\([^\s()]*\))+))(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*\)/g;
  for (const found of prose.matchAll(inline)) {
    yield found[1] ?? found[2].replace(/\\([!-/:-@[-`{-~])/g, "$1");
  }
}

/** A heading without its markup. */
function plain(words) {
  return words
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*`]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "")
    .trim();
}

/** The anchor of a heading, as GitHub and most site builders make it. */
export function slug(text) {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\p{Pc}\- ]/gu, "")
    .replace(/ /g, "-");
}

function unique(anchors, anchor) {
  const count = anchors.get(anchor) ?? 0;
  anchors.set(anchor, count + 1);
  return count === 0 ? anchor : `${anchor}-${count}`;
}

/** The closest of `known` to `wanted`, if it is close. */
export function nearest(wanted, known) {
  let best;
  let least = Math.max(2, Math.floor(wanted.length / 3)) + 1;
  for (const anchor of known) {
    const away = distance(wanted.slice(0, 80), anchor.slice(0, 80), least);
    if (away < least) {
      least = away;
      best = anchor;
    }
  }
  return best;
}

/** Edits from one text to another, or `most` when there are at least that many. */
function distance(one, other, most) {
  if (Math.abs(one.length - other.length) >= most) {
    return most;
  }
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const swap = row[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(swap, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return Math.min(row[other.length], most);
}
