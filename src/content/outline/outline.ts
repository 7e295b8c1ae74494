/** Extracts the outline of a page, and its text by section. */
import { parseMarkdown } from '../blocks/markdown.js'
import { wholeRegion } from '../blocks/region.js'
import { weigh } from '../blocks/weight.js'
import type { Whole } from '../gfm/scan-natively.js'
import { anchorsOf } from './anchors.js'
import { type Script, scriptsOf } from './scripts.js'
import { walk } from './walk.js'
import { required } from '../../kernel/defined.js'

interface Heading {
  /** 1 to 6. */
  level: number
  /** The text without markup. */
  title: string
  /** Unique among the page's anchors that are derived from titles (`anchors.ts`). */
  anchor: string
}

/** The headings of a page and the anchors that links can refer to. Empty for a page that is too costly to parse. */
export interface Outline {
  /** The title of a page that no table of contents lists (`title.ts`); '' if it has none. */
  title: string
  headings: readonly Heading[]
  /** Additional IDs that links can refer to, from HTML elements. */
  anchors: readonly string[]
  /** The scripts of the page's text, the most frequent first. */
  scripts: readonly Script[]
}

/** The text below a heading, up to the next heading of any level. */
export interface Section {
  /**
   * The anchor of the heading; null for the text before the first heading, and for the text below an H1 at the start of
   * the page.
   */
  anchor: string | null
  /** The heading's title; '' if there is none. */
  title: string
  /**
   * The text as readers see it, with a line for each block. It includes code, tables and collapsed content, but neither
   * included content nor expressions.
   */
  text: string
}

/** Maximum number of headings, and of additional anchors, in an outline. */
const MAX_HEADINGS = 2_000
/** Maximum length of a heading's title, in characters. */
const MAX_TITLE = 500
/** Maximum weight for the outline of a page that only the exact parser supports: half a second. */
const MAX_EXACT_WEIGHT = 500_000

/** The outline of a page that is not parsed. */
export const emptyOutline = (title: string): Outline => ({ title, headings: [], anchors: [], scripts: [] })

/**
 * Reads the outline and the sections of a page's body.
 * @param title the title of the outline
 * @param whole the native parser's tree of the same text, if there is one
 */
export function readOutline(
  markdown: string,
  title: string,
  whole: Whole | null,
): { outline: Outline; sections: readonly Section[] } {
  const region = wholeRegion(markdown)
  const plain = !/\{[%{]|\$\$/.test(markdown)
  if (whole === null && weigh(markdown) > MAX_EXACT_WEIGHT) return { outline: emptyOutline(title), sections: [] }
  const root = plain && whole !== null ? whole.root : parseMarkdown(region)
  const collector = new Collector()
  walk(root.children ?? [], region, collector)
  return collector.finish(title)
}

interface OutlinePart {
  level: number
  title: string
  id?: string
  lines: string[]
}

class Collector {
  readonly #parts: OutlinePart[] = [{ level: 0, title: '', lines: [] }]
  readonly #anchors = new Set<string>()

  heading(level: number, title: string, id?: string): void {
    if (this.#parts.length > MAX_HEADINGS) this.text(title)
    else
      this.#parts.push({
        level,
        title: title.slice(0, MAX_TITLE),
        ...(id === undefined ? {} : { id: id.slice(0, MAX_TITLE) }),
        lines: [],
      })
  }

  text(text: string): void {
    const shown = text.trim()
    if (shown !== '') this.#parts.at(-1)?.lines.push(shown)
  }

  readonly anchor = (id: string): void => {
    if (this.#anchors.size < MAX_HEADINGS && id.length <= MAX_TITLE) this.#anchors.add(id)
  }

  finish(title: string): { outline: Outline; sections: readonly Section[] } {
    const lead = required(this.#parts[0])
    const parts = this.#parts.slice(1)
    const anchors = anchorsOf(parts)
    const headings = parts.map(({ level, title }, at): Heading => ({ level, title, anchor: anchors[at] ?? '' }))
    const titled = lead.lines.length === 0 && parts[0]?.level === 1 ? 1 : 0
    const sections: Section[] = parts
      .slice(titled)
      .map(({ title, lines }, at) => ({ anchor: anchors[at + titled] ?? '', title, text: lines.join('\n') }))
    const first = (titled === 1 ? parts[0] : lead)?.lines.join('\n') ?? ''
    if (first !== '') sections.unshift({ anchor: null, title: '', text: first })
    const scripts = scriptsOf(sections.flatMap(({ title, text }) => [title, text]))
    return { outline: { title, headings, anchors: [...this.#anchors], scripts }, sections }
  }
}
