/** Detects the scripts of a text. */

/** The scripts that search and typesetting must distinguish. `cjk` is Han, Kana and Hangul. */
export type Script = 'latin' | 'cjk' | 'cyrillic' | 'greek' | 'arabic' | 'hebrew' | 'devanagari' | 'thai' | 'other'

/** Maximum number of characters of a text that are examined. */
const MAX_EXAMINED = 32 * 1024
/** Minimum share of the letters that a script must have to be listed. */
const MIN_SHARE = 0.02

/** Scripts by their exclusive end code unit, from the first ASCII letter; '' = no letters. */
const RANGES: readonly (readonly [end: number, script: Script | ''])[] = [
  [0x41, ''],
  [0x5b, 'latin'],
  [0x61, ''],
  [0x7b, 'latin'],
  [0xc0, ''],
  [0x250, 'latin'],
  [0x370, ''],
  [0x400, 'greek'],
  [0x530, 'cyrillic'],
  [0x590, 'other'],
  [0x600, 'hebrew'],
  [0x780, 'arabic'],
  [0x900, 'other'],
  [0x980, 'devanagari'],
  [0xe00, 'other'],
  [0xe80, 'thai'],
  [0x1100, 'other'],
  [0x1200, 'cjk'],
  [0x1e00, 'other'],
  [0x1f00, 'latin'],
  [0x2000, 'greek'],
  [0x2e80, ''],
  [0x3000, 'cjk'],
  [0x3040, ''],
  [0xa4d0, 'cjk'],
  [0xac00, 'other'],
  [0xd7b0, 'cjk'],
  // Surrogates: Han beyond the first plane is the most frequent script among those that are not emoji.
  [0xd840, ''],
  [0xd88e, 'cjk'],
  [0xf900, ''],
  [0xfb00, 'cjk'],
  [0xfb1d, 'latin'],
  [0xfb50, 'hebrew'],
  [0xfe00, 'arabic'],
  [0xfe70, ''],
  [0xff00, 'arabic'],
  [0xff66, ''],
  [0xffdd, 'cjk'],
  [0x10000, ''],
]

/** Matches every letter that is not Latin. */
const BEYOND_LATIN = /[\u0370-\u1dff\u1f00-\u1fff\u2e80-\uffff]/

const LATIN = /[A-Za-z\u00c0-\u024f\u1e00-\u1eff]/

/**
 * Returns the scripts of a text that is given in parts, the one with the most letters first. Examines only the start of
 * a long text.
 */
export function scriptsOf(texts: readonly string[]): Script[] {
  const total = texts.reduce((sum, { length }) => sum + length, texts.length)
  if (total <= MAX_EXAMINED && !texts.some((text) => BEYOND_LATIN.test(text)))
    return texts.some((text) => LATIN.test(text)) ? ['latin'] : []
  const examined = texts.join(' ').slice(0, MAX_EXAMINED)
  if (!BEYOND_LATIN.test(examined)) return LATIN.test(examined) ? ['latin'] : []
  const counts = new Map<Script, number>()
  let letters = 0
  for (let at = 0; at < examined.length; at++) {
    const script = scriptAt(examined.charCodeAt(at))
    if (script === '') continue
    counts.set(script, (counts.get(script) ?? 0) + 1)
    letters++
  }
  return [...counts]
    .filter(([, count]) => count >= letters * MIN_SHARE)
    .sort((a, b) => b[1] - a[1])
    .map(([script]) => script)
}

function scriptAt(code: number): Script | '' {
  let low = 0
  let high = RANGES.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (code < (RANGES[middle]?.[0] ?? 0)) high = middle
    else low = middle + 1
  }
  return RANGES[low]?.[1] ?? ''
}
