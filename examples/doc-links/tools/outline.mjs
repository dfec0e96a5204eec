// outline: the headings of one Markdown file.

import { read } from "../lib/markdown.mjs";
import { inside, kind, text } from "../lib/project.mjs";

export default async function outline(input, context) {
  const full = inside(context.paths.project, input.path);
  if (full === null || (await kind(full)) !== "file") {
    throw new Error(`no file is at ${input.path} in the project`);
  }
  const words = await text(full);
  if (words === null) {
    throw new Error(`${input.path} is too large to be a document`);
  }
  return { headings: read(words).headings };
}
