// Opens the threads that parse, print and compare texts, with their limits.
import { availableParallelism } from 'node:os'
import type { MemoryBudget } from '../../kernel/memory-budget.js'
import { createPool } from '../../threads/index.js'
import { Texts } from './texts.js'

/**
 * Limits of the threads that parse texts. There is one thread per core, less one for the service itself, plus a spare
 * one while a slow task runs. A page within the limits of `content/blocks/weight.ts` takes at most four seconds of
 * processor time on an idle core; the deadline of eight seconds allows for slow machines. A task that has not had this
 * time after 90 seconds, a tenth of a core, fails with 503: no page may count as too costly because the machine is
 * busy, since its links would not follow a rename. The threads have a low priority, so 30 seconds were too few. Each
 * thread may use `heapMb` of memory, so parsing uses at most cores × 512 MB. A page within the limits needs a third of
 * that.
 */
const LIMITS = {
  spares: 1,
  slowMs: 1_000,
  heapMb: 512,
  deadline: { cpuMs: 8_000, wallMs: 90_000 },
  maxWaiting: { items: 1_000, bytes: 64 * 1024 * 1024 },
  maxResultBytes: 16 * 1024 * 1024,
}

/**
 * Creates the threads that parse texts for the whole service. Results are cached within `budget`, by default a separate
 * one.
 */
export function openTexts(budget?: MemoryBudget, makePool = createPool): { texts: Texts; close: () => Promise<void> } {
  const pool = makePool({
    ...LIMITS,
    tasks: new URL('../../render/tasks.js', import.meta.url),
    threads: Math.max(1, availableParallelism() - 1),
  })
  return { texts: new Texts(pool, budget), close: () => pool.close() }
}
