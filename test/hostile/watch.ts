import { readFileSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { moduleArguments } from '../support/own-process.js'

/** Response times of /healthz during other work, in milliseconds. */
export interface Health {
  p50: number
  p99: number
  max: number
  samples: number
  failures: number
}

const at = (sorted: readonly number[], part: number): number =>
  Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0) * 10) / 10

/**
 * Watches /healthz from now until `stop`.
 * @param everyMs pause between two requests
 */
export function watchHealth(url: string, everyMs: number): { stop(): Promise<Health> } {
  const child = spawn(
    process.execPath,
    [...moduleArguments('./probe-health.js', import.meta.url), url, String(everyMs)],
    {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    },
  )
  const ended = new Promise<{ samples: number[]; failures: number }>((done, failed) => {
    child.once('message', (message) => done(message as { samples: number[]; failures: number })).once('error', failed)
  })
  return {
    stop: async () => {
      child.send('stop')
      const { samples, failures } = await ended
      const sorted = samples.sort((a, b) => a - b)
      return { p50: at(sorted, 0.5), p99: at(sorted, 0.99), max: at(sorted, 1), samples: sorted.length, failures }
    },
  }
}

/** Returns the maximum memory of a process in MiB, or null if the system does not report it. */
export function peakMemory(pid: number): number | null {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1024)
  } catch {
    return null
  }
}
