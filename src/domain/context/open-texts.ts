import { availableParallelism } from 'node:os'
import type { MemoryBudget } from '../../kernel/memory-budget.js'
import { createPool } from '../../parsing/index.js'
import { Texts } from './texts.js'

/**
 * Threads that take texts apart; there is one per core but one, which is the service's own, and a spare one while a slow task
 * runs. Pages within the limits of `content/blocks/weight.ts` take two seconds of a processor at most where nothing else runs
 * on it: five are for slow machines, and whatever was not foreseen. Each thread may hold `heapMb`, so all of them together
 * (cores × 512 MB) bound what texts cost in memory; a page within the limits needs a third of that.
 */
const LIMITS = {
  spares: 1,
  slowMs: 1_000,
  heapMb: 512,
  deadline: { cpuMs: 5_000, wallMs: 30_000 },
  maxWaiting: { items: 1_000, bytes: 64 * 1024 * 1024 },
  maxResultBytes: 16 * 1024 * 1024,
}

/** What takes texts apart for the whole service, with its results kept within `budget` (default: one of its own), and how it is closed. */
export function openTexts(budget?: MemoryBudget): { texts: Texts; close: () => Promise<void> } {
  const pool = createPool({ ...LIMITS, tasks: new URL('../../content/work/tasks.js', import.meta.url), threads: Math.max(1, availableParallelism() - 1) })
  return { texts: new Texts(pool, budget), close: () => pool.close() }
}
