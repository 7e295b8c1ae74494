/** Moments of a write at which a server is killed, as seen in its folders. */
import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger } from './writers.js'

/** After an object, with the lock of a ref, after the ref, after a record of the log, in a checkpoint, after a response. */
export const POINTS = ['random', 'object', 'lock', 'ref', 'log', 'checkpoint', 'response'] as const
export type Point = (typeof POINTS)[number]

/** A point may not come in this time. Then the server is killed at a random moment. */
const PATIENCE_MS = 1_000
/** A server that stops first finishes its requests. */
const STOP_PATIENCE_MS = 10_000

/** The folder in which a point can be seen, and the names of its files. */
const SEEN: Record<Exclude<Point, 'random' | 'response'>, [folder: (space: string) => string, name: RegExp]> = {
  object: [(space) => `repos/${space}.git/objects/pack`, /\.pack$/],
  lock: [(space) => `repos/${space}.git/refs/heads`, /\.lock$/],
  ref: [(space) => `repos/${space}.git/refs/heads`, /^main$/],
  log: [() => 'data/store/log', /./],
  // While it writes its files, or while it writes the manifest that makes them count.
  checkpoint: [() => (Math.random() < 0.5 ? 'data/store/log' : 'data/store'), /^\d+\.log\.tmp$|^store\.json/],
}

/**
 * Resolves as soon as a writing server is at the point. Returns whether it came. A log needs minutes of writes until a
 * checkpoint is due, so `stop` makes the server write the one of its end.
 */
export async function reached(point: Point, dir: string, ledger: Ledger, stop: () => void): Promise<boolean> {
  await sleep(50 + Math.random() * 300)
  if (point === 'random') return true
  const patience = sleep(point === 'checkpoint' ? STOP_PATIENCE_MS : PATIENCE_MS, false)
  if (point === 'response') {
    const before = ledger.acknowledged
    const answered = async (): Promise<boolean> => {
      while (ledger.acknowledged === before) await new Promise((done) => setImmediate(done))
      return true
    }
    return Promise.race([answered(), patience])
  }
  const [folder, name] = SEEN[point]
  let watcher: FSWatcher | undefined
  const event = new Promise<boolean>((done) => {
    watcher = watch(join(dir, folder(ledger.space)), (_kind, file) => {
      if (file !== null && name.test(file)) done(true)
    })
  })
  if (point === 'checkpoint') stop()
  return Promise.race([event, patience]).finally(() => watcher?.close())
}
