/** Merges the three versions of a file in conflict by their structure: the table of contents, YAML, and front matter. */
import type { Merged } from '../../../content/edit/merge-yaml.js'
import { findTarget } from '../../../content/file-index.js'
import { idOf } from '../../../content/identity.js'
import { entriesFrom } from '../../../content/config.js'
import { sameLineEnds } from '../../../content/edit/line-ends.js'
import { folderOf, isMarkdown, keyBelow } from '../../../content/paths.js'
import { MAX_STRUCTURE_BYTES } from '../../../content/read-file.js'
import { type SummaryNames, type TextWork, unlessTooCostly } from '../../../content/work/text-work.js'
import { decodeText, encodeText, encodingOf, MAX_TEXT_BYTES } from '../../../content/text.js'
import type { SummaryNode } from '../../../content/types.js'
import type { MergeConflict } from '../../../git/index.js'
import { Slices } from '../../../kernel/slices.js'
import type { OpenSides, Side } from './side.js'

/** The sides of a merge. It may have no base. */
export type MergedSides = Omit<OpenSides, 'base'> & { base: Side | undefined }

/**
 * Merges a file in conflict by structure. Returns null if it has no structure, is too large, or still has a conflict.
 */
export async function mergeStructured(
  work: TextWork,
  sides: MergedSides,
  conflict: MergeConflict,
  summary: string,
): Promise<Uint8Array | null> {
  const { base, ours, theirs, path } = conflict
  if (!ours || !theirs || (conflict.kind !== 'content' && conflict.kind !== 'add/add')) return null
  if ([base, ours, theirs].some((side) => side?.mode === '160000')) return null
  const { snapshot } = sides.ours
  // Larger files stay in conflict, for users to resolve.
  const sizes = await snapshot.sizes([base, ours, theirs].flatMap((side) => (side === undefined ? [] : [side.oid])))
  if (Math.max(...sizes) > (path === summary ? MAX_STRUCTURE_BYTES : MAX_TEXT_BYTES)) return null
  const read = (side: typeof base): Buffer | Promise<Buffer> =>
    side === undefined ? Buffer.alloc(0) : snapshot.read(side.oid)
  const [was, mine, other] = await Promise.all([read(base), read(ours), read(theirs)])
  // The merged text keeps the encoding of both sides (UTF-8 or Latin-1). Sides with different encodings cannot be
  // merged.
  const encoding = encodingOf(mine)
  if (encoding !== encodingOf(other)) return null
  const [b, o, t] = [decodeText(was), decodeText(mine), decodeText(other)]
  const ends = base === undefined ? null : changedLineEnds({ base: b, ours: o, theirs: t })
  const texts =
    ends === null ? { base: b, ours: o, theirs: t } : { base: withFeeds(b), ours: withFeeds(o), theirs: withFeeds(t) }
  const mergeOne = async (): Promise<Merged | null> => {
    if (path === summary) return mergeSummaries(work, sides, texts)
    return ends !== null && !isConfig(path)
      ? work.mergePage(texts.base, texts.ours, texts.theirs)
      : mergeTexts(work, path, texts, base !== undefined)
  }
  // A file that is too costly to merge by structure stays in conflict.
  const merged = await unlessTooCostly(mergeOne(), null)
  if (!merged || !('text' in merged)) return null
  const text = ends === null ? merged.text : await unlessTooCostly(work.keepLineEnds(ends, merged.text), null)
  return text === null ? null : encodeText(text, encoding)
}

/**
 * Returns the version whose line endings the merge uses: the side that changed them, or ours if both did. Returns null
 * if neither did.
 */
function changedLineEnds({ base, ours, theirs }: Versions): string | null {
  if (![base, ours, theirs].some((text) => text.includes('\r'))) return null
  if (!sameLineEnds(base, ours)) return ours
  return sameLineEnds(base, theirs) ? null : theirs
}

const withFeeds = (text: string): string => text.replace(/\r\n?/g, '\n')

/** The three versions of a text: base, ours and theirs. */
type Versions = Record<keyof SummaryNames, string>

const isConfig = (path: string): boolean =>
  /(^|\/)(\.gitbook\.yaml|\.gitbook\/vars\.yaml|\.gitbook\/tags\.yaml)$/.test(path)

/**
 * Merges YAML files and front matter by key. A page that both sides added has no base (`hasBase` is false) and is not
 * merged.
 */
async function mergeTexts(
  work: TextWork,
  path: string,
  { base, ours, theirs }: Versions,
  hasBase: boolean,
): Promise<Merged | null> {
  if (isConfig(path)) return work.mergeYaml(base, ours, theirs)
  return isMarkdown(path) && hasBase ? work.mergePage(base, ours, theirs) : null
}

/**
 * Merges three versions of the table of contents. Entries are matched by page ID, so the entry of a renamed file is the
 * same entry. This applies only to pages of the merge base. Pages that the sides added separately may have the same ID
 * until the merge gives one of them another ID.
 */
async function mergeSummaries(work: TextWork, { base, ours, theirs }: MergedSides, texts: Versions): Promise<Merged> {
  const pages = new Set<string>()
  const names = async (side: Side | undefined, text: string): Promise<Record<string, string>> => {
    if (side === undefined) return {}
    const { config, snapshot } = side
    const [overrides, files] = await Promise.all([side.overrides(), snapshot.walk()])
    const paths = new Set(files.map((file) => file.path))
    const identify = (path: string): string => idOf(overrides)('page', keyBelow(config.root, path))
    const slices = new Slices()
    if (side === base)
      for (const path of paths) {
        if (slices.due) await slices.rest()
        pages.add(identify(path))
      }
    const found: [string, string][] = []
    for (const href of hrefsIn((await work.summary(text)).nodes)) {
      if (slices.due) await slices.rest()
      const path = /[?#]/.test(href)
        ? null
        : findTarget(href, folderOf(entriesFrom(config)), config.root, (one) => paths.has(one))
      const id = path === null ? null : identify(path)
      if (id !== null && pages.has(id)) found.push([href, id])
    }
    return Object.fromEntries(found)
  }
  const named = {
    base: await names(base, texts.base),
    ours: await names(ours, texts.ours),
    theirs: await names(theirs, texts.theirs),
  }
  return work.mergeSummary(texts.base, texts.ours, texts.theirs, named)
}

const hrefsIn = (nodes: readonly SummaryNode[]): Set<string> =>
  new Set(
    nodes.flatMap((node) => [
      ...(node.href === null || node.href === undefined ? [] : [node.href]),
      ...hrefsIn(node.children),
    ]),
  )
