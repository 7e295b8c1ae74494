import { Slices } from '../../kernel/slices.js'
import type { Reference } from '../reference.js'
import { decodeText, MAX_TEXT_BYTES } from '../text.js'
import { unlessTooCostly } from '../work/text-work.js'
import { ChangeError } from './change-error.js'
import { findFrontMatterBlock } from './front-matter.js'
import type { ReferenceReplacement } from './rewrite-references.js'
import type { Batch } from './batch.js'

/** What stands for a target from now on; null where it stays. */
export type Retargeting = (target: string) => string | null

/**
 * Writes links of a markdown file's body anew. `look` is given the text, and says how; null where there is nothing to look for
 * in it. A file of more than `MAX_TEXT_BYTES`, or one that is too costly to be looked through, stays as it is (its diagnostic
 * says so).
 */
export async function retargetLinks(batch: Batch, path: string, look: (text: string) => Promise<Retargeting | null>): Promise<void> {
  const file = await batch.workspace.bytes(path, MAX_TEXT_BYTES)
  if (!(file instanceof Uint8Array)) return
  const text = decodeText(file)
  const next = await look(text)
  if (next === null) return
  const bodyStart = findFrontMatterBlock(text)?.end ?? 0
  const found: ReferenceReplacement[] = []
  const slices = new Slices()
  for (const { target, start, end } of await referencesIn(batch, text.slice(bodyStart))) {
    if (slices.due) await slices.rest()
    const put = next(target)
    if (put !== null && put !== target) found.push({ start, end, target: put })
  }
  if (found.length === 0) return
  const outcome = await unlessTooCostly(batch.work.retarget(file, bodyStart, found), null)
  if (outcome === null || 'refused' in outcome)
    throw new ChangeError(`${path} has too many links for them to be written anew. Divide it first.`, undefined, true)
  await batch.workspace.setBytes(path, outcome.done)
}

/** The references in a page's markdown. One that is too costly to be looked through has none, as when it is read. */
const referencesIn = ({ work }: Pick<Batch, 'work'>, markdown: string): Promise<readonly Reference[]> => unlessTooCostly(work.references(markdown), [])
