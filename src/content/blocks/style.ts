/** Detects the markdown style of an author, as options of mdast-util-to-markdown. */
import { defaultHandlers, type Options } from 'mdast-util-to-markdown'

/** The number of characters that are examined. */
const MAX_EXAMINED = 20_000

const marker = (text: string, of: RegExp): string | undefined => of.exec(text)?.[1]
const count = (text: string, of: RegExp): number => text.match(of)?.length ?? 0

/** Prints a hard break as two spaces. */
const spacedBreak: typeof defaultHandlers.break = (...given) => defaultHandlers.break(...given).replace('\\\n', '  \n')

/** Returns the printer options that match the style of `source`. Constructs that do not occur in it get no options. */
export function styleOf(source: string): Partial<Options> {
  const text = source.slice(0, MAX_EXAMINED)
  const bullet = marker(text, /^[ \t>]*([-*+])[ \t]+\S/m) as Options['bullet'] | undefined
  const ordered = marker(text, /^[ \t>]*\d{1,9}([.)])[ \t]+\S/m) as Options['bulletOrdered'] | undefined
  const stars = count(text, /(?<![*\\\p{L}\p{N}])\*(?![*\s])/gu)
  const underscores = count(text, /(?<![_\\\p{L}\p{N}])_(?![_\s])/gu)
  const strong = count(text, /(?<![_\\\p{L}\p{N}])__(?![_\s])/gu) > count(text, /(?<![*\\])\*\*(?![*\s])/gu)
  const repeated = /^([ \t>]*1[.)])[ \t]+\S.*\r?\n\1[ \t]/m.test(text)
  const wide = /^[ \t>]*(?:[-*+] {3}|\d[.)] {2})\S/m.test(text)
  return {
    ...(wide ? { listItemIndent: 'tab' } : {}),
    ...(bullet ? { bullet, bulletOther: bullet === '-' ? '*' : '-' } : {}),
    ...(ordered ? { bulletOrdered: ordered } : {}),
    ...(stars > underscores ? { emphasis: '*' } : {}),
    ...(strong ? { strong: '_' } : {}),
    ...(repeated ? { incrementListMarker: false } : {}),
    ...(/\S {2,}\r?\n/.test(text) && !/\\\r?\n/.test(text) ? { handlers: { break: spacedBreak } } : {}),
  }
}
