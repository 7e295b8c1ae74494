import { readFileSync } from 'node:fs'

/** Milliseconds that this process's main thread has run on a processor: however busy the machine, the work is the same. Zero if the system does not say. */
export function mainThreadMs(): number {
  try {
    return Number(readFileSync(`/proc/${process.pid}/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6
  } catch {
    return 0
  }
}

/** Does something, and returns what it cost the main thread, which everybody waits for. */
export async function costOf<T>(act: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const from = mainThreadMs()
  const result = await act()
  return { result, ms: mainThreadMs() - from }
}
