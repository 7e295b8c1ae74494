/**
 * Converts a text with placeholders to HTML whose elements engines keep in place: `span` around text, and an empty `i`
 * for a placeholder without text.
 */
export const asHtml = (text: string): string =>
  text
    .replace(/<g id="(\d+)">/g, '<span id="$1">')
    .replaceAll('</g>', '</span>')
    .replace(/<x id="(\d+)"\/>/g, '<i id="$1"></i>')
