/** Which of markdown's spellings an author uses, as options of mdast-util-to-markdown. */
import { defaultHandlers, type Options } from 'mdast-util-to-markdown'

/** The characters of a text that are looked at. */
const LOOKED_AT = 20_000

const marker = (text: string, of: RegExp): string | undefined => of.exec(text)?.[1]
const count = (text: string, of: RegExp): number => text.match(of)?.length ?? 0

/** A hard break as two spaces. */
const spacedBreak: typeof defaultHandlers.break = (...given) => defaultHandlers.break(...given).replace('\\\n', '  \n')

/** The options with which the printer writes as `source` is written; none for what does not occur in it. */
export function styleOf(source: string): Partial<Options> {
  const text = source.slice(0, LOOKED_AT)
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
