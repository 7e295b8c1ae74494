/** Measures and limits the memory of a process and its descendants. */
import { readdirSync, readFileSync } from 'node:fs'

const CHECK_MS = 500
const PAGE = 4096

/** Returns the total memory of this process and its descendants, in bytes; 0 if the system does not report it. */
function memoryOfTree(): number {
  const children = new Map<number, number[]>()
  try {
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue
      const stat = parentOf(name)
      if (stat !== null) children.set(stat, [...(children.get(stat) ?? []), Number(name)])
    }
  } catch {
    return 0
  }
  const pending = [process.pid]
  let sum = 0
  for (let pid = pending.pop(); pid !== undefined; pid = pending.pop()) {
    sum += memoryOf(pid)
    pending.push(...(children.get(pid) ?? []))
  }
  return sum
}

/** Returns the parent of a process; null if it has ended. */
function parentOf(pid: string): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return null
  }
}

/** Returns the private memory of a process, without the files that it shares with others. */
function memoryOf(pid: number): number {
  try {
    const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ').map(Number)
    return (resident - shared) * PAGE
  } catch {
    return 0
  }
}

/**
 * Watches the memory until `stop` is called, which returns the peak. Calls `exceeded` once if it is more than `max`
 * bytes.
 */
export function watchMemory(max: number, exceeded: () => void): { stop(): number } {
  let peak = 0
  let reported = false
  const timer = setInterval(() => {
    peak = Math.max(peak, memoryOfTree())
    if (peak <= max || reported) return
    reported = true
    exceeded()
  }, CHECK_MS)
  return {
    stop() {
      clearInterval(timer)
      return Math.max(peak, memoryOfTree())
    },
  }
}
