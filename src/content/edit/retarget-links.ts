/** Changes links in a markdown file, for example after the files they point to have moved. */
import { Slices } from '../../kernel/slices.js'
import type { Reference } from '../reference.js'
import { decodeText, MAX_TEXT_BYTES } from '../text.js'
import { unlessTooCostly } from '../work/text-work.js'
import { ChangeError } from './change-error.js'
import { findFrontMatterBlock } from './front-matter.js'
import type { ReferenceReplacement } from './rewrite-references.js'
import type { Batch } from './batch.js'

/** Returns the new target for an old one; null if it stays. */
export type Retargeting = (target: string) => string | null

/**
 * Changes targets of links in a markdown file's body. `retargetingFor` gets the file's text, and returns null if no link in it needs
 * a change. A file of more than `MAX_TEXT_BYTES`, or one that is too costly to parse, stays unchanged (a diagnostic reports it).
 */
export async function retargetLinks(
  batch: Batch,
  path: string,
  retargetingFor: (text: string) => Promise<Retargeting | null>,
): Promise<void> {
  if (!(await batch.workspace.isRegular(path))) return
  const file = await batch.workspace.bytes(path, MAX_TEXT_BYTES)
  if (!(file instanceof Uint8Array)) return
  const text = decodeText(file)
  const next = await retargetingFor(text)
  if (next === null) return
  const bodyStart = findFrontMatterBlock(text)?.end ?? 0
  const found: ReferenceReplacement[] = []
  const slices = new Slices()
  for (const { target, start, end } of await referencesIn(batch, text.slice(bodyStart))) {
    if (slices.due) await slices.rest()
    const put = next(target)
    if (put !== null && put !== target) found.push({ start, end, target: put })
  }
  for (const { start, end } of includesIn(text, bodyStart)) {
    const put = next(text.slice(start, end))
    const covered = found.some((one) => one.start + bodyStart < end && start < one.end + bodyStart)
    if (put !== null && !covered && !/[\s():{}<>]/.test(put))
      found.push({ start: start - bodyStart, end: end - bodyStart, target: put })
  }
  if (found.length === 0) return
  const outcome = await unlessTooCostly(batch.work.retarget(file, bodyStart, found), null)
  if (outcome === null || 'refused' in outcome)
    throw new ChangeError(
      `${path} has too many links to update them. Split it into smaller files first.`,
      undefined,
      true,
    )
  await batch.workspace.setBytes(path, outcome.done)
}

const INCLUDE = /\{\{#(?:include|rustdoc_include|playground|template)[ \t]+([^\s{}:]+)/g

/** Whether a text may include files as mdBook does, which also happens in code. */
export const mayInclude = (text: string): boolean => text.includes('{{#')

/** The paths of the files that a text includes as mdBook does. */
function* includesIn(text: string, from: number): Generator<{ start: number; end: number }> {
  if (!mayInclude(text)) return
  for (const { 0: whole, 1: path = '', index } of text.matchAll(INCLUDE)) {
    const end = index + whole.length
    if (index >= from) yield { start: end - path.length, end }
  }
}

/** The references in a page's markdown; none if it is too costly to parse, as when the page is read. */
const referencesIn = ({ work }: Pick<Batch, 'work'>, markdown: string): Promise<readonly Reference[]> =>
  unlessTooCostly(work.references(markdown), [])
