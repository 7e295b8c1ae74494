/** A text with placeholders as HTML that engines know how to keep in its place: `span` around text, an empty `i` for what has none. */
export const asHtml = (text: string): string =>
  text
    .replace(/<g id="(\d+)">/g, '<span id="$1">')
    .replaceAll('</g>', '</span>')
    .replace(/<x id="(\d+)"\/>/g, '<i id="$1"></i>')
