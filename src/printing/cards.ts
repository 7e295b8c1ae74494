/** Creates social cards, several in one Chromium, and stores them by a digest of their content. */
import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openFileShelf } from '../disk/file-shelf.js'
import type { Shelved, ShelvedFacts } from '../kernel/file-shelf.js'
import { PrintFailure } from './failure.js'
import type { Printer } from './printer.js'

/** The metadata of a stored picture. */
interface CardFacts extends ShelvedFacts {
  /** SHA-256 of the file. */
  digest: string
}

/** Creates and stores pictures. */
export interface Cards {
  /**
   * Returns the picture of a document, and creates it unless it is stored. Throws `PrintFailure` if that fails, or
   * if too many wait. @param owner ID of the site @param key identifies the content of the document
   */
  picture(owner: string, key: string, html: string): Promise<Shelved<CardFacts>>
  /** Removes the pictures of a site. */
  remove(owner: string): Promise<void>
}

/** Maximum size of all pictures, in bytes. */
const MAX_BYTES = 256 * 1024 * 1024
/** Maximum number of waiting pictures, and of pictures per Chromium process. */
const MAX_WAITING = 100
const AT_ONCE = 20

interface Waiting {
  owner: string
  key: string
  html: string
  done(made: Shelved<CardFacts>): void
  failed(error: unknown): void
  promise: Promise<Shelved<CardFacts>>
}

/** @param folder the folder of the pictures. They are not shared with other nodes. */
export function createCards(printer: Printer, folder: string): Cards {
  const shelf = openFileShelf<CardFacts>(folder, 'card.png', MAX_BYTES)
  // bound: MAX_WAITING
  const waiting = new Map<string, Waiting>()
  let isRunning = false

  async function run(): Promise<void> {
    if (isRunning) return
    isRunning = true
    try {
      while (waiting.size > 0) await make([...waiting.values()].slice(0, AT_ONCE))
    } finally {
      isRunning = false
    }
  }

  async function make(batch: readonly Waiting[]): Promise<void> {
    let work: string | undefined
    try {
      work = await shelf.workFolder('cards')
      for (const { key, html } of batch) {
        await mkdir(join(work, key))
        await writeFile(join(work, key, 'card.html'), html)
      }
      await writeFile(join(work, 'cards.json'), JSON.stringify(batch.map(({ key }) => key)))
      await printer.pictures(work)
      for (const one of batch) await keep(one, join(work, one.key))
    } catch (error) {
      for (const one of batch) one.failed(error)
    } finally {
      for (const { key } of batch) waiting.delete(key)
      if (work !== undefined) await shelf.discard(work)
    }
  }

  async function keep({ owner, key, done, failed }: Waiting, from: string): Promise<void> {
    const png = await readFile(join(from, 'card.png'))
    const facts = { bytes: png.length, digest: createHash('sha256').update(png).digest('hex') }
    await shelf.keep(owner, key, from, facts)
    const made = await shelf.find(owner, key)
    if (made) done(made)
    else failed(new PrintFailure('failed', 'The picture was deleted immediately after its creation.'))
  }

  return {
    async picture(owner, key, html) {
      const stored = await shelf.find(owner, key)
      if (stored) return stored
      const known = waiting.get(key)
      if (known) return known.promise
      if (waiting.size >= MAX_WAITING) throw new PrintFailure('failed', 'Too many pictures are being created.')
      const { promise, resolve, reject } = withResolvers<Shelved<CardFacts>>()
      waiting.set(key, { owner, key, html, done: resolve, failed: reject, promise })
      void run()
      return promise
    },
    remove: (owner) => shelf.remove(owner),
  }
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<T>((done, failed) => {
    resolve = done
    reject = failed
  })
  return { promise, resolve, reject }
}
