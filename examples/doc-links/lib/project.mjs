// The files of a project: nothing outside of it is ever opened, links are not followed, and the search has an end.

import { lstat, readFile, readdir } from "node:fs/promises";
import path from "node:path";

export const MOST_FILES = 2_000;
const MOST_BYTES = 2 * 1024 * 1024;
const MARKDOWN = /\.(md|markdown|mdown)$/i;

/** The place of `relative` below the project, or null where it climbs out. */
export function inside(project, relative) {
  const full = path.resolve(project, relative);
  const way = path.relative(project, full);
  const climbs = way === ".." || way.startsWith(`..${path.sep}`) || path.isAbsolute(way);
  return climbs ? null : full;
}

/** `full` as it is written in a document of the project. */
export function told(project, full) {
  return path.relative(project, full).split(path.sep).join("/");
}

/** What is at `full`: "file", "folder" or null. */
export async function kind(full) {
  try {
    const found = await lstat(full);
    return found.isFile() ? "file" : found.isDirectory() ? "folder" : null;
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(error.code)) {
      return null;
    }
    throw error;
  }
}

/** The text of a Markdown file; null where it is too large to be prose. */
export async function text(full) {
  return (await lstat(full)).size > MOST_BYTES ? null : readFile(full, "utf8");
}

/** The Markdown files at and below `start`, in order, at most `most`. Hidden folders and node_modules are left out. */
export async function markdown(start, most) {
  const found = [];
  const todo = [start];
  while (todo.length > 0 && found.length < most) {
    const at = todo.shift();
    const is = await kind(at);
    if (is === "file" && (MARKDOWN.test(at) || at === start)) {
      found.push(at);
    } else if (is === "folder") {
      const names = (await readdir(at, { withFileTypes: true }))
        .filter((entry) => entry.isFile() || entry.isDirectory())
        .map((entry) => entry.name)
        .filter((name) => !name.startsWith(".") && name !== "node_modules")
        .sort();
      todo.unshift(...names.map((name) => path.join(at, name)));
    }
  }
  return { files: found, complete: todo.length === 0 };
}
