/**
 * Immediate notifications between nodes. Hints may be lost, so each receiver must also find changes without them, a
 * little later.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from './database.js'

const CHANNEL = 'bindery_hints'
/** Hints within this time are sent together and without duplicates, in milliseconds. */
const GATHER_MS = 10
/** Maximum number of hints that wait to be sent. Further hints are dropped. PostgreSQL accepts 8,000 bytes per hint. */
const MAX_WAITING = 10_000
const MAX_BYTES = 7_000

export interface Hints {
  /** Sends a hint to the other nodes soon. A hint that is too long is dropped. Never throws. */
  send(topic: string, text?: string): void
  /** Calls `heard` with the hints from other nodes. */
  on(topic: string, heard: (text: string) => void): void
  close(): Promise<void>
}

/** Opens the hints. @param holder a name that only this process has */
export function openHints(database: Database, holder: string): Hints {
  // bound: topics, a handful
  const listeners = new Map<string, (text: string) => void>()
  // bound: MAX_WAITING
  const waiting = new Set<string>()
  let sending: Promise<void> | null = null

  const listening = database.listen(CHANNEL, (payload) => {
    if (payload === '') return
    const [from, topic, text]: [string, string, string] = JSON.parse(payload)
    if (from !== holder) listeners.get(topic)?.(text)
  })

  async function sendAll(): Promise<void> {
    await wait(GATHER_MS)
    const some = [...waiting]
    waiting.clear()
    sending = null
    // While the database is unreachable, hints are dropped.
    await database
      .query('SELECT pg_notify($1, hint) FROM unnest($2::text[]) AS hint', [CHANNEL, some], 'hints')
      .catch(() => undefined)
  }

  return {
    send(topic, text = '') {
      const hint = JSON.stringify([holder, topic, text])
      if (Buffer.byteLength(hint) > MAX_BYTES || waiting.size >= MAX_WAITING) return
      waiting.add(hint)
      sending ??= sendAll()
    },
    on: (topic, heard) => void listeners.set(topic, heard),
    async close() {
      await sending
      await listening.close()
    },
  }
}
