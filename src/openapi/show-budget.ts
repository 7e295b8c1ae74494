/** Limits the content of one displayed part of a specification: schema entries and characters. */
import { fromNames } from '../kernel/defined.js'

/** Maximum number of schemas and properties in one part. */
const MAX_ENTRIES = 400
/** Maximum number of characters of all texts in one part. */
const MAX_CHARACTERS = 40_000
export const MAX_LEVELS = 8
export const MAX_LENGTHS = {
  name: 200,
  type: 120,
  fact: 200,
  value: 80,
  description: 600,
  about: 8_000,
  example: 2_000,
}
/** Maximum number of items in each list of a part. */
export const MAX_ITEMS = {
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

/** The remaining entries and characters while a part is created. */
export class ShowBudget {
  #entries = MAX_ENTRIES
  #characters = MAX_CHARACTERS

  /** Whether one more schema or property may be shown. */
  entry(): boolean {
    return this.#entries-- > 0
  }

  /** Returns a text, cut to a length and to the remaining budget. */
  text(value: string, longest: number): string {
    const most = Math.min(longest, Math.max(0, this.#characters))
    const cut = value.length <= most ? value : `${wholeCharacters(value.slice(0, Math.max(0, most - 1)))}…`
    this.#characters -= cut.length
    return cut
  }

  /** Returns a text as an optional member; no member if it is not a text or is blank. */
  member<K extends string>(key: K, value: unknown, longest: number): Partial<Record<K, string>> {
    if (typeof value !== 'string' || value.trim() === '') return {}
    return fromNames([key], () => this.text(value.trim(), longest))
  }

  /** Returns a value as JSON, cut to a length; indented for readers if it may be long. */
  json(value: unknown, longest: number): string {
    const text =
      typeof value === 'string' && longest > MAX_LENGTHS.value
        ? value
        : (JSON.stringify(value, null, longest > MAX_LENGTHS.value ? 2 : 0) ?? 'null')
    return this.text(text, longest)
  }
}

/** Removes half of a surrogate pair at the end. */
const wholeCharacters = (text: string): string => text.replace(/[\ud800-\udbff]$/, '')
