/** Sets of Unicode strings: Node has them, the language level that is compiled for has no literal for them. */
const FLAGS = 'v'
const EMOJI = new RegExp('^\\p{RGI_Emoji}$', FLAGS)
/** Code points in hexadecimal, as many clients name an emoji: `1f44d`, `1f1e9-1f1ea`. */
const CODES = /^[0-9a-f]{2,6}(-[0-9a-f]{2,6}){0,15}$/i
/** Asks for the coloured form of a character that is text otherwise. */
const COLOURED = '\ufe0f'

function fromCodes(text: string): string | null {
  const points = text.split('-').map((code) => Number.parseInt(code, 16))
  return points.every((point) => point <= 0x10ffff) ? String.fromCodePoint(...points) : null
}

/** The one emoji that a text is, in the form that Unicode recommends for interchange; null where it is none, or several. */
export function readEmoji(text: string): string | null {
  const given = CODES.test(text) ? fromCodes(text) : text
  if (given === null) return null
  const [first = '', ...rest] = given
  return [given, given + COLOURED, first + COLOURED + rest.join('')].find((form) => EMOJI.test(form)) ?? null
}
