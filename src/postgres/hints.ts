/** What nodes tell each other at once. Hints may be lost: whoever acts on one finds by itself, a little later, what it did not hear of. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from './database.js'

const CHANNEL = 'bindery_hints'
/** Hints of this time are sent together, each of them once, in milliseconds. */
const GATHER_MS = 10
/** Most hints that wait to be sent; those beyond are dropped. PostgreSQL takes 8,000 bytes for one. */
const MAX_WAITING = 10_000
const MAX_BYTES = 7_000

export interface Hints {
  /** Tells the other nodes, soon; one that is too long is not sent. Never throws. */
  send(topic: string, text?: string): void
  /** Calls `heard` with what other nodes send. */
  on(topic: string, heard: (text: string) => void): void
  close(): Promise<void>
}

/** @param holder this process and no other */
export function openHints(database: Database, holder: string): Hints {
  // bound: topics, a handful
  const listeners = new Map<string, (text: string) => void>()
  // bound: MAX_WAITING
  const waiting = new Set<string>()
  let sending: Promise<void> | null = null

  const listening = database.listen(CHANNEL, (payload) => {
    if (payload === '') return
    const [from, topic, text] = JSON.parse(payload) as [string, string, string]
    if (from !== holder) listeners.get(topic)?.(text)
  })

  async function sendAll(): Promise<void> {
    await wait(GATHER_MS)
    const some = [...waiting]
    waiting.clear()
    sending = null
    // While the database is away there is nobody to tell.
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
