// Called with the input, which was checked against the schema in manifest.json; what it returns is checked too.
export default function countWords({ text }) {
  return {
    words: text.split(/\s+/u).filter(Boolean).length,
    lines: text === "" ? 0 : text.replace(/\r?\n$/u, "").split(/\r?\n/u).length,
    characters: [...text].length,
  };
}
