/** Recognizes versions among the variants of a section by their titles, such as "v2.1" and "1.x". */

/** A variant with the data that identifies its version. */
export interface Versioned {
  id: string
  title: string
  /** Its language, if it is known. Versions are compared within one language. */
  lang: string | undefined
  /** Whether it is the default variant. */
  isDefault: boolean
}

const NUMBER = /(?:^|\s)(v\.?|version )?(\d{1,4}(?:\.(?:\d{1,4}|x))*)(?![\w.])/i

/** Returns the parts of a version number in a title; null if the title is not one of a version. */
function numberIn(title: string): number[] | null {
  const [, prefix, number] = NUMBER.exec(title) ?? []
  if (number === undefined || (prefix === undefined && !number.includes('.') && number !== title.trim())) return null
  return number.split('.').map((part) => (/x/i.test(part) ? Number.POSITIVE_INFINITY : Number(part)))
}

/** Compares two version numbers. Absent parts count as 0. */
function compare(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [one, other] = [a[at] ?? 0, b[at] ?? 0]
    if (one !== other) return one - other
  }
  return 0
}

/**
 * Returns the latest version for each variant that is a version and has another one in its language: the default
 * variant, or else the one with the highest number. Versions with a higher number than the latest one are not old.
 */
export function latestVersions(all: readonly Versioned[]): Map<string, { latest: string; isOld: boolean }> {
  const numbered = all.flatMap((one) => {
    const number = numberIn(one.title)
    return number ? [{ ...one, number }] : []
  })
  const found = new Map<string, { latest: string; isOld: boolean }>()
  for (const lang of new Set(numbered.map((one) => one.lang))) {
    const versions = numbered.filter((one) => one.lang === lang)
    if (versions.length < 2) continue
    const highest = versions.reduce((best, one) => (compare(one.number, best.number) > 0 ? one : best))
    const latest = versions.find(({ isDefault }) => isDefault) ?? highest
    for (const one of versions)
      if (compare(one.number, latest.number) <= 0)
        found.set(one.id, { latest: latest.id, isOld: compare(one.number, latest.number) < 0 })
  }
  return found
}
