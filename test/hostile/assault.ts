import type { Attack } from './attacks.js'
import { RESPONSE_MS, type TimedResponse, openStation, type Station } from './station.js'
import { type Health, peakMemory, watchHealth } from './watch.js'

export interface Result {
  attack: Attack
  responses: TimedResponse[]
  /** The errors in the responses, one per line. */
  wrong: string[]
}

export interface Assault {
  results: Result[]
  /** /healthz before the attacks. Null if it was not requested. */
  idle: Health | null
  busy: Health
  /** The maximum memory of the server, in MiB. Null if it could not be read. */
  peakMb: number | null
  /** Number of times that the server ended and had to be started again. */
  deaths: number
}

/** Whether every response arrives in time and is usable for a client: no 5xx except a 503 of a busy service. */
function complaints({ name, bytes }: Attack, responses: readonly TimedResponse[], responseMs: number): string[] {
  return responses.flatMap(({ what, status, ms, body }) => {
    const where = `${name}, ${bytes} bytes, ${what}`
    if (status === 0) return [`${where}: no response after ${Math.round(ms)} ms (${body})`]
    if (status >= 500 && status !== 503) return [`${where}: ${status} ${body.slice(0, 200)}`]
    return ms > responseMs ? [`${where}: ${status} after ${Math.round(ms)} ms`] : []
  })
}

interface AssaultOptions {
  /** MiB of heap. */
  heapMb: number
  /** Number of concurrent attacks. */
  width: number
  responseMs?: number
  /**
   * The pause between two requests to /healthz. Each costs the service a millisecond, so a test that looks for hangs
   * of seconds can use long pauses.
   */
  healthEveryMs: number
  /** The duration for which /healthz is watched before the attacks. Absent = not at all. */
  idleMs?: number
  told?: (result: Result) => void
}

/** Runs attacks against a service in a process while /healthz is watched. */
export async function assault(list: readonly Attack[], options: AssaultOptions): Promise<Assault> {
  const station: Station = await openStation(options.heapMb)
  let deaths = 0
  let peakMb: number | null = null
  const look = (): void => {
    const now = peakMemory(station.server.child.pid as number)
    if (now !== null) peakMb = Math.max(peakMb ?? 0, now)
  }
  try {
    const idle =
      options.idleMs === undefined ? null : await quiet(station.server.url, options.healthEveryMs, options.idleMs)
    const watch = watchHealth(station.server.url, options.healthEveryMs)
    const results: Result[] = []
    const queue = [...list]
    const lane = async (): Promise<void> => {
      for (let attack = queue.shift(); attack; attack = queue.shift()) {
        const responses = await attack
          .run(station)
          .catch((error: Error): TimedResponse[] => [{ what: 'prepare', status: 0, ms: 0, body: error.message }])
        const result = { attack, responses, wrong: complaints(attack, responses, options.responseMs ?? RESPONSE_MS) }
        results.push(result)
        options.told?.(result)
        look()
        if (station.server.child.exitCode !== null || station.server.child.signalCode !== null) {
          result.wrong.push(`the server ended in ${attack.name}: ${station.server.output().slice(-400)}`)
          deaths++
          queue.length = 0
        }
      }
    }
    await Promise.all(Array.from({ length: options.width }, lane))
    const busy = await watch.stop()
    return { results, idle, busy, peakMb, deaths }
  } finally {
    await station.close()
  }
}

/** Watches /healthz without other requests. */
async function quiet(url: string, everyMs: number, forMs: number): Promise<Health> {
  const watch = watchHealth(url, everyMs)
  await new Promise((done) => setTimeout(done, forMs))
  return watch.stop()
}
