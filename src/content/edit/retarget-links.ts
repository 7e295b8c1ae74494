/** Changes links in a markdown file, for example after the files they point to have moved. */
import { Slices } from '../../kernel/slices.js'
import type { Reference } from '../reference.js'
import { decodeText, MAX_TEXT_BYTES } from '../text.js'
import { unlessTooCostly } from '../work/text-work.js'
import { ChangeError } from './change-error.js'
import { findFrontMatterBlock } from './front-matter.js'
import type { ReferenceReplacement } from './rewrite-references.js'
import type { Batch } from './batch.js'

/** Returns the new target for an old one; null if it does not change. */
export type Retargeting = (target: string) => string | null

/**
 * Changes link targets in a markdown file's body. `retargetingFor` receives the file's text and returns null if no link
 * needs a change. A file that is larger than `MAX_TEXT_BYTES` or too costly to parse is left unchanged (a diagnostic
 * reports it).
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
  const replacements: ReferenceReplacement[] = []
  const slices = new Slices()
  for (const { target, start, end } of await referencesIn(batch, text.slice(bodyStart))) {
    if (slices.due) await slices.rest()
    const replacement = next(target)
    if (replacement !== null && replacement !== target) replacements.push({ start, end, target: replacement })
  }
  for (const { start, end } of includesIn(text, bodyStart)) {
    const replacement = next(text.slice(start, end))
    const covered = replacements.some((one) => one.start + bodyStart < end && start < one.end + bodyStart)
    if (replacement !== null && !covered && !/[\s():{}<>]/.test(replacement))
      replacements.push({ start: start - bodyStart, end: end - bodyStart, target: replacement })
  }
  if (replacements.length === 0) return
  const outcome = await unlessTooCostly(batch.work.retarget(file, bodyStart, replacements), null)
  if (outcome === null || 'refused' in outcome)
    throw new ChangeError(
      `${path} has too many links to update them. Split it into smaller files first.`,
      undefined,
      true,
    )
  await batch.workspace.setBytes(path, outcome.done)
}

const INCLUDE = /\{\{#(?:include|rustdoc_include|playground|template)[ \t]+([^\s{}:]+)/g

/** Whether a text may include files with mdBook's syntax, which also works in code. */
export const mayInclude = (text: string): boolean => text.includes('{{#')

/** Returns the ranges of the file paths that a text includes with mdBook's syntax. */
function* includesIn(text: string, from: number): Generator<{ start: number; end: number }> {
  if (!mayInclude(text)) return
  for (const { 0: whole, 1: path = '', index } of text.matchAll(INCLUDE)) {
    const end = index + whole.length
    if (index >= from) yield { start: end - path.length, end }
  }
}

/** Returns the references in a page's markdown. If it is too costly to parse, returns none, as for a page read. */
const referencesIn = ({ work }: Pick<Batch, 'work'>, markdown: string): Promise<readonly Reference[]> =>
  unlessTooCostly(work.references(markdown), [])
