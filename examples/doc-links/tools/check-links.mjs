// check-links: every relative link of a project's Markdown files.

import path from "node:path";

import { nearest, read } from "../lib/markdown.mjs";
import { MOST_FILES, inside, kind, markdown, text, told } from "../lib/project.mjs";

const MOST_BROKEN = 200;

export default async function checkLinks(input, context) {
  const { project } = context.paths;
  const headings = input.headings ?? true;
  const answer = { files: 0, links: 0, external: 0, broken: [], complete: true };
  const documents = new Map();
  const document = async (full) => {
    if (!documents.has(full)) {
      const words = await text(full);
      documents.set(full, words === null ? null : read(words));
    }
    return documents.get(full);
  };

  const files = new Set();
  for (const start of input.paths ?? ["."]) {
    const full = inside(project, start);
    if (full === null || (await kind(full)) === null) {
      throw new Error(`nothing is at ${start} in the project`);
    }
    const found = await markdown(full, MOST_FILES - files.size);
    found.files.forEach((file) => files.add(file));
    answer.complete &&= found.complete;
  }

  for (const file of files) {
    const own = await document(file);
    answer.files += 1;
    if (own === null) {
      context.log(`${told(project, file)} is too large and was passed over`);
      answer.complete = false;
      continue;
    }
    for (const { line, target } of own.links) {
      answer.links += 1;
      if (/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(target)) {
        answer.external += 1;
        continue;
      }
      const fault = await judge({ project, file, target, headings, document });
      if (fault === null) {
        continue;
      }
      if (answer.broken.length === MOST_BROKEN) {
        answer.complete = false;
        return answer;
      }
      answer.broken.push({ file: told(project, file), line, target, ...fault });
    }
  }
  return answer;
}

/** What is wrong with one target, or null. */
async function judge({ project, file, target, headings, document }) {
  const [before, anchor] = split(target);
  const from = before.startsWith("/") ? project : path.dirname(file);
  const full = before === "" ? file : inside(project, path.join(path.relative(project, from), before));
  if (full === null) {
    return { reason: "outside-project" };
  }
  const is = await kind(full);
  if (is === null) {
    return { reason: "no-file" };
  }
  if (!headings || anchor === "" || is !== "file" || !/\.(md|markdown|mdown)$/i.test(full)) {
    return null;
  }
  const other = await document(full);
  const known = other?.headings.map((heading) => heading.anchor) ?? [];
  if (other === null || known.includes(anchor.toLowerCase())) {
    return null;
  }
  const close = nearest(anchor.toLowerCase(), known);
  return { reason: "no-heading", ...(close === undefined ? {} : { nearest: close }) };
}

/** The path and the anchor of a target, percent signs read. */
function split(target) {
  const at = target.indexOf("#");
  const [before, anchor] = at < 0 ? [target, ""] : [target.slice(0, at), target.slice(at + 1)];
  return [decode(before.split("?")[0]), decode(anchor)];
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
