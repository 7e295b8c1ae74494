import { readFileSync } from 'node:fs'

/**
 * Milliseconds that this process's main thread has run on a processor. The value does not depend on other load. Zero if
 * the system does not report it.
 */
export function mainThreadMs(): number {
  try {
    return Number(readFileSync(`/proc/${process.pid}/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6
  } catch {
    return 0
  }
}

/** Runs a function. Returns its cost on the main thread, which delays all requests. */
export async function costOf<T>(act: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const from = mainThreadMs()
  const result = await act()
  return { result, ms: mainThreadMs() - from }
}

/**
 * The longest period in milliseconds of processor time on this thread without a turn for other work while `act` was
 * running.
 */
export async function longestStretch(act: () => Promise<unknown>): Promise<number> {
  const processorTime = (): number => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6
  let [longest, from, over] = [0, processorTime(), false]
  const turn = (): void => {
    const now = processorTime()
    longest = Math.max(longest, now - from)
    from = now
    if (!over) setTimeout(turn, 2)
  }
  setTimeout(turn, 2)
  await act()
  over = true
  return longest
}
