/** What one part of a specification may show: entries of schemas, and characters. */

/** Schemas and properties of one part. */
const MAX_ENTRIES = 400
/** Characters of all texts of one part. */
const MAX_CHARACTERS = 40_000
export const MAX_LEVELS = 8
export const LONGEST = { name: 200, type: 120, fact: 200, value: 80, description: 600, about: 8_000, example: 2_000 }
/** Items of each list of a part. */
export const MOST = {
  parameters: 100,
  responses: 40,
  contents: 10,
  headers: 30,
  examples: 3,
  values: 30,
  properties: 100,
  choices: 20,
  servers: 5,
  security: 10,
}

/** Counts down while a part is made. */
export class ShowBudget {
  #entries = MAX_ENTRIES
  #characters = MAX_CHARACTERS

  /** Whether one more schema or property may be shown. */
  entry(): boolean {
    return this.#entries-- > 0
  }

  /** A text, cut to a length and to what is left. */
  text(value: string, longest: number): string {
    const most = Math.min(longest, Math.max(0, this.#characters))
    const cut = value.length <= most ? value : `${wholeCharacters(value.slice(0, Math.max(0, most - 1)))}…`
    this.#characters -= cut.length
    return cut
  }

  /** A text as an optional member; none if it is no text, or blank. */
  member<K extends string>(key: K, value: unknown, longest: number): { [P in K]?: string } {
    if (typeof value !== 'string' || value.trim() === '') return {}
    return { [key]: this.text(value.trim(), longest) } as { [P in K]?: string }
  }

  /** A value as JSON, cut; indented for people if it is long. */
  json(value: unknown, longest: number): string {
    const text =
      typeof value === 'string' && longest > LONGEST.value
        ? value
        : (JSON.stringify(value, null, longest > LONGEST.value ? 2 : 0) ?? 'null')
    return this.text(text, longest)
  }
}

/** Without half of a character at its end. */
const wholeCharacters = (text: string): string => text.replace(/[\ud800-\udbff]$/, '')
