/** Finds the lines on which links are written, from the facts about their files. */
import { readBounded } from '../../content/read-file.js'
import type { Link } from '../../content/links/link.js'
import { MAX_TARGET_LENGTH } from '../../content/links/link.js'
import { isMarkdown } from '../../content/paths.js'
import { decodeText, MAX_TEXT_BYTES } from '../../content/text.js'
import { Slices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import type { OpenRevision } from '../revisions/revisions.js'

/** Maximum number of bytes that are read for one list. The links of further files have no lines. */
const MAX_BYTES = 16 * 1024 * 1024
/** Maximum number of lines for one link. */
const MAX_LINES = 20

type LinesByTarget = ReadonlyMap<string, readonly number[]>
const NO_LINES: LinesByTarget = new Map()

/** The lines of links in the files of one revision, for one list. */
export class LinkLines {
  // bound: the files of the links of one list
  readonly #files = new Map<string, Promise<LinesByTarget>>()
  readonly #slices = new Slices()
  #left = MAX_BYTES

  constructor(
    private readonly app: App,
    private readonly revision: OpenRevision,
  ) {}

  /** Returns the lines of a link in its file, from 1. Empty if they are unknown, as in front matter. */
  async of({ source, target }: Link): Promise<readonly number[]> {
    const found = this.#files.get(source.gitPath) ?? this.#read(source.gitPath)
    this.#files.set(source.gitPath, found)
    return (await found).get(target) ?? []
  }

  async #read(gitPath: string): Promise<LinesByTarget> {
    const { snapshot, space } = this.revision
    const oid = isMarkdown(gitPath) ? (await snapshot.entry(gitPath))?.oid : undefined
    if (oid === undefined) return NO_LINES
    const [references, pages] = await Promise.all([
      this.app.pages.references(space.doc.id, snapshot, [oid]),
      this.app.pages.pages(space.doc.id, snapshot, [oid]),
    ])
    const bytes = await readBounded(snapshot, oid, Math.min(MAX_TEXT_BYTES, this.#left))
    if (!bytes) return NO_LINES
    this.#left -= bytes.length
    if (this.#slices.due) await this.#slices.rest()
    const body = pages.get(oid)?.bodyStart ?? 0
    return linesOf(
      decodeText(bytes),
      (references.get(oid) ?? []).map(({ target, start }) => [target, body + start]),
    )
  }
}

/** Returns the lines of targets by their offsets, in one pass through the text. */
function linesOf(text: string, targets: readonly (readonly [target: string, offset: number])[]): LinesByTarget {
  const found = new Map<string, number[]>()
  let [line, at] = [1, 0]
  for (const [target, offset] of [...targets].sort(([, a], [, b]) => a - b)) {
    for (let end = text.indexOf('\n', at); end !== -1 && end < offset; end = text.indexOf('\n', at)) {
      line++
      at = end + 1
    }
    const key = target.slice(0, MAX_TARGET_LENGTH)
    const lines = found.get(key) ?? []
    if (lines.length < MAX_LINES && lines.at(-1) !== line) lines.push(line)
    found.set(key, lines)
  }
  return found
}
