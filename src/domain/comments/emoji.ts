/**
 * Regular expression flag for Unicode property sets. Node supports it, but the compiler's target has no literal with
 * it.
 */
const FLAGS = 'v'
const EMOJI = new RegExp('^\\p{RGI_Emoji}$', FLAGS)
/** Hexadecimal code points, as many clients write an emoji: `1f44d`, `1f1e9-1f1ea`. */
const CODES = /^[0-9a-f]{2,6}(-[0-9a-f]{2,6}){0,15}$/i
/** Variation selector 16. It selects the emoji form of a character that is text by default. */
const EMOJI_FORM = '\ufe0f'

function fromCodes(text: string): string | null {
  const points = text.split('-').map((code) => Number.parseInt(code, 16))
  return points.every((point) => point <= 0x10ffff) ? String.fromCodePoint(...points) : null
}

/**
 * Parses a text that is one emoji, and returns it in the form that Unicode recommends for interchange. Null for any
 * other text.
 */
export function readEmoji(text: string): string | null {
  const given = CODES.test(text) ? fromCodes(text) : text
  if (given === null) return null
  const [first = '', ...rest] = given
  return [given, given + EMOJI_FORM, first + EMOJI_FORM + rest.join('')].find((form) => EMOJI.test(form)) ?? null
}
