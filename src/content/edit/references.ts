import type { Reference } from '../reference.js'
import { unlessTooCostly } from '../work/text-work.js'
import type { Batch } from './plan.js'

/** The references in a page's markdown. One that is too costly to be looked through has none, as when it is read. */
export const referencesIn = ({ work }: Pick<Batch, 'work'>, markdown: string): Promise<readonly Reference[]> => unlessTooCostly(work.references(markdown), [])
