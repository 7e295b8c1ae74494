import type { Reference } from '../reference.js'
import { TextTooCostly } from '../work/text-work.js'
import type { Batch } from './plan.js'

/** The references in a page's markdown. One that is too costly to be looked through has none, as when it is read. */
export async function referencesIn({ work }: Pick<Batch, 'work'>, markdown: string): Promise<readonly Reference[]> {
  try {
    return await work.references(markdown)
  } catch (error) {
    if (error instanceof TextTooCostly) return []
    throw error
  }
}
